"""GitLab's code quality report."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from analyzer.report.forms import OutputForm

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident


def render(incident: WrittenIncident) -> Iterator[str]:
    """Yield the JSON text in pieces."""
    from analyzer.report.ci_texts import make_code_quality
    from analyzer.report.formatting import write_json

    return chain(write_json(make_code_quality(incident)), "\n")


FORM = OutputForm(
    name="code-quality",
    options=("--code-quality",),
    help="Write a GitLab code quality report; - is standard output.",
    render=render,
    suffixes=(),
    position=62,
)
