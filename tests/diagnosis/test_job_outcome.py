"""How the job as a whole ended: the last word of its launcher or scheduler counts more than one task's good end."""

from __future__ import annotations

import pytest
from test_stories import END, analyze, begin

from analyzer.incident import Incident
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

SPEC = (
    "cluster_spec = {{'chief': ['n0:2222'], 'worker': ['n1:2222'], 'ps': ['n2:2222']}}, task_type = '{}', task_id = 0"
)
STEPS = "".join(f"2026-01-02 03:04:0{step},000 INFO train: step {step} loss 0.5\n" for step in range(8))
ROW = "77|{}|{}\n"


def word_of(incident: Incident) -> str | None:
    return next((fact.end.how for fact in incident.hard_facts if fact.node is None and fact.end), None)


TFJOB = """kind: TFJob
status:
  conditions:
  - message: TFJob ml/t has failed because 1 Worker replica(s) failed.
    reason: TFJobFailed
    status: "True"
    type: Failed
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("jenkins.txt", "ERROR: script returned exit code 1\nFinished: FAILURE\n"),
        ("sacct.txt", "JobID|State|ExitCode\n" + ROW.format("FAILED", "1:0")),
        ("scontrol.txt", "JobId=77 JobName=t\n   JobState=NODE_FAIL Reason=NodeDown\n"),
        ("tfjob.yaml", TFJOB),
        ("service.log", "2026-01-02 03:05:00,000 INFO service: job t-12 failed with 1 error\n"),
    ],
)
def test_a_job_that_its_scheduler_calls_failed_did_not_succeed(
    name: str, text: str, packs: Packs, plan: ReadPlan
) -> None:
    files = {f"n{index}/a.log": begin(index) + END for index in range(3)}
    assert analyze(files, packs, plan).verdict == "no-failure"
    incident = analyze(files | {name: text}, packs, plan)
    assert word_of(incident) == "job-failed"
    assert incident.verdict != "no-failure"


@pytest.mark.parametrize(
    ("states", "word"), [(("FAILED", "COMPLETED"), "job-succeeded"), (("COMPLETED", "FAILED"), "job-failed")]
)
def test_the_last_word_counts(states: tuple[str, str], word: str, packs: Packs, plan: ReadPlan) -> None:
    rows = [ROW.format(state, "0:0" if state == "COMPLETED" else "1:0") for state in states]
    files = {"n0/a.log": STEPS, "sacct.txt": "JobID|State|ExitCode\n" + "".join(rows)}
    assert word_of(analyze(files, packs, plan)) == word


def test_a_step_an_element_of_an_array_and_ended_servers_are_not_the_job(packs: Packs, plan: ReadPlan) -> None:
    rows = "JobID|State|ExitCode\n77.0|FAILED|1:0\n78_3|FAILED|1:0\n79|FAILED|143:0\n"
    assert word_of(analyze({"n0/a.log": STEPS, "sacct.txt": rows}, packs, plan)) is None


@pytest.mark.parametrize(("signal", "verdict"), [("134", "diagnosed"), ("143", "no-failure"), ("137", "no-failure")])
def test_a_coordinator_that_ended_well_does_not_hide_the_crash_of_a_worker(
    signal: str, verdict: str, packs: Packs, plan: ReadPlan
) -> None:
    """A worker that somebody ended is what a coordinator survives, and what the end of a job looks like."""
    files = {
        f"n{index}/a.log": f"2026-01-02 03:04:00,000 INFO tensorflow: {SPEC.format(task)}\n{STEPS}"
        for index, task in enumerate(("chief", "worker", "ps"))
    }
    files["n0/a.log"] += "2026-01-02 03:04:09,000 INFO train: training finished\n"
    files |= {"n0/exit_code": "0\n", "n1/exit_code": f"{signal}\n", "n2/exit_code": "143\n"}
    assert analyze(files, packs, plan).verdict == verdict


@pytest.mark.parametrize(("trained", "ended"), [(True, True), (False, False)])
def test_an_input_that_runs_out_ends_a_task_only_if_it_trained(
    trained: bool, ended: bool, packs: Packs, plan: ReadPlan
) -> None:
    words = "UserWarning: Your input ran out of data; interrupting training. Make sure that your dataset or generator\n"
    incident = analyze({"n0/a.log": begin(0, steps=5 if trained else 0) + words}, packs, plan)
    assert any(fact.end is not None for fact in incident.hard_facts) == ended
