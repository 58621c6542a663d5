"""The swim lanes as inline SVG, drawn here and not in the browser, so that they are visible without JavaScript and in
print.

Colours come from classes of the style sheet (light, dark, print); shape says the severity as well: ✕ fatal, ◆ error,
▲ warning, a tick below the line for the rest. The CSP forbids `style=` attributes, so there are none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from markupsafe import Markup, escape

from analyzer.report.cascade import SEVERITY_RANKS
from analyzer.report.formatting import clip, format_duration, plural, to_one_line
from analyzer.report.lanes import MAX_DRAWN_LANES, Lane, LaneMark, TimelineWindow, count_lines

WIDTH, LABEL_WIDTH, RIGHT_MARGIN = 1180, 176, 14
TOP_MARGIN, LANE_HEIGHT, BOTTOM_MARGIN = 30, 30, 24
BIN_PX = 9  # pixels within which marks of a lane are merged
MIN_LABEL_PX = 45  # pixels that a word in a lane needs
MAX_MARKS_PER_LANE = 40  # marks drawn on a lane, the worst first
TICK_STEPS_S = (
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    10800,
    21600,
    43200,
    86400,
    172800,
    604800,
    2592000,
    31536000,
    315360000,
)
SEVERITY_SHAPES = {
    "fatal": "m-5.5-5.5 11 11m-11 0 11-11",
    "error": "m0-5.5 5.5 5.5-5.5 5.5-5.5-5.5z",
    "warning": "m0-5 5 9h-10z",
}


def svg_element(name: str, *inside: str, **attributes: object) -> Markup:
    """Return an element with escaped attributes and text. In attribute names `_` becomes `-`; a trailing one is
    dropped.
    """
    attribute_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{attribute_text}>{''.join(map(escape, inside))}</{name}>")


def draw_timeline(
    lanes: Sequence[Lane],
    window: TimelineWindow,
    root: float | None,
    anchor: Callable[[str], str],
    all_lanes: Sequence[Lane] = (),
) -> Markup:
    """Draw the first `DRAWN` lanes. `anchor(finding id)` is the id of the element to link to, or "".

    `all_lanes`: those of single nodes; their data are added, and the script redraws this figure from them.
    """
    shown_lanes = lanes[:MAX_DRAWN_LANES]
    height = TOP_MARGIN + LANE_HEIGHT * len(shown_lanes) + BOTTOM_MARGIN
    scale = _time_scale(window)
    body = [*_draw_axis(window, scale, height, root)]
    for index, lane in enumerate(shown_lanes):
        body.append(
            svg_element(
                "g",
                *_draw_lane(lane, window, scale, anchor),
                class_="lane culprit" if lane.culprit else "lane",
                transform=f"translate(0 {TOP_MARGIN + index * LANE_HEIGHT})",
            )
        )
    if root is not None and window.start <= root <= window.end:
        body.append(
            svg_element("path", class_="root-line", d=f"M{scale(root):.1f} {TOP_MARGIN - 6}V{height - BOTTOM_MARGIN}")
        )
        body.append(
            svg_element(
                "text",
                "first cause",
                class_="root-label",
                x=f"{scale(root):.1f}",
                y=TOP_MARGIN - 10,
                text_anchor="middle",
            )
        )
    return svg_element(
        "svg",
        *body,
        class_="lanes",
        viewBox=f"0 0 {WIDTH} {height}",
        data_start=window.start,
        data_end=window.end,
        **(_lane_data(all_lanes, lanes, root, anchor) if all_lanes else {}),
        role="group",
        aria_label=f"Timeline, {window.title.lower()}: {plural(len(shown_lanes), 'lane')}",
    )


def _lane_data(
    lanes: Sequence[Lane], folded: Sequence[Lane], root: float | None, anchor: Callable[[str], str]
) -> Mapping[str, object]:
    """Return the data with which the script redraws the figure for another time range: all lanes, in order, and for
    each lane that is drawn the positions of its nodes.
    """
    place = {lane.name: index for index, lane in enumerate(lanes)}
    findings = {mark.finding for lane in lanes for mark in lane.marks if mark.finding}
    return {
        "data_root": root,
        "data_anchors": json.dumps({name: target for name in sorted(findings) if (target := anchor(name))}),
        "data_folds": json.dumps(
            [[place[name] for name in lane.members or (lane.name,)] for lane in folded], separators=(",", ":")
        ),
        "data_lanes": json.dumps([_lane_row(lane) for lane in lanes], separators=(",", ":")),
    }


def _lane_row(lane: Lane) -> list[object]:
    """Return name, tasks, description, whether it is the culprit, first and last time, silence, error of the clock."""
    alive = lane.alive and [round(time, 3) for time in lane.alive]
    return [
        to_one_line(lane.name),
        [to_one_line(task) for task in lane.tasks],
        _describe_lane(lane),
        int(lane.culprit),
        alive,
        lane.silent_since,
        lane.clock_error,
    ]


def _time_scale(window: TimelineWindow) -> Callable[[float], float]:
    span_s = max(window.end - window.start, 1e-6)
    return lambda time: LABEL_WIDTH + (WIDTH - LABEL_WIDTH - RIGHT_MARGIN) * (time - window.start) / span_s


def _draw_axis(
    window: TimelineWindow, scale: Callable[[float], float], height: int, root: float | None
) -> Iterator[Markup]:
    """Draw absolute times above, the distance to the first cause below."""
    step = next((tick for tick in TICK_STEPS_S if (window.end - window.start) / tick <= 8), TICK_STEPS_S[-1])
    first = int(window.start / step) + 1
    for index in range(first, int(window.end / step) + 1):
        x = scale(index * step)
        yield svg_element("path", class_="grid", d=f"M{x:.1f} {TOP_MARGIN}V{height - BOTTOM_MARGIN}")
        if root is None or abs(x - scale(root)) > 70 or not window.start <= root <= window.end:
            yield svg_element(
                "text",
                _format_tick(index * step, step),
                class_="tick",
                x=f"{x:.1f}",
                y=TOP_MARGIN - 10,
                text_anchor="middle",
            )
    if root is None:
        return
    for index in range(int((window.start - root) / step), int((window.end - root) / step) + 1):
        x = scale(root + index * step)
        if LABEL_WIDTH + 20 < x < WIDTH - RIGHT_MARGIN - 20:
            label = f"+{format_duration(index * step)}" if index > 0 else format_duration(index * step)
            yield svg_element("text", label, class_="tick", x=f"{x:.1f}", y=height - 8, text_anchor="middle")


def _format_tick(time: float, step: float) -> str:
    try:
        moment = datetime.fromtimestamp(time, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    if step >= 86400:
        return f"{moment:%Y-%m-%d}"
    return f"{moment:%H:%M:%S}" + (f".{moment.microsecond // 1000:03d}" if step < 1 else "")


def _draw_lane(
    lane: Lane, window: TimelineWindow, scale: Callable[[float], float], anchor: Callable[[str], str]
) -> Iterator[Markup]:
    def at(time: float) -> float:
        return scale(min(max(time, window.start), window.end))

    yield svg_element("rect", class_="row", x=0, y=1, width=WIDTH, height=LANE_HEIGHT - 2)
    yield svg_element(
        "text", _shorten_name(lane.name), svg_element("title", _describe_lane(lane)), class_="name", x=6, y=13
    )
    yield svg_element("text", clip(to_one_line(", ".join(lane.tasks)), 28), class_="task", x=6, y=25)
    if not lane.present:
        yield svg_element("text", "no file of this node is in the bundle", class_="task", x=LABEL_WIDTH + 8, y=19)
    if lane.alive and lane.alive[1] >= window.start and lane.alive[0] <= window.end:
        left, right = at(lane.alive[0]), at(lane.alive[1])
        yield svg_element("rect", class_="alive", x=f"{left:.1f}", y=12, width=f"{max(right - left, 1):.1f}", height=6)
    if lane.silent_since is not None and lane.silent_since < window.end:
        left, right = at(lane.silent_since), scale(window.end)
        yield svg_element(
            "rect",
            svg_element("title", "silent from here on"),
            class_="silent",
            x=f"{left:.1f}",
            y=7,
            width=f"{right - left:.1f}",
            height=16,
            rx=2,
        )
        if right - left > MIN_LABEL_PX:
            yield svg_element("text", "silent", class_="task", x=f"{right - 6:.1f}", y=19, text_anchor="end")
    yield from _draw_steps(lane, window, scale)
    yield from _draw_marks(lane, window, scale, anchor)
    yield from _draw_last_step(lane, window, scale)  # on top of the marks, with its own background


def _shorten_name(name: str, width: int = 24) -> str:
    """Return both ends of a long name: clusters number their nodes at either end."""
    name = to_one_line(name)
    return name if len(name) <= width else f"{name[: width // 2 - 1]}…{name[-width // 2 :]}"


def _describe_lane(lane: Lane) -> str:
    clock = "" if lane.clock_error is None else f", clock ± {format_duration(lane.clock_error)}"
    return f"{to_one_line(lane.name)}{': the culprit' if lane.culprit else ''}{clock}"


def _draw_steps(lane: Lane, window: TimelineWindow, scale: Callable[[float], float]) -> Iterator[Markup]:
    """Draw progress as a line from the lane's bottom to its top; it ends where progress stops."""
    points = [(time, step) for time, step in lane.steps if window.start <= time <= window.end]
    if len(points) < 2:
        return
    stride = len(points) // 250 + 1
    sampled = [*points[::stride], points[-1]]
    low, high = min(step for _, step in sampled), max(step for _, step in sampled)
    path = " ".join(
        f"{scale(time):.1f},{LANE_HEIGHT - 4 - (LANE_HEIGHT - 9) * (step - low) / (high - low or 1):.1f}"
        for time, step in sampled
    )
    yield svg_element("polyline", class_="steps", points=path)


