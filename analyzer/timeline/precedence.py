"""Which of two moments came first: before, after, or unknown. Every tolerance of such a comparison stands here.

Lines of one file compare by their line numbers. Everything else compares by corrected time, and an order counts only
beyond a slack, because clocks have errors and programs write late. A comparison names its slack from the table below
and adds the clocks' errors where the two moments were read from different clocks (`Timeline.error_between`).
"""

from __future__ import annotations

from enum import StrEnum

from analyzer.model import Event

# The table of tolerances, in seconds. One row for each reason why times that are read may contradict the real order.
EARLIER_SYMPTOM_S = 0.5  # a symptom precedes a cause of the same node only if it is earlier by more than this
DYING_PROCESS_S = 2.0  # a dying process may still log for so long after its peers saw it go
REPORT_LAG_S = 5.0  # a cause may be reported so much later than what follows from it
UNKNOWN_CLOCK_ERROR_S = 5.0  # clocks of one cluster agree within this where nothing tells how they differ
FURTHER_STEP_S = 30.0  # training went on after an event if a step in another file is later by more than this
UNSTAMPED_LINE_S = 120.0  # a line without a stamp may be so much later than the stamped line before it
STALE_AFTER_S = 600.0  # an event that precedes the first trouble by more than this belongs to an earlier failure
COLLECTIVE_TIMEOUT_S = 7200.0  # members of a collective may wait so long before they complain


class Order(StrEnum):
    """How a first moment stands to a second one."""

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
    """Compare two events of one file by their line numbers; events of two files or of one line are in unknown order.

    `behind_block`: the second event must stand behind all continuation lines of the first one to come after it.
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
    """Return whether the line numbers of the two events tell their order."""
    return first.locus.file == second.locus.file and bool(first.locus.line and second.locus.line)
