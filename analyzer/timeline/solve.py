"""All clocks of a cluster at once: robust least squares over instants that several nodes read.

A reading is modelled as `reading = T(instant) + offset(node) + drift(node) * T + noise`. Iteratively reweighted
with Tukey's biweight around a start of medians: stragglers, restarts, lost steps and lines written late lose their
weight. Crystals differ by some tens of parts per million, and that is the prior of every drift: a short span leaves it
at nought with an honest error, a long one overrules it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from analyzer.arrays import np
from analyzer.timeline.equations import Floats, solve_apart, solve_together

Mask = npt.NDArray[np.bool_]

ROUNDS = 20
MANY = 150  # clocks; above it each is solved against the times that all others give, which costs no cube of them
TUKEY = 4.685  # deviations at which a reading has lost all weight; 95 % efficient on normal noise
NORMAL = 1.4826  # a normal distribution's deviation over its median absolute deviation
LEAST = 0.0005  # seconds; no log line is written more evenly
FEW = 8  # readings below which a clock's own scatter tells little


@dataclass(frozen=True, slots=True)
class Solution:
    """One column a clock, in seconds: a lead of `offsets + drifts * (true time - middle)` over the mean of all."""

    offsets: Floats  # (clocks,)
    drifts: Floats  # (clocks,) seconds a second
    scales: Floats  # (clocks,) robust deviation of the clock's own readings, seconds
    variances: Floats  # (3, clocks): of the offset, its covariance with the drift, of the drift
    middle: float

    def lead(self, column: int, own: float) -> float:
        """When the clock itself shows `own`."""
        return float(self.offsets[column] + self.drifts[column] * self._span(column, own))

    def _span(self, column: int, own: float) -> float:
        return own - float(self.offsets[column]) - self.middle

    def deviation(self, column: int, own: float) -> float:
        """Of the lead, relative to the mean of all clocks; without the scatter of single readings."""
        offset, both, drift = self.variances[:, column]
        span = self._span(column, own)
        return float(np.sqrt(max(0.0, offset + 2 * span * both + span * span * drift)))

    def drift_deviation(self, column: int) -> float:
        return float(np.sqrt(max(0.0, self.variances[2, column])))


def components(seen: Mask) -> list[list[int]]:
    """Columns that instants connect, directly or over others; largest first. `seen` is (instants, clocks)."""
    left, found = set(range(seen.shape[1])), []
    while left:
        inside = np.zeros(seen.shape[1], dtype=bool)
        inside[min(left)] = True
        while True:
            wider = inside | seen[seen[:, inside].any(axis=1)].any(axis=0)
            if (wider == inside).all():
                break
            inside = wider
        found.append([int(column) for column in np.flatnonzero(inside)])
        left -= set(found[-1])
    return sorted(found, key=len, reverse=True)


def start(readings: Floats) -> Floats:
    """Offsets by medians, spreading from the best-connected clock; (instants, clocks), NaN where none read."""
    seen = ~np.isnan(readings)
    offsets = np.zeros(readings.shape[1])
    known = np.zeros(readings.shape[1], dtype=bool)
    known[int(seen.sum(axis=0).argmax())] = True
    while not known.all():
        leads = readings - median(readings[:, known] - offsets[known], axis=1)[:, None]
        fresh = ~known & ~np.isnan(leads).all(axis=0)
        if not fresh.any():
            break
        offsets[fresh] = median(leads[:, fresh], axis=0)
        known |= fresh
    for _ in range(5):
        leads = readings - true_times(readings, offsets)[:, None]
        offsets = median(leads, axis=0)
    return offsets


def true_times(readings: Floats, leads: Floats) -> Floats:
    """Each instant's time by its median reading."""
    return median(readings - leads, axis=1)


def solve(readings: Floats) -> Solution:
    """For clocks that instants connect. `readings` is (instants, clocks), UTC seconds by each clock, NaN where none."""
    middle = float((np.nanmin(readings) + np.nanmax(readings)) / 2)
    own = readings - middle
    offsets = start(own)
    times = true_times(own, offsets)
    half = max(1.0, float(np.ptp(times)) / 2)
    drifts, variances = np.zeros_like(offsets), np.zeros((3, len(offsets)))
    step = solve_together if len(offsets) <= MANY else solve_apart
    for _ in range(ROUNDS):
        spans = times / half
        residuals = own - times[:, None] - offsets - drifts * spans[:, None]
        scales = _scales(residuals)
        weights = _weigh(residuals, scales)
        known = offsets, drifts
        offsets, drifts, variances = step(own, weights, spans, half)
        times = _times(own, weights, offsets, drifts, spans)
        change = max(np.abs(offsets - known[0]).max(), np.abs(drifts - known[1]).max())
        if change < 1e-6 + 1e-2 * float(scales.min()):
            break
    variances = np.stack([variances[0], variances[1] / half, variances[2] / half**2])
    return Solution(offsets, drifts / half, scales, variances, middle)


def _scales(residuals: Floats) -> Floats:
    """Of each clock's readings; no clock is trusted twice as far as the usual one, else it would define the time."""
    many = np.maximum((~np.isnan(residuals)).sum(axis=1), 2).mean()
    spread = NORMAL * median(np.abs(residuals), axis=0) * np.sqrt(many / (many - 1))
    usual = float(median(spread, axis=0))
    few = (~np.isnan(residuals)).sum(axis=0) < FEW
    least = np.where(few, usual, usual / 2)
    return np.asarray(np.maximum(np.maximum(spread, least), LEAST), dtype=np.float64)


def _weigh(residuals: Floats, scales: Floats) -> Floats:
    far = np.nan_to_num(residuals / (TUKEY * scales), nan=2.0)
    biweight = np.where(np.abs(far) < 1, (1 - far**2) ** 2, 0.0)
    return np.asarray(biweight / scales**2, dtype=np.float64)


def _times(own: Floats, weights: Floats, offsets: Floats, drifts: Floats, spans: Floats) -> Floats:
    """The instants' times by their weighted readings; by the median where none has weight."""
    corrected = own - offsets - drifts * spans[:, None]
    total = weights.sum(axis=1)
    mean = (weights * np.nan_to_num(corrected)).sum(axis=1) / np.where(total > 0, total, 1.0)
    return np.asarray(np.where(total > 0, mean, median(corrected, axis=1)), dtype=np.float64)


def median(values: Floats, axis: int) -> Floats:
    """Of what is no NaN; NaN where all are. Sorting puts NaN last."""
    ranked = np.sort(values, axis=axis)
    count = (~np.isnan(values)).sum(axis=axis)
    low, high = np.maximum(count - 1, 0) // 2, count // 2
    high = np.minimum(high, values.shape[axis] - 1)
    picked = [np.take_along_axis(ranked, np.expand_dims(place, axis), axis).squeeze(axis) for place in (low, high)]
    return np.asarray((picked[0] + picked[1]) / 2, dtype=np.float64)
