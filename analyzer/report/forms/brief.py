"""A brief of at most 20 KB for whoever continues the investigation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.report.forms import OutputForm

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident


def render(incident: WrittenIncident) -> str:
    """Return at most 20,000 bytes."""
    from analyzer.report.brief import render_brief

    return render_brief(incident)


FORM = OutputForm(
    name="brief",
    options=("--brief",),
    help="Write a brief of at most 20 KB: facts, hypotheses, lines; - is standard output.",
    render=render,
    suffixes=(),
    position=55,
)
