"""Which of two moments came first: before, after, or unknown. This file has every tolerance of such comparisons.

Lines of one file compare by their line numbers. Everything else compares by corrected time, and an order counts only
beyond a slack, because clocks have errors and programs write late. A comparison names its slack from the table below
and adds the clocks' errors if the two moments were read from different clocks (`Timeline.error_between`).
"""

from __future__ import annotations

from enum import StrEnum

from analyzer.model import Event

# The table of tolerances, in seconds: one row for each reason why logged times may contradict the real order.
EARLIER_SYMPTOM_S = 0.5  # a symptom precedes a cause of the same node only if it is earlier by more than this
DYING_PROCESS_S = 2.0  # a dying process may still log for this long after its peers lost it
REPORT_LAG_S = 5.0  # a cause may be reported this much later than its consequences
UNKNOWN_CLOCK_ERROR_S = 5.0  # clocks of one cluster agree within this without other data
FURTHER_STEP_S = 30.0  # training continued after an event if a step in another file is later by more than this
UNSTAMPED_LINE_S = 120.0  # a line without a stamp may be this much later than the stamped line before it
STALE_AFTER_S = 600.0  # an event that precedes the first trouble by more than this belongs to an earlier failure
COLLECTIVE_TIMEOUT_S = 7200.0  # members of a collective may wait this long before they report an error


class Order(StrEnum):
    """The order of a first moment relative to a second one."""

    BEFORE = "before"
    AFTER = "after"
    UNKNOWN = "unknown"


def compare_times(first: float | None, second: float | None, slack: float = 0.0) -> Order:
    """Compare two times in UTC seconds. They must differ by more than `slack` seconds, or their order is unknown.

    The order is unknown too if either time is None.
    """
    if first is None or second is None or abs(first - second) <= slack:
        return Order.UNKNOWN
    return Order.BEFORE if first + slack < second else Order.AFTER


def compare_lines(first: Event, second: Event, behind_block: bool = False) -> Order:
    """Compare two events of one file by their line numbers; the order of events of two files or of one line is unknown.

    `behind_block`: the second event counts as later only if it is after all continuation lines of the first one.
    An event without a line number (a binary file) counts as line 0.
    """
    if first.locus.file != second.locus.file:
        return Order.UNKNOWN
    first_line = (first.locus.line or 0) + (len(first.block) if behind_block else 0)
    second_line = second.locus.line or 0
    if first_line == second_line:
        return Order.UNKNOWN
    return Order.BEFORE if first_line < second_line else Order.AFTER


def have_lines_of_one_file(first: Event, second: Event) -> bool:
    """Return whether the line numbers of the two events give their order."""
    return first.locus.file == second.locus.file and bool(first.locus.line and second.locus.line)
