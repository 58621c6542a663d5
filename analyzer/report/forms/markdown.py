"""Markdown for a ticket."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.report.forms import OutputForm


def render(incident: Mapping[str, object]) -> str:
    """Return at most 65,536 characters."""
    from analyzer.report.markdown import render_markdown

    return render_markdown(incident)


FORM = OutputForm(
    name="markdown",
    options=("--markdown",),
    help="Write Markdown for a ticket; - is standard output.",
    render=render,
    suffixes=(".md", ".markdown"),
    position=30,
)
