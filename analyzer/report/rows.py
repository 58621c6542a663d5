"""Lazy rows of incident.json, for lists that may have hundreds of thousands: values are computed on access."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from analyzer.model import Event, Source
from analyzer.redact.secrets import mask_text
from analyzer.redact.truncation import truncate

MAX_EVENT_CHARS = 300  # characters of an event's line
CACHED_TEXTS = 1024  # cached texts of times: most clocks are right, so each time is written twice


@functools.lru_cache(CACHED_TEXTS)
def format_stamp(seconds: float | None) -> str | None:
    """Format a time (seconds, UTC) as RFC 3339 with microseconds."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return None


@functools.lru_cache(CACHED_TEXTS)
def _mask(text: str | None) -> str | None:
    return text and mask_text(text)


_SOURCE_FIELDS: dict[str, Callable[[Source], object]] = {
    "file": lambda source: mask_text(source.file),
    "node": lambda source: _mask(source.node),
    "kind": lambda source: source.kind.value,
    "bytes": lambda source: source.bytes,
    "unread": lambda source: source.unread,
    "lines": lambda source: source.lines,
    "timed_lines": lambda source: source.timed_lines,
    "first_time": lambda source: format_stamp(source.first_time),
    "last_time": lambda source: format_stamp(source.last_time),
    "status": lambda source: source.status,
    "problem": lambda source: _mask(source.problem),
}


class SourceRow(Mapping[str, object]):
    """A file of the bundle as an object of `sources`, without secrets."""

    __slots__ = ("_source",)

    def __init__(self, source: Source) -> None:
        self._source = source

    def __getitem__(self, key: str) -> object:
        return _SOURCE_FIELDS[key](self._source)

    def __iter__(self) -> Iterator[str]:
        return iter(_SOURCE_FIELDS)

    def __len__(self) -> int:
        return len(_SOURCE_FIELDS)


_EVENT_FIELDS: dict[str, Callable[[EventRow], object]] = {
    "node": lambda row: _mask(row.event.node) or None,
    "task": lambda row: _mask(row.event.task),
    "time": lambda row: format_stamp(row.event.time),
    "corrected": lambda row: format_stamp(row.corrected),
    "inferred": lambda row: row.event.inferred,
    "signal": lambda row: row.event.signal,
    "severity": lambda row: row.event.severity.label,
    "file": lambda row: _mask(row.event.locus.file),
    "line": lambda row: row.event.locus.line,
    "text": lambda row: mask_text(truncate(row.event.text, MAX_EVENT_CHARS)),
    "finding": lambda row: row.finding,
}


class EventRow(Mapping[str, object]):
    """An event as an object of `timeline.events`, without secrets; `finding` is the id of a finding that uses it as
    evidence.
    """

    __slots__ = ("corrected", "event", "finding")
    event: Event
    corrected: float | None
    finding: str | None

    def __init__(self, event: Event, corrected: float | None, finding: str | None) -> None:
        self.event, self.corrected, self.finding = event, corrected, finding

    def __getitem__(self, key: str) -> object:
        return _EVENT_FIELDS[key](self)

    def __iter__(self) -> Iterator[str]:
        return iter(_EVENT_FIELDS)

    def __len__(self) -> int:
        return len(_EVENT_FIELDS)
