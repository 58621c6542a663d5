"""A file that everybody writes to: how many streams are told apart, and how many hits are kept in all.

A launcher's log of ten thousand ranks is one source, and a broken prefix can look like a million of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field

from analyzer.model import Line
from analyzer.reading.hits import FIRST, LAST, Hit, Kept

MOST = 10_000  # streams of a source that are told apart
ROOM = 40_000  # hits of a source that are kept, where the signals and streams allow it


@dataclass(slots=True)
class Streams:
    """The first MOST streams; the lines of later ones count as nobody's."""

    known: set[str] = field(default_factory=set)
    nobody: int = 0

    def admit(self, line: Line) -> Line:
        if line.stream in self.known:
            return line
        if len(self.known) < MOST:
            self.known.add(line.stream)
            return line
        self.nobody += 1
        return line._replace(stream="")


@dataclass(slots=True)
class Keep:
    """The kept hits by signal and stream. Where they are more than ROOM, each gets half of what it had, and so on."""

    first: int = FIRST
    last: int = LAST
    hits: dict[tuple[int, str], Kept] = field(default_factory=dict)
    size: int = 0
    full: bool = False  # not even one of each has room: a further signal and stream is only counted

    def of(self, index: int, stream: str) -> Kept:
        if self.full and (index, stream) not in self.hits:
            return Kept()
        return self.hits.setdefault((index, stream), Kept())

    def fills(self, kept: Kept) -> bool:
        return len(kept.front) >= self.first

    def add(self, where: list[Hit], hit: Hit) -> None:
        """Puts it into one of the lists of a `Kept`."""
        where.append(hit)
        self.size += 1
        if self.size > ROOM:
            self._halve()

    def add_latest(self, kept: Kept, hits: Collection[Hit]) -> None:
        """Hits that may have waited, among those that did not have to; the oldest go."""
        before = len(kept.back)
        kept.back.extend(hits)
        if len(hits) > 1:
            kept.back = deque(sorted(kept.back, key=lambda hit: hit.number))
        while len(kept.back) > self.last:
            kept.back.popleft()
        self.size += len(kept.back) - before
        if self.size > ROOM:
            self._halve()

    def _halve(self) -> None:
        while self.size > ROOM and not self.full:
            self.full = self.first == 1
            self.first, self.last = max(self.first // 2, 1), self.last // 2
            for kept in self.hits.values():
                kept.shorten(self.first, self.last)
            self.size = sum(map(len, self.hits.values()))


def say(streams: Streams, keep: Keep) -> list[str]:
    """What of a source was not kept apart, or not at all."""
    said = []
    if streams.nobody:
        said.append(
            f"more than {MOST:,} processes write here: {streams.nobody:,} of the lines that were looked at belong to "
            "later ones, which are not told apart"
        )
    if keep.first < FIRST:
        said.append(
            f"{len(keep.hits):,} streams and kinds of lines are here: of each only the first {keep.first} and the last "
            f"{keep.last} are kept; their counts are exact"
        )
    return said
