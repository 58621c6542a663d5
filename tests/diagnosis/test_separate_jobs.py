"""Of several jobs in one bundle, the one that failed is judged, and what ended well is context."""

from __future__ import annotations

import io

import pytest

from analyzer.incident import Incident
from analyzer.model import Role
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

CAUGHT = "2026-02-01 03:04:30,000 ERROR fit: try again\nOSError: [Errno 28] No space left on device: '/scratch/a'\n"
FAILURE = "Traceback (most recent call last):\n  File \"/srv/a.py\", line 2, in <module>\nKeyError: 'width'\n"
FINISHED = "2026-02-01 03:04:59,000 INFO fit: training finished\n"

FOLDERS = {
    "YARN": "container_1794300000000_04{0}_01_00000{1}/stderr",
    "numbers of a scheduler": "job-48{0}/n{1}/fit.log",
    "the name of the output": "out/slurm-48{0}/task{1}.txt",
}


def log(rank: int, more_lines: str) -> str:
    spec = "{'worker': ['a:2222', 'b:2222']}" if rank < 3 else "{'worker': ['c:2222', 'd:2222']}"
    text = f"2026-02-01 03:04:01,000 INFO tensorflow: MultiWorkerMirroredStrategy with cluster_spec = {spec}, "
    text += f"task_type = 'worker', task_id = {(rank - 1) % 2}, num_workers = 2\n"
    steps = "".join(f"2026-02-01 03:04:{second:02},000 INFO fit: step {second} loss 0.5\n" for second in range(5, 25))
    return text + steps + more_lines


def analyze(folder: str, ends: dict[int, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    for rank, more_lines in ends.items():
        path = folder.format(17 if rank < 3 else 18, rank)
        intake.results.append(read_source(path, io.BytesIO(log(rank, more_lines).encode()), plan))
    return diagnose(intake, packs)


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)
def test_a_job_that_ended_well_does_not_hide_the_failure_of_another(folder: str, packs: Packs, plan: ReadPlan) -> None:
    ends = {1: CAUGHT + FINISHED, 2: FINISHED, 3: FAILURE, 4: ""}
    incident = analyze(folder, ends, packs, plan)
    assert (incident.verdict, incident.root_causes[0].finding.cause) == ("diagnosed", "user.code-error")
    aside = [finding for finding in incident.findings if finding.cause == "resource.disk-full"]
    assert aside and all(finding.role is Role.CONTEXT for finding in aside)
    assert any("has several jobs" in note for note in incident.notes)


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)
def test_jobs_that_ended_alike_are_judged_together(folder: str, packs: Packs, plan: ReadPlan) -> None:
    well = analyze(folder, dict.fromkeys(range(1, 5), FINISHED), packs, plan)
    assert well.verdict == "no-failure"
    failed = analyze(folder, {1: FAILURE, 2: "", 3: FAILURE, 4: ""}, packs, plan)
    assert failed.verdict == "diagnosed" and not any("has several jobs" in note for note in failed.notes)
