"""Copy a core from a stream into a sparse file, in one pass, and keep what the analysis needs.

Zero pages become holes. If the budget is exceeded, the least valuable memory is dropped: first the ends of huge
anonymous segments (tensors), never headers, notes, stacks at the stack pointers, or the data of modules. A dropped part
must not read as zeros. So the program headers of the target are rewritten: a dropped part has memory size but no file
size, like memory that coredump_filter excludes.
"""

from __future__ import annotations

import errno
from bisect import bisect_right
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import Protocol

from analyzer.cores.elf.headers import (
    PN_XNUM,
    PT_LOAD,
    PT_NOTE,
    ElfHeader,
    ElfSegment,
    count_segments,
    pack_segments,
    read_header,
    read_segments,
)
from analyzer.cores.page_selection import PageSelection, select_ranges

BLOCK_BYTES = 1 << 18
PAGE_BYTES = 4096
ZERO_BLOCK = bytes(BLOCK_BYTES)
ZERO_PAGE = bytes(PAGE_BYTES)
MAX_HEAD_BYTES = 64 << 20  # headers and notes of a core of 10^5 threads and mappings


class ByteStream(Protocol):
    """A source of bytes. Short reads are fine; b"" is the end."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class ExtractedCore:
    """A sparse core at `path`. `dropped_bytes` counts non-zero bytes that were not kept; `notes` are sentences."""

    path: Path
    dropped_bytes: int
    notes: tuple[str, ...]


def extract_core(stream: ByteStream, target: Path, budget: int) -> ExtractedCore:
    """Write the core in `stream` to `target`, with about `budget` non-zero bytes at most.

    An OSError, EOFError or ValueError from `read` ends the core there, since a truncated core is still useful. A full
    disk ends it too. `notes` mentions both. Raises OSError if the target fails in another way.
    """
    head, notes = _read_head(stream)
    header = read_header(head)
    segments = read_segments(head, header, count=count_segments(head, header)) if header else []
    selection = select_ranges(head, header, segments, budget)
    with target.open("wb", buffering=0) as out:
        copy = _SparseCopy(out, selection, budget, notes)
        copy.copy_block(head)
        copy.copy_all(stream)
        out.truncate(copy.at)
        if header and copy.lost_ranges:
            _rewrite_headers(out, header, segments, copy)
        elif (
            copy.lost_ranges
        ):  # the lists of a minidump cannot be rewritten, so it counts as truncated at the first dropped byte
            out.truncate(copy.lost_ranges[0][0])
    if copy.dropped_bytes:
        notes.append(f"{copy.dropped_bytes} bytes of memory were dropped, over the budget of {budget} bytes")
    return ExtractedCore(target, copy.dropped_bytes, tuple(notes))


def spool_binary(stream: ByteStream, target: Path, budget: int) -> int | None:
    """Write a binary to `target` with holes for zeros. Return the number of bytes written; None if it does not fit."""
    target.parent.mkdir(parents=True, exist_ok=True)
    notes = list[str]()
    with target.open("wb", buffering=0) as out:
        copy = _SparseCopy(out, PageSelection(), budget, notes)
        copy.copy_all(stream)
        out.truncate(copy.at)
    if copy.dropped_bytes or copy.is_full:
        target.unlink()
        return None
    return copy.kept_bytes


def _read_head(stream: ByteStream) -> tuple[bytes, list[str]]:
    """Return the bytes up to the end of headers and notes, and sentences about what went wrong."""
    head, notes = bytearray(), list[str]()
    wanted = PAGE_BYTES
    while len(head) < wanted:
        block = _read_block(stream, min(BLOCK_BYTES, wanted - len(head)), notes)
        if not block:
            break
        head += block
        if len(head) >= wanted:
            wanted = max(wanted, min(MAX_HEAD_BYTES, _head_size(bytes(head[:PAGE_BYTES]), head)))
    return bytes(head), notes


def _head_size(page: bytes, head: bytearray) -> int:
    header = read_header(page)
    if header is None:
        return PAGE_BYTES
    # The first page holds the first program headers, hence the first note of a kernel core, hence the table's size.
    count = count_segments(page, header) if header.phnum == PN_XNUM else header.phnum
    table = header.phoff + count * header.program_header_size
    if len(head) < table:
        return table
    # gdb writes the notes after the memory: those are kept anyway.
    notes = [s for s in read_segments(head, header, count=count) if s.type == PT_NOTE]
    return max([table, *(end for s in notes if (end := s.offset + s.filesz) <= MAX_HEAD_BYTES)])


def _read_block(stream: ByteStream, size: int, notes: list[str]) -> bytes:
    try:
        return stream.read(size)
    except (OSError, EOFError, ValueError) as error:
        notes.append(f"the core ends early: {error}")
        return b""


class _SparseCopy:
    """A running copy: its position, the number of kept bytes, and the lost ranges of the file."""

    def __init__(self, out: RawIOBase, plan: PageSelection, budget: int, notes: list[str]) -> None:
        self.out, self.selection, self.budget, self.notes = out, plan, budget, notes
        self.at = self.kept_bytes = self.kept_end = self.dropped_bytes = 0
        self.lost_ranges: list[tuple[int, int]] = []
        self.is_full = False

    def copy_all(self, stream: ByteStream) -> None:
        """Copy in full blocks, so that zero pages are found even if a decompressor returns little at a time."""
        parts, size = list[bytes](), 0
        while part := _read_block(stream, BLOCK_BYTES - size, self.notes):
            parts.append(part)
            size += len(part)
            if size == BLOCK_BYTES:
                self.copy_block(b"".join(parts))
                parts, size = [], 0
        self.copy_block(b"".join(parts))

    def copy_block(self, block: bytes) -> None:
        """Copy a block.

        A zero block costs one memcmp; others are checked by page, and runs of pages are written at once.
        """
        for start in range(0, len(block), BLOCK_BYTES):
            self._copy_within_edges(block[start : start + BLOCK_BYTES])

    def _copy_within_edges(self, block: bytes) -> None:
        edge = self.selection.next_edge(self.at) - self.at
        if edge < len(block):
            self._copy_within_edges(block[:edge])
            self._copy_within_edges(block[edge:])
            return
        run = 0
        if block != (ZERO_BLOCK if len(block) == BLOCK_BYTES else ZERO_BLOCK[: len(block)]):
            for page in range(-self.at % PAGE_BYTES, len(block) - PAGE_BYTES + 1, PAGE_BYTES):
                if block[page : page + PAGE_BYTES] == ZERO_PAGE:
                    self._keep_or_drop(block, run, page)
                    run = page + PAGE_BYTES
            self._keep_or_drop(block, run, len(block))
        self.at += len(block)

    def _keep_or_drop(self, block: bytes, start: int, end: int) -> None:
        if start == end:
            return
        at, size = self.at + start, end - start
        is_selected = self.selection.is_selected(at)
        bytes_left = self.budget - self.kept_bytes - (0 if is_selected else self.selection.bytes_to_come(at))
        if not self.is_full and (is_selected or size <= bytes_left) and self._write(block[start:end], at):
            self.kept_bytes += size
            self.kept_end = at + size
            return
        self.dropped_bytes += size
        if self.lost_ranges and self.lost_ranges[-1][1] >= self.kept_end:  # only zeros between: one hole
            self.lost_ranges[-1] = (self.lost_ranges[-1][0], at + size)
        else:
            self.lost_ranges.append((at, at + size))

    def _write(self, block: bytes, at: int) -> bool:
        try:
            self.out.seek(at)
            self.out.write(block)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            self.is_full = True
            self.notes.append("the scratch disk is full: the rest of the core was dropped")
            return False
        return True


def _rewrite_headers(out: RawIOBase, header: ElfHeader, segments: list[ElfSegment], copy: _SparseCopy) -> None:
    """Write a new table of program headers after the core, with the lost parts as memory without file bytes."""
    # The missing end of a truncated stream is lost too: the new table takes its place.
    lost_ranges = [*copy.lost_ranges, (copy.at, 1 << 64)]
    pieces = [piece for s in segments for piece in (_split_segment(s, lost_ranges) if s.type == PT_LOAD else [s])]
    if len(pieces) >= PN_XNUM:
        copy.notes.append("too many parts were dropped to note each: dropped memory reads as zeros")
        return
    at = (copy.at + 63) // 64 * 64
    little = header.order == "<"
    out.seek(at)
    out.write(pack_segments(pieces, header))
    wide = header.bits == 64
    for offset, value, size in ((32 if wide else 28, at, header.word_size), (56 if wide else 44, len(pieces), 2)):
        out.seek(offset)
        out.write(value.to_bytes(size, "little" if little else "big"))


def _split_segment(segment: ElfSegment, lost_ranges: list[tuple[int, int]]) -> list[ElfSegment]:
    """Split a segment into parts that were kept and parts that were lost, at most two for each lost range."""
    starts = [start for start, _ in lost_ranges]
    index = max(0, bisect_right(starts, segment.offset) - 1)
    at, end, pieces = segment.offset, segment.offset + segment.filesz, list[ElfSegment]()
    while index < len(lost_ranges) and lost_ranges[index][0] < end:
        low, high = max(at, lost_ranges[index][0]), min(end, lost_ranges[index][1])
        if low < high:
            if at < low:
                pieces.append(_segment_part(segment, at, low, low - at))
            pieces.append(_segment_part(segment, low, high, 0))
            at = high
        index += 1
    if not pieces:
        return [segment]
    if at < end:
        pieces.append(_segment_part(segment, at, end, end - at))
    zeros = segment.memsz - segment.filesz
    return pieces if zeros <= 0 else [*pieces, _segment_part(segment, end, end + zeros, 0)._replace(offset=end)]


def _segment_part(segment: ElfSegment, start: int, end: int, filesz: int) -> ElfSegment:
    vaddr = segment.vaddr + start - segment.offset
    return segment._replace(offset=start, vaddr=vaddr, memsz=end - start, filesz=filesz)
