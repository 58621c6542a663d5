"""Members that must be random-access, written to disk with their holes kept as holes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from analyzer.bundle.stream import ForwardStream
from analyzer.bundle.types import DamageError, Member

_BLOCK_BYTES = 512 * 1024
_PAGE_BYTES = 4096
_ZEROS = bytes(_BLOCK_BYTES)
_ZERO_PAGE = bytes(_PAGE_BYTES)


@dataclass(frozen=True, slots=True)
class Spooled:
    """A file on disk, usable wherever a path is. `problem`: a sentence on what is missing at its end, or None.

    `size`: its apparent size in bytes. `stored`: the bytes of it that were written.
    """

    path: Path
    size: int
    stored: int
    problem: str | None = None

    def __fspath__(self) -> str:
        return str(self.path)


def spool_member(member: Member, scratch: Path, budget: int) -> Spooled:
    """Return `member` as a file: its own file if it has one, else a copy in `scratch` (mode 600) with pages of zeros as
    holes.

    At most `budget` bytes are written. The result's `problem` says what was dropped, or where the stream broke.
    """
    if member.local is not None:
        size = member.local.stat().st_size
        return Spooled(member.local, size, size)
    descriptor, name = tempfile.mkstemp(prefix="member-", dir=scratch)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        size = stored = 0
        problem = None
        try:
            for gap, data in _split_holes(member):
                size += gap
                room = min(len(data), budget - stored)
                os.pwrite(file.fileno(), data[:room], size)
                size, stored = size + room, stored + room
                if room < len(data):
                    problem = f"only the first {size:,} bytes were kept: more than {budget:,} of them hold data"
                    break
            file.truncate(size)
        except DamageError as damage:
            problem = f"only the first {size:,} bytes were kept: {damage}"
        except OSError as error:  # the disk is full, or the apparent size is beyond what the file system can do
            problem = f"only the first {stored:,} bytes were kept: {error.strerror}"
    return Spooled(Path(name), size, stored, problem)


def _split_holes(member: Member) -> Iterator[tuple[int, memoryview]]:
    """Yield (number of zero bytes, data behind them) in order; the last data may be empty."""
    stream, gap = member.stream, 0
    buffer = bytearray(_BLOCK_BYTES)
    while True:
        if isinstance(stream, ForwardStream) and (hole := stream.hole_size()):
            stream.skip(hole)
            gap += hole
            continue
        got = stream.readinto(buffer)
        if not got:
            break
        for start, end, zero in _find_zero_runs(buffer, got):
            if zero:
                gap += end - start
                continue
            yield gap, memoryview(buffer)[start:end]
            gap = 0
    yield gap, memoryview(b"")


def _find_zero_runs(buffer: bytearray, size: int) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whether all zero) of runs of equal pages in the first `size` bytes of `buffer`."""
    if size == _BLOCK_BYTES and buffer == _ZEROS:
        yield 0, size, True
        return
    start, zero = 0, False
    for at in range(0, size, _PAGE_BYTES):
        now = buffer.startswith(_ZERO_PAGE if size - at >= _PAGE_BYTES else bytes(size - at), at)
        if now != zero and at > start:
            yield start, at, zero
            start = at
        zero = now
    yield start, size, zero
