"""The swim lanes as inline SVG, drawn here and not in the browser, so that they show without JavaScript and in print.

Colours come from classes of the style sheet (light, dark, print); shape says the severity as well: ✕ fatal, ◆ error,
▲ warning, a tick below the line for the rest. The CSP forbids `style=` attributes, so there are none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from markupsafe import Markup, escape

from analyzer.report.cascade import RANK
from analyzer.report.lanes import DRAWN, Lane, Mark, Window
from analyzer.report.wording import clip, duration, one_line, plural

WIDTH, LABELS, RIGHT = 1180, 176, 14
TOP, LANE, BOTTOM = 30, 30, 24
BIN = 9  # pixels in which marks of a lane become one
SAID = 45  # pixels that a word in a lane needs
MARKS = 40  # marks drawn on a lane, the worst first
TICKS = (
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
SHAPES = {
    "fatal": "m-5.5-5.5 11 11m-11 0 11-11",
    "error": "m0-5.5 5.5 5.5-5.5 5.5-5.5-5.5z",
    "warning": "m0-5 5 9h-10z",
}


def tag(name: str, *inside: str, **attributes: object) -> Markup:
    """An element whose attributes and text are escaped; `_` in an attribute's name is `-`, a last one is dropped."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{said}>{''.join(map(escape, inside))}</{name}>")


def draw(lanes: Sequence[Lane], window: Window, root: float | None, anchor: Callable[[str], str]) -> Markup:
    """The figure of the first `DRAWN` lanes. `anchor(finding id)` is the id of the element to link to, or ''."""
    drawn = lanes[:DRAWN]
    height = TOP + LANE * len(drawn) + BOTTOM
    scale = _scale(window)
    body = [*_axis(window, scale, height, root)]
    for index, lane in enumerate(drawn):
        body.append(
            tag(
                "g",
                *_lane(lane, window, scale, anchor),
                class_="lane culprit" if lane.culprit else "lane",
                transform=f"translate(0 {TOP + index * LANE})",
            )
        )
    if root is not None and window.start <= root <= window.end:
        body.append(tag("path", class_="root-line", d=f"M{scale(root):.1f} {TOP - 6}V{height - BOTTOM}"))
        body.append(
            tag("text", "first cause", class_="root-label", x=f"{scale(root):.1f}", y=TOP - 10, text_anchor="middle")
        )
    return tag(
        "svg",
        *body,
        class_="lanes",
        viewBox=f"0 0 {WIDTH} {height}",
        **_data(lanes, window, root, anchor),
        role="group",
        aria_label=f"Timeline, {window.title.lower()}: {plural(len(drawn), 'node')}",
    )


def _data(
    lanes: Sequence[Lane], window: Window, root: float | None, anchor: Callable[[str], str]
) -> Mapping[str, object]:
    """What the script needs to draw the same for another stretch of time: all lanes, in their order."""
    findings = {mark.finding for lane in lanes for mark in lane.marks if mark.finding}
    return {
        "data_start": window.start,
        "data_end": window.end,
        "data_root": root,
        "data_anchors": json.dumps({name: place for name in sorted(findings) if (place := anchor(name))}),
        "data_lanes": json.dumps(
            [
                {
                    "name": one_line(lane.name),
                    "tasks": [one_line(task) for task in lane.tasks],
                    "said": _describe(lane),
                    "culprit": lane.culprit,
                    "alive": lane.alive,
                    "silent": lane.silent_since,
                    "error": lane.clock_error,
                }
                for lane in lanes
            ]
        ),
    }


def _scale(window: Window) -> Callable[[float], float]:
    span = max(window.end - window.start, 1e-6)
    return lambda time: LABELS + (WIDTH - LABELS - RIGHT) * (time - window.start) / span


def _axis(window: Window, scale: Callable[[float], float], height: int, root: float | None) -> Iterator[Markup]:
    """Absolute times above, distance to the first cause below."""
    step = next((tick for tick in TICKS if (window.end - window.start) / tick <= 8), TICKS[-1])
    first = int(window.start / step) + 1
    for index in range(first, int(window.end / step) + 1):
        x = scale(index * step)
        yield tag("path", class_="grid", d=f"M{x:.1f} {TOP}V{height - BOTTOM}")
        if root is None or abs(x - scale(root)) > 70 or not window.start <= root <= window.end:
            yield tag("text", _tick(index * step, step), class_="tick", x=f"{x:.1f}", y=TOP - 10, text_anchor="middle")
    if root is None:
        return
    for index in range(int((window.start - root) / step), int((window.end - root) / step) + 1):
        x = scale(root + index * step)
        if LABELS + 20 < x < WIDTH - RIGHT - 20:
            said = f"+{duration(index * step)}" if index > 0 else duration(index * step)
            yield tag("text", said, class_="tick", x=f"{x:.1f}", y=height - 8, text_anchor="middle")


def _tick(time: float, step: float) -> str:
    try:
        moment = datetime.fromtimestamp(time, UTC)
    except (OverflowError, ValueError, OSError):
        return ""
    if step >= 86400:
        return f"{moment:%Y-%m-%d}"
    return f"{moment:%H:%M:%S}" + (f".{moment.microsecond // 1000:03d}" if step < 1 else "")


