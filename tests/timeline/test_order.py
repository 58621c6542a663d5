"""Two events are in order only if lines, clocks and zones tell which came first."""

from __future__ import annotations

import pytest

from analyzer.model import Clock, Event, Locus
from analyzer.timeline.job_window import JobWindow
from analyzer.timeline.precedence import UNKNOWN_CLOCK_ERROR_S, Order, compare_lines, compare_times
from analyzer.timeline.timeline import Timeline

OPPOSITE = {Order.BEFORE: Order.AFTER, Order.AFTER: Order.BEFORE, Order.UNKNOWN: Order.UNKNOWN}
CLOCKS = {"a": Clock(0.0, 1.0, "x"), "b": Clock(100.0, 2.0, "x")}


def event_at(node: str, time: float | None, line: int = 1, file: str = "", stream: str = "") -> Event:
    return Event("any", Locus(file or f"{node}.log", line), "", time, node=node, stream=stream)


@pytest.mark.parametrize(
    ("event", "other", "expected"),
    [
        (event_at("a", 10.0), event_at("b", 113.5), Order.BEFORE),  # 3.5 s apart by clocks that are known to 3 s
        (event_at("a", 10.0), event_at("b", 112.5), Order.UNKNOWN),
        (event_at("a", 10.0), event_at("b", 106.5), Order.AFTER),
        (event_at("a", 10.0), event_at("a", 10.5, file="other.log"), Order.BEFORE),  # the same clock
        (event_at("a", None), event_at("b", 200.0), Order.UNKNOWN),
        (
            event_at("a", 20.0, line=1),
            event_at("a", 10.0, line=2),
            Order.BEFORE,
        ),  # the lines of a file are in order, whatever they state …
        (
            event_at("a", 20.0, line=1, stream="0"),
            event_at("a", 10.0, line=2, stream="1"),
            Order.AFTER,
        ),  # … if one program wrote them
        (event_at("a", 10.0), event_at("z", 10.0 + UNKNOWN_CLOCK_ERROR_S), Order.UNKNOWN),
        (event_at("a", 10.0), event_at("z", 12.0 + UNKNOWN_CLOCK_ERROR_S), Order.BEFORE),
    ],
)
def test_order_beyond_the_clocks_error(event: Event, other: Event, expected: Order) -> None:
    timeline = Timeline([event, other], CLOCKS, ["a", "b"])
    assert timeline.compare(event, other) is expected
    assert timeline.compare(other, event) is OPPOSITE[expected]


@pytest.mark.parametrize(
    ("local", "sure"), [(frozenset(), True), (frozenset({"a.log", "b.log"}), True), (frozenset({"a.log"}), False)]
)
def test_local_times_without_a_zone_are_surely_ordered_among_themselves_alone(
    local: frozenset[str], sure: bool
) -> None:
    event, other = event_at("a", 10.0), event_at("b", 120.0)
    timeline = Timeline([event, other], CLOCKS, ["a", "b"]).with_window(JobWindow(zoneless_files=local))
    assert timeline.is_surely_before(event, other) is sure
    assert not timeline.is_surely_before(other, event)


def test_what_is_surely_before_is_so_whatever_the_clocks_errors_are() -> None:
    event, near, far = event_at("a", 10.0), event_at("b", 112.5), event_at("b", 113.5)
    timeline = Timeline([event, near, far], CLOCKS, ["a", "b"])
    assert not timeline.is_surely_before(event, near)
    assert timeline.is_surely_before(event, far)


@pytest.mark.parametrize(
    ("first", "second", "slack", "order"),
    [
        (1.0, 3.5, 2.0, Order.BEFORE),
        (1.0, 3.0, 2.0, Order.UNKNOWN),  # not beyond the slack
        (3.5, 1.0, 2.0, Order.AFTER),
        (1.0, 1.0, 0.0, Order.UNKNOWN),
        (None, 1.0, 0.0, Order.UNKNOWN),
        (1.0, None, 0.0, Order.UNKNOWN),
    ],
)
def test_times_differ_only_beyond_the_slack(
    first: float | None, second: float | None, slack: float, order: Order
) -> None:
    assert compare_times(first, second, slack) is order


def test_lines_of_one_file_are_in_order_and_a_block_is_part_of_its_line() -> None:
    first, second = event_at("a", None, line=3)._replace(block=("x", "y")), event_at("a", None, line=5)
    assert compare_lines(first, second) is Order.BEFORE
    assert compare_lines(second, first) is Order.AFTER
    assert compare_lines(first, second, behind_block=True) is Order.UNKNOWN
    assert compare_lines(first, event_at("b", None, line=9)) is Order.UNKNOWN


def test_a_timeline_is_never_changed() -> None:
    first, second = event_at("a", 20.0), event_at("a", 30.0)
    timeline = Timeline([second], CLOCKS, ["a", "b"])
    longer = timeline.with_events([first])
    assert (list(timeline.events), list(timeline.by_signal["any"]["a"])) == ([second], [second])
    assert (list(longer.events), list(longer.by_signal["any"]["a"])) == ([first, second], [second, first])
    assert timeline.with_window(JobWindow(begin=25.0)).is_outside(first)
    assert not timeline.is_outside(first)
    assert list(longer.without_events(lambda event: event is second).events) == [first]
    assert timeline.without_events(lambda event: False) is timeline
