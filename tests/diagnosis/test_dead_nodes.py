"""Causes of no known node go to the process that died, by the word of its peers or of its launcher."""

from __future__ import annotations

import io

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

FAILURE = """\
Traceback (most recent call last):
  File "/srv/train.py", line 12, in <module>
    main(settings["width"])
KeyError: 'width'
"""


def told_by_peers(task: int, second: int) -> str:
    return (
        f"2026-01-02 03:04:{second:02}.100000: E tensorflow/core/common_runtime/ring_alg.cc:291] Aborting RingReduce "
        "with UNAVAILABLE: Socket closed\n"
        f"Additional GRPC error information from remote target /job:worker/replica:0/task:{task} while calling "
        "/tensorflow.WorkerService/RecvBuf:\n"
    )


def analyze(text: str, packs: Packs, plan: ReadPlan) -> Incident:
    """One file without prefixes, in which several processes wrote."""
    intake = IngestResult()
    intake.results.append(read_source("job.out", io.BytesIO(text.encode()), plan))
    return diagnose(intake, packs)


START = "".join(f"2026-01-02 03:04:01.{number:03}000: I train.cc:1] step 1 loss 0.5\n" for number in range(3))


@pytest.mark.parametrize("task", [0, 2])
def test_a_failure_belongs_to_whom_the_others_miss_first(task: int, packs: Packs, plan: ReadPlan) -> None:
    text = START + FAILURE + told_by_peers(task, 4) + told_by_peers(1, 9)
    finding = analyze(text, packs, plan).root_causes[0].finding
    assert (finding.cause, finding.node, finding.task) == ("user.code-error", None, f"worker:{task}")


@pytest.mark.parametrize(
    "text",
    [
        START + FAILURE,
        START + told_by_peers(0, 2) + "2026-01-02 03:04:09.000000: I train.cc:1] waits\n" + FAILURE,
        START + FAILURE + told_by_peers(0, 4) + told_by_peers(2, 5),
    ],
    ids=["nobody is missed", "somebody was missed long before", "two are missed at once"],
)
def test_without_one_first_loss_it_stays_without_a_node(text: str, packs: Packs, plan: ReadPlan) -> None:
    failures = [finding for finding in analyze(text, packs, plan).findings if finding.rule.startswith("user-code")]
    assert failures and all((finding.node, finding.task) == (None, None) for finding in failures)


@pytest.mark.parametrize(
    "line",
    [
        '{"event": "task_exited", "task": "worker:1", "signal": "SIGILL", "exit_code": 132}',
        "[launch] worker:1: exit 132",
        "worker:1 left with 132",
    ],
)
def test_launchers_of_one_s_own_name_the_task_that_died(line: str, packs: Packs, plan: ReadPlan) -> None:
    finding = analyze(f"{START}{line}\n", packs, plan).root_causes[0].finding
    assert (finding.cause, finding.task) == ("env.illegal-instruction", "worker:1")


STRAGGLER = """\
2026-01-02 03:04:00.000000: I tensorflow/core/coordination_service.cc:505] Example stragglers:
/job:worker/replica:0/task:1
"""


def test_of_two_that_a_launcher_reports_the_one_missed_first_failed(packs: Packs, plan: ReadPlan) -> None:
    """The bundle shows who worker 1 is and not who worker 0 is: that is no reason to blame worker 1."""
    text = STRAGGLER + START + FAILURE + told_by_peers(0, 4) + "worker:0 left with 1\nworker:1 left with 1\n"
    finding = analyze(text, packs, plan).root_causes[0].finding
    assert (finding.cause, finding.node, finding.task) == ("user.code-error", None, "worker:0")


@pytest.mark.parametrize("end", ['"signal": "SIGTERM", "exit_code": 143', '"exit_code": -15'])
def test_whom_the_launcher_asked_to_end_did_not_fail_first(end: str, packs: Packs, plan: ReadPlan) -> None:
    exits = f'{{"event": "task_exited", "task": "ps:0", {end}}}\n{{"task": "worker:1", "exit_code": 1}}\n'
    finding = analyze(START + FAILURE + exits, packs, plan).root_causes[0].finding
    assert (finding.cause, finding.task) == ("user.code-error", "worker:1")


SUCCESS = ["launcher: job SUCCEEDED", '{"event": "job_finished", "state": "SUCCEEDED"}', "Finished: SUCCESS"]
BAR = " 97%|############################# | 29/30 [6.13it/s, loss=1.102]\n"


@pytest.mark.parametrize("line", SUCCESS)
def test_a_job_that_ended_well_after_a_caught_error_has_no_cause(line: str, packs: Packs, plan: ReadPlan) -> None:
    incident = analyze(f"{START}{FAILURE}{BAR}{line}\n", packs, plan)
    assert (incident.verdict, incident.root_causes) == ("no-failure", ())


@pytest.mark.parametrize("line", SUCCESS)
def test_a_script_that_ends_well_does_not_hide_its_program_s_failure(line: str, packs: Packs, plan: ReadPlan) -> None:
    assert analyze(f"{START}{FAILURE}{line}\n", packs, plan).verdict == "diagnosed"
