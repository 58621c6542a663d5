"""JUnit XML, a test case for each node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.report.forms import OutputForm

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident


def render(incident: WrittenIncident) -> str:
    """Return the whole document."""
    from analyzer.report.ci_texts import render_junit

    return render_junit(incident)


FORM = OutputForm(
    name="junit",
    options=("--junit",),
    help="Write JUnit XML with a test case for each node; - is standard output.",
    render=render,
    suffixes=(".xml",),
    position=63,
)