def _lane(
    lane: Lane, window: Window, scale: Callable[[float], float], anchor: Callable[[str], str]
) -> Iterator[Markup]:
    def at(time: float) -> float:
        return scale(min(max(time, window.start), window.end))

    yield tag("rect", class_="row", x=0, y=1, width=WIDTH, height=LANE - 2)
    yield tag("text", _short(lane.name), tag("title", _describe(lane)), class_="name", x=6, y=13)
    yield tag("text", clip(one_line(", ".join(lane.tasks)), 28), class_="task", x=6, y=25)
    if not lane.present:
        yield tag("text", "nothing of this node is in the bundle", class_="task", x=LABELS + 8, y=19)
    if lane.alive and lane.alive[1] >= window.start and lane.alive[0] <= window.end:
        left, right = at(lane.alive[0]), at(lane.alive[1])
        yield tag("rect", class_="alive", x=f"{left:.1f}", y=12, width=f"{max(right - left, 1):.1f}", height=6)
    if lane.silent_since is not None and lane.silent_since < window.end:
        left, right = at(lane.silent_since), scale(window.end)
        yield tag(
            "rect",
            tag("title", "silent from here on"),
            class_="silent",
            x=f"{left:.1f}",
            y=7,
            width=f"{right - left:.1f}",
            height=16,
            rx=2,
        )
        if right - left > SAID:
            yield tag("text", "silent", class_="task", x=f"{right - 6:.1f}", y=19, text_anchor="end")
    yield from _steps(lane, window, scale)
    yield from _marks(lane, window, scale, anchor)
    yield from _last_step(lane, window, scale)  # on top of the marks, with a ground of its own


def _short(name: str, width: int = 24) -> str:
    """Both ends of a long name: clusters number their nodes at either end."""
    name = one_line(name)
    return name if len(name) <= width else f"{name[: width // 2 - 1]}…{name[-width // 2 :]}"


def _describe(lane: Lane) -> str:
    clock = "" if lane.clock_error is None else f", clock ± {duration(lane.clock_error)}"
    return f"{one_line(lane.name)}{': the culprit' if lane.culprit else ''}{clock}"


def _steps(lane: Lane, window: Window, scale: Callable[[float], float]) -> Iterator[Markup]:
    """Progress climbs from the lane's bottom to its top; where it stops, the line ends."""
    inside = [(time, step) for time, step in lane.steps if window.start <= time <= window.end]
    if len(inside) < 2:
        return
    stride = len(inside) // 250 + 1
    kept = [*inside[::stride], inside[-1]]
    low, high = min(step for _, step in kept), max(step for _, step in kept)
    path = " ".join(
        f"{scale(time):.1f},{LANE - 4 - (LANE - 9) * (step - low) / (high - low or 1):.1f}" for time, step in kept
    )
    yield tag("polyline", class_="steps", points=path)


def _last_step(lane: Lane, window: Window, scale: Callable[[float], float]) -> Iterator[Markup]:
    """Below the line's end, from where it has climbed away; a short climb has no room for it."""
    inside = [(time, step) for time, step in lane.steps if window.start <= time <= window.end]
    if len(inside) > 1 and scale(inside[-1][0]) - scale(inside[0][0]) > 2 * SAID:
        time, step = inside[-1]
        yield tag("text", f"step {step:,.0f}", class_="step", x=f"{scale(time) - 5:.1f}", y=LANE - 4, text_anchor="end")


def _marks(
    lane: Lane, window: Window, scale: Callable[[float], float], anchor: Callable[[str], str]
) -> Iterator[Markup]:
    inside = [mark for mark in lane.marks if window.start <= mark.time <= window.end]
    quiet = sorted({round(scale(mark.time)) for mark in inside if mark.severity not in SHAPES})
    if quiet:
        yield tag("path", class_="info", d="".join(f"M{x} {LANE - 9}v5" for x in quiet))
    bins: dict[int, list[Mark]] = {}
    for mark in inside:
        if mark.severity in SHAPES:
            bins.setdefault(int(scale(mark.time) / BIN), []).append(mark)
    worst = sorted(
        bins.values(), key=lambda marks: (-max(RANK.get(mark.severity, 0) for mark in marks), marks[0].time)
    )[:MARKS]
    for marks in sorted(worst, key=lambda marks: marks[0].time):
        yield _mark(marks, scale, anchor, lane.clock_error)


def _mark(
    marks: Sequence[Mark], scale: Callable[[float], float], anchor: Callable[[str], str], error: float | None
) -> Markup:
    loud = max(marks, key=lambda mark: RANK.get(mark.severity, 0))
    x = scale(loud.time)
    more = f" (and {len(marks) - 1} more here)" if len(marks) > 1 else ""
    said = f"{loud.severity}: {one_line(loud.text, 140)}{more}"
    parts = [tag("title", said)]
    reach = (scale(loud.time + error) - x) if error else 0.0
    if 2 < reach < WIDTH:
        left, right = max(x - reach, LABELS), min(x + reach, WIDTH - RIGHT)
        parts.append(tag("path", class_="error-bar", d=f"M{left:.1f} {LANE / 2 - 3:g}v6m0-3H{right:.1f}m0-3v6"))
    parts.append(tag("path", class_=f"mark {loud.severity}", d=f"M{x:.1f} {LANE // 2}{SHAPES[loud.severity]}"))
    # One link a bin, so that the keyboard meets findings and not every line.
    target = next((place for mark in marks if mark.finding and (place := anchor(mark.finding))), "")
    if target:
        return tag("a", *parts, href=f"#{target}", aria_label=said)
    return tag("g", *parts)
