"""Limits for one source with many writers: the streams that are told apart and the hits that are kept.

The log of a launcher with ten thousand ranks is one source, and a broken prefix can look like a million ranks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from analyzer.model import Line
from analyzer.reading.hits import (
    MAX_HEAD_HITS,
    MAX_SETTLED_TAIL_HITS,
    MAX_STATEMENT_TAIL_HITS,
    MAX_TAIL_HITS,
    Hit,
    HitReservoir,
    may_settle,
)
from analyzer.reading.plan import CompiledSignal

MAX_STREAMS = 10_000  # of a source that are told apart
MAX_HITS = 40_000  # of a source; exceeded only if it has more combinations of signal and stream


@dataclass(slots=True)
class StreamLimiter:
    """Tells the first MAX_STREAMS streams apart; lines of later ones get the stream ""."""

    known_streams: set[str] = field(default_factory=set)
    overflow_lines: int = 0

    def admit_line(self, line: Line) -> Line:
        """Return the line, without its stream if there are too many."""
        if line.stream in self.known_streams:
            return line
        if len(self.known_streams) < MAX_STREAMS:
            self.known_streams.add(line.stream)
            return line
        self.overflow_lines += 1
        return line._replace(stream="")


@dataclass(slots=True)
class HitStore:
    """The reservoirs by signal and stream. Whenever they hold more than MAX_HITS, the limits of each are halved."""

    max_head: int = MAX_HEAD_HITS
    max_tail: int = MAX_TAIL_HITS
    reservoirs: dict[tuple[int, str], HitReservoir] = field(default_factory=dict)
    hit_count: int = 0
    is_full: bool = False  # even one hit of each was too much: further signals and streams are only counted

    def reservoir_of(self, index: int, stream: str) -> HitReservoir:
        """Return the reservoir of a signal and stream; one that is not stored if the store is full."""
        if (reservoir := self.reservoirs.get((index, stream))) is None:
            reservoir = HitReservoir()
            if not self.is_full:
                self.reservoirs[index, stream] = reservoir
        return reservoir

    def hits(self) -> Iterator[Hit]:
        """Yield all hits that are kept now."""
        for reservoir in self.reservoirs.values():
            yield from (*reservoir.head, *reservoir.novel, *reservoir.tail)

    def has_full_head(self, reservoir: HitReservoir) -> bool:
        """Whether the reservoir has all the first hits that may be kept now."""
        return reservoir.is_settled or len(reservoir.head) >= self.max_head

    def max_tail_of(self, reservoir: HitReservoir, compiled: CompiledSignal) -> int:
        """Return how many of the latest hits the reservoir of a signal may keep."""
        if reservoir.is_settled:
            return min(self.max_tail, MAX_SETTLED_TAIL_HITS)
        return min(self.max_tail, MAX_STATEMENT_TAIL_HITS if may_settle(compiled) else MAX_TAIL_HITS)

    def add_first_hit(self, reservoir: HitReservoir, hit: Hit, is_alone: bool) -> bool:
        """Add a hit to the head of its reservoir; return False if the head has enough.

        `is_alone`: the line has no hit but those of series. Otherwise this hit may explain the others.
        """
        if self.has_full_head(reservoir):
            return False
        self.add_hit(reservoir.head, hit)
        if may_settle(hit.compiled):
            reservoir.note_statement(hit, is_alone)
        return True

    def add_hit(self, hits: list[Hit], hit: Hit) -> None:
        """Add a hit to `hits`, a list of one of the reservoirs."""
        hits.append(hit)
        self.hit_count += 1
        if self.hit_count > MAX_HITS:
            self._halve_limits()

    def add_latest_hits(self, reservoir: HitReservoir, hits: Collection[Hit]) -> None:
        """Add hits, some of which may be older than those of the tail, and drop the oldest beyond its limit."""
        before = len(reservoir.tail)
        last_number = reservoir.tail[-1].line_number if reservoir.tail else 0
        reservoir.tail.extend(hits)
        if len(hits) > 1 or any(hit.line_number < last_number for hit in hits):
            reservoir.tail = deque(sorted(reservoir.tail, key=lambda hit: hit.line_number))
        limit = self.max_tail_of(reservoir, reservoir.tail[0].compiled) if reservoir.tail else 0
        while len(reservoir.tail) > limit:
            reservoir.tail.popleft()
        self.hit_count += len(reservoir.tail) - before
        if self.hit_count > MAX_HITS:
            self._halve_limits()

    def _halve_limits(self) -> None:
        while self.hit_count > MAX_HITS and not self.is_full:
            self.is_full = self.max_head == 1
            self.max_head, self.max_tail = max(self.max_head // 2, 1), self.max_tail // 2
            for reservoir in self.reservoirs.values():
                reservoir.shorten(self.max_head, self.max_tail)
            self.hit_count = sum(map(len, self.reservoirs.values()))


def describe_limits(streams: StreamLimiter, store: HitStore) -> list[str]:
    """Return sentences about streams that were not distinguished and hits that were not kept."""
    sentences = []
    if streams.overflow_lines:
        sentences.append(
            f"more than {MAX_STREAMS:,} processes write to this file: {streams.overflow_lines:,} of the "
            "examined lines belong to later processes, which are not distinguished"
        )
    if store.max_head < MAX_HEAD_HITS:
        sentences.append(
            f"{len(store.reservoirs):,} combinations of stream and signal were found: only the first "
            f"{store.max_head} and the last {store.max_tail} lines of each are kept; all are counted"
        )
    return sentences
