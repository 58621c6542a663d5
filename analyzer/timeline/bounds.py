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

COARSE = 1.0  # seconds; stamps may be whole seconds, so a smaller breach proves nothing


@dataclass(frozen=True, slots=True)
class Bound:
    """`earlier` wrote at `sent`, by its own clock, what came before that which `later` wrote at `heard`."""

    earlier: str
    sent: float
    later: str
    heard: float


def settle(clocks: Mapping[str, Clock], bounds: Iterable[Bound], unknown: float) -> dict[str, Clock]:
    """The clocks, and those that only bounds tell.

    Clocks are taken to agree within `unknown` seconds where nothing says otherwise.
    """
    pairs = [bound for bound in bounds if bound.earlier != bound.later]
    counts = Counter(node for bound in pairs for node in (bound.earlier, bound.later))
    settled = dict(clocks)
    if not settled and counts:
        settled[counts.most_common(1)[0][0]] = Clock(0.0, unknown, "reference of those that it talked to")
    leading = set(settled)
    for node in sorted(counts.keys() - leading):
        low, high = _limits(node, settled, pairs, leading)
        if clock := _between(low, high, unknown):
            settled[node] = clock
    return settled if len(settled) > 1 or clocks else {}


def _limits(node: str, clocks: Mapping[str, Clock], pairs: Iterable[Bound], leading: set[str]) -> tuple[float, float]:
    low, high = -math.inf, math.inf
    for bound in pairs:
        if bound.earlier == node and bound.later in leading:
            low = max(low, bound.sent - clocks[bound.later].correct(bound.heard))
        elif bound.later == node and bound.earlier in leading:
            high = min(high, bound.heard - clocks[bound.earlier].correct(bound.sent))
    return low, high


def _between(low: float, high: float, unknown: float) -> Clock | None:
    """None where the bounds contradict each other or say no more than good faith does."""
    if low > high + COARSE:
        return None
    if high - low < 2 * unknown:
        return Clock(round((low + high) / 2, 6), round(max(COARSE, (high - low) / 2), 6), "between request and answer")
    if low > COARSE:
        return Clock(round(low, 6), round(unknown, 6), "at least so far ahead: it asked before it was heard")
    if high < -COARSE:
        return Clock(round(high, 6), round(unknown, 6), "at least so far behind: it heard after it was told")
    return None
