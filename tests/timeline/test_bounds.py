"""A line that must come before another bounds the clocks of both."""

from __future__ import annotations

import pytest

from analyzer.model import Clock
from analyzer.timeline.order_bounds import OrderBound, add_bounded_clocks

LEADER = {"leader": Clock(10.0, 0.1, "20 shared instants")}


@pytest.mark.parametrize(
    ("bounds", "offset", "error"),
    [
        # It starts at 100, the leader (10 s ahead) sees it at 105, it is told at 104: it is 5 to 9 s ahead.
        ([OrderBound("n", 100, "leader", 105), OrderBound("leader", 105, "n", 104)], 7.0, 2.0),
        ([OrderBound("n", 400, "leader", 105)], 305.0, 5.0),  # seen before it started: at least so far ahead
        ([OrderBound("leader", 105, "n", 40)], -55.0, 5.0),  # told before it was seen: at least so far behind
        # Whole seconds may contradict each other by less than one; what they tell is no finer.
        ([OrderBound("n", 100, "leader", 105), OrderBound("leader", 105, "n", 99.5)], 4.75, 1.0),
    ],
)
def test_what_bounds_tell(bounds: list[OrderBound], offset: float, error: float) -> None:
    clock = add_bounded_clocks(LEADER, bounds, unknown_error_s=5.0)["n"]
    assert (clock.offset, clock.error) == (pytest.approx(offset), pytest.approx(error))


@pytest.mark.parametrize(
    "bounds",
    [
        [],
        [OrderBound("n", 100, "leader", 150)],  # it may have waited
        [OrderBound("n", 400, "leader", 105), OrderBound("leader", 105, "n", 398)],  # they contradict each other
        [OrderBound("n", 400, "n", 100)],
    ],
)
def test_what_bounds_do_not_tell(bounds: list[OrderBound]) -> None:
    assert add_bounded_clocks(LEADER, bounds, unknown_error_s=5.0) == LEADER


def test_a_clock_that_shared_instants_tell_stays() -> None:
    known_clocks = {**LEADER, "n": Clock(0.0, 0.01, "20 shared instants")}
    assert add_bounded_clocks(known_clocks, [OrderBound("n", 400, "leader", 105)], unknown_error_s=5.0) == known_clocks


def test_the_one_that_most_talk_to_is_the_reference_where_nothing_else_is() -> None:
    bounds = [
        OrderBound("a", 400, "leader", 105),
        OrderBound("leader", 105, "a", 401),
        OrderBound("b", 100, "leader", 106),
    ]
    clocks = add_bounded_clocks({}, bounds, unknown_error_s=5.0)
    assert clocks["leader"].offset == 0.0
    assert clocks["a"].offset == pytest.approx(295.5)
