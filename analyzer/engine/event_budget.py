"""How many events of all sources are kept: a thousand nodes say the same a thousand times.

Where they are more than ROOM, each signal and stream of each source keeps half of what it had, and so on. Where even
the first of each are too many, each signal keeps those that were said first, whoever said them. The outcome follows
from what there is: the order in which sources are read, and in how many processes, does not matter.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from analyzer.model import Event
from analyzer.reading.hits import MAX_HEAD_HITS, MAX_TAIL_HITS
from analyzer.reading.shapes import MAX_NOVEL_LINES, shape_of
from analyzer.reading.source_result import SourceResult
from analyzer.signals.types import Signal

MAX_EVENTS = 40_000
EVENT_SLACK = 10_000  # events beyond these that may wait until all are looked through again
PER_SOURCE_LEVELS = MAX_HEAD_HITS.bit_length() - 1  # halvings after which the first of each is left
MAX_LEVEL = PER_SOURCE_LEVELS + MAX_EVENTS.bit_length()


@dataclass(slots=True)
class EventBudget:
    """`names` are the signals by which a source says who it is, which are never left out; `errors` those that tell
    nothing but that a line is loud, of which each new likeness counts for more than the number.
    """

    identity_signals: frozenset[str] = frozenset()
    error_signals: frozenset[str] = frozenset()
    level: int = 0
    size: int = 0

    def add(self, results: Sequence[SourceResult]) -> None:
        """The last of `results` is new."""
        self.trim_and_count(results[-1])
        if self.is_full:
            self.tighten_to_fit(results)

    def trim_and_count(self, result: SourceResult) -> None:
        """One more, of which as much is kept as of the others."""
        for level in range(1, min(self.level, PER_SOURCE_LEVELS) + 1):
            self._trim(result, level)
        self.size += len(result.events)

    @property
    def is_full(self) -> bool:
        return self.size > MAX_EVENTS + EVENT_SLACK

    def tighten_to(self, level: int, results: Sequence[SourceResult]) -> None:
        """No more of `results` is kept than another reader, who had a part of the sources, could keep of his."""
        while self.level < level:
            self._tighten(results)

    def tighten_to_fit(self, results: Sequence[SourceResult]) -> None:
        """All of `results` are there, or as many as have room without it."""
        if self.level >= PER_SOURCE_LEVELS:
            self._keep_earliest(results)
        while self.size > MAX_EVENTS and self.level < MAX_LEVEL:
            self._tighten(results)

    def _tighten(self, results: Sequence[SourceResult]) -> None:
        self.level += 1
        if self.level <= PER_SOURCE_LEVELS:
            for result in results:
                self._trim(result, self.level)
            self.size = sum(len(result.events) for result in results)
        if self.level >= PER_SOURCE_LEVELS:
            self._keep_earliest(results)

    def describe(self) -> Iterator[str]:
        """What was left out, in a sentence."""
        if self.level:
            first, last = _kept_per_kind(self.level)
            earliest = (
                f", and of {MAX_EVENTS >> (self.level - PER_SOURCE_LEVELS):,} sources"
                if self.level >= PER_SOURCE_LEVELS
                else ""
            )
            yield (
                f"all sources together say more than is kept: of each kind of line the first {first} and the last "
                f"{last} of a source{earliest} at most; their counts are exact"
            )

    def _trim(self, result: SourceResult, level: int) -> None:
        if len(result.events) < 2:
            return
        groups: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, event in enumerate(result.events):
            groups[event.signal, event.stream].append(place)
        chosen = (self._choose_positions(result.events, places, level) for places in groups.values())
        _keep_positions(result, sorted(place for some in chosen for place in some))

    def _choose_positions(self, events: Sequence[Event], places: Sequence[int], level: int) -> Iterable[int]:
        first, last = _kept_per_kind(level)
        if len(places) <= first + last:
            return places
        middle = places[first : len(places) - last]
        kept = [*places[:first], *places[len(places) - last :]]
        if events[places[0]].signal in self.error_signals:
            shapes = {shape_of(events[place].text) for place in kept}
            new = {shape: place for place in reversed(middle) if (shape := shape_of(events[place].text)) not in shapes}
            kept += sorted(new.values())[: MAX_NOVEL_LINES >> level]
        return kept

    def _keep_earliest(self, results: Sequence[SourceResult]) -> None:
        """As many of each signal as there is room for at this level, by the times that their lines state."""
        most = MAX_EVENTS >> (self.level - PER_SOURCE_LEVELS)
        found: dict[str, list[tuple[float, int, int]]] = defaultdict(list)
        for number, result in enumerate(results):
            for place, event in enumerate(result.events):
                stamps = result.stamps[place]
                found[event.signal].append((stamps[-1].value if stamps else math.inf, number, place))
        crowded = {name: some for name, some in found.items() if len(some) > most and name not in self.identity_signals}
        gone: dict[int, set[int]] = defaultdict(set)
        for some in crowded.values():
            early = set(heapq.nsmallest(most, some))
            for one in some:
                if one not in early:
                    gone[one[1]].add(one[2])
        for number, places in gone.items():
            result = results[number]
            _keep_positions(result, [place for place in range(len(result.events)) if place not in places])
            self.size -= len(places)


def _kept_per_kind(level: int) -> tuple[int, int]:
    """How many of a kind are kept of a source: from the front, and from the end."""
    return max(MAX_HEAD_HITS >> level, 1), MAX_TAIL_HITS >> level


def _keep_positions(result: SourceResult, places: Sequence[int]) -> None:
    if len(places) == len(result.events):
        return
    result.events = [result.events[place] for place in places]
    result.stamps = [result.stamps[place] for place in places]
    lines = {event.locus.line for event in result.events}
    result.context = {line: around for line, around in result.context.items() if line in lines}
    result.compact()


def new_event_budget(signals: Iterable[Signal]) -> EventBudget:
    known = list(signals)
    return EventBudget(
        frozenset(signal.name for signal in known if "identity" in signal.feeds),
        frozenset(signal.name for signal in known if "error" in signal.feeds),
    )
