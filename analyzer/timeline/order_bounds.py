"""What must have come before what: a node asks before another hears it, and is answered afterwards.

Where no shared instant tells a clock, such pairs still do: a leader cannot see a task connect before that task started
its server, nor can a task be told that it is connected before the leader saw it. Each gives one side of an offset.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analyzer.model import Clock

STAMP_RESOLUTION_S = 1.0  # seconds; stamps may be whole seconds, so a smaller breach proves nothing


@dataclass(frozen=True, slots=True)
class OrderBound:
    """`earlier` wrote at `sent`, by its own clock, what came before that which `later` wrote at `heard`."""

    sender: str
    sent_at: float
    receiver: str
    received_at: float


def add_bounded_clocks(
    clocks: Mapping[str, Clock], bounds: Iterable[OrderBound], unknown_error_s: float
) -> dict[str, Clock]:
    """The clocks, and those that only bounds tell.

    Clocks are taken to agree within `unknown` seconds where nothing says otherwise.
    """
    pairs = [bound for bound in bounds if bound.sender != bound.receiver]
    counts = Counter(node for bound in pairs for node in (bound.sender, bound.receiver))
    all_clocks = dict(clocks)
    if not all_clocks and counts:
        all_clocks[counts.most_common(1)[0][0]] = Clock(0.0, unknown_error_s, "reference of those that it talked to")
    reference_nodes = set(all_clocks)
    for node in sorted(counts.keys() - reference_nodes):
        low, high = _offset_limits(node, all_clocks, pairs, reference_nodes)
        if clock := _clock_between(low, high, unknown_error_s):
            all_clocks[node] = clock
    return all_clocks if len(all_clocks) > 1 or clocks else {}


def _offset_limits(
    node: str, clocks: Mapping[str, Clock], pairs: Iterable[OrderBound], reference_nodes: set[str]
) -> tuple[float, float]:
    low, high = -math.inf, math.inf
    for bound in pairs:
        if bound.sender == node and bound.receiver in reference_nodes:
            low = max(low, bound.sent_at - clocks[bound.receiver].correct(bound.received_at))
        elif bound.receiver == node and bound.sender in reference_nodes:
            high = min(high, bound.received_at - clocks[bound.sender].correct(bound.sent_at))
    return low, high


def _clock_between(low: float, high: float, unknown_error_s: float) -> Clock | None:
    """None where the bounds contradict each other or say no more than good faith does."""
    if low > high + STAMP_RESOLUTION_S:
        return None
    if high - low < 2 * unknown_error_s:
        return Clock(
            round((low + high) / 2, 6),
            round(max(STAMP_RESOLUTION_S, (high - low) / 2), 6),
            "between request and answer",
        )
    if low > STAMP_RESOLUTION_S:
        return Clock(round(low, 6), round(unknown_error_s, 6), "at least so far ahead: it asked before it was heard")
    if high < -STAMP_RESOLUTION_S:
        return Clock(round(high, 6), round(unknown_error_s, 6), "at least so far behind: it heard after it was told")
    return None
