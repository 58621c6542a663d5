"""What a series shows: how high it went, and whether it grew steadily, as a leak does.

Growth is a stretch up to the highest point of which a straight line explains at least STRAIGHT of the variance (least
squares over the points' means); of all such that hold nearly the greatest gain, the straightest. A start-up that ends
in a plateau is not straight; a sawtooth that climbs is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from analyzer.model import Point, Series

STRAIGHT = 0.9
NEARLY = 0.9
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
    """Where the growth begins; None: nowhere."""
    fits = _fits(points)
    top = points[-1].mean
    gains = [top - points[at].mean for at, fit in enumerate(fits) if fit >= STRAIGHT]
    if not gains:
        return None
    large = [at for at, fit in enumerate(fits) if fit >= STRAIGHT and top - points[at].mean >= NEARLY * max(gains)]
    return max(large, key=lambda at: (fits[at], -at), default=None)


def _fits(points: tuple[Point, ...]) -> list[float]:
    """For each start the share of variance that a rising line explains, by suffix sums: one pass for all starts."""
    size = len(points)
    xs, ys = [point.time - points[0].time for point in points], [point.mean - points[0].mean for point in points]
    largest = max(map(abs, ys)) or 1.0
    ys = [y / largest for y in ys]  # a share is the same in any unit, and squares of what logs hold may be no floats
    sx, sy = _sums(xs), _sums(ys)
    sxx, syy = _sums([x * x for x in xs]), _sums([y * y for y in ys])
    sxy = _sums([x * y for x, y in zip(xs, ys, strict=True)])
    fits = []
    for at in range(size - FEWEST + 1):
        n = size - at
        cov = sxy[at] - sx[at] * sy[at] / n
        spread = (sxx[at] - sx[at] ** 2 / n) * (syy[at] - sy[at] ** 2 / n)
        fits.append(cov * cov / spread if cov > 0 and spread > 0 else 0.0)
    return fits


def _sums(values: list[float]) -> list[float]:
    """Each value with all behind it."""
    return list(accumulate(reversed(values)))[::-1]
