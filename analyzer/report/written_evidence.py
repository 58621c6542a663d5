"""The written evidence: its fields in incident.json, and its columns in the reports.

A column is declared once, in EVIDENCE_COLUMNS. HTML, Markdown, Jira, terminal and brief loop over them. A value that
`WrittenEvidence` lacks is a new field of it, which `json.py` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

_TIME_PATTERN = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$"
Time = Annotated[
    str | None,
    Meta(
        description="RFC 3339 in UTC with microseconds; null if the source gave none.",
        extra_json_schema={"pattern": _TIME_PATTERN},
    ),
]
Number = int | float  # a whole number stays one when it is read and written again


class WrittenContext(Struct):
    """The lines around a line of evidence."""

    first_line: Annotated[int, Meta(description="The number of the first of `lines`, 1-based.")]
    lines: Annotated[list[str], Meta(description="Lines of the file, including the evidence.")]


class WrittenEvidence(Struct, kw_only=True):
    """A line that a reader can open."""

    node: Annotated[str | None, Meta(description="The node that the file belongs to; null if unknown.")]
    file: Annotated[str, Meta(description="Path inside the bundle.")]
    line: Annotated[int | None, Meta(description="1-based; null for a core.", extra_json_schema={"minimum": 1})]
    time: Annotated[Time, Meta(description="The time as the line states it.")]
    corrected: Annotated[Time, Meta(description="The time corrected for the node's clock offset.")] = None
    error_s: Annotated[
        Number | None, Meta(description="Seconds by which `corrected` may be wrong; null if unknown.")
    ] = None
    text: Annotated[str, Meta(description="The line, shortened if it is very long.")]
    block: Annotated[list[str] | UnsetType, Meta(description="Continuation lines, such as those of a traceback.")] = (
        UNSET
    )
    context: Annotated[WrittenContext | UnsetType, Meta(description="The lines around it.")] = UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcerptRow:
    """A line as reports show it.

    `kind` is `hit` for evidence; `frame` (a place in the job's own code) and `exception` for the lines of a traceback
    that decide; `part` for other continuation lines; "" for a line of the context. `number` is None for lines whose
    place in the file is not known. `evidence` is None for all but hits.
    """

    kind: str
    number: int | None
    text: str
    evidence: WrittenEvidence | None = None

    @property
    def hit(self) -> bool:
        """Whether the line is evidence itself."""
        return self.kind == "hit"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceColumn:
    """What reports show of a line before its text.

    `name` is the CSS class of its cells; style.css may give them another width. `meaning` tells users of screen readers
    what the cell says. `cell` returns plain text, "" for nothing; each form of output escapes it.
    """

    name: str
    meaning: str
    cell: Callable[[ExcerptRow], str]


EVIDENCE_COLUMNS = (EvidenceColumn(name="no", meaning="line", cell=lambda row: str(row.number) if row.number else ""),)


def format_cells(rows: Sequence[ExcerptRow], min_width: int = 0) -> list[str]:
    """Return for each row what stands before its text: the cells of its columns, aligned to the right.

    `min_width` is that of the first column, in characters.
    """
    columns = [[column.cell(row) for row in rows] for column in EVIDENCE_COLUMNS]
    widths = [max(map(len, cells), default=0) for cells in columns]
    widths[0] = max(widths[0], min_width)
    return ["  ".join(map(str.rjust, cells, widths)) for cells in zip(*columns, strict=True)]
