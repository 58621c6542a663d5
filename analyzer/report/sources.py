"""The files of the bundle, as the report lists them: those with a problem before the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.report.tolerant import items, text

MOST_MARRED, MOST_WHOLE = 200, 1500  # rows of the table


@dataclass(slots=True)
class Listing:
    """The first of a kind, and how many there are."""

    most: int
    count: int = 0
    rows: list[Mapping[str, object]] = field(default_factory=list)

    @property
    def more(self) -> int:
        return self.count - len(self.rows)

    def add(self, row: Mapping[str, object]) -> None:
        self.count += 1
        if len(self.rows) < self.most:
            self.rows.append(row)


def list_sources(incident: Mapping[str, object]) -> tuple[Listing, Listing]:
    """(those that were not read, not whole or not without a problem, the others)."""
    marred, whole = Listing(MOST_MARRED), Listing(MOST_WHOLE)
    for one in items(incident, "sources"):
        (marred if is_marred(one) else whole).add(one)
    return marred, whole


def is_marred(source: Mapping[str, object]) -> bool:
    return text(source, "status") != "read" or bool(source.get("problem"))
