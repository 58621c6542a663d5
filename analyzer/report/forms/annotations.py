"""GitHub's workflow commands, which annotate a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.report.forms import OutputForm

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident


def render(incident: WrittenIncident) -> str:
    """Return one command a line."""
    from analyzer.report.ci_texts import render_annotations

    return render_annotations(incident)


FORM = OutputForm(
    name="annotations",
    options=("--annotations",),
    help="Write GitHub workflow commands that annotate a run; - is standard output.",
    render=render,
    suffixes=(),
    position=61,
)
