"""What a reader of one archive format yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from analyzer.bundle.stream import ForwardStream
from analyzer.model import SourceStatus


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One name in an archive. Without a stream it is not to be read: `reason` says why, and is empty for a folder.

    `name` is as stored, undecodable bytes as surrogates. `stream` holds until the next entry is asked for.
    """

    name: str
    size: int | None
    mtime: float | None
    stream: ForwardStream | None
    reason: str = ""
    status: SourceStatus = "skipped"


@dataclass(frozen=True, slots=True)
class OpenArchive:
    """An archive on its way: its entries, how far its reader came, and the bytes that it did not look at.

    `left` counts them where the reader stopped early, None if nobody can tell; `behind` where it came to the end, and
    raises DamageError.
    """

    entries: Iterator[ArchiveEntry]
    position: Callable[[], int]
    bytes_left: Callable[[], int | None]
    trailing_bytes: Callable[[], int]