def _draw_last_step(lane: Lane, window: TimelineWindow, scale: Callable[[float], float]) -> Iterator[Markup]:
    """Draw the last step below the end of the progress line, unless the line is too short for it."""
    points = [(time, step) for time, step in lane.steps if window.start <= time <= window.end]
    if len(points) > 1 and scale(points[-1][0]) - scale(points[0][0]) > 2 * MIN_LABEL_PX:
        time, step = points[-1]
        yield svg_element(
            "text", f"step {step:,.0f}", class_="step", x=f"{scale(time) - 5:.1f}", y=LANE_HEIGHT - 4, text_anchor="end"
        )


def _draw_marks(
    lane: Lane, window: TimelineWindow, scale: Callable[[float], float], anchor: Callable[[str], str]
) -> Iterator[Markup]:
    marks_in_window = [mark for mark in lane.marks if window.start <= mark.time <= window.end]
    info_positions = sorted(
        {round(scale(mark.time)) for mark in marks_in_window if mark.severity not in SEVERITY_SHAPES}
    )
    if info_positions:
        yield svg_element("path", class_="info", d="".join(f"M{x} {LANE_HEIGHT - 9}v5" for x in info_positions))
    bins: dict[int, list[LaneMark]] = {}
    for mark in marks_in_window:
        if mark.severity in SEVERITY_SHAPES:
            bins.setdefault(int(scale(mark.time) / BIN_PX), []).append(mark)
    worst_bins = sorted(
        bins.values(), key=lambda marks: (-max(SEVERITY_RANKS.get(mark.severity, 0) for mark in marks), marks[0].time)
    )[:MAX_MARKS_PER_LANE]
    for marks in sorted(worst_bins, key=lambda marks: marks[0].time):
        yield _draw_bin(marks, scale, anchor, lane.clock_error)


