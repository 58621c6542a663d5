"""When the job was alive: what a recorder, a scheduler's record and the logs tell of it."""

from __future__ import annotations

import pytest

from analyzer.facts.fact_files import EXIT_CODE_SIGNAL, LAUNCH_SIGNAL
from analyzer.model import Clock, Event, Locus
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.job_lifetime import RECORDER_SLACK_S, REPORT_DELAY_S, find_job_window
from analyzer.timeline.job_window import JobWindow
from analyzer.timeline.scheduler_records import HOUR_S, SchedulerRecord, read_scheduler_record
from analyzer.timeline.timeline import Timeline

FEEDS = SignalSemantics({LAUNCH_SIGNAL: frozenset({"started"}), "scheduler": frozenset({"job"})})


def event(signal: str, time: float | None = None, node: str = "a", **captures: str) -> Event:
    return Event(signal, Locus(f"{node}.log", 1), "", time, node=node, captures=captures)


@pytest.mark.parametrize(
    ("time", "error", "lasting", "held"),
    [
        (100.0, 0.0, 0.0, True),
        (99.0, 0.0, 0.0, False),
        (99.0, 2.0, 0.0, True),  # it may have been later
        (90.0, 0.0, 15.0, True),  # it went on until the job was there
        (201.0, 0.0, 0.0, False),
        (201.0, 2.0, 0.0, True),
        (None, 0.0, 0.0, True),
    ],
)
def test_a_span_holds_what_may_be_inside(time: float | None, error: float, lasting: float, held: bool) -> None:
    assert JobWindow(100.0, 200.0).may_hold(time, error, lasting) is held


def test_the_end_is_known_where_every_node_was_recorded_to_it() -> None:
    clocks = {"a": Clock(0.0, 0.5, "x"), "b": Clock(10.0, 2.0, "x")}
    events = [
        event(LAUNCH_SIGNAL, 100.0),
        event(EXIT_CODE_SIGNAL, 200.0),
        event(LAUNCH_SIGNAL, 110.0, "b"),
        event(EXIT_CODE_SIGNAL, 211.0, "b"),
    ]
    span = find_job_window(Timeline(events, clocks, ["a", "b"]), FEEDS, ["a", "b"], frozenset())
    assert (span.begin, span.end) == (100.0 - RECORDER_SLACK_S - 2.0, 201.0 + 2.0 + REPORT_DELAY_S)
    one_runs = Timeline(events[:3], clocks, ["a", "b"])
    assert find_job_window(one_runs, FEEDS, ["a", "b"], frozenset()).end is None
    again = Timeline([*events, event(LAUNCH_SIGNAL, 230.0)], clocks, ["a", "b"])
    assert find_job_window(again, FEEDS, ["a", "b"], frozenset()).end is None


@pytest.mark.parametrize(
    ("first", "local", "zone"),
    [
        (1000.0 + 2 * HOUR_S, True, 2 * HOUR_S),  # a wall's clock two hours behind UTC
        (1000.0 + 2 * HOUR_S, False, None),  # two hours after the job's begin by the record's own word: another job
        (1000.0 - 50.0, False, 0.0),  # clocks differ
        (1000.0 + 2 * HOUR_S + 1500.0, True, None),  # nothing that begins then is silent for so long
    ],
)
def test_the_zone_of_a_record_is_whole_hours_from_the_first_word(first: float, local: bool, zone: float | None) -> None:
    assert SchedulerRecord(1000.0, None, local).zone_offset(first, 600.0) == zone


def test_records_are_joined_and_one_without_an_end_leaves_it_open() -> None:
    step = event("scheduler", begin="2026-11-22T04:00:00", end="2026-11-22T04:10:00")
    job = event("scheduler", begin="2026-11-22T03:50:00", end="2026-11-22T04:20:00")
    joined, single = read_scheduler_record([step, job]), read_scheduler_record([job])
    assert joined == single
    assert joined is not None and joined.is_local and joined.end is not None and joined.end - joined.begin == HOUR_S / 2
    runs = read_scheduler_record([step, event("scheduler", begin="2026-11-22T03:50:00")])
    assert runs is not None and runs.end is None
    assert (
        read_scheduler_record([step, event("scheduler", begin="2026-11-22T04:00:00Z")]) is None
    )  # two kinds of clocks
