"""Write resource samples to incident.json: the most important series, with few points and times as offsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzer.incident import Incident
from analyzer.model import Point, Series
from analyzer.report.document import ResourceSeries

MAX_SERIES = 600  # series of an incident …
MAX_SERIES_PER_NODE = 24  # … and of one node
MAX_POINTS_PER_SERIES = 100  # of one series
METHOD = "each point holds the lowest, mean and highest of equal numbers of neighbouring samples"
# The most important metrics come first; the rest follows in the order of reading.
_FIRST_METRICS = (("cgroup", "memory"), ("process", "memory"), ("node", "memory"), ("gpu", "memory"), ("gpu", "busy"))


def write_resources(incident: Incident, stamp: Callable[[float | None], str | None]) -> list[ResourceSeries]:
    """Return the series. `points` are [seconds since `start`, lowest, mean, highest]. Culprits come first."""
    blamed = [root.finding.node for root in incident.root_causes]
    by_node: dict[str, list[Series]] = {}
    for series in incident.series:
        by_node.setdefault(series.node, []).append(series)
    nodes = sorted(by_node, key=lambda node: (blamed.index(node) if node in blamed else len(blamed), node))
    chosen = [series for node in nodes for series in sorted(by_node[node], key=_series_order)[:MAX_SERIES_PER_NODE]]
    return [_write_series(series, stamp) for series in chosen[:MAX_SERIES]]


def _series_order(series: Series) -> tuple[int, float]:
    metric = (series.scope, series.metric)
    rank = _FIRST_METRICS.index(metric) if metric in _FIRST_METRICS else len(_FIRST_METRICS)
    return rank, -max(point.high for point in series.points) if rank < len(_FIRST_METRICS) else 0.0


def _write_series(series: Series, stamp: Callable[[float | None], str | None]) -> ResourceSeries:
    points = downsample(series.points)
    start = series.points[0].time
    return ResourceSeries(
        node=series.node or None,
        scope=series.scope,
        metric=series.metric,
        what=series.subject,
        unit=series.unit,
        limit=series.limit,
        file=series.file,
        start=stamp(start),
        samples=sum(point.count for point in series.points),
        method=METHOD,
        points=[(round(point.time - start, 3), *_round(point)) for point in points],
    )


def _round(point: Point) -> tuple[float, float, float]:
    """Return the lowest, mean and highest value with six significant digits."""
    low, mean, high = (float(f"{value:.6g}") for value in (point.low, point.mean, point.high))
    return low, mean, high


def downsample(points: Sequence[Point]) -> list[Point]:
    """Return at most POINTS points, condensed evenly; the extremes stay."""
    width = -(-len(points) // MAX_POINTS_PER_SERIES)
    return [_merge_points(points[index : index + width]) for index in range(0, len(points), width)]


def _merge_points(points: Sequence[Point]) -> Point:
    count = sum(point.count for point in points)
    mean = sum(point.mean * point.count for point in points) / count
    low, high = min(point.low for point in points), max(point.high for point in points)
    return Point(time=points[-1].time, low=low, mean=mean, high=high, line=points[-1].line, count=count)
