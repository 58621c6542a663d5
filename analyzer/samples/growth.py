"""Finds steady growth in a series, as of a leak.

Growth is a stretch that ends at the highest point, and of which a straight line explains at least MIN_LINEAR_FIT of the
variance (least squares over the means of the points). Of all such stretches with nearly the greatest gain, the one with
the best fit counts. A start-up that ends in a plateau is not linear; a climbing sawtooth is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from analyzer.model import Point, Series

MIN_LINEAR_FIT = 0.9  # the share of variance (R²)
MIN_SHARE_OF_MAX_GAIN = 0.9
MIN_POINTS = 8
MIN_DURATION_S = 5.0
MIN_GAIN_OF_LIMIT, MIN_GAIN_OF_PEAK = 0.05, 0.2  # a gain below both shares is noise


@dataclass(frozen=True, slots=True)
class Growth:
    """A stretch of steady growth.

    rate: units a second. seconds_to_limit: from the end, at that rate; None without a limit.
    """

    start: Point
    end: Point
    rate: float
    seconds_to_limit: float | None
    is_ongoing: bool  # until the end of the record

    @property
    def seconds(self) -> float:
        return self.end.time - self.start.time


def find_growth(series: Series) -> Growth | None:
    """Return the steady growth up to the highest point of the series, or None."""
    points = series.points
    top = max(range(len(points)), key=lambda at: points[at].high, default=0)
    if top + 1 < MIN_POINTS:
        return None
    start_index = _find_growth_start(points[: top + 1])
    if start_index is None:
        return None
    start, end = points[start_index], points[top]
    gain = end.mean - start.mean
    is_noise = gain < MIN_GAIN_OF_PEAK * end.high and gain < MIN_GAIN_OF_LIMIT * (series.limit or float("inf"))
    if is_noise or end.time - start.time < MIN_DURATION_S:
        return None
    rate = gain / (end.time - start.time)
    seconds_to_limit = None if series.limit is None else max(0.0, series.limit - end.high) / rate
    return Growth(start=start, end=end, rate=rate, seconds_to_limit=seconds_to_limit, is_ongoing=top >= len(points) - 2)


def _find_growth_start(points: tuple[Point, ...]) -> int | None:
    """Return the index of the point at which the growth begins, or None."""
    fits = _linear_fits(points)
    top = points[-1].mean
    gains = [top - points[at].mean for at, fit in enumerate(fits) if fit >= MIN_LINEAR_FIT]
    if not gains:
        return None
    large = [
        at
        for at, fit in enumerate(fits)
        if fit >= MIN_LINEAR_FIT and top - points[at].mean >= MIN_SHARE_OF_MAX_GAIN * max(gains)
    ]
    return max(large, key=lambda at: (fits[at], -at), default=None)


def _linear_fits(points: tuple[Point, ...]) -> list[float]:
    """Return for each start the share of variance that a rising line explains; suffix sums make it one pass."""
    size = len(points)
    xs, ys = [point.time - points[0].time for point in points], [point.mean - points[0].mean for point in points]
    largest = max(map(abs, ys)) or 1.0
    ys = [y / largest for y in ys]  # the share does not depend on the unit, and squares may overflow
    sx, sy = _suffix_sums(xs), _suffix_sums(ys)
    sxx, syy = _suffix_sums([x * x for x in xs]), _suffix_sums([y * y for y in ys])
    sxy = _suffix_sums([x * y for x, y in zip(xs, ys, strict=True)])
    fits = []
    for at in range(size - MIN_POINTS + 1):
        n = size - at
        cov = sxy[at] - sx[at] * sy[at] / n
        spread = (sxx[at] - sx[at] ** 2 / n) * (syy[at] - sy[at] ** 2 / n)
        fits.append(cov * cov / spread if cov > 0 and spread > 0 else 0.0)
    return fits


def _suffix_sums(values: list[float]) -> list[float]:
    """Return for each index the sum of its value and all values behind it."""
    return list(accumulate(reversed(values)))[::-1]
