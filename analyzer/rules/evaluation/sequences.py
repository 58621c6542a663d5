"""Find events that follow each other: the steps of a sequence, each on a line of its own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from analyzer.model import Event
from analyzer.rules.conditions import Window
from analyzer.rules.evaluation.time_windows import fits_after, is_before
from analyzer.rules.evaluation.view import Evidence, View


@dataclass(frozen=True, slots=True)
class Step:
    """The events that a step can be, in the order of time; an optional step may be missing."""

    events: Evidence
    optional: bool


@dataclass(frozen=True, slots=True)
class ChainSearch:
    """Searches for a chain: one event of each step, in order, inside the window, without an event in between.

    For each event at which the window can open, it takes the latest events before it and the earliest after it. So no
    chain through that event is shorter, and if `excluded` lies in this one, it lies in all of them.
    """

    steps: Sequence[Step]
    window: Window | None
    certain_order: bool
    excluded: Evidence
    view: View

    def find_chain(self) -> Evidence | None:
        """Return the first chain, or None. `excluded` are the events that must not lie between its ends."""
        return next((chain for chain in self._chains() if not self._has_excluded(chain)), None)

    def _chains(self) -> Iterator[Evidence]:
        opens_at = self.window.opens_at if self.window else 0
        for index in range(opens_at, len(self.steps)):
            for opening in self.steps[index].events:
                before = self._extend_back((opening,), self.steps[:opens_at])
                if before is not None and (chain := self._extend(before, index + 1, opening)):
                    yield chain
            if opens_at or not self.steps[index].optional:
                return

    def _extend(self, chain: Evidence, index: int, opening: Event) -> Evidence | None:
        """Return the chain with one event for each step from `index` on; None if a required step has none that fits."""
        if index == len(self.steps):
            return chain
        for event in self.steps[index].events:
            if self._follows(chain, event) and self._is_in_window(opening, event, index):
                if longer := self._extend((*chain, event), index + 1, opening):
                    return longer
                break
        return self._extend(chain, index + 1, opening) if self.steps[index].optional else None

    def _extend_back(self, chain: Evidence, steps: Sequence[Step]) -> Evidence | None:
        if not steps:
            return chain
        for event in reversed(steps[-1].events):
            if self._precedes(event, chain):
                if longer := self._extend_back((event, *chain), steps[:-1]):
                    return longer
                break
        return self._extend_back(chain, steps[:-1]) if steps[-1].optional else None

    def _follows(self, chain: Evidence, event: Event) -> bool:
        return self._are_in_order(chain[-1], event) and not _is_on_line_of(event, chain)

    def _precedes(self, event: Event, chain: Evidence) -> bool:
        return self._are_in_order(event, chain[0]) and not _is_on_line_of(event, chain)

    def _are_in_order(self, first: Event, second: Event) -> bool:
        if self.certain_order and not self.view.is_surely_before(first, second):
            return False
        return not is_before(second, first, self.view)

    def _is_in_window(self, opening: Event, event: Event, index: int) -> bool:
        if self.window is None:
            return True
        if not fits_after(opening, None, event, self.window.longest, self.view):
            return False
        opened, time = self.view.time(opening), self.view.time(event)
        if index < len(self.steps) - 1 or opened is None or time is None:
            return True
        slack = self.view.time_error(opening) + self.view.time_error(event)
        return time - opened >= self.window.shortest - slack

    def _has_excluded(self, chain: Evidence) -> bool:
        """Return whether an excluded event may lie between the first and the last event of the chain."""
        return any(
            not is_before(event, chain[0], self.view)
            and not is_before(chain[-1], event, self.view)
            and not _is_on_line_of(event, chain)
            for event in self.excluded
        )


def sort_by_time(events: Iterable[Event], view: View) -> Evidence:
    """Return the events in the order of time; those without a time come last."""
    return tuple(sorted(events, key=lambda event: math.inf if (time := view.time(event)) is None else time))


def _is_on_line_of(event: Event, chain: Evidence) -> bool:
    """Return whether the event rests on the line of an event of the chain. Facts of files have no line."""
    return any(event is other or (event.locus.line is not None and event.locus == other.locus) for other in chain)
