"""What came first is said only where lines, clocks and zones let it be known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyzer.model import Clock, Event, Locus
from analyzer.timeline.timeline import UNKNOWN_CLOCK_ERROR_S, Timeline

CLOCKS = {"a": Clock(0.0, 1.0, "x"), "b": Clock(100.0, 2.0, "x")}


def said(node: str, time: float | None, line: int = 1, file: str = "", stream: str = "") -> Event:
    return Event("any", Locus(file or f"{node}.log", line), "", time, node=node, stream=stream)


@pytest.mark.parametrize(
    ("one", "other", "known"),
    [
        (said("a", 10.0), said("b", 113.5), True),  # 3.5 s apart by clocks that are known to 3 s
        (said("a", 10.0), said("b", 112.5), None),
        (said("a", 10.0), said("b", 106.5), False),
        (said("a", 10.0), said("a", 10.5, file="other.log"), True),  # the same clock
        (said("a", None), said("b", 200.0), None),
        (said("a", 20.0, line=1), said("a", 10.0, line=2), True),  # a file's lines are in order, whatever they state …
        (said("a", 20.0, line=1, stream="0"), said("a", 10.0, line=2, stream="1"), False),  # … of one writer's alone
        (said("a", 10.0), said("z", 10.0 + UNKNOWN_CLOCK_ERROR_S), None),
        (said("a", 10.0), said("z", 12.0 + UNKNOWN_CLOCK_ERROR_S), True),
    ],
)
def test_order_beyond_the_clocks_error(one: Event, other: Event, known: bool | None) -> None:
    timeline = Timeline([one, other], CLOCKS, ["a", "b"])
    assert timeline.is_before(one, other) is known
    assert timeline.is_before(other, one) is (known if known is None else not known)


@pytest.mark.parametrize(
    ("local", "sure"), [(frozenset(), True), (frozenset({"a.log", "b.log"}), True), (frozenset({"a.log"}), False)]
)
def test_local_times_without_a_zone_are_surely_ordered_among_themselves_alone(
    local: frozenset[str], sure: bool
) -> None:
    one, other = said("a", 10.0), said("b", 120.0)
    timeline = Timeline([one, other], CLOCKS, ["a", "b"])
    timeline.window = replace(timeline.window, zoneless_files=local)
    assert timeline.is_surely_before(one, other) is sure
    assert not timeline.is_surely_before(other, one)


def test_what_is_surely_before_is_so_whatever_the_clocks_errors_are() -> None:
    one, near, far = said("a", 10.0), said("b", 112.5), said("b", 113.5)
    timeline = Timeline([one, near, far], CLOCKS, ["a", "b"])
    assert not timeline.is_surely_before(one, near)
    assert timeline.is_surely_before(one, far)
