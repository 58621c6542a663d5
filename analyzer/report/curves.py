"""Resource samples as small multiples: one little SVG a series, all of a node on the same stretch of time.

The line is the mean, the band behind it reaches from the lowest to the highest sample; a dashed line is the limit, an
upright one the first cause. Only the scale's two ends are labelled: the shape is what is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from analyzer.report.figures import tag
from analyzer.report.tolerant import items, moment
from analyzer.report.wording import clip, one_line
from analyzer.samples.show import say

WIDTH, HEIGHT = 340, 92
LEFT, RIGHT, TOP, BOTTOM = 4, 4, 8, 4
NODES = 12  # drawn in full
PANELS = 12  # of one node; the others fold away
Values = tuple[float, float, float, float]  # seconds since the epoch, lowest, mean, highest


@dataclass(frozen=True, slots=True)
class Curve:
    """One series, ready to draw. `top` is the value at the upper edge, which the limit may set."""

    node: str
    title: str
    unit: str
    points: tuple[Values, ...]
    limit: float | None
    file: str

    @property
    def highest(self) -> float:
        return max(point[3] for point in self.points)

    @property
    def top(self) -> float:
        """A limit far above what was used would press the curve flat."""
        near = self.limit if self.limit is not None and self.limit < 4 * self.highest else 0.0
        return max(self.highest, near) or 1.0


@dataclass(frozen=True, slots=True)
class NodeCurves:
    node: str
    start: float
    end: float
    panels: tuple[tuple[Curve, Markup], ...]


def draw_curves(incident: Mapping[str, object], root: float | None) -> list[NodeCurves]:
    """For each node that has samples, in the order of incident.json: the culprits' first."""
    by_node: dict[str, list[Curve]] = {}
    for said in items(incident, "resources"):
        if curve := _read(said):
            by_node.setdefault(curve.node, []).append(curve)
    return [_node(node, curves, root) for node, curves in by_node.items()]


def _read(said: Mapping[str, object]) -> Curve | None:
    start, points = moment(said.get("start")), said.get("points")
    if start is None or not isinstance(points, Sequence):
        return None
    values = tuple(_values(points, start))
    if len(values) < 2:
        return None
    limit, unit = said.get("limit"), str(said.get("unit") or "")
    title = f"{said.get('metric')} of {said.get('what')}"
    return Curve(
        str(said.get("node") or ""),
        title,
        unit,
        values,
        float(limit) if isinstance(limit, int | float) else None,
        str(said.get("file") or ""),
    )


def _values(points: Sequence[object], start: float) -> Iterator[Values]:
    for point in points:
        if isinstance(point, Sequence) and len(point) == 4 and all(isinstance(each, int | float) for each in point):
            yield start + point[0], point[1], point[2], point[3]


def _node(node: str, curves: Sequence[Curve], root: float | None) -> NodeCurves:
    start = min(curve.points[0][0] for curve in curves)
    end = max(max(curve.points[-1][0] for curve in curves), start + 1e-3)
    return NodeCurves(node, start, end, tuple((curve, draw_curve(curve, start, end, root)) for curve in curves))


def draw_curve(curve: Curve, start: float, end: float, root: float | None) -> Markup:
    def x(time: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (time - start) / (end - start)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / curve.top

    upper = [f"{x(time):.1f},{y(high):.1f}" for time, _, _, high in curve.points]
    lower = [f"{x(time):.1f},{y(low):.1f}" for time, low, _, _ in reversed(curve.points)]
    body = [
        tag("path", class_="grid", d=f"M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"),
        tag("polygon", class_="band", points=" ".join(upper + lower)),
        tag("polyline", class_="steps", points=" ".join(f"{x(t):.1f},{y(mean):.1f}" for t, _, mean, _ in curve.points)),
    ]
    if curve.limit is not None and curve.limit <= curve.top:
        body.append(tag("path", class_="limit", d=f"M{LEFT} {y(curve.limit):.1f}H{WIDTH - RIGHT}"))
    if root is not None and start <= root <= end:
        body.append(tag("path", class_="root-line", d=f"M{x(root):.1f} {TOP}V{HEIGHT - BOTTOM}"))
    return tag("svg", *body, class_="curve", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=describe(curve))


def describe(curve: Curve) -> str:
    """The curve in words: `memory of python3 (pid 7): from 0.1 GB to 3.9 GB at most, limit 4.0 GB`."""
    return f"{clip(one_line(curve.title), 80)}: from {say(curve.points[0][2], curve.unit)}, {most(curve)}"


def most(curve: Curve) -> str:
    limit = "" if curve.limit is None else f", limit {say(curve.limit, curve.unit)}"
    return f"at most {say(curve.highest, curve.unit)}{limit}"
