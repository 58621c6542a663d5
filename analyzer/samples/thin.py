"""Series of any length in bounded memory.

Method: samples are folded into points of equal numbers of samples, each with its lowest, mean and highest value. When
a series has more than MOST points, neighbours are folded in pairs. No extreme is lost; times blur by a point's width.
"""

from __future__ import annotations

from analyzer.model import Point

MOST = 512


class _Folded:
    """A point while it is filled; `total` is the sum of its samples."""

    __slots__ = ("count", "high", "line", "low", "time", "total")

    def __init__(self, time: float, value: float, line: int) -> None:
        self.time, self.line, self.count = time, line, 1
        self.low = self.high = self.total = value

    def take(self, other: _Folded) -> None:
        self.time, self.line = other.time, other.line
        self.count += other.count
        self.total += other.total
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)


class Thinned:
    """One series while it is read."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self.highest = float("-inf")
        self._folded: list[_Folded] = []
        self._width = 1

    def add(self, time: float, value: float, line: int) -> None:
        self.highest = max(self.highest, value)
        new, known = _Folded(time, value, line), self._folded
        if known and known[-1].count < self._width:
            known[-1].take(new)
            return
        known.append(new)
        if len(known) > MOST:
            self._width *= 2
            for at in range(0, len(known) - 1, 2):
                known[at].take(known[at + 1])
            del known[1 : len(known) - len(known) % 2 : 2]

    @property
    def points(self) -> list[Point]:
        return [Point(p.time, p.low, p.total / p.count, p.high, p.line, p.count) for p in self._folded]
