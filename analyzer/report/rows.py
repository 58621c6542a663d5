"""Rows of incident.json of which there may be hundreds of thousands: their values are made when they are asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from analyzer.model import Source
from analyzer.redact.secrets import mask_text

RECENT = 1024  # times that are known as text: most clocks are right, and then each is written twice


@functools.lru_cache(RECENT)
def stamp(seconds: float | None) -> str | None:
    """RFC 3339 in UTC with microseconds."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return None


@functools.lru_cache(RECENT)
def _mask(text: str | None) -> str | None:
    return text and mask_text(text)


_SOURCE: dict[str, Callable[[Source], object]] = {
    "file": lambda source: mask_text(source.file),
    "node": lambda source: _mask(source.node),
    "kind": lambda source: source.kind.value,
    "bytes": lambda source: source.bytes,
    "unread": lambda source: source.unread,
    "lines": lambda source: source.lines,
    "timed_lines": lambda source: source.timed_lines,
    "first_time": lambda source: stamp(source.first_time),
    "last_time": lambda source: stamp(source.last_time),
    "status": lambda source: source.status,
    "problem": lambda source: _mask(source.problem),
}


class SourceRow(Mapping[str, object]):
    """A file of the bundle as an object of `sources`, without secrets."""

    __slots__ = ("_source",)

    def __init__(self, source: Source) -> None:
        self._source = source

    def __getitem__(self, key: str) -> object:
        return _SOURCE[key](self._source)

    def __iter__(self) -> Iterator[str]:
        return iter(_SOURCE)

    def __len__(self) -> int:
        return len(_SOURCE)
