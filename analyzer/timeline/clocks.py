"""Clock offsets from points that all tasks pass together.

In synchronous training all workers leave a step, a barrier or a collective set-up within milliseconds of each other,
so the same key seen on several nodes is one instant read from several clocks. All nodes are solved together by
alternating medians: an instant's true time is the median of the corrected readings, a node's offset the median of
its readings less the true times. Medians do not bend for stragglers, restarts and lost steps. The reference is the
median node: most clocks are right.
"""

from __future__ import annotations

import bisect
import statistics
from collections.abc import Mapping, Sequence

from analyzer.model import Clock

ROUNDS = 30
FLOOR = 0.005  # seconds; log lines are not written more exactly than this
LIMIT = 4000  # instants that are used at most …
READINGS = 400_000  # … and readings: a thousand nodes need no four thousand instants

Readings = Mapping[str, Mapping[str, float]]  # key → node → own time


def align(readings: Readings, nodes: Sequence[str]) -> dict[str, Clock]:
    """A clock for each node that shares at least one instant with another; the others are not in the result."""
    instants = [dict(seen) for seen in readings.values() if len(seen) > 1]
    limit = min(LIMIT, max(50, READINGS // max(1, len(nodes))))
    instants = instants[:: max(1, -(-len(instants) // limit))]
    offsets = {node: 0.0 for node in nodes if any(node in seen for seen in instants)}
    if len(offsets) < 2:
        return {}
    offsets = _bridge(instants, offsets)
    for _ in range(ROUNDS):
        moved = _improve(instants, offsets)
        change = max(abs(moved[node] - offsets[node]) for node in offsets)
        offsets = moved
        if change < 1e-4:
            break
    reference = statistics.median_low(sorted(offsets.values()))
    return {node: _clock(offsets[node] - reference, spread) for node, spread in _spreads(instants, offsets).items()}


def _bridge(instants: Sequence[Mapping[str, float]], offsets: Mapping[str, float]) -> dict[str, float]:
    """A start for the iteration: medians of pairwise differences along a spanning tree from the best-connected node."""
    root = max(offsets, key=lambda node: sum(node in seen for seen in instants))
    known = {root: 0.0}
    while len(known) < len(offsets):
        pairs: dict[str, list[float]] = {}
        for seen in instants:
            anchors = [seen[node] - known[node] for node in seen if node in known]
            if anchors:
                true = statistics.median(anchors)
                for node, time in seen.items():
                    if node not in known:
                        pairs.setdefault(node, []).append(time - true)
        if not pairs:
            break
        known.update({node: statistics.median(found) for node, found in pairs.items()})
    return {node: known.get(node, 0.0) for node in offsets}


def _improve(instants: Sequence[Mapping[str, float]], offsets: Mapping[str, float]) -> dict[str, float]:
    residuals: dict[str, list[float]] = {node: [] for node in offsets}
    for seen in instants:
        true = statistics.median(time - offsets[node] for node, time in seen.items())
        for node, time in seen.items():
            residuals[node].append(time - true)
    return {node: statistics.median(found) if found else offsets[node] for node, found in residuals.items()}


def _spreads(instants: Sequence[Mapping[str, float]], offsets: Mapping[str, float]) -> dict[str, list[float]]:
    """For each node its corrected readings less the median of the others' readings of the same instants."""
    spreads: dict[str, list[float]] = {node: [] for node in offsets}
    for seen in instants:
        corrected = {node: time - offsets[node] for node, time in seen.items()}
        ranked = sorted(corrected.values())
        for node, own in corrected.items():
            spreads[node].append(own - _median_without(ranked, bisect.bisect_left(ranked, own)))
    return spreads


def _median_without(ranked: Sequence[float], left_out: int) -> float:
    """The median of sorted values less the one at a place, without a copy for each."""
    size = len(ranked) - 1
    low, high = (size - 1) // 2, size // 2
    return (ranked[low + (low >= left_out)] + ranked[high + (high >= left_out)]) / 2


def _clock(offset: float, spread: Sequence[float]) -> Clock:
    centre = statistics.median(spread)
    deviation = statistics.median(abs(value - centre) for value in spread)
    # Three deviations cover the instants' own spread; few instants are trusted less.
    error = max(FLOOR, 3 * 1.4826 * deviation) + (1.0 / len(spread) if len(spread) < 5 else 0.0)
    return Clock(round(offset, 6), round(error, 6), f"{len(spread)} shared instants")
