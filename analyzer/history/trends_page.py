"""Render the trends of a history as one HTML file, in the style of a report. It loads nothing and has no script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from markupsafe import Markup

from analyzer import __version__
from analyzer.history.trends import Trends
from analyzer.report.formatting import plural, to_one_line
from analyzer.report.html import content_security_policy, report_environment
from analyzer.report.timeline_figure import svg_element
from analyzer.resources import templates_dir

WIDTH, HEIGHT, LEFT, BOTTOM = 1180, 220, 34, 20
SHOWN_CAUSES = 5  # causes with their own colour; all others share one
MAX_ROWS = 30  # of a table
OTHERS = "all others"


def render_trends(trends: Trends) -> str:
    """Return the HTML. Text of incidents and notes is escaped, as in a report."""
    environment = report_environment()
    folder = templates_dir()
    style = Markup(
        (folder / "report" / "style.css").read_text(encoding="utf-8")
        + (folder / "history" / "trends.css").read_text(encoding="utf-8")
    )
    colours = _choose_colours(trends)
    return environment.get_template("history/trends.html").render(
        trends=trends,
        colours=colours,
        figure=_draw_periods(trends, colours),
        OTHERS=OTHERS,
        MAX_ROWS=MAX_ROWS,
        style=style,
        policy=content_security_policy(style),
        version=__version__,
    )


def _choose_colours(trends: Trends) -> dict[str, str]:
    """Return the class of each cause that has a colour of its own."""
    return {cause.name: f"cause-{index}" for index, cause in enumerate(trends.causes[:SHOWN_CAUSES])}


def _draw_periods(trends: Trends, colours: dict[str, str]) -> Markup:
    """Draw one bar for each period, divided by cause, with the most frequent cause at the bottom."""
    highest = max((period.causes.total() for period in trends.periods), default=0)
    if not highest:
        return Markup("")
    step = (WIDTH - LEFT) / len(trends.periods)
    unit = (HEIGHT - BOTTOM - 8) / highest
    body = [
        svg_element("text", f"{highest:,}", class_="tick", x=LEFT - 6, y=14, text_anchor="end"),
        svg_element("path", class_="grid", d=f"M{LEFT} 8H{WIDTH}M{LEFT} {HEIGHT - BOTTOM}H{WIDTH}"),
    ]
    label_stride = len(trends.periods) // 10 + 1
    for index, period in enumerate(trends.periods):
        left = LEFT + index * step
        body += _draw_bar(period.label, period.causes, colours, (left, step, unit))
        if index % label_stride == 0:
            body.append(svg_element("text", period.label, class_="tick", x=f"{left:.1f}", y=HEIGHT - 5))
    label = f"Incidents in each {plural(trends.period_days, 'day')}, by cause"
    return svg_element("svg", *body, class_="trend", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label)


def _draw_bar(
    label: str, causes: Counter[str], colours: dict[str, str], place: tuple[float, float, float]
) -> Iterator[Markup]:
    left, step, unit = place
    shares: Counter[str] = Counter()
    for cause, count in causes.items():
        shares[cause if cause in colours else OTHERS] += count
    top = float(HEIGHT - BOTTOM)
    for cause in (*colours, OTHERS):
        if count := shares[cause]:
            top -= count * unit
            yield svg_element(
                "rect",
                svg_element("title", f"{label}: {count:,} {to_one_line(cause, 120)}"),
                class_=colours.get(cause, "cause-others"),
                x=f"{left + 0.1 * step:.1f}",
                y=f"{top:.1f}",
                width=f"{0.8 * step:.1f}",
                height=f"{count * unit:.1f}",
            )
