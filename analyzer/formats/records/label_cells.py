"""Read the labels of a record in one cell of a table, as Grafana and Loki's clients write them.

{job="train", pod="worker-1"}
{"job": "train", "pod": "worker-1"}
"""

from __future__ import annotations

import re

from analyzer.untrusted.documents import MalformedError, read_json

MAX_CELL_CHARS = 20_000
_match_labels = re.compile(r'\{(?:\s?\w{1,100}="[^"]{0,300}",?){1,60}\s?\}').fullmatch
_find_labels = re.compile(r'(\w{1,100})="([^"]{0,300})"').findall


def read_labels(cell: str) -> dict[str, str] | None:
    """Return label → value; None if the cell has no labels."""
    cell = cell.strip()
    if not cell.startswith("{") or len(cell) > MAX_CELL_CHARS:
        return None
    if _match_labels(cell):
        return dict(_find_labels(cell))
    try:
        labels = read_json(cell)
    except MalformedError:
        return None
    if not isinstance(labels, dict) or not labels:
        return None
    return {str(name): value for name, value in labels.items() if isinstance(value, str)}
