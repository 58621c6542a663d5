"""Training that stood still before a connection broke, told in a scene of two nodes made by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from small_scene import ERROR, accuse, event, finding, scene, stories

from analyzer.diagnosis.derivations.hang_detection import MIN_STILL_S, MIN_STILL_STEPS, derive_hang_before_break
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.model import Event
from analyzer.timeline.progress import MAX_STEPS_SHARING_TIME, TrainingProgress

LAST = 100.0  # when the last step of all was made
Activities = dict[str, NodeActivity]


def steps(node: str, pace: float = 1.0, last: float = LAST, crowd: int = 0) -> TrainingProgress:
    """Twenty steps."""
    passed = [(last - pace * (19 - step), (0, step)) for step in range(20)]
    return TrainingProgress(event(node, last, 50), (0, 19), last, passed, crowd)


def hang(
    broke: float, *, how: str = "lost", pace: float = 1.0, alter: Callable[[Activities], None] | None = None
) -> list[Event]:
    """Both make their last step at 100 s, and a misses b at `broke`."""
    activities = stories("a", "b")
    for story in activities.values():
        story.last_step = event(story.name, LAST, 50)
    accuse(activities["a"], activities["b"], broke, how)
    if alter:
        alter(activities)
    return list(derive_hang_before_break(scene(activities, {name: steps(name, pace) for name in activities})))


ENOUGH = MIN_STILL_S + 2 * ERROR


def test_who_stood_still_for_long_hung_before_the_connection_broke() -> None:
    events = hang(LAST + ENOUGH)
    assert {derived.signal for derived in events} == {"derived.stood_still"}
    assert [(derived.locus.file, derived.locus.line) for derived in events] == [
        ("a/worker.log", 50), ("b/worker.log", 50), ("a/worker.log", 90),
    ]  # fmt: skip
    assert {(derived.node, derived.captures["where"], derived.captures["seconds"]) for derived in events} == {
        ("", "step 19", "32")
    }


@pytest.mark.parametrize(
    ("broke", "pace", "hung"),
    [
        (LAST + ENOUGH - 0.5, 1.0, False),  # the clocks' errors may have made it longer than it was
        (LAST + MIN_STILL_STEPS * 10.0 + 2 * ERROR - 0.5, 10.0, False),  # slow steps
        (LAST + MIN_STILL_STEPS * 10.0 + 2 * ERROR, 10.0, True),
        (LAST - 1, 1.0, False),
    ],
)
def test_shorter_than_usual_pauses_and_clock_errors_is_no_hang(broke: float, pace: float, hung: bool) -> None:
    assert bool(hang(broke, pace=pace)) is hung


def test_what_broke_while_steps_were_made_was_mended() -> None:
    assert hang(LAST + 500, alter=lambda activities: accuse(activities["b"], activities["a"], LAST - 50))


@pytest.mark.parametrize("how", ["silent", "late", "unanswered", "unreachable"])
def test_missing_heartbeats_tell_who_it_was(how: str) -> None:
    assert not hang(LAST + 500, how=how)


def end_well(activities: Activities) -> None:
    activities["b"].finish_event = event("b", LAST)


def show_a_cause(activities: Activities) -> None:
    activities["b"].causes.append(finding(event("b", LAST)))


def break_before(activities: Activities) -> None:
    """One that broke soon after the last step says that nobody stood still."""
    accuse(activities["b"], activities["a"], LAST + 1)


@pytest.mark.parametrize("alter", [end_well, show_a_cause, break_before])
def test_what_else_tells_why_it_ended(alter: Callable[[Activities], None]) -> None:
    assert not hang(LAST + 500, alter=alter)


def test_one_task_alone_and_steps_without_times_of_their_own_tell_nothing() -> None:
    activities = stories("a", "b")
    accuse(activities["a"], activities["b"], LAST + 500)
    for progress in ({"a": steps("a")}, {"a": steps("a"), "b": steps("b", crowd=MAX_STEPS_SHARING_TIME)}):
        assert not list(derive_hang_before_break(scene(activities, progress)))
