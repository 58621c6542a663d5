"""Time windows, in corrected time, widened by the clocks' error bars.

An event without a time fits into every window, because nothing excludes it.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from analyzer.model import Event
from analyzer.rules.evaluation.view import Evidence, View


def find_within_window(parts: Sequence[Evidence], within: float, view: View) -> Evidence | None:
    """Return one event of each part, all inside one window of `within` seconds: the earliest such window.

    Clocks have errors: no event may begin (at the earliest) more than `within` after another ended (at the latest).
    """
    tables = [index_by_time(part, view) for part in parts]
    window_starts = sorted(
        (end, number, event)
        for number, table in enumerate(tables)
        for end, event in zip(table.ends, table.indices, strict=True)
    )
    for end, number, index in window_starts:
        chain = [
            tables[number].events[index] if table_index == number else table.find_started_by(end, end + within)
            for table_index, table in enumerate(tables)
        ]
        if all(event is not None for event in chain):
            return tuple(event for event in chain if event is not None)
    untimed = tuple(table.untimed for table in tables if table.untimed is not None)
    return untimed if len(untimed) == len(tables) else None


@dataclass(frozen=True, slots=True)
class EventTimeTable:
    """Timed events, sorted by the latest moment at which each may have happened.

    `earliest_starts[i]` is the earliest possible moment of the events from i on, with that event's index.
    """

    events: Evidence
    untimed: Event | None
    ends: list[float]
    indices: list[int]  # index of each in `events`
    earliest_starts: list[tuple[float, int]]

    def find_started_by(self, end: float, latest_start: float) -> Event | None:
        """Return an event that ends at `end` or later and begins by `latest_start`, or one without a time, or None."""
        index = bisect.bisect_left(self.ends, end)
        if index < len(self.ends) and self.earliest_starts[index][0] <= latest_start:
            return self.events[self.earliest_starts[index][1]]
        return self.untimed


def index_by_time(events: Evidence, view: View) -> EventTimeTable:
    timed = sorted(
        (time + view.time_error(e), time - view.time_error(e), index)
        for index, e in enumerate(events)
        if (time := view.time(e)) is not None
    )
    earliest_starts = list(accumulate(((earliest, index) for _, earliest, index in reversed(timed)), min))[::-1]
    untimed = next((event for event in events if view.time(event) is None), None)
    return EventTimeTable(
        events=events,
        untimed=untimed,
        ends=[end for end, _, _ in timed],
        indices=[index for _, _, index in timed],
        earliest_starts=earliest_starts,
    )


def fits_after(start: Event, previous: Event | None, event: Event, within: float | None, view: View) -> bool:
    """Return whether `event` lies within `within` seconds of `start`, and not before `previous`."""
    start_time, time = view.time(start), view.time(event)
    slack = view.time_error(start) + view.time_error(event)
    if within is not None and start_time is not None and time is not None and abs(time - start_time) > within + slack:
        return False
    return previous is None or not is_before(event, previous, view)


def is_before(event: Event, other: Event, view: View) -> bool:
    """Return whether `event` is certainly before `other`: by line in the same file, otherwise by more than the clocks'
    error.
    """
    if event.locus.file == other.locus.file and event.locus.line and other.locus.line:
        return event.locus.line < other.locus.line
    time, reference = view.time(event), view.time(other)
    if time is None or reference is None:
        return False
    return time + view.time_error(event) < reference - view.time_error(other)


def most_diverse_window(events: Evidence, capture: str, within: float, view: View) -> Evidence:
    """Return the events of the window of `within` seconds with the most values of `capture`, and all untimed events."""
    timed = sorted(
        (time, index)
        for index, event in enumerate(events)
        if capture in event.captures and (time := view.time(event)) is not None
    )
    counts: Counter[str] = Counter()
    best, best_indices, start = 0, list[int](), 0
    for end, (time, index) in enumerate(timed):
        counts[events[index].captures[capture]] += 1
        while timed[start][0] < time - within:
            oldest = events[timed[start][1]].captures[capture]
            counts[oldest] -= 1
            if not counts[oldest]:
                del counts[oldest]
            start += 1
        if len(counts) > best:
            best, best_indices = len(counts), [index for _, index in timed[start : end + 1]]
    untimed = tuple(event for event in events if view.time(event) is None)
    return (*(events[index] for index in best_indices), *untimed)


def densest_window(events: Evidence, within: float, view: View) -> Evidence:
    """Return the events of the window of `within` seconds that contains the most, and all events without a time."""
    timed = sorted(((time, event_index) for event_index, e in enumerate(events) if (time := view.time(e)) is not None))
    best_indices: list[int] = []
    start = 0
    for end, (time, _) in enumerate(timed):
        while timed[start][0] < time - within:
            start += 1
        if end - start + 1 > len(best_indices):
            best_indices = [index for _, index in timed[start : end + 1]]
    untimed = tuple(event for event in events if view.time(event) is None)
    return (*(events[index] for index in best_indices), *untimed)
