"""Two jobs at the same time on the same machines: the one that ended well is not the one that is asked about."""

from __future__ import annotations

import io

import pytest

from analyzer.incident import Incident
from analyzer.model import Role
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

HOSTS = ("oak", "elm")
FAILURE = (
    "Traceback (most recent call last):\n  File \"/srv/a.py\", line 2, in <module>\nKeyError: 'width'\n"
    "2026-02-01T03:04:31+00:00 HOST systemd[1]: fit.service: Main process exited, code=exited, status=1/FAILURE\n"
)
FINISHED = (
    "2026-02-01 03:05:40,000 INFO fit: training finished\n"
    "2026-02-01T03:05:41+00:00 HOST systemd[1]: fit.service: Deactivated successfully.\n"
)


def write_log(host: str, first_second: int, end: str) -> bytes:
    steps = "".join(
        f"2026-02-01 03:04:{first_second + number:02},000 INFO fit: step {number} loss 0.5\n" for number in range(30)
    )
    name = f"2026-02-01 03:04:{first_second:02},000 INFO fit: Started server with target: grpc://{host}:2222\n"
    return (name + steps + end.replace("HOST", host)).encode()


def analyze(runs: dict[str, tuple[int, dict[str, str]]], packs: Packs, plan: ReadPlan) -> Incident:
    """Diagnose `runs`: folder → second in which it began, and host → the end of its log."""
    intake = IngestResult()
    for folder, (second, ends) in runs.items():
        for host, end in ends.items():
            log = io.BytesIO(write_log(host, second, end))
            intake.results.append(read_source(f"{folder}/worker{HOSTS.index(host)} {host}.log", log, plan))
    return diagnose(intake, packs)


@pytest.mark.parametrize("failed", ["trees/rings", "trees/bark"])
def test_the_job_that_failed_is_judged(failed: str, packs: Packs, plan: ReadPlan) -> None:
    ends = {folder: dict.fromkeys(HOSTS, FINISHED) for folder in ("trees/rings", "trees/bark")}
    ends[failed] = {"oak": FAILURE, "elm": ""}
    runs = {"trees/rings": (1, ends["trees/rings"]), "trees/bark": (9, ends["trees/bark"])}
    incident = analyze(runs, packs, plan)
    assert incident.verdict == "diagnosed"
    assert incident.root_causes[0].finding.cause == "user.code-error"
    assert incident.root_causes[0].confidence > 0.6


def test_jobs_that_both_ended_well_are_no_failure(packs: Packs, plan: ReadPlan) -> None:
    runs = {folder: (second, dict.fromkeys(HOSTS, FINISHED)) for folder, second in (("a/x", 1), ("a/y", 9))}
    assert analyze(runs, packs, plan).verdict == "no-failure"


def test_a_copy_of_the_same_files_is_no_other_job(packs: Packs, plan: ReadPlan) -> None:
    """Somebody copied the files while the job ran, and again when it was over."""
    early = {"early": (1, dict.fromkeys(HOSTS, FAILURE)), "late": (1, {"oak": FAILURE + FINISHED, "elm": FINISHED})}
    incident = analyze(early, packs, plan)
    assert not any("the folder late" in why for finding in incident.findings for why in finding.why)


def write_runs(ends: dict[str, str], has_starts: bool, plan: ReadPlan) -> IngestResult:
    """Read two runs, one an hour after the other; `ends`: folder → the end of each log."""
    intake = IngestResult()
    for hour, (folder, end) in enumerate(ends.items()):
        for host in HOSTS:
            log = write_log(host, 1, end).decode().replace(" 03:", f" 0{3 + hour}:").replace("T03:", f"T0{3 + hour}:")
            if hour and not has_starts:
                log = log.partition("\n")[2]
            intake.results.append(read_source(f"{folder}/{host}.log", io.BytesIO(log.encode()), plan))
    return intake


def test_an_earlier_run_in_a_folder_of_its_own_is_context(packs: Packs, plan: ReadPlan) -> None:
    full = "OSError: [Errno 28] No space left on device: '/scratch/a'\n"
    incident = diagnose(write_runs({"sunday": FAILURE + full, "monday": FAILURE}, True, plan), packs)
    assert incident.root_causes[0].finding.cause == "user.code-error"
    aside = [finding for finding in incident.findings if finding.evidence[0].locus.file.startswith("sunday")]
    assert aside and all(finding.role is Role.CONTEXT for finding in aside)


def test_logs_that_are_rotated_each_day_are_of_one_run(packs: Packs, plan: ReadPlan) -> None:
    incident = diagnose(write_runs({"sunday": FAILURE, "monday": ""}, False, plan), packs)
    assert not any(finding.role is Role.CONTEXT for finding in incident.findings if finding.cause == "user.code-error")


def test_the_last_run_that_failed_is_judged(packs: Packs, plan: ReadPlan) -> None:
    incident = diagnose(write_runs({"sunday": FAILURE, "monday": FINISHED}, True, plan), packs)
    assert not any("sunday" in note and "beside the files" in note for note in incident.notes)
    findings = [finding for finding in incident.findings if finding.cause == "user.code-error"]
    assert findings and not any(finding.role is Role.CONTEXT for finding in findings)
