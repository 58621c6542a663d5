"""Series of any length in bounded memory.

Method: samples are folded into points of equal numbers of samples, each with its lowest, mean and highest value. When
a series has more than MOST points, neighbours are folded in pairs. No extreme is lost; times blur by a point's width.
"""

from __future__ import annotations

from analyzer.model import Point

MOST = 512


class Thinned:
    """One series while it is read."""

    def __init__(self, limit: float | None = None) -> None:
        self.points: list[Point] = []
        self.limit = limit
        self._width = 1

    def add(self, time: float, value: float, line: int) -> None:
        new = Point(time, value, value, value, line)
        if self.points and self.points[-1].count < self._width:
            self.points[-1] = fold(self.points[-1], new)
            return
        self.points.append(new)
        if len(self.points) > MOST:
            self._width *= 2
            self.points = fold_pairs(self.points)

    @property
    def highest(self) -> float:
        return max(point.high for point in self.points)


def fold(one: Point, other: Point) -> Point:
    count = one.count + other.count
    mean = (one.mean * one.count + other.mean * other.count) / count
    return Point(other.time, min(one.low, other.low), mean, max(one.high, other.high), other.line, count)


def fold_pairs(points: list[Point]) -> list[Point]:
    pairs = [fold(*points[at : at + 2]) for at in range(0, len(points) - 1, 2)]
    return pairs + points[len(pairs) * 2 :]