def _draw_bin(
    marks: Sequence[LaneMark], scale: Callable[[float], float], anchor: Callable[[str], str], error: float | None
) -> Markup:
    worst = max(marks, key=lambda mark: SEVERITY_RANKS.get(mark.severity, 0))
    x = scale(worst.time)
    lines = count_lines(marks)
    others_note = f" (and {lines - 1} more at this place)" if lines > 1 else ""
    label = f"{worst.severity}: {to_one_line(worst.text, 140)}{others_note}"
    parts = [svg_element("title", label)]
    error_px = (scale(worst.time + error) - x) if error else 0.0
    if 2 < error_px < WIDTH:
        left, right = max(x - error_px, LABEL_WIDTH), min(x + error_px, WIDTH - RIGHT_MARGIN)
        parts.append(
            svg_element("path", class_="error-bar", d=f"M{left:.1f} {LANE_HEIGHT / 2 - 3:g}v6m0-3H{right:.1f}m0-3v6")
        )
    parts.append(
        svg_element(
            "path", class_=f"mark {worst.severity}", d=f"M{x:.1f} {LANE_HEIGHT // 2}{SEVERITY_SHAPES[worst.severity]}"
        )
    )
    # One link for each bin, so that the Tab key visits findings and not every line.
    target = next((finding_anchor for mark in marks if mark.finding and (finding_anchor := anchor(mark.finding))), "")
    if target:
        return svg_element("a", *parts, href=f"#{target}", aria_label=label)
    return svg_element("g", *parts)
