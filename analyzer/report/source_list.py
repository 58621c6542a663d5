"""The files of the bundle for the report's list: those with a problem come first."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.report.document import WrittenIncident, WrittenSource

READ_STATUSES = ("read", "partly-read")
KINDS_WITHOUT_LOG = ("unknown", "environment")
MAX_PROBLEM_ROWS, MAX_WHOLE_ROWS = 200, 1500  # rows of the table


@dataclass(slots=True)
class SourceListing:
    """The first of a kind, and how many there are."""

    max_rows: int
    count: int = 0
    rows: list[WrittenSource] = field(default_factory=list)

    @property
    def more(self) -> int:
        return self.count - len(self.rows)

    def add(self, row: WrittenSource) -> None:
        self.count += 1
        if len(self.rows) < self.max_rows:
            self.rows.append(row)


def list_sources(incident: WrittenIncident) -> tuple[SourceListing, SourceListing]:
    """Return (files that were not read completely or have a problem, the other files)."""
    with_problem, without_problem = SourceListing(MAX_PROBLEM_ROWS), SourceListing(MAX_WHOLE_ROWS)
    for source in incident.sources:
        (with_problem if has_problem(source) else without_problem).add(source)
    return with_problem, without_problem


def is_anything_read(incident: WrittenIncident) -> bool:
    """Return whether at least one file was read as a log, a core or a record, if only in part.

    A text of an unknown kind without a time counts only if something in it is known: a script with the word `done`
    is no log, and neither is a list of packages alone.
    """
    sources = [source for source in incident.sources if source.status in READ_STATUSES]
    if any(source.timed_lines or source.kind not in KINDS_WITHOUT_LOG for source in sources):
        return True
    is_known = any(
        fact.last_step is not None or fact.core or (fact.ended and fact.ended.how != "finished")
        for fact in incident.hard_facts
    )
    return bool(sources) and bool(is_known or incident.findings or incident.cores or incident.unclassified)


def has_problem(source: WrittenSource) -> bool:
    return source.status != "read" or bool(source.problem)
