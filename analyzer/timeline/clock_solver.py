"""Solve for all clocks of a cluster: robust least squares over sync points that several nodes read.

The model is `reading = T(sync point) + offset(node) + drift(node) * T + noise`. It is solved by least squares that
are reweighted with Tukey's biweight, starting from medians, so that stragglers, restarts, lost steps and lines that
were written late lose their weight. Crystals differ by some tens of parts per million, which is the prior of every
drift: on a short span the drift stays 0 with a realistic error, a long span overrules the prior.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from analyzer.arrays import np
from analyzer.timeline.clock_equations import FloatArray, solve_separately, solve_together

BoolArray = npt.NDArray[np.bool_]

MAX_ITERATIONS = 20
MAX_CLOCKS_SOLVED_TOGETHER = 150  # more clocks are solved separately, which takes linear and not cubic time
TUKEY_CONSTANT = 4.685  # deviations at which a reading has no weight left; 95 % efficient on normal noise
MAD_TO_DEVIATION = 1.4826  # standard deviation of a normal distribution over its median absolute deviation
MIN_SCATTER_S = 0.0005  # no log is written with less scatter
FEW_READINGS = 8  # with fewer readings, a clock's own scatter is not reliable


@dataclass(frozen=True, slots=True)
class ClockSolution:
    """The clocks, one column each. A clock is ahead of the mean of all by `offsets + drifts * (true time - middle)`."""

    offsets: FloatArray  # (clocks,) seconds
    drifts: FloatArray  # (clocks,) seconds per second
    scales: FloatArray  # (clocks,) robust deviation of the clock's own readings, seconds
    variances: FloatArray  # (3, clocks): of the offset, its covariance with the drift, of the drift
    middle: float  # of the span, UTC seconds

    def offset_at(self, column: int, own_time: float) -> float:
        """Return by how many seconds the clock is ahead of the mean when it shows `own_time`."""
        return float(self.offsets[column] + self.drifts[column] * self._time_from_middle(column, own_time))

    def _time_from_middle(self, column: int, own_time: float) -> float:
        return own_time - float(self.offsets[column]) - self.middle

    def offset_deviation(self, column: int, own_time: float) -> float:
        """Return the standard deviation of `offset_at`, in seconds, without the scatter of single readings."""
        offset, covariance, drift = self.variances[:, column]
        span = self._time_from_middle(column, own_time)
        return float(np.sqrt(max(0.0, offset + 2 * span * covariance + span * span * drift)))

    def drift_deviation(self, column: int) -> float:
        """Return the standard deviation of the drift, in seconds per second."""
        return float(np.sqrt(max(0.0, self.variances[2, column])))


def connected_columns(seen: BoolArray) -> list[list[int]]:
    """Return groups of columns that sync points connect, directly or through others, largest first.

    `seen` (sync points, clocks) is True where a clock has a reading.
    """
    remaining, groups = set(range(seen.shape[1])), []
    while remaining:
        connected = np.zeros(seen.shape[1], dtype=bool)
        connected[min(remaining)] = True
        while True:
            wider = connected | seen[seen[:, connected].any(axis=1)].any(axis=0)
            if (wider == connected).all():
                break
            connected = wider
        groups.append([int(column) for column in np.flatnonzero(connected)])
        remaining -= set(groups[-1])
    return sorted(groups, key=len, reverse=True)


def initial_offsets(readings: FloatArray) -> FloatArray:
    """Return offsets by medians, spreading from the best-connected clock.

    `readings` is (sync points, clocks), NaN where a clock has no reading.
    """
    seen = ~np.isnan(readings)
    offsets = np.zeros(readings.shape[1])
    is_fitted = np.zeros(readings.shape[1], dtype=bool)
    is_fitted[int(seen.sum(axis=0).argmax())] = True
    while not is_fitted.all():
        offsets_by_instant = readings - median(readings[:, is_fitted] - offsets[is_fitted], axis=1)[:, None]
        newly_fitted = ~is_fitted & ~np.isnan(offsets_by_instant).all(axis=0)
        if not newly_fitted.any():
            break
        offsets[newly_fitted] = median(offsets_by_instant[:, newly_fitted], axis=0)
        is_fitted |= newly_fitted
    for _ in range(5):
        offsets_by_instant = readings - true_times(readings, offsets)[:, None]
        offsets = median(offsets_by_instant, axis=0)
    return offsets


def true_times(readings: FloatArray, offsets: FloatArray) -> FloatArray:
    """Return the time of each sync point by its median reading."""
    return median(readings - offsets, axis=1)


def solve_clocks(readings: FloatArray) -> ClockSolution:
    """Return the solution for clocks that sync points connect.

    `readings` is (sync points, clocks): UTC seconds by each clock, NaN where it has no reading.
    """
    middle = float((np.nanmin(readings) + np.nanmax(readings)) / 2)
    centered = readings - middle
    offsets = initial_offsets(centered)
    times = true_times(centered, offsets)
    half = max(1.0, float(np.ptp(times)) / 2)
    drifts, variances = np.zeros_like(offsets), np.zeros((3, len(offsets)))
    solve_step = solve_together if len(offsets) <= MAX_CLOCKS_SOLVED_TOGETHER else solve_separately
    for _ in range(MAX_ITERATIONS):
        scaled_times = times / half
        residuals = centered - times[:, None] - offsets - drifts * scaled_times[:, None]
        scales = _reading_scales(residuals)
        weights = _biweights(residuals, scales)
        previous = offsets, drifts
        offsets, drifts, variances = solve_step(centered, weights, scaled_times, half)
        times = _estimate_times(centered, weights, offsets, drifts, scaled_times)
        change = max(np.abs(offsets - previous[0]).max(), np.abs(drifts - previous[1]).max())
        if change < 1e-6 + 1e-2 * float(scales.min()):
            break
    variances = np.stack([variances[0], variances[1] / half, variances[2] / half**2])
    return ClockSolution(offsets=offsets, drifts=drifts / half, scales=scales, variances=variances, middle=middle)


def _reading_scales(residuals: FloatArray) -> FloatArray:
    """Return the robust deviation of each clock's readings.

    No clock counts as more than twice as exact as the usual one, because it would define the time alone.
    """
    mean_readings = np.maximum((~np.isnan(residuals)).sum(axis=1), 2).mean()
    spread = MAD_TO_DEVIATION * median(np.abs(residuals), axis=0) * np.sqrt(mean_readings / (mean_readings - 1))
    usual = float(median(spread, axis=0))
    has_few_readings = (~np.isnan(residuals)).sum(axis=0) < FEW_READINGS
    min_scale = np.where(has_few_readings, usual, usual / 2)
    return np.asarray(np.maximum(np.maximum(spread, min_scale), MIN_SCATTER_S), dtype=np.float64)


def _biweights(residuals: FloatArray, scales: FloatArray) -> FloatArray:
    far = np.nan_to_num(residuals / (TUKEY_CONSTANT * scales), nan=2.0)
    biweight = np.where(np.abs(far) < 1, (1 - far**2) ** 2, 0.0)
    return np.asarray(biweight / scales**2, dtype=np.float64)


def _estimate_times(
    readings: FloatArray, weights: FloatArray, offsets: FloatArray, drifts: FloatArray, scaled_times: FloatArray
) -> FloatArray:
    """Return the times of the sync points by their weighted readings, or by the median where none has weight."""
    corrected = readings - offsets - drifts * scaled_times[:, None]
    total = weights.sum(axis=1)
    mean = (weights * np.nan_to_num(corrected)).sum(axis=1) / np.where(total > 0, total, 1.0)
    return np.asarray(np.where(total > 0, mean, median(corrected, axis=1)), dtype=np.float64)


def median(values: FloatArray, axis: int) -> FloatArray:
    """Return the median of the values that are not NaN, or NaN if all are. Sorting puts NaN last."""
    ranked = np.sort(values, axis=axis)
    count = (~np.isnan(values)).sum(axis=axis)
    low, high = np.maximum(count - 1, 0) // 2, count // 2
    high = np.minimum(high, values.shape[axis] - 1)
    picked = [np.take_along_axis(ranked, np.expand_dims(place, axis), axis).squeeze(axis) for place in (low, high)]
    return np.asarray((picked[0] + picked[1]) / 2, dtype=np.float64)
