"""A bound on the events that all sources together keep: a thousand nodes log the same thing a thousand times.

If there are more than MAX_EVENTS, the level rises: at each level, each signal and stream of each source keeps half of
what it had. If even one event of each is too many, each signal keeps its earliest events, whatever source they are
from. What every node must be judged by (its identity, its end, its last step, whom it accuses) is not bounded: of each
signal and stream of it, the first and the last event are always kept. The outcome depends only on the sources, not on
the order or the number of processes in which they are read.
"""

from __future__ import annotations

import heapq
import logging
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from analyzer.model import Event
from analyzer.reading.hits import MAX_HEAD_HITS, MAX_TAIL_HITS
from analyzer.reading.shapes import MAX_NOVEL_LINES, shape_of
from analyzer.reading.source_result import SourceResult
from analyzer.signals.types import Signal

MAX_EVENTS = 40_000  # of all sources together
EVENT_SLACK = 10_000  # events above MAX_EVENTS that may collect before all are trimmed again
ESSENTIAL_MEANINGS = frozenset({"identity", "exit", "finished", "progress", "accuses"})
ESSENTIAL_PER_KIND = 2  # the first and the last event of each signal and stream
PER_SOURCE_LEVELS = MAX_HEAD_HITS.bit_length() - 1  # halvings after which one event of each kind and source is left
MAX_LEVEL = PER_SOURCE_LEVELS + MAX_EVENTS.bit_length()
_log = logging.getLogger("analyzer.engine")


