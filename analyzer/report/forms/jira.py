"""Jira's wiki markup, for a ticket."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.report.forms import OutputForm


def render(incident: Mapping[str, object]) -> str:
    """Return at most 32,767 characters."""
    from analyzer.report.jira import render_jira

    return render_jira(incident)


FORM = OutputForm(
    name="jira",
    options=("--jira",),
    help="Write Jira wiki markup; - is standard output.",
    render=render,
    suffixes=(".jira",),
    position=40,
)
