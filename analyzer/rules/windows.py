"""Windows of time: in corrected time, wider by the clocks' error bars.

Events without a time fall inside every window, because nothing is known that would exclude them.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from analyzer.model import Event
from analyzer.rules.view import Found, View


def together(parts: Sequence[Found], within: float, view: View) -> Found | None:
    """One event of each part, all inside one window, the earliest that there is; without a time it fits everywhere.

    Clocks err: no event may begin at the earliest more than `within` after another was over at the latest.
    """
    tables = [_tabulate(part, view) for part in parts]
    starts = sorted(
        (end, number, event)
        for number, table in enumerate(tables)
        for end, event in zip(table.ends, table.own, strict=True)
    )
    for end, number, place in starts:
        chain = [
            tables[number].events[place] if other == number else table.find(end, end + within)
            for other, table in enumerate(tables)
        ]
        if all(event is not None for event in chain):
            return tuple(event for event in chain if event is not None)
    untimed = tuple(table.untimed for table in tables if table.untimed is not None)
    return untimed if len(untimed) == len(tables) else None


@dataclass(frozen=True, slots=True)
class _Table:
    """Timed events by when they ended at the latest; `first[i]` may have begun first of those from i on."""

    events: Found
    untimed: Event | None
    ends: list[float]
    own: list[int]  # place of each in `events`
    first: list[tuple[float, int]]

    def find(self, end: float, latest: float) -> Event | None:
        at = bisect.bisect_left(self.ends, end)
        if at < len(self.ends) and self.first[at][0] <= latest:
            return self.events[self.first[at][1]]
        return self.untimed


def _tabulate(events: Found, view: View) -> _Table:
    timed = sorted(
        (time + view.error(e), time - view.error(e), place)
        for place, e in enumerate(events)
        if (time := view.time(e)) is not None
    )
    first = list(accumulate(((begin, place) for _, begin, place in reversed(timed)), min))[::-1]
    untimed = next((event for event in events if view.time(event) is None), None)
    return _Table(events, untimed, [end for end, _, _ in timed], [place for _, _, place in timed], first)


def fits(start: Event, after: Event | None, event: Event, within: float | None, view: View) -> bool:
    begun, time = view.time(start), view.time(event)
    slack = view.error(start) + view.error(event)
    if within is not None and begun is not None and time is not None and abs(time - begun) > within + slack:
        return False
    return after is None or not is_before(event, after, view)


def is_before(event: Event, other: Event, view: View) -> bool:
    if event.locus.file == other.locus.file and event.locus.line and other.locus.line:
        return event.locus.line < other.locus.line
    time, reference = view.time(event), view.time(other)
    if time is None or reference is None:
        return False
    return time + view.error(event) < reference - view.error(other)


def densest(events: Found, within: float, view: View) -> Found:
    timed = sorted(((time, i) for i, e in enumerate(events) if (time := view.time(e)) is not None))
    best: list[int] = []
    start = 0
    for end, (time, _) in enumerate(timed):
        while timed[start][0] < time - within:
            start += 1
        if end - start + 1 > len(best):
            best = [index for _, index in timed[start : end + 1]]
    untimed = tuple(event for event in events if view.time(event) is None)
    return (*(events[index] for index in best), *untimed)
