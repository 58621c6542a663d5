"""Trim a core to a size if no slim form can be made: all notes, the stacks, then the smallest mappings.

Interpreters keep their objects in arenas of a megabyte or less. Large mappings are tensors, buffers and caches, which
no backtrace needs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple, Optional

from analyzer.collect.argument_masking import mask_command
from analyzer.collect.elfcore import (
    PN_XNUM,
    PT_LOAD,
    PT_NOTE,
    CoreHeaders,
    CoreSegment,
    pack_segments,
    read_core_headers,
    read_strings,
)
from analyzer.redact.memory_masking import MAX_SECRET_BYTES, list_secret_values

PAGE_BYTES = 4096
MAX_CRASHED_STACK_BYTES = 8 << 20  # bytes of the crashed thread's stack
MAX_OTHER_STACK_BYTES = 256 << 10  # of every other thread's
RED_ZONE_BYTES = 256  # bytes below the stack pointer that a function may use


class TrimmedCore(NamedTuple):
    """A smaller core: `header`, and then `pieces` (offset, length) of the original file."""

    header: bytes
    pieces: Sequence[tuple[int, int]]
    mapped_files: Sequence[str]  # mapped files
    user_id: int | None  # as whom the process ran, where that is known
    secrets: Sequence[bytes]  # values of arguments and variables whose names say secret


def trim_core(file: IO[bytes], max_bytes: int) -> Optional[TrimmedCore]:  # noqa: UP045  (Python 3.9)
    """Return the core trimmed to about `max_bytes`; None if the file is not a readable core. Raises OSError."""
    core = read_core_headers(file)
    size = file.seek(0, 2)
    if core is None:
        return None
    secrets = _find_secrets(read_strings(file, core))
    readable = [
        segment._replace(file_size=max(0, min(segment.file_size, size - segment.offset))) for segment in core.segments
    ]  # it may be cut
    segments = [
        segment_part
        for segment, kept in zip(readable, _choose_ranges(core, readable, max_bytes))
        for segment_part in _split_segment(segment, kept)
    ]
    segments = segments[: PN_XNUM - 1]
    at = 64 + 56 * len(segments)
    placed, pieces = [], []
    for segment_part in segments:
        placed.append(segment_part._replace(offset=at))
        pieces.append((segment_part.offset, segment_part.file_size))
        at += segment_part.file_size
    # the table behind the header, no sections
    head = (
        core.elf_header[:32]
        + _pack_u64(64, core)
        + _pack_u64(0, core)
        + core.elf_header[48:56]
        + _pack_u16(len(segments), core)
        + bytes(6)
    )
    head += pack_segments(placed, core.byte_order)
    return TrimmedCore(
        header=head,
        pieces=[piece for piece in pieces if piece[1]],
        mapped_files=core.mapped_files,
        user_id=core.user_id,
        secrets=secrets,
    )


def _find_secrets(words: Sequence[bytes]) -> list[bytes]:
    texts = [word.decode("utf-8", "surrogateescape") for word in words if 0 < len(word) <= MAX_SECRET_BYTES]
    return list_secret_values([(raw, shown) for raw, shown in zip(texts, mask_command(texts)) if raw != shown])


def _choose_ranges(core: CoreHeaders, segments: Sequence[CoreSegment], max_bytes: int) -> list[tuple[int, int]]:
    """Return which addresses of each segment are kept, as (start, end); (0, 0) for none."""
    kept = [
        (segment.address, segment.address + segment.file_size) if segment.kind == PT_NOTE else (0, 0)
        for segment in segments
    ]
    left_bytes = max_bytes - sum(stop - start for start, stop in kept)
    by_address = sorted((segment.address, index) for index, segment in enumerate(segments) if segment.kind == PT_LOAD)
    for thread, pointer in enumerate(core.stack_pointers):
        index = by_address[max(0, bisect_right(by_address, (pointer, len(segments))) - 1)][1] if by_address else 0
        segment = segments[index] if segments else None
        if (
            segment is None
            or not segment.address <= pointer < segment.address + segment.file_size
            or kept[index] != (0, 0)
        ):
            continue
        start = max(segment.address, (pointer - RED_ZONE_BYTES) // PAGE_BYTES * PAGE_BYTES)
        stop = min(
            segment.address + segment.file_size, start + (MAX_OTHER_STACK_BYTES if thread else MAX_CRASHED_STACK_BYTES)
        )
        if stop - start <= left_bytes:
            kept[index] = (start, stop)
            left_bytes -= stop - start
    for index in sorted(range(len(segments)), key=lambda at: segments[at].file_size):
        segment = segments[index]
        if segment.kind == PT_LOAD and kept[index] == (0, 0) and 0 < segment.file_size <= left_bytes:
            kept[index] = (segment.address, segment.address + segment.file_size)
            left_bytes -= segment.file_size
    return kept


def _split_segment(segment: CoreSegment, kept: tuple[int, int]) -> Iterator[CoreSegment]:
    """Yield the kept part of a segment with its bytes, between parts without bytes."""
    if segment.kind == PT_NOTE:
        yield segment
    if segment.kind != PT_LOAD:
        return
    start, stop = kept if kept[1] else (segment.address, segment.address)
    if segment.address < start:
        yield segment._replace(file_size=0, memory_size=start - segment.address)
    if start < stop:
        yield segment._replace(
            offset=segment.offset + start - segment.address,
            address=start,
            file_size=stop - start,
            memory_size=stop - start,
        )
    if stop < segment.address + segment.memory_size:
        yield segment._replace(
            offset=0, address=stop, file_size=0, memory_size=segment.address + segment.memory_size - stop
        )


def _pack_u64(value: int, core: CoreHeaders) -> bytes:
    return value.to_bytes(8, "little" if core.byte_order == "<" else "big")


def _pack_u16(value: int, core: CoreHeaders) -> bytes:
    return value.to_bytes(2, "little" if core.byte_order == "<" else "big")
