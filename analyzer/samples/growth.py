"""What a series shows: how high it went, and whether it grew steadily, as a leak does.

Growth is the earliest start from which a straight line explains at least STRAIGHT of the variance up to the highest
point (least squares over the points' means). A start-up that ends in a plateau is not straight; a sawtooth
that climbs is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from analyzer.model import Point, Series

STRAIGHT = 0.9
FEWEST = 8  # points
SHORTEST = 5.0  # seconds
OF_LIMIT, OF_PEAK = 0.05, 0.2  # a gain below both shares is noise


@dataclass(frozen=True, slots=True)
class Growth:
    """`rate` in units a second. `left`: seconds from the end until the limit at that rate, None without a limit."""

    start: Point
    end: Point
    rate: float
    left: float | None
    lasting: bool  # it grew until the record ended

    @property
    def seconds(self) -> float:
        return self.end.time - self.start.time


def find_growth(series: Series) -> Growth | None:
    points = series.points
    top = max(range(len(points)), key=lambda at: points[at].high, default=0)
    if top + 1 < FEWEST:
        return None
    first = _straight_from(points[: top + 1])
    if first is None:
        return None
    start, end = points[first], points[top]
    gain = end.mean - start.mean
    is_noise = gain < OF_PEAK * end.high and gain < OF_LIMIT * (series.limit or float("inf"))
    if is_noise or end.time - start.time < SHORTEST:
        return None
    rate = gain / (end.time - start.time)
    left = None if series.limit is None else max(0.0, series.limit - end.high) / rate
    return Growth(start, end, rate, left, top >= len(points) - 2)


def _straight_from(points: tuple[Point, ...]) -> int | None:
    """The earliest index from which the points lie on a rising line, by suffix sums: one pass for all starts."""
    origin, size = points[0].time, len(points)
    xs, ys = [point.time - origin for point in points], [point.mean for point in points]

    def suffix(values: list[float]) -> list[float]:
        return list(accumulate(reversed(values)))[::-1]

    sx, sy = suffix(xs), suffix(ys)
    sxx, syy = suffix([x * x for x in xs]), suffix([y * y for y in ys])
    sxy = suffix([x * y for x, y in zip(xs, ys, strict=True)])
    for at in range(size - FEWEST + 1):
        n = size - at
        cov = sxy[at] - sx[at] * sy[at] / n
        spread = (sxx[at] - sx[at] ** 2 / n) * (syy[at] - sy[at] ** 2 / n)
        if cov > 0 and spread > 0 and cov * cov / spread >= STRAIGHT:
            return at
    return None
