"""Jobs of two processes that failed on an H100: one story for kernel lines, CUDA's errors and the GPU core."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpu_archives import unpack_jobs

from analyzer.incident import Incident
from analyzer.pipeline import analyze


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders of all jobs."""
    return unpack_jobs(tmp_path_factory.mktemp("jobs"))


def unexplained_causes(incident: Incident) -> set[str]:
    """Return the rules of causes on worker-1 that are no consequence of the root cause."""
    root = incident.root_causes[0].finding
    return {
        finding.rule
        for finding in incident.findings
        if finding.node == "worker-1" and root.id not in finding.explained_by and finding.id != root.id
    }


def test_a_failed_kernel_leads_and_is_the_jobs(jobs: Path) -> None:
    incident = analyze([jobs / "illegal-address-core"])
    root = incident.root_causes[0]
    assert root.finding.title == (
        "worker-1: the GPU kernel scatter_rows failed at scatter_rows.cu:10: Warp Illegal Address"
    )
    assert (root.blame, root.finding.node) == ("user", "worker-1")
    assert root.finding.captures["pid"] == "836"
    assert root.confidence > 0.85
    xids = [finding for finding in incident.findings if finding.rule == "nvidia-xid-app"]
    assert xids
    assert all(root.finding.id in finding.explained_by for finding in xids)
    assert not unexplained_causes(incident)


def test_without_a_core_the_xid_is_the_jobs_too(jobs: Path) -> None:
    incident = analyze([jobs / "illegal-address"])
    root = incident.root_causes[0]
    assert (root.finding.rule, root.finding.captures["xid"], root.blame) == ("nvidia-xid-app", "31", "user")
    assert not unexplained_causes(incident)


def test_a_kernel_that_does_not_end_is_what_the_others_wait_for(jobs: Path) -> None:
    incident = analyze([jobs / "gpu-hang"])
    root = incident.root_causes[0]
    assert root.finding.title == (
        "worker-1: a GPU kernel does not end: the GPU runs wait_rows at scatter_rows.cu:15 in 4 warps"
    )
    assert (root.finding.cause, root.blame) == ("sync.hang", "user")
    assert not unexplained_causes(incident)


def test_gpu_memory_is_exhausted_on_the_node_that_says_so(jobs: Path) -> None:
    root = analyze([jobs / "gpu-memory"]).root_causes[0]
    assert (root.finding.cause, root.finding.node) == ("resource.gpu-oom", "worker-1")


@pytest.mark.parametrize(
    "line",
    [
        "48, pid=836, name=python3, DBE (double bit error) detected",
        "79, pid=836, name=python3, GPU has fallen off the bus.",
        "95, pid=836, name=python3, Uncontained: LTC TAG. RST: Yes, D-RST: No",
    ],
)
def test_xids_of_the_hardware_stay_with_the_operators(jobs: Path, tmp_path: Path, line: str) -> None:
    """The same job with the driver's line of a broken GPU in place of its own."""
    for path in (jobs / "illegal-address").rglob("*.log"):
        target = tmp_path / path.parent.name / path.name
        target.parent.mkdir()
        target.write_text(path.read_text())
    (tmp_path / "worker-1" / "dmesg.txt").write_text(f"[   42.880792] NVRM: Xid (PCI:0000:00:06): {line}\n")
    root = analyze([tmp_path]).root_causes[0]
    assert (root.blame, root.finding.cause) == ("cluster", root.finding.cause)
    assert root.finding.cause in ("hardware.gpu-ecc", "hardware.gpu-lost", "hardware.gpu-xid")


def test_a_core_in_a_flat_folder_is_of_the_worker_whose_log_has_its_pid(jobs: Path, tmp_path: Path) -> None:
    """Both logs and the core lie beside each other, and only prefixes of TensorFlow's logger state the pid."""
    for path in (jobs / "illegal-address-core").rglob("*.*"):
        if path.name != "dmesg.txt":
            (tmp_path / path.name.replace("train", path.parent.name)).write_bytes(path.read_bytes())
    incident = analyze([tmp_path])
    assert [core.node for core in incident.cores] == ["worker-1"]
    assert incident.root_causes[0].finding.node == "worker-1"
