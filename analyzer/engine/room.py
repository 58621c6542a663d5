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
from analyzer.reading.hits import FIRST, LAST
from analyzer.reading.result import SourceResult
from analyzer.reading.shapes import RARE, shape_of
from analyzer.rules.types import Signal

ROOM = 40_000
SLACK = 10_000  # events beyond these that may wait until all are looked through again
FLOOR = FIRST.bit_length() - 1  # halvings after which the first of each is left
LEVELS = FLOOR + ROOM.bit_length()


@dataclass(slots=True)
class Room:
    """`names` are the signals by which a source says who it is, which are never left out; `errors` those that tell
    nothing but that a line is loud, of which each new likeness counts for more than the number.
    """

    names: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()
    level: int = 0
    size: int = 0

    def admit(self, results: Sequence[SourceResult]) -> None:
        """The last of `results` is new."""
        self.fit(results[-1])
        if self.full:
            self.close(results)

    def fit(self, result: SourceResult) -> None:
        """One more, of which as much is kept as of the others."""
        for level in range(1, min(self.level, FLOOR) + 1):
            self._shorten(result, level)
        self.size += len(result.events)

    @property
    def full(self) -> bool:
        return self.size > ROOM + SLACK

    def adopt(self, level: int, results: Sequence[SourceResult]) -> None:
        """No more of `results` is kept than another reader, who had a part of the sources, could keep of his."""
        while self.level < level:
            self._narrow(results)

    def close(self, results: Sequence[SourceResult]) -> None:
        """All of `results` are there, or as many as have room without it."""
        if self.level >= FLOOR:
            self._keep_earliest(results)
        while self.size > ROOM and self.level < LEVELS:
            self._narrow(results)

    def _narrow(self, results: Sequence[SourceResult]) -> None:
        self.level += 1
        if self.level <= FLOOR:
            for result in results:
                self._shorten(result, self.level)
            self.size = sum(len(result.events) for result in results)
        if self.level >= FLOOR:
            self._keep_earliest(results)

    def say(self) -> Iterator[str]:
        """What was left out, in a sentence."""
        if self.level:
            first, last = _share(self.level)
            earliest = f", and of {ROOM >> (self.level - FLOOR):,} sources" if self.level >= FLOOR else ""
            yield (
                f"all sources together say more than is kept: of each kind of line the first {first} and the last "
                f"{last} of a source{earliest} at most; their counts are exact"
            )

    def _shorten(self, result: SourceResult, level: int) -> None:
        if len(result.events) < 2:
            return
        groups: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, event in enumerate(result.events):
            groups[event.signal, event.stream].append(place)
        chosen = (self._choose(result.events, places, level) for places in groups.values())
        _keep(result, sorted(place for some in chosen for place in some))

    def _choose(self, events: Sequence[Event], places: Sequence[int], level: int) -> Iterable[int]:
        first, last = _share(level)
        if len(places) <= first + last:
            return places
        middle = places[first : len(places) - last]
        kept = [*places[:first], *places[len(places) - last :]]
        if events[places[0]].signal in self.errors:
            shapes = {shape_of(events[place].text) for place in kept}
            new = {shape: place for place in reversed(middle) if (shape := shape_of(events[place].text)) not in shapes}
            kept += sorted(new.values())[: RARE >> level]
        return kept

    def _keep_earliest(self, results: Sequence[SourceResult]) -> None:
        """As many of each signal as there is room for at this level, by the times that their lines state."""
        most = ROOM >> (self.level - FLOOR)
        found: dict[str, list[tuple[float, int, int]]] = defaultdict(list)
        for number, result in enumerate(results):
            for place, event in enumerate(result.events):
                stamps = result.stamps[place]
                found[event.signal].append((stamps[-1].value if stamps else math.inf, number, place))
        crowded = {name: some for name, some in found.items() if len(some) > most and name not in self.names}
        gone: dict[int, set[int]] = defaultdict(set)
        for some in crowded.values():
            early = set(heapq.nsmallest(most, some))
            for one in some:
                if one not in early:
                    gone[one[1]].add(one[2])
        for number, places in gone.items():
            result = results[number]
            _keep(result, [place for place in range(len(result.events)) if place not in places])
            self.size -= len(places)


def _share(level: int) -> tuple[int, int]:
    """How many of a kind are kept of a source: from the front, and from the end."""
    return max(FIRST >> level, 1), LAST >> level


def _keep(result: SourceResult, places: Sequence[int]) -> None:
    if len(places) == len(result.events):
        return
    result.events = [result.events[place] for place in places]
    result.stamps = [result.stamps[place] for place in places]
    lines = {event.locus.line for event in result.events}
    result.context = {line: around for line, around in result.context.items() if line in lines}
    result.settle()


def make_room(signals: Iterable[Signal]) -> Room:
    known = list(signals)
    return Room(
        frozenset(signal.name for signal in known if "identity" in signal.feeds),
        frozenset(signal.name for signal in known if "error" in signal.feeds),
    )
