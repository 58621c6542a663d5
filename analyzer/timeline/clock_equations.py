"""Weighted normal equations of clocks: offset and drift of each, from instants that several of them read.

Both functions take `own` (instants, clocks) in seconds from the middle of the span, NaN where a clock did not read, the
readings' `weights` of the same shape (1 / variance), the instants' times `spans` in units of `half` seconds; and give
offsets (seconds), drifts (seconds in `half`), and (3, clocks) variances of the offset, of both together, of the drift.
"""

from __future__ import annotations

import numpy.typing as npt

from analyzer.arrays import np

FloatArray = npt.NDArray[np.float64]
ClockEstimates = tuple[FloatArray, FloatArray, FloatArray]

DRIFT_PRIOR = 100e-6  # seconds a second; one deviation of the prior (free-running quartz is within some 100 ppm)


def solve_together(readings: FloatArray, weights: FloatArray, scaled_times: FloatArray, half: float) -> ClockEstimates:
    """All clocks at once: the instants' times are unknown too and are eliminated (Schur complement).

    Errors then hold between clocks that are connected over others only. Costs the cube of the number of clocks.
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
    matrix[:size, :size] += max(float(moments[0].mean()), 1.0) / size  # the mean offset is nought …
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
    """Each clock against the times that all give together; they are as good as known where many read each instant."""
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
    """What nothing tells of is nought, and does not stop the solving: above the rounding of what is told."""
    return 1e-12 * max(float(moment.max()), 1.0)


def _shares(weights: FloatArray) -> FloatArray:
    """Of each reading in its instant's time."""
    total = weights.sum(axis=1)[:, None]
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0), dtype=np.float64)


def _moments(
    weights: FloatArray, scaled_times: FloatArray, residuals: FloatArray
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Sums over instants of weight × span^0..2, and of weight × span^0..1 × what it shows `beyond` the others."""
    tilted = weights * scaled_times[:, None]
    sums = weights.sum(axis=0), tilted.sum(axis=0), (tilted * scaled_times[:, None]).sum(axis=0)
    return sums, ((weights * residuals).sum(axis=0), (tilted * residuals).sum(axis=0))


def _variances(inverse: FloatArray, size: int) -> FloatArray:
    """Of each clock against the mean of all: what all have in common is nobody's error."""
    parts = []
    for a, b in ((0, 0), (0, 1), (1, 1)):
        block = inverse[a * size : (a + 1) * size, b * size : (b + 1) * size]
        parts.append(np.diag(block) - block.mean(axis=0) - block.mean(axis=1) + block.mean())
    return np.stack(parts)
