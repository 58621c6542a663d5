"""Weighted normal equations for the offset and drift of clocks, from sync points that several of them read.

Both solvers take

* `readings` (sync points, clocks): seconds from the middle of the span, NaN where a clock has no reading,
* `weights` of the same shape: 1 / variance of each reading,
* `scaled_times` (sync points,): the times of the sync points, in units of `half` seconds,
* `half`: half of the span, in seconds,

and return offsets (seconds), drifts (seconds in `half`), and (3, clocks): the variance of the offset, its covariance
with the drift, the variance of the drift.
"""

from __future__ import annotations

import numpy.typing as npt

from analyzer.arrays import np

FloatArray = npt.NDArray[np.float64]
ClockEstimates = tuple[FloatArray, FloatArray, FloatArray]

DRIFT_PRIOR = 100e-6  # seconds per second; standard deviation of the prior (free-running quartz: some 100 ppm)


def solve_together(readings: FloatArray, weights: FloatArray, scaled_times: FloatArray, half: float) -> ClockEstimates:
    """Solve for all clocks at once. The times of the sync points are unknown too and eliminated (Schur complement).

    The errors also hold between clocks that only other clocks connect. Takes cubic time in the number of clocks.
    """
    shares = _shares(weights)
    read = np.nan_to_num(readings)
    moments, right = _moments(weights, scaled_times, read - (shares * read).sum(axis=1)[:, None])
    tilted = weights * scaled_times[:, None]
    pairs = ((weights, shares), (tilted, shares), (tilted, shares * scaled_times[:, None]))
    plain, mixed, squared = (
        np.diag(moment) - left.T @ other for moment, (left, other) in zip(moments, pairs, strict=True)
    )
    size = len(plain)
    matrix = np.block([[plain, mixed.T], [mixed, squared]])
    matrix[:size, :size] += max(float(moments[0].mean()), 1.0) / size  # the mean offset is 0 …
    matrix[:size, :size] += np.eye(size) * _regularization(moments[0])
    matrix[size:, size:] += np.eye(size) * max(
        1 / (DRIFT_PRIOR * half) ** 2, _regularization(moments[2])
    )  # … and drifts are small
    inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    solution = inverse @ np.concatenate(right)
    return solution[:size], solution[size:], _variances(inverse, size)


def solve_separately(
    readings: FloatArray, weights: FloatArray, scaled_times: FloatArray, half: float
) -> ClockEstimates:
    """Solve for each clock against the times that all clocks give together.

    If many clocks read each sync point, its time is practically known. Takes linear time in the number of clocks.
    """
    (count, first, second), (late, tilted) = _moments(
        weights, scaled_times, np.nan_to_num(readings) - half * scaled_times[:, None]
    )
    second = second + 1 / (DRIFT_PRIOR * half) ** 2
    count = np.maximum(count, 1e-12)
    area = count * second - first**2
    offsets = (second * late - first * tilted) / area
    drifts = (count * tilted - first * late) / area
    return offsets, drifts, np.stack([second, -first, count]) / area


def _regularization(moment: FloatArray) -> float:
    """Return a weight just above rounding, which sets undetermined unknowns to 0 and keeps the matrix invertible."""
    return 1e-12 * max(float(moment.max()), 1.0)


def _shares(weights: FloatArray) -> FloatArray:
    """Return the share of each reading in the time of its sync point."""
    total = weights.sum(axis=1)[:, None]
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0), dtype=np.float64)


def _moments(
    weights: FloatArray, scaled_times: FloatArray, residuals: FloatArray
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return the sums over sync points of weight × time^0..2, and of weight × time^0..1 × residual."""
    tilted = weights * scaled_times[:, None]
    sums = weights.sum(axis=0), tilted.sum(axis=0), (tilted * scaled_times[:, None]).sum(axis=0)
    return sums, ((weights * residuals).sum(axis=0), (tilted * residuals).sum(axis=0))


def _variances(inverse: FloatArray, size: int) -> FloatArray:
    """Return the variances of each clock relative to the mean of all, so that a common error does not count."""
    parts = []
    for a, b in ((0, 0), (0, 1), (1, 1)):
        block = inverse[a * size : (a + 1) * size, b * size : (b + 1) * size]
        parts.append(np.diag(block) - block.mean(axis=0) - block.mean(axis=1) + block.mean())
    return np.stack(parts)
