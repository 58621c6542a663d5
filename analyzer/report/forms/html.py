"""The report as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.report.forms import OutputForm


def render(incident: Mapping[str, object]) -> str:
    """Return the whole file."""
    from analyzer.report.html import render_html

    return render_html(incident)


FORM = OutputForm(
    name="html",
    options=("-o", "--output"),
    help="Write the HTML report here; - is standard output.",
    render=render,
    suffixes=(".html", ".htm"),
    position=10,
    metavar="PATH",
)
