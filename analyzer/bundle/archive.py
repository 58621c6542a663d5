"""What a reader of one archive format yields."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.bundle.stream import Stream


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in an archive. Without a stream it is not to be read: `reason` says why, and is empty for a folder.

    `name` is as stored, undecodable bytes as surrogates. `stream` holds until the next entry is asked for.
    """

    name: str
    size: int | None
    mtime: float | None
    stream: Stream | None
    reason: str = ""
    status: str = "skipped"
