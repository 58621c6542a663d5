"""Resource samples in incident.json: the series that matter, in few points, with the times as offsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from analyzer.incident import Incident
from analyzer.model import Point, Series

MOST = 600  # series of an incident …
OF_NODE = 24  # … and of one node
POINTS = 100  # of one series
METHOD = "each point holds the lowest, mean and highest of equal numbers of neighbouring samples"
# What a reader asks for first; the rest follows in the order in which it was read.
_FIRST = (("cgroup", "memory"), ("process", "memory"), ("node", "memory"), ("gpu", "memory"), ("gpu", "busy"))


def write_resources(incident: Incident, stamp: Callable[[float | None], str | None]) -> list[Mapping[str, object]]:
    """`points` are [seconds since `start`, lowest, mean, highest]. The culprits' nodes come first."""
    blamed = [root.finding.node for root in incident.root_causes]
    by_node: dict[str, list[Series]] = {}
    for series in incident.series:
        by_node.setdefault(series.node, []).append(series)
    nodes = sorted(by_node, key=lambda node: (blamed.index(node) if node in blamed else len(blamed), node))
    chosen = [series for node in nodes for series in sorted(by_node[node], key=_rank)[:OF_NODE]]
    return [_write(series, stamp) for series in chosen[:MOST]]


def _rank(series: Series) -> tuple[int, float]:
    place = (series.scope, series.metric)
    first = _FIRST.index(place) if place in _FIRST else len(_FIRST)
    return first, -max(point.high for point in series.points) if first < len(_FIRST) else 0.0


def _write(series: Series, stamp: Callable[[float | None], str | None]) -> Mapping[str, object]:
    points = thin(series.points)
    start = series.points[0].time
    return {
        "node": series.node or None,
        "scope": series.scope,
        "metric": series.metric,
        "what": series.what,
        "unit": series.unit,
        "limit": series.limit,
        "file": series.file,
        "start": stamp(start),
        "samples": sum(point.count for point in series.points),
        "method": METHOD,
        "points": [[round(p.time - start, 3), *(float(f"{v:.6g}") for v in (p.low, p.mean, p.high))] for p in points],
    }


def thin(points: Sequence[Point]) -> list[Point]:
    """At most POINTS, folded evenly; the extremes stay."""
    width = -(-len(points) // POINTS)
    return [_fold(points[at : at + width]) for at in range(0, len(points), width)]


def _fold(points: Sequence[Point]) -> Point:
    count = sum(point.count for point in points)
    mean = sum(point.mean * point.count for point in points) / count
    low, high = min(point.low for point in points), max(point.high for point in points)
    return Point(points[-1].time, low, mean, high, points[-1].line, count)
