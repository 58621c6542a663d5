"""Resource samples as small multiples: one small SVG for each series; all series of a node cover the same time.

The line is the mean, the band behind it reaches from the lowest to the highest sample; a dashed line is the limit, an
upright one the first cause. Only the two ends of the scale are labelled, because the shape of the curve matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from analyzer.report.document import ResourceSeries, WrittenIncident, WrittenReplayRun
from analyzer.report.formatting import clip, parse_time, to_one_line
from analyzer.report.timeline_figure import svg_element
from analyzer.samples.series_events import format_value

WIDTH, HEIGHT = 340, 92
LEFT, RIGHT, TOP, BOTTOM = 4, 4, 8, 4
MAX_NODES = 12  # drawn in full
MAX_PANELS = 12  # curves shown for one node; the others are folded
ChartPoint = tuple[float, float, float, float]  # seconds since the epoch, lowest, mean, highest


@dataclass(frozen=True, slots=True)
class ResourceCurve:
    """One series, ready to draw. `top` is the value at the upper edge, which the limit may set."""

    node: str
    title: str
    unit: str
    points: tuple[ChartPoint, ...]
    limit: float | None
    file: str

    @property
    def highest(self) -> float:
        return max(point[3] for point in self.points)

    @property
    def axis_maximum(self) -> float:
        """Return the upper end of the scale. It ignores a limit far above the use, which would flatten the curve."""
        near = self.limit if self.limit is not None and self.limit < 4 * self.highest else 0.0
        return max(self.highest, near) or 1.0


@dataclass(frozen=True, slots=True)
class NodeCurves:
    node: str
    start: float
    end: float
    panels: tuple[tuple[ResourceCurve, Markup], ...]


def draw_curves(incident: WrittenIncident | WrittenReplayRun, root: float | None) -> list[NodeCurves]:
    """Yield the curves of each node that has samples, in the order of incident.json: the culprits first."""
    by_node: dict[str, list[ResourceCurve]] = {}
    for series in incident.resources:
        if curve := _read_curve(series):
            by_node.setdefault(curve.node, []).append(curve)
    return [_draw_node(node, curves, root) for node, curves in by_node.items()]


def _read_curve(series: ResourceSeries) -> ResourceCurve | None:
    start = parse_time(series.start)
    if start is None or len(series.points) < 2:
        return None
    return ResourceCurve(
        node=series.node or "",
        title=f"{series.metric} of {series.what}",
        unit=series.unit,
        points=tuple((start + seconds, low, mean, high) for seconds, low, mean, high in series.points),
        limit=None if series.limit is None else float(series.limit),
        file=series.file or "",
    )


def _draw_node(node: str, curves: Sequence[ResourceCurve], root: float | None) -> NodeCurves:
    start = min(curve.points[0][0] for curve in curves)
    end = max(max(curve.points[-1][0] for curve in curves), start + 1e-3)
    return NodeCurves(node, start, end, tuple((curve, draw_curve(curve, start, end, root)) for curve in curves))


def draw_curve(curve: ResourceCurve, start: float, end: float, root: float | None) -> Markup:
    """Return the curve as SVG.

    start, end: the span of the x axis; root: the time of the root cause, None if unknown. All are in UTC seconds.
    """

    def x(time: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (time - start) / (end - start)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / curve.axis_maximum

    upper = [f"{x(time):.1f},{y(high):.1f}" for time, _, _, high in curve.points]
    lower = [f"{x(time):.1f},{y(low):.1f}" for time, low, _, _ in reversed(curve.points)]
    body = [
        svg_element("path", class_="grid", d=f"M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"),
        svg_element("polygon", class_="band", points=" ".join(upper + lower)),
        svg_element(
            "polyline", class_="steps", points=" ".join(f"{x(t):.1f},{y(mean):.1f}" for t, _, mean, _ in curve.points)
        ),
    ]
    if curve.limit is not None and curve.limit <= curve.axis_maximum:
        body.append(svg_element("path", class_="limit", d=f"M{LEFT} {y(curve.limit):.1f}H{WIDTH - RIGHT}"))
    if root is not None and start <= root <= end:
        body.append(svg_element("path", class_="root-line", d=f"M{x(root):.1f} {TOP}V{HEIGHT - BOTTOM}"))
    return svg_element(
        "svg", *body, class_="curve", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=describe_curve(curve)
    )


def describe_curve(curve: ResourceCurve) -> str:
    """Describe the curve: `memory of python3 (pid 7): from 0.1 GB to 3.9 GB at most, limit 4.0 GB`."""
    first_value = format_value(curve.points[0][2], curve.unit)
    return f"{clip(to_one_line(curve.title), 80)}: from {first_value}, {describe_maximum(curve)}"


def describe_maximum(curve: ResourceCurve) -> str:
    limit = "" if curve.limit is None else f", limit {format_value(curve.limit, curve.unit)}"
    return f"maximum {format_value(curve.highest, curve.unit)}{limit}"
