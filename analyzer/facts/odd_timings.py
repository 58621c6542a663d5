"""A member of a job that takes several times as long as all others for an operation that all of them time.

    n0: read 2.1 ms each    n1: read 1.8 ms each    n2: read 48.0 ms each    n3: read 2.0 ms each

In synchronous training, the steps of all are then equally slow. Only what a member does alone shows which is slow.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from analyzer.facts.odd_numbers import without_name
from analyzer.model import Locus
from analyzer.reading.source_result import SourceResult
from analyzer.reading.timings import Timing

MIN_NODES = 3  # of two that differ, neither is the odd one
MIN_FACTOR = 3.0  # the slow member needs so many times as long as the next slowest …
MIN_LEAD_MS = 20.0  # … and so much longer: shorter ones differ for no reason
MAX_SPREAD_SHARE = 0.25  # of that lead, by which the others differ
MAX_ODD_TIMINGS = 100


class OddTiming(NamedTuple):
    """What `node` needs `own_ms` for, and each other member `others_ms` at most. The line is the last that says so."""

    node: str
    locus: Locus
    text: str
    own_ms: float
    others_ms: float


Stated = tuple[str, Timing]  # file, timing


def find_odd_timings(results: Iterable[SourceResult], node_of: Callable[[str, str], str]) -> list[OddTiming]:
    """Return what one member times much longer than all others, the longest lead first.

    Args:
        results: the sources.
        node_of: (file, stream) → its node, "" if it is unknown.
    """
    by_form: dict[tuple[str, int], dict[str, list[Stated]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        for timing in result.timings:
            if node := node_of(result.file, timing.stream):
                form = without_name(timing.form, node), len(timing.durations_ms)
                by_form[form][node].append((result.file, timing))
    odd = (timing for placed in by_form.values() if len(placed) >= MIN_NODES for timing in _compare(placed))
    return sorted(odd, key=lambda timing: (timing.others_ms - timing.own_ms, timing))[:MAX_ODD_TIMINGS]


def _compare(placed: Mapping[str, Sequence[Stated]]) -> Iterator[OddTiming]:
    """Yield the odd durations in lines of one form."""
    places = len(next(iter(placed.values()))[0][1].durations_ms)
    for place in range(places):
        usual_ms = {
            node: statistics.median(timing.durations_ms[place] for _, timing in stated)
            for node, stated in placed.items()
        }
        *others, (next_ms, _), (own_ms, slow) = sorted((duration, node) for node, duration in usual_ms.items())
        lead_ms = own_ms - next_ms
        is_alone = own_ms > MIN_FACTOR * next_ms and next_ms - others[0][0] <= MAX_SPREAD_SHARE * lead_ms
        if is_alone and lead_ms >= MIN_LEAD_MS:
            file, timing = placed[slow][-1]
            yield OddTiming(
                node=slow,
                locus=Locus(file, timing.line),
                text=timing.text,
                own_ms=own_ms,
                others_ms=next_ms,
            )
