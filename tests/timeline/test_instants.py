"""Which lines of several nodes are one instant."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.facts.registry import Registry
from analyzer.model import Event, Locus
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.sync_points import collect_readings

FEEDS = SignalSemantics({"step": frozenset({"progress"})})


def passed(node: str, *times: float, task: str = "worker:0") -> Iterator[Event]:
    """Step 7, as often as there are times."""
    for line, time in enumerate(times, 1):
        yield Event("step", Locus(f"{node}.log", line), "step 7", time, node=node, task=task, captures={"step": "7"})


def test_who_passed_a_step_less_often_than_most_passed_it_in_nobody_knows_which_run() -> None:
    events = [*passed("a", 10.0, 90.0), *passed("b", 11.0, 91.0), *passed("c", 92.0), *passed("d", 12.0, 50.0, 93.0)]
    assert list(collect_readings(events, FEEDS, Registry()).values()) == [
        {"a": 10.0, "b": 11.0},
        {"a": 90.0, "b": 91.0},
    ]


def test_tasks_that_keep_no_step_with_the_others_share_none() -> None:
    events = [*passed("a", 10.0), *passed("p", 30.0, task="ps:0"), *passed("e", 50.0, task="evaluator:0")]
    assert list(collect_readings(events, FEEDS, Registry()).values()) == [{"a": 10.0}]
