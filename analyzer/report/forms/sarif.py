"""SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from analyzer.report.forms import OutputForm

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident


def render(incident: WrittenIncident) -> Iterator[str]:
    """Yield the JSON text in pieces."""
    from analyzer.report.formatting import write_json
    from analyzer.report.sarif import make_sarif

    return chain(write_json(make_sarif(incident)), "\n")


FORM = OutputForm(
    name="sarif",
    options=("--sarif",),
    help="Write SARIF 2.1.0 for code scanning; - is standard output.",
    render=render,
    suffixes=(".sarif",),
    position=60,
)
