"""Reads and writes `analyzer/diagnosis/factors.yaml`: the weight of each factor of judgement, and its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

FITTED, JUDGED = "fitted", "judgement"  # values of `source`
_HEADER = """\
# The weights of the factors of judgement (analyzer/diagnosis/factors.py), in logits. Written by `make fit`, which keeps
# weights whose source is judgement. n: labelled incidents in which the factor occurs. half_width: of the 95 % interval.
# why: the reason for a judged weight. means: what the factor says where it gives no reason of its own.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightEntry:
    """One factor. `weight` and `half_width` are in logits; a judged weight has no half width."""

    weight: float
    half_width: float | None = None
    n: int = 0
    source: str = FITTED
    why: str = ""
    means: str = ""


def read_entries(path: Path) -> dict[str, WeightEntry]:
    """Return factor → its entry, in the order of the file."""
    return {name: WeightEntry(**entry) for name, entry in yaml.safe_load(path.read_text())["factors"].items()}


def write_entries(entries: Mapping[str, WeightEntry], path: Path) -> None:
    """Write the file, one factor a line, sorted by name."""
    lines = [f"  {name}: {{{_format(entry)}}}" for name, entry in sorted(entries.items())]
    path.write_text(_HEADER + "factors:\n" + "\n".join(lines) + "\n")


def _format(entry: WeightEntry) -> str:
    parts = [f"weight: {entry.weight:.2f}"]
    if entry.half_width is not None:
        parts.append(f"half_width: {entry.half_width:.2f}")
    parts += [f"n: {entry.n}", f"source: {entry.source}"]
    for key, text in (("why", entry.why), ("means", entry.means)):
        if text:
            parts.append(f"{key}: {json.dumps(text, ensure_ascii=False)}")
    return ", ".join(parts)
