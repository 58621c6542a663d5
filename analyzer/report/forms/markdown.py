"""Markdown for a ticket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.report.forms import OutputForm

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident


def render(incident: WrittenIncident) -> str:
    """Return at most 65,536 characters."""
    from analyzer.report.markdown import render_markdown

    return render_markdown(incident)


FORM = OutputForm(
    name="markdown",
    options=("--markdown", "--github"),
    help="Write Markdown for a ticket, within GitHub's limit; - is standard output.",
    render=render,
    suffixes=(".md", ".markdown"),
    position=30,
)
