"""incident.json, for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from analyzer.report.forms import OutputForm


def render(incident: Mapping[str, object]) -> Iterator[str]:
    """Yield the JSON text in pieces, so that it is never in memory as a whole."""
    from analyzer.report.formatting import write_json

    return chain(write_json(incident), "\n")


FORM = OutputForm(
    name="json",
    options=("--json",),
    help="Write incident.json; - is standard output.",
    render=render,
    suffixes=(".json",),
    position=20,
)
