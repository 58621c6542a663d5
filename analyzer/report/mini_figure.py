"""A small figure of the first lanes around the failure, for the first screen. The large one is `timeline_figure.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup

from analyzer.report.cascade import SEVERITY_RANKS
from analyzer.report.formatting import format_duration, plural, to_one_line
from analyzer.report.lanes import Lane, LaneMark, TimelineWindow
from analyzer.report.timeline_figure import SEVERITY_SHAPES, svg_element

MAX_LANES = 3
WIDTH, LABEL_WIDTH, LANE_HEIGHT, TOP = 520, 148, 22, 16
BIN_PX = 10
MAX_LABEL_CHARS = 20
MAX_FILTER_NAMES = 200  # nodes of a lane that the filter by node knows
MAX_FILTER_CHARS = 8000


def draw_mini_timeline(lanes: Sequence[Lane], window: TimelineWindow, root: float | None) -> Markup:
    """Draw at most MAX_LANES lanes: what each log covers, where it is silent, and its errors."""
    shown = lanes[:MAX_LANES]
    height = TOP + LANE_HEIGHT * len(shown) + 4
    span_s = max(window.end - window.start, 1e-6)

    def at(time: float) -> float:
        inside = min(max(time, window.start), window.end)
        return LABEL_WIDTH + (WIDTH - LABEL_WIDTH - 8) * (inside - window.start) / span_s

    body = [
        svg_element(
            "g",
            *_draw_lane(lane, TOP + index * LANE_HEIGHT, window, at),
            data_node=to_one_line(
                " ".join((lane.name, *lane.tasks, *lane.members[:MAX_FILTER_NAMES])), MAX_FILTER_CHARS
            ),
        )
        for index, lane in enumerate(shown)
    ]
    if root is not None and window.start <= root <= window.end:
        body.append(svg_element("path", class_="root-line", d=f"M{at(root):.1f} {TOP - 2}V{height - 2}"))
        body.append(
            svg_element(
                "text", "first cause", class_="root-label", x=f"{at(root):.1f}", y=TOP - 5, text_anchor="middle"
            )
        )
    body.append(svg_element("text", format_duration(span_s), class_="task", x=4, y=TOP - 5))
    more_nodes = f", {plural(len(lanes) - len(shown), 'more node')} below" if len(lanes) > len(shown) else ""
    return svg_element(
        "svg",
        *body,
        class_="mini",
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_label=f"{window.title}: {plural(len(shown), 'node')}{more_nodes}",
    )


def _draw_lane(lane: Lane, top: int, window: TimelineWindow, at: Callable[[float], float]) -> Iterator[Markup]:
    middle = top + LANE_HEIGHT // 2
    name = to_one_line(lane.name)
    label = name if len(name) <= MAX_LABEL_CHARS else f"{name[:9]}…{name[-10:]}"
    yield svg_element(
        "rect", class_="row culprit" if lane.culprit else "row", x=0, y=top, width=WIDTH, height=LANE_HEIGHT - 2
    )
    yield svg_element("text", label, class_="name culprit" if lane.culprit else "name", x=4, y=middle + 3)
    if lane.alive and lane.alive[1] >= window.start and lane.alive[0] <= window.end:
        left, right = at(lane.alive[0]), at(lane.alive[1])
        yield svg_element(
            "rect", class_="alive", x=f"{left:.1f}", y=middle - 3, width=f"{max(right - left, 1):.1f}", height=5
        )
    if lane.silent_since is not None and lane.silent_since < window.end:
        left = at(lane.silent_since)
        yield svg_element(
            "rect", class_="silent", x=f"{left:.1f}", y=middle - 7, width=f"{at(window.end) - left:.1f}", height=13
        )
    for mark in _loudest(lane, window, at):
        yield svg_element(
            "path", class_=f"mark {mark.severity}", d=f"M{at(mark.time):.1f} {middle}{SEVERITY_SHAPES[mark.severity]}"
        )


def _loudest(lane: Lane, window: TimelineWindow, at: Callable[[float], float]) -> list[LaneMark]:
    """Return the worst mark of each few pixels."""
    bins: dict[int, LaneMark] = {}
    for mark in lane.marks:
        if mark.severity in SEVERITY_SHAPES and window.start <= mark.time <= window.end:
            loudest = bins.setdefault(int(at(mark.time) / BIN_PX), mark)
            if SEVERITY_RANKS[mark.severity] > SEVERITY_RANKS[loudest.severity]:
                bins[int(at(mark.time) / BIN_PX)] = mark
    return list(bins.values())
