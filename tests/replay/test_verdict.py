"""The verdict says yes only to the same cause, culprit and pattern behind a sound control run."""

from __future__ import annotations

from typing import Any

import pytest

from analyzer.replay.pattern import FAILED, FailurePattern
from analyzer.replay.verdict import EXIT_CODES, RunView, judge_replay

PLAN = {
    "fault": "killed",
    "expected_cause": "process.killed-by-signal",
    "incident_cause": "process.killed-by-signal",
    "culprit": "worker:1",
    "cluster": {"worker": 2},
    "incident_signature": "s",
}
WELL = {"worker:0": 0, "worker:1": 0}
ILL = {"worker:0": 1, "worker:1": 137}


def view(codes: dict[str, int | None], cause: str | None = None, task: str | None = None, **other: Any) -> RunView:
    verdict = "diagnosed" if cause else "no-failure" if not any(codes.values()) else "undiagnosed"
    roots = [{"cause": cause, "task": task, "node": other.get("node")}] if cause else []
    incident = {"verdict": verdict, "root_causes": roots, "signature": "s"}
    return RunView(codes, other.get("exceeded"), other.get("launcher_code", 0), incident)


KILLED = "process.killed-by-signal"
GOOD = view(WELL)


@pytest.mark.parametrize(
    ("control", "faulty", "verdict"),
    [
        (GOOD, view(ILL, KILLED, "worker:1"), "reproduced"),
        (GOOD, view(ILL, KILLED), "reproduced"),
        (GOOD, view(ILL, KILLED, "worker:0"), "different-failure"),
        (GOOD, view(ILL, KILLED, None, node="worker-0"), "different-failure"),
        (GOOD, view(ILL, KILLED, "worker:2", node="worker-1"), "reproduced"),
        (GOOD, view(ILL, "numeric.nan", "worker:1"), "different-failure"),
        (GOOD, view(ILL), "different-failure"),
        (GOOD, view(WELL), "not-reproduced"),
        (GOOD, view(ILL, KILLED, "worker:1", exceeded="too long"), "inconclusive"),
        (GOOD, view(ILL, KILLED, "worker:1", launcher_code=1), "inconclusive"),
        (view(ILL, KILLED, "worker:1"), view(ILL, KILLED, "worker:1"), "inconclusive"),
        (view({"worker:0": 0, "worker:1": None}), view(ILL, KILLED, "worker:1"), "inconclusive"),
        (view({}), view(ILL, KILLED, "worker:1"), "inconclusive"),
        (view(WELL, "sync.straggler", "worker:1"), view(ILL, KILLED, "worker:1"), "inconclusive"),
    ],
)
def test_judge(control: RunView, faulty: RunView, verdict: str) -> None:
    judgement = judge_replay(PLAN, control, faulty)
    assert judgement.verdict == verdict
    assert judgement.verdict in EXIT_CODES
    assert all(judgement.reasons)


@pytest.mark.parametrize("cause", ["env.version-skew", "collective.mismatch", "collective.timeout"])
def test_a_wrong_fault_is_not_taken_for_the_right_one(cause: str) -> None:
    plan = {**PLAN, "expected_cause": cause}
    assert judge_replay(plan, GOOD, view(ILL, cause, "worker:1")).verdict == "reproduced"
    assert judge_replay(plan, GOOD, view(ILL, "user.code-error", "worker:1")).verdict == "different-failure"
    assert judge_replay(plan, GOOD, view(ILL, cause, "worker:0")).verdict == "different-failure"
    assert judge_replay(plan, GOOD, view(WELL)).verdict == "not-reproduced"


def test_what_a_launcher_lacks_is_told_in_its_words() -> None:
    lacking = RunView({}, None, 77, {}, "this machine lacks a cable")
    assert judge_replay(PLAN, GOOD, lacking).reasons[-1].endswith("stopped: this machine lacks a cable")
    broken = RunView({}, None, 1, {}, "KeyError: 'limit'")
    assert judge_replay(PLAN, broken, GOOD).reasons[-1].endswith("its launcher exited with 1: KeyError: 'limit'")


def test_servers_owe_no_exit_code() -> None:
    cluster = {"chief": 1, "worker": 1, "ps": 1}
    plan = {**PLAN, "cluster": cluster, "culprit": "ps:0", "expected_cause": "ps.unavailable"}
    control = view({"chief:0": 0, "worker:0": None, "ps:0": None})
    assert (
        judge_replay(plan, control, view({"chief:0": 1, "ps:0": 137}, "ps.unavailable", "ps:0")).verdict == "reproduced"
    )
    assert (
        judge_replay(plan, view({"chief:0": None}), view({"chief:0": 1}, "ps.unavailable", "ps:0")).verdict
        == "inconclusive"
    )


INCIDENT = FailurePattern(
    accused=None,
    culprit_ending="SIGKILL",
    symptoms=frozenset(),
    peer_endings=frozenset({FAILED}),
    signature="",
    repeated={},
)


def test_another_pattern_is_named_and_is_not_reproduced() -> None:
    killed, raised = view(ILL, KILLED, "worker:1"), view({"worker:0": 1, "worker:1": 1}, KILLED, "worker:1")
    facts = {"nodes": [{"name": "worker-1", "tasks": []}], "hard_facts": [{"node": "worker-1", "task": None}]}
    for run in (killed, raised):
        run.incident.update(facts)  # type: ignore[attr-defined]
    assert judge_replay(PLAN, GOOD, killed, INCIDENT).verdict == "reproduced"
    assert judge_replay(PLAN, GOOD, raised).verdict == "reproduced"  # nothing to compare it with
    judgement = judge_replay(PLAN, GOOD, raised, INCIDENT)
    assert (judgement.verdict, EXIT_CODES[judgement.verdict]) == ("same-cause-other-pattern", 14)
    assert "differs: how the culprit ended (SIGKILL in the incident, an error in the replay)" in judgement.reasons
    assert judgement.reasons[-1].startswith("not shown, so not compared: who is accused first")
    other_cause = judge_replay(PLAN, GOOD, view(ILL, "numeric.nan", "worker:1"), INCIDENT)
    assert other_cause.verdict == "different-failure" and other_cause.matches
    assert judge_replay(PLAN, GOOD, view(WELL), INCIDENT).matches == ()
