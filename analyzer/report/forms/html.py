"""The report as one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.report.forms import OutputForm

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident


def render(incident: WrittenIncident) -> str:
    """Return the whole file."""
    from analyzer.report.html import render_html

    return render_html(incident)


FORM = OutputForm(
    name="html",
    options=("-o", "--output", "--html"),
    help="Write the HTML report here; - is standard output.",
    render=render,
    suffixes=(".html", ".htm"),
    position=10,
    metavar="PATH",
)
