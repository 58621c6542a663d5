"""Clock offsets from pairs of lines of which one must come first: a request is sent before it is received.

Such pairs limit the clock of a node without sync points: a leader cannot see a task connect before the task started
its server, and a task cannot learn that it is connected before the leader saw it. Each pair bounds the offset from
one side.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analyzer.model import Clock

STAMP_RESOLUTION_S = 1.0  # stamps may be whole seconds, so a smaller contradiction proves nothing


@dataclass(frozen=True, slots=True)
class OrderBound:
    """The line of `sender` at `sent_at` precedes the line of `receiver` at `received_at`, each by its own clock."""

    sender: str
    sent_at: float
    receiver: str
    received_at: float


def add_bounded_clocks(
    clocks: Mapping[str, Clock], bounds: Iterable[OrderBound], unknown_error_s: float
) -> dict[str, Clock]:
    """Return `clocks`, and the clocks that only the bounds give.

    Args:
        clocks: the known clocks. If there are none, the node with most bounds becomes the reference.
        bounds: pairs of lines of which one must come first.
        unknown_error_s: seconds within which clocks agree without other data.
    """
    pairs = [bound for bound in bounds if bound.sender != bound.receiver]
    counts = Counter(node for bound in pairs for node in (bound.sender, bound.receiver))
    all_clocks = dict(clocks)
    if not all_clocks and counts:
        all_clocks[counts.most_common(1)[0][0]] = Clock(
            0.0, unknown_error_s, "reference for the nodes that it talked to"
        )
    reference_nodes = set(all_clocks)
    for node in sorted(counts.keys() - reference_nodes):
        low, high = _offset_limits(node, all_clocks, pairs, reference_nodes)
        if clock := _clock_between(low, high, unknown_error_s):
            all_clocks[node] = clock
    return all_clocks if len(all_clocks) > 1 or clocks else {}


def _offset_limits(
    node: str, clocks: Mapping[str, Clock], pairs: Iterable[OrderBound], reference_nodes: set[str]
) -> tuple[float, float]:
    """Return the lower and upper limit of the node's offset, in seconds; infinite if no pair limits it."""
    low, high = -math.inf, math.inf
    for bound in pairs:
        if bound.sender == node and bound.receiver in reference_nodes:
            low = max(low, bound.sent_at - clocks[bound.receiver].correct(bound.received_at))
        elif bound.receiver == node and bound.sender in reference_nodes:
            high = min(high, bound.received_at - clocks[bound.sender].correct(bound.sent_at))
    return low, high


def _clock_between(low: float, high: float, unknown_error_s: float) -> Clock | None:
    """Return the clock in the middle of two limits.

    None if the limits contradict each other, or are further apart than the error of an unknown clock.
    """
    if low > high + STAMP_RESOLUTION_S:
        return None
    if high - low < 2 * unknown_error_s:
        return Clock(
            round((low + high) / 2, 6),
            round(max(STAMP_RESOLUTION_S, (high - low) / 2), 6),
            "between request and answer",
        )
    if low > STAMP_RESOLUTION_S:
        return Clock(round(low, 6), round(unknown_error_s, 6), "lower bound: its request precedes the receipt")
    if high < -STAMP_RESOLUTION_S:
        return Clock(round(high, 6), round(unknown_error_s, 6), "upper bound: its receipt follows the answer")
    return None