@dataclass(slots=True)
class EventBudget:
    """The number of events that are kept so far and may be dropped, and the level to which they are trimmed.

    `essential_signals` are those that feed one of ESSENTIAL_MEANINGS; their first and last events are never dropped.
    `error_signals` say only that a line is an error; of these, each new shape of line counts more than their number.
    """

    essential_signals: frozenset[str] = frozenset()
    error_signals: frozenset[str] = frozenset()
    level: int = 0
    size: int = 0

    def add(self, results: Sequence[SourceResult]) -> None:
        """Account for the last of `results`, which is new, and trim all if the budget is exceeded."""
        self.trim_and_count(results[-1])
        if self.is_full:
            self.tighten_to_fit(results)

    def trim_and_count(self, result: SourceResult) -> None:
        """Trim one more source to the level of the others, and count its events."""
        for level in range(1, min(self.level, PER_SOURCE_LEVELS) + 1):
            self._trim(result, level)
        self.size += self._count_droppable(result)

    @property
    def is_full(self) -> bool:
        """Whether the events exceed the budget by more than the slack."""
        return self.size > MAX_EVENTS + EVENT_SLACK

    def tighten_to(self, level: int, results: Sequence[SourceResult]) -> None:
        """Trim `results` to the level that another reader needed for its own sources."""
        while self.level < level:
            self._tighten(results)

    def tighten_to_fit(self, results: Sequence[SourceResult]) -> None:
        """Trim `results`, all that were read so far, until they fit into MAX_EVENTS."""
        if self.level >= PER_SOURCE_LEVELS:
            self._keep_earliest(results)
        while self.size > MAX_EVENTS and self.level < MAX_LEVEL:
            self._tighten(results)

    def _tighten(self, results: Sequence[SourceResult]) -> None:
        self.level += 1
        _log.debug("%d events are kept: trimming to level %d of %d", self.size, self.level, MAX_LEVEL)
        if self.level <= PER_SOURCE_LEVELS:
            for result in results:
                self._trim(result, self.level)
            self.size = sum(map(self._count_droppable, results))
        if self.level >= PER_SOURCE_LEVELS:
            self._keep_earliest(results)

    def _count_droppable(self, result: SourceResult) -> int:
        kinds = Counter(
            (event.signal, event.stream) for event in result.events if event.signal in self.essential_signals
        )
        return len(result.events) - sum(min(count, ESSENTIAL_PER_KIND) for count in kinds.values())

    def describe(self) -> Iterator[str]:
        """Yield a sentence on what was left out, if anything was."""
        if self.level:
            first, last = _kept_per_kind(self.level)
            earliest = (
                f", from at most {MAX_EVENTS >> (self.level - PER_SOURCE_LEVELS):,} sources,"
                if self.level >= PER_SOURCE_LEVELS
                else ""
            )
            yield (
                f"there are too many events: for each kind of line, only the first {first} and the last {last} of each "
                f"source{earliest} are kept; all are counted"
            )

    def _trim(self, result: SourceResult, level: int) -> None:
        if len(result.events) < 2:
            return
        groups: dict[tuple[str, str], list[int]] = defaultdict(list)
        for position, event in enumerate(result.events):
            groups[event.signal, event.stream].append(position)
        chosen = (self._choose_positions(result.events, positions, level) for positions in groups.values())
        _keep_positions(result, sorted(position for group in chosen for position in group))

    def _choose_positions(self, events: Sequence[Event], positions: Sequence[int], level: int) -> Iterable[int]:
        """Return which events of one signal and stream are kept: the first, the last, and of errors each new shape."""
        first, last = _kept_per_kind(level)
        if events[positions[0]].signal in self.essential_signals:
            last = max(last, 1)
        if len(positions) <= first + last:
            return positions
        middle = positions[first : len(positions) - last]
        kept = [*positions[:first], *positions[len(positions) - last :]]
        if events[positions[0]].signal in self.error_signals:
            shapes = {shape_of(events[index].text) for index in kept}
            new = {shape: index for index in reversed(middle) if (shape := shape_of(events[index].text)) not in shapes}
            kept += sorted(new.values())[: MAX_NOVEL_LINES >> level]
        return kept

    def _keep_earliest(self, results: Sequence[SourceResult]) -> None:
        """Keep of each signal the earliest events, by the stamps of their lines, as many as this level allows."""
        most = MAX_EVENTS >> (self.level - PER_SOURCE_LEVELS)
        by_signal: dict[str, list[tuple[float, int, int]]] = defaultdict(list)  # (stamp, source, position) of events
        for number, result in enumerate(results):
            for position, event in enumerate(result.events):
                stamps = result.stamps[position]
                by_signal[event.signal].append((stamps[-1].value if stamps else math.inf, number, position))
        dropped: dict[int, set[int]] = defaultdict(set)
        for signal, entries in by_signal.items():
            if len(entries) <= most or signal in self.essential_signals:
                continue
            earliest = set(heapq.nsmallest(most, entries))
            for entry in entries:
                if entry not in earliest:
                    dropped[entry[1]].add(entry[2])
        for number, positions in dropped.items():
            result = results[number]
            _keep_positions(result, [index for index in range(len(result.events)) if index not in positions])
            self.size -= len(positions)  # none of them is essential


def _kept_per_kind(level: int) -> tuple[int, int]:
    """Return how many events of a kind are kept of a source: the first, and the last."""
    return max(MAX_HEAD_HITS >> level, 1), MAX_TAIL_HITS >> level


def _keep_positions(result: SourceResult, positions: Sequence[int]) -> None:
    if len(positions) == len(result.events):
        return
    dropped = {event.locus.line for event in result.events}
    result.events = [result.events[position] for position in positions]
    result.stamps = [result.stamps[position] for position in positions]
    dropped -= {event.locus.line for event in result.events}
    dropped.discard(result.lines)  # the report shows what a node wrote last
    result.context = {line: around for line, around in result.context.items() if line not in dropped}
    result.compact()


def new_event_budget(signals: Iterable[Signal]) -> EventBudget:
    """Return an empty budget that knows which of `signals` are essential and which state errors."""
    all_signals = list(signals)
    return EventBudget(
        frozenset(signal.name for signal in all_signals if signal.feeds & ESSENTIAL_MEANINGS),
        frozenset(signal.name for signal in all_signals if "error" in signal.feeds),
    )
