"""What a reader of an archive format yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from analyzer.bundle.stream import ForwardStream
from analyzer.model import SourceStatus


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One name in an archive. Without a stream it is not read: `reason` says why, and is empty for a folder.

    `name` is as stored, with surrogates for bytes that are not UTF-8. `stream` is valid until the next entry is
    requested.
    """

    name: str
    size: int | None
    mtime: float | None
    stream: ForwardStream | None
    reason: str = ""
    status: SourceStatus = "skipped"


@dataclass(frozen=True, slots=True)
class OpenArchive:
    """An archive that is being read: its entries and how far its reader is.

    `position` returns the bytes read so far. `bytes_left` returns the bytes that were not looked at if the reader
    stopped early, None if unknown. `trailing_bytes` returns those behind the last entry if it came to the end, and
    raises DamageError.
    """

    entries: Iterator[ArchiveEntry]
    position: Callable[[], int]
    bytes_left: Callable[[], int | None]
    trailing_bytes: Callable[[], int]
