"""A core within a bound, where no slim form can be made: all notes, the stacks, then the smallest mappings.

Interpreters keep their objects in arenas of a megabyte or less; what is large is tensors, buffers and caches, which no
backtrace needs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple, Optional

from analyzer.collect.elfcore import (
    PN_XNUM,
    PT_LOAD,
    PT_NOTE,
    Core,
    Segment,
    pack_segments,
    read_core,
    read_strings,
)
from analyzer.collect.redact import mask_command
from analyzer.redact.memory import MAX_SECRET, list_values

PAGE = 4096
WHOLE = 8 << 20  # bytes of the crashed thread's stack
PART = 256 << 10  # of every other thread's
RED_ZONE = 256  # bytes below the stack pointer that a function may use


class Lean(NamedTuple):
    """`head` and then `pieces` (offset, length) of the core file make the smaller one."""

    head: bytes
    pieces: Sequence[tuple[int, int]]
    files: Sequence[str]  # mapped files
    user: int | None  # as whom the process ran, where that is known
    secrets: Sequence[bytes]  # values of arguments and variables whose names say secret


def trim_core(file: IO[bytes], limit: int) -> Optional[Lean]:  # noqa: UP045  (Python 3.9)
    """At most about `limit` bytes; None where the file is no core that can be read. Raises OSError."""
    core = read_core(file)
    size = file.seek(0, 2)
    if core is None:
        return None
    secrets = _find_secrets(read_strings(file, core))
    there = [one._replace(size=max(0, min(one.size, size - one.offset))) for one in core.segments]  # it may be cut
    rows = [row for one, kept in zip(there, _choose(core, there, limit)) for row in _split(one, kept)]
    rows = rows[: PN_XNUM - 1]
    at = 64 + 56 * len(rows)
    placed, pieces = [], []
    for row in rows:
        placed.append(row._replace(offset=at))
        pieces.append((row.offset, row.size))
        at += row.size
    # the table behind the header, no sections
    head = core.head[:32] + _word(64, core) + _word(0, core) + core.head[48:56] + _half(len(rows), core) + bytes(6)
    head += pack_segments(placed, core.order)
    return Lean(head, [piece for piece in pieces if piece[1]], core.files, core.user, secrets)


def _find_secrets(words: Sequence[bytes]) -> list[bytes]:
    said = [word.decode("utf-8", "surrogateescape") for word in words if 0 < len(word) <= MAX_SECRET]
    return list_values([(raw, shown) for raw, shown in zip(said, mask_command(said)) if raw != shown])


def _choose(core: Core, segments: Sequence[Segment], limit: int) -> list[tuple[int, int]]:
    """What of each segment is kept: addresses from and to."""
    kept = [(one.address, one.address + one.size) if one.kind == PT_NOTE else (0, 0) for one in segments]
    left = limit - sum(stop - start for start, stop in kept)
    by_address = sorted((one.address, place) for place, one in enumerate(segments) if one.kind == PT_LOAD)
    for number, pointer in enumerate(core.stacks):
        place = by_address[max(0, bisect_right(by_address, (pointer, len(segments))) - 1)][1] if by_address else 0
        one = segments[place] if segments else None
        if one is None or not one.address <= pointer < one.address + one.size or kept[place] != (0, 0):
            continue
        start = max(one.address, (pointer - RED_ZONE) // PAGE * PAGE)
        stop = min(one.address + one.size, start + (PART if number else WHOLE))
        if stop - start <= left:
            kept[place] = (start, stop)
            left -= stop - start
    for place in sorted(range(len(segments)), key=lambda at: segments[at].size):
        one = segments[place]
        if one.kind == PT_LOAD and kept[place] == (0, 0) and 0 < one.size <= left:
            kept[place] = (one.address, one.address + one.size)
            left -= one.size
    return kept


def _split(one: Segment, kept: tuple[int, int]) -> Iterator[Segment]:
    """The part that is kept, with its bytes, between parts without."""
    if one.kind == PT_NOTE:
        yield one
    if one.kind != PT_LOAD:
        return
    start, stop = kept if kept[1] else (one.address, one.address)
    if one.address < start:
        yield one._replace(size=0, memory=start - one.address)
    if start < stop:
        yield one._replace(
            offset=one.offset + start - one.address, address=start, size=stop - start, memory=stop - start
        )
    if stop < one.address + one.memory:
        yield one._replace(offset=0, address=stop, size=0, memory=one.address + one.memory - stop)


def _word(value: int, core: Core) -> bytes:
    return value.to_bytes(8, "little" if core.order == "<" else "big")


def _half(value: int, core: Core) -> bytes:
    return value.to_bytes(2, "little" if core.order == "<" else "big")
