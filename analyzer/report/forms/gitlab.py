"""Markdown for a GitLab issue, which may be longer than one of GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.report.forms import OutputForm

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident


def render(incident: WrittenIncident) -> str:
    """Return at most 1,048,576 characters."""
    from analyzer.report.markdown import render_gitlab

    return render_gitlab(incident)


FORM = OutputForm(
    name="gitlab",
    options=("--gitlab",),
    help="Write Markdown for a ticket, within GitLab's limit; - is standard output.",
    render=render,
    suffixes=(),
    position=50,
)
