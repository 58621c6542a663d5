"""Lines without a label beside labelled ones have the time of the lines around them, and no machine of their own."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

OLD_KILL = (
    "Jan 28 11:12:13 oak9 kernel: Out of memory: Killed process 71 (java) total-vm:900kB, anon-rss:800kB, file-rss:0kB"
)
START = "{0}: 2026-02-01 03:04:0{1}.100000: I cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use\n"
SERVER = "{0}: 2026-02-01 03:04:0{1}.200000: I grpc_server_lib.cc:457] Started server with target: grpc://{2}:2300\n"
STEPS = "".join(
    f"{rank}: 2026-02-01 03:05:{step:02},000 INFO step {step} loss 0.5\n" for step in range(50) for rank in (0, 1)
)
LIMIT = "slurmstepd: error: *** STEP 81.0 ON elm4 CANCELLED AT 2026-02-01T03:05:52 DUE TO TIME LIMIT ***\n"


def analyze(files: Mapping[str, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
    return diagnose(intake, packs)


def mail(first_line: str) -> str:
    ranks = "".join(
        START.format(rank, rank) + SERVER.format(rank, rank, host) for rank, host in enumerate(("elm4", "oak9"))
    )
    return f"{first_line}\n\n{ranks}{STEPS}{LIMIT}"


@pytest.mark.parametrize("first_line", ["", "see what I found:\n" + OLD_KILL], ids=["alone", "below an older line"])
def test_the_last_words_of_a_job_are_as_late_as_the_lines_above_them(
    first_line: str, packs: Packs, plan: ReadPlan
) -> None:
    incident = analyze({"mail.txt": mail(first_line)}, packs, plan)
    finding = incident.root_causes[0].finding
    assert (finding.cause, finding.node) == ("scheduler.time-limit", None)
    assert finding.evidence[0].time is not None


TASKS = {"chief-0": "elm4", "worker-0": "oak9"}


def section(task: str, host: str, more_lines: str = "") -> str:
    own = task.replace("-", ":")
    text = f"==> {task}.log <==\n2026-02-01 03:04:05,000 INFO fit: {own} on {host} pid 71 starts\n"
    server = f"2026-02-01 03:04:06.200000: I grpc_server_lib.cc:457] Started server with target: grpc://{host}:2300\n"
    return text + server + more_lines + "\n"


FAILURE = "Traceback (most recent call last):\n  File \"/srv/a.py\", line 2, in <module>\nKeyError: 'width'\n"


def test_a_section_that_is_called_for_a_task_is_of_the_host_that_it_states(packs: Packs, plan: ReadPlan) -> None:
    text = section("worker-0", "oak9") + section("chief-0", "elm4", FAILURE)
    assert analyze({"all.txt": text}, packs, plan).root_causes[0].finding.node == "elm4"


def test_sections_of_tasks_on_one_host_keep_the_names_of_the_tasks(packs: Packs, plan: ReadPlan) -> None:
    text = section("worker-0", "elm4") + section("chief-0", "elm4", FAILURE)
    assert analyze({"all.txt": text}, packs, plan).root_causes[0].finding.node == "chief-0"
