"""What became of a node that others miss, told in a scene of three nodes made by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from small_scene import ERROR, accuse, event, finding, scene, stories

from analyzer.diagnosis.derivations.lost_peers import derive_lost_peers
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.model import Clock, Node
from analyzer.timeline.precedence import DYING_PROCESS_S

MISSED = 100.0
NODES = ("a", "b", "c")
Activities = dict[str, NodeActivity]


def fates(activities: Activities) -> dict[str, str]:
    return {derived.node: derived.signal.removeprefix("derived.") for derived in derive_lost_peers(scene(activities))}


def speak(story: NodeActivity, time: float, **more: object) -> None:
    """Its last word."""
    story.last_event, story.last_time = event(story.name, time, **more), time


def missing(*how: str, last: float = MISSED - 10) -> Activities:
    """Node c spoke last at `last`, and a misses it for each reason."""
    activities = stories(*NODES)
    for capture in how:
        accuse(activities["a"], activities["c"], MISSED, capture)
    speak(activities["c"], last)
    return activities


def end_well(activities: Activities) -> None:
    activities["c"].finish_event = event("c", MISSED - 10)


def err(activities: Activities) -> None:
    activities["c"].errors.append(event("c", MISSED - 10))


def be_killed(activities: Activities) -> None:
    activities["c"].exit_event = event("c", MISSED, captures={"signal": "SIGKILL"})


def fail(activities: Activities) -> None:
    activities["c"].exit_event = event("c", MISSED, captures={"code": "1"})


def step_on(activities: Activities) -> None:
    activities["c"].last_step = event("c", MISSED + 60)


def step_within_the_clocks_error(activities: Activities) -> None:
    activities["c"].last_step = event("c", MISSED + 2 * ERROR - 0.5)


def vanish(activities: Activities) -> None:
    activities["c"].node = Node("c", tasks=("worker:2",), present=False)
    activities["c"].last_event = activities["c"].last_time = None


def join(activities: Activities) -> None:
    activities["c"].join_event = event("c", 1.0)


def leave(activities: Activities) -> None:
    accuse(activities["c"], activities["b"], MISSED - 5)


def show_a_cause(activities: Activities) -> None:
    activities["c"].causes.append(finding(event("c", MISSED - 5)))


FATES: list[tuple[tuple[str, ...], tuple[Callable[[Activities], None], ...], str | None]] = [
    (("lost",), (), "vanished"),
    (("lost",), (end_well,), "finished_early"),
    (("lost",), (err,), None),  # it said why, in words that no rule knows
    (("lost",), (err, be_killed), "vanished"),
    (("lost",), (leave,), None),  # it ended for a peer of its own
    (("lost",), (show_a_cause,), None),
    ((), (be_killed,), "vanished"),
    ((), (fail,), "vanished"),
    ((), (), None),
    (("refused",), (), "vanished"),
    (("refused",), (vanish,), "never_started"),
    (("unresolved",), (), None),
    (("unresolved", "silent"), (), None),
    (("silent",), (), "stalled"),
    (("silent",), (end_well,), "finished_early"),
    (("silent",), (step_on,), None),  # it was late and came
    (("silent",), (step_within_the_clocks_error,), "stalled"),
    (("silent", "lost"), (), "vanished"),
    (("unanswered",), (), "stalled"),
    (("unanswered",), (vanish,), None),
    (("unreachable",), (), "unreachable"),
    (("unreachable",), (vanish,), "never_started"),
    (("late",), (), "never_connected"),
    (("late",), (vanish,), "never_started"),
    (("late",), (join,), None),
]


@pytest.mark.parametrize(("how", "facts", "fate"), FATES)
def test_the_fate_of_a_node_that_is_missed(
    how: tuple[str, ...], facts: tuple[Callable[[Activities], None], ...], fate: str | None
) -> None:
    activities = missing(*how)
    for fact in facts:
        fact(activities)
    fate_by_node = fates(activities)
    assert fate_by_node.get("c") == fate


@pytest.mark.parametrize(
    ("last", "lost", "silent"),
    [
        (MISSED + DYING_PROCESS_S + ERROR - 0.5, "vanished", "stalled"),  # a dying process may still log
        (MISSED + DYING_PROCESS_S + ERROR + 0.5, None, "isolated"),
    ],
)
def test_who_still_logs_after_it_was_missed_lives(last: float, lost: str | None, silent: str) -> None:
    assert fates(missing("lost", last=last)).get("c") == lost
    assert fates(missing("silent", last=last)).get("c") == silent


LATER = MISSED + DYING_PROCESS_S + ERROR + 0.5


def cut_off(complaint: float = LATER) -> Activities:
    """Node a misses c, which lives on and complains of a only then."""
    activities = missing("lost", last=complaint)
    accuse(activities["c"], activities["a"], complaint)
    return activities


def test_who_complains_only_after_it_was_missed_was_cut_off() -> None:
    assert fates(cut_off()) == {"c": "unreachable"}


def test_a_complaint_within_slack_and_clock_error_shows_no_cut() -> None:
    assert fates(cut_off(LATER - 1.0)) == {}


def test_by_a_clock_that_is_not_known_nothing_came_later() -> None:
    activities = cut_off(MISSED + 60)
    assert fates(activities) == {"c": "unreachable"}
    assert not list(derive_lost_peers(scene(activities, clocks={name: Clock(0.0, ERROR, "x") for name in "ab"})))


def test_an_error_of_its_own_before_that_shows_no_cut() -> None:
    activities = cut_off()
    activities["c"].errors.append(event("c", MISSED - 1))
    assert fates(activities) == {}


def test_a_fault_found_elsewhere_is_why_connections_broke() -> None:
    activities = cut_off()
    activities["b"].causes.append(finding(event("b", MISSED - 5)))
    assert "c" not in fates(activities)


def test_a_member_that_was_killed_is_why_connections_broke() -> None:
    activities = cut_off()
    activities["b"].exit_event = event("b", MISSED - 5, captures={"signal": "SIGKILL"})
    assert "c" not in fates(activities)


def test_another_that_is_missed_and_had_lost_nobody_is_the_one() -> None:
    activities = cut_off()
    accuse(activities["a"], activities["b"], MISSED - 5)
    speak(activities["b"], MISSED - 10)
    assert fates(activities) == {"b": "vanished"}


def test_the_proofs_are_its_last_line_and_one_of_each_accuser() -> None:
    activities = missing("lost")
    accuse(activities["a"], activities["c"], MISSED + 2, line=95)
    accuse(activities["b"], activities["c"], MISSED + 1, line=7)
    proofs = list(derive_lost_peers(scene(activities)))
    assert [(proof.locus.file, proof.locus.line) for proof in proofs] == [
        ("c/worker.log", 1), ("a/worker.log", 90), ("b/worker.log", 7),
    ]  # fmt: skip
    assert {(proof.node, proof.task) for proof in proofs} == {("c", "worker:2")}
