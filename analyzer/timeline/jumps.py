"""Clocks that were set while the job ran: a lead that changes from one instant to the next and stays.

A lone late line comes back, a drift moves all instants alike; a clock that somebody (or chrony, or a resumed virtual
machine) set does neither. Two clocks of which one was set break apart; the one that breaks with most others is it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy.typing as npt

from analyzer.arrays import np
from analyzer.timeline.equations import Floats
from analyzer.timeline.solve import NORMAL, median, start, true_times

Places = npt.NDArray[np.intp]
WINDOW = 5  # instants on each side whose medians must differ …
LEAST = 0.5  # … by so many seconds …
DEVIATIONS = 8  # … and by so many of the usual differences between neighbours
LASTING = 30  # instants on each side that a change outlasts
PARTNERS = 5  # clocks that each is compared with
MOST = 4  # pieces of one clock


@dataclass(frozen=True, slots=True)
class Piece:
    """One clock between two settings: its column in the readings that were cut, and the readings that are its own."""

    node: int
    readings: Floats  # (instants,), NaN outside of the piece


def cut(readings: Floats) -> list[Piece]:
    """The clocks of `readings` (instants, clocks) in pieces that were not set; a clock's in order of time."""
    suspects = _find_suspects(readings)
    whole = [column for column in range(readings.shape[1]) if column not in suspects]
    steady = readings[:, whole]
    seen = ~np.isnan(steady).all(axis=1)
    times = np.full(len(readings), np.nan)
    times[seen] = true_times(steady[seen], start(steady[seen]))
    pieces = []
    for column in range(readings.shape[1]):
        if column in suspects:
            pieces += _split(column, readings[:, column], times)
        else:
            pieces.append(Piece(column, readings[:, column]))
    return pieces


def _find_suspects(readings: Floats) -> set[int]:
    """Clocks without which no pair is left that breaks apart."""
    broken = [pair for pair in _pairs(readings.shape[1]) if _breaks(*(readings[:, column] for column in pair))]
    suspects: set[int] = set()
    while left := [pair for pair in broken if not suspects & set(pair)]:
        votes = {column: sum(column in pair for pair in left) for pair in left for column in pair}
        suspects.add(max(votes, key=lambda column: (votes[column], _leap(readings[:, column]))))
    return suspects


def _pairs(clocks: int) -> Iterator[tuple[int, int]]:
    for one in range(clocks):
        for step in range(1, min(PARTNERS, clocks - 1) + 1):
            other = (one + step) % clocks
            if one < other or step < clocks - step:  # each pair once
                yield one, other


def _breaks(one: Floats, other: Floats) -> bool:
    """Whether one of the two was set. What a clock shows orders its instants, unless it was itself set back."""
    both = ~np.isnan(one) & ~np.isnan(other)
    ahead = one[both] - other[both]
    return any(_find_break(ahead[np.argsort(clock[both], kind="stable")]) is not None for clock in (one, other))


def _leap(clock: Floats) -> float:
    """The largest of its own strides over a few instants: of two clocks, the one that was set shows it."""
    shown = clock[~np.isnan(clock)]
    if len(shown) < 2 * WINDOW:
        return 0.0
    strides = np.diff(median(np.lib.stride_tricks.sliding_window_view(shown, WINDOW)[::WINDOW], axis=1))
    return float(np.abs(strides - np.median(strides)).max())


def _split(column: int, clock: Floats, times: Floats) -> list[Piece]:
    places = np.argsort(times, kind="stable")
    places = places[~np.isnan(clock[places]) & ~np.isnan(times[places])]
    pieces = []
    for part in _parts(places, clock[places] - times[places], MOST):
        kept = np.full(len(clock), np.nan)
        kept[part] = clock[part]
        pieces.append(Piece(column, kept))
    return pieces


def _parts(places: Places, leads: Floats, most: int) -> list[Places]:
    at = _find_break(leads) if most > 1 else None
    if at is None:
        return [places]
    left = _parts(places[:at], leads[:at], most - 1)
    return [*left, *_parts(places[at:], leads[at:], most - len(left))]


def _find_break(leads: Floats) -> int | None:
    """The first reading behind the largest lasting change; None where there is none."""
    if len(leads) < 2 * WINDOW:
        return None
    least = max(LEAST, DEVIATIONS * NORMAL * float(np.median(np.abs(np.diff(leads)))))
    if float(np.ptp(leads)) < least:
        return None
    windows = median(np.lib.stride_tricks.sliding_window_view(leads, WINDOW), axis=1)
    steps = np.abs(windows[WINDOW:] - windows[:-WINDOW])  # between the five before and the five from here on
    near = int(steps.argmax())
    if steps[near] < least:
        return None
    # Where windows overlap the change the single difference is largest.
    low, high = near + WINDOW - 2, near + WINDOW + 3
    at = low + int(np.abs(np.diff(leads))[low - 1 : high - 1].argmax())
    before, after = leads[max(0, at - LASTING) : at], leads[at : at + LASTING]
    if min(len(before), len(after)) < WINDOW:
        return None
    return at if abs(np.median(after) - np.median(before)) > max(least, float(steps[near]) / 2) else None
