"""Downsampling: series of any length in bounded memory.

Samples are folded into points, each of the same number of samples, with their lowest, mean and highest value. If a
series has more than MAX_POINTS points, neighbours are folded in pairs. No extreme is lost; the precision of times falls
to the width of a point.
"""

from __future__ import annotations

from analyzer.model import Point

MAX_POINTS = 512


class _FoldedPoint:
    """A point that is being filled; `total` is the sum of its samples."""

    __slots__ = ("count", "high", "line", "low", "time", "total")

    def __init__(self, time: float, value: float, line: int) -> None:
        self.time, self.line, self.count = time, line, 1
        self.low = self.high = self.total = value

    def absorb(self, other: _FoldedPoint) -> None:
        self.time, self.line = other.time, other.line
        self.count += other.count
        self.total += other.total
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)


class DownsampledSeries:
    """One series that is being read. `highest` is its highest value; `limit` that of the resource, if known."""

    def __init__(self, limit: float | None = None) -> None:
        self.limit = limit
        self.highest = float("-inf")
        self._points: list[_FoldedPoint] = []
        self._samples_per_point = 1

    def add(self, time: float, value: float, line: int) -> None:
        """Add a sample: its time in UTC seconds, its value, and the 1-based line that states it."""
        self.highest = max(self.highest, value)
        new, points = _FoldedPoint(time, value, line), self._points
        if points and points[-1].count < self._samples_per_point:
            points[-1].absorb(new)
            return
        points.append(new)
        if len(points) > MAX_POINTS:
            self._samples_per_point *= 2
            for at in range(0, len(points) - 1, 2):
                points[at].absorb(points[at + 1])
            del points[1 : len(points) - len(points) % 2 : 2]

    @property
    def points(self) -> list[Point]:
        return [
            Point(time=p.time, low=p.low, mean=p.total / p.count, high=p.high, line=p.line, count=p.count)
            for p in self._points
        ]
