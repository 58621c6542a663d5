"""Find clocks that were set while the job ran: their offset changes between two sync points and stays changed.

An operator, chrony or a resumed virtual machine may set a clock. In contrast, a single late line does not change the
offset permanently, and a drift changes it gradually. If one of two clocks was set, they move apart. The clock that
moves apart from most others is the one that was set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy.typing as npt

from analyzer.arrays import np
from analyzer.timeline.clock_equations import FloatArray
from analyzer.timeline.clock_solver import MAD_TO_DEVIATION, initial_offsets, median, true_times

IndexArray = npt.NDArray[np.intp]
WINDOW_READINGS = 5  # the medians of this many sync points on each side of a jump differ …
MIN_JUMP_S = 0.5  # … by at least this many seconds …
MIN_JUMP_DEVIATIONS = 8  # … and this many times the usual difference between neighbours
LASTING_READINGS = 30  # a jump lasts for this many sync points on each side, or for all
MAX_PARTNERS = 5  # other clocks with which each clock is compared
MAX_PIECES = 4  # of one clock


@dataclass(frozen=True, slots=True)
class ClockPiece:
    """One clock between two moments at which it was set."""

    column: int  # of the clock in the readings that were split
    readings: FloatArray  # (sync points,), NaN outside of the piece


def split_at_jumps(readings: FloatArray) -> list[ClockPiece]:
    """Return the clocks of `readings` (sync points, clocks) in pieces without jumps; a clock's in order of time."""
    suspects = _find_suspects(readings)
    unsuspected = [column for column in range(readings.shape[1]) if column not in suspects]
    steady = readings[:, unsuspected]
    seen = ~np.isnan(steady).all(axis=1)
    times = np.full(len(readings), np.nan)
    times[seen] = true_times(steady[seen], initial_offsets(steady[seen]))
    pieces = []
    for column in range(readings.shape[1]):
        if column in suspects:
            pieces += _split_clock(column, readings[:, column], times)
        else:
            pieces.append(ClockPiece(column, readings[:, column]))
    return pieces


def _find_suspects(readings: FloatArray) -> set[int]:
    """Return a set of clocks without which no two clocks move apart."""
    broken = [
        pair for pair in _clock_pairs(readings.shape[1]) if _was_one_set(*(readings[:, column] for column in pair))
    ]
    suspects: set[int] = set()
    while left := [pair for pair in broken if not suspects & set(pair)]:
        votes = {column: sum(column in pair for pair in left) for pair in left for column in pair}
        suspects.add(max(votes, key=lambda column: (votes[column], _largest_stride(readings[:, column]))))
    return suspects


def _clock_pairs(clocks: int) -> Iterator[tuple[int, int]]:
    for first in range(clocks):
        for step in range(1, min(MAX_PARTNERS, clocks - 1) + 1):
            second = (first + step) % clocks
            if first < second or step < clocks - step:  # each pair once
                yield first, second


def _was_one_set(first: FloatArray, second: FloatArray) -> bool:
    """Return whether one of the two clocks was set.

    The readings of a clock give the order of its sync points, unless it was set back. So both orders are tried.
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    ahead = first[both] - second[both]
    return any(_find_break(ahead[np.argsort(clock[both], kind="stable")]) is not None for clock in (first, second))


def _largest_stride(clock: FloatArray) -> float:
    """Return the largest step of the clock between neighbouring windows: the clock that was set has the larger one."""
    shown = clock[~np.isnan(clock)]
    if len(shown) < 2 * WINDOW_READINGS:
        return 0.0
    strides = np.diff(
        median(np.lib.stride_tricks.sliding_window_view(shown, WINDOW_READINGS)[::WINDOW_READINGS], axis=1)
    )
    return float(np.abs(strides - np.median(strides)).max())


def _split_clock(column: int, clock: FloatArray, times: FloatArray) -> list[ClockPiece]:
    order = np.argsort(times, kind="stable")
    order = order[~np.isnan(clock[order]) & ~np.isnan(times[order])]
    pieces = []
    for indices in _split_readings(order, clock[order] - times[order], MAX_PIECES):
        kept = np.full(len(clock), np.nan)
        kept[indices] = clock[indices]
        pieces.append(ClockPiece(column, kept))
    return pieces


def _split_readings(indices: IndexArray, offsets: FloatArray, max_pieces: int) -> list[IndexArray]:
    split_at = _find_break(offsets) if max_pieces > 1 else None
    if split_at is None:
        return [indices]
    left = _split_readings(indices[:split_at], offsets[:split_at], max_pieces - 1)
    return [*left, *_split_readings(indices[split_at:], offsets[split_at:], max_pieces - len(left))]


def _find_break(offsets: FloatArray) -> int | None:
    """Return the index of the first reading after the largest lasting change; None if there is none."""
    if len(offsets) < 2 * WINDOW_READINGS:
        return None
    min_jump = max(MIN_JUMP_S, MIN_JUMP_DEVIATIONS * MAD_TO_DEVIATION * float(np.median(np.abs(np.diff(offsets)))))
    if float(np.ptp(offsets)) < min_jump:
        return None
    windows = median(np.lib.stride_tricks.sliding_window_view(offsets, WINDOW_READINGS), axis=1)
    # Between the five readings before and the five from here on.
    steps = np.abs(windows[WINDOW_READINGS:] - windows[:-WINDOW_READINGS])
    largest_step = int(steps.argmax())
    if steps[largest_step] < min_jump:
        return None
    # In the windows that overlap the change, the largest single difference is the change.
    low, high = largest_step + WINDOW_READINGS - 2, largest_step + WINDOW_READINGS + 3
    index = low + int(np.abs(np.diff(offsets))[low - 1 : high - 1].argmax())
    before, after = offsets[max(0, index - LASTING_READINGS) : index], offsets[index : index + LASTING_READINGS]
    if min(len(before), len(after)) < WINDOW_READINGS:
        return None
    return index if abs(np.median(after) - np.median(before)) > max(min_jump, float(steps[largest_step]) / 2) else None
