"""One pass from a stream into a sparse file that keeps what the analysis of a core needs.

Zero pages become holes. Over the budget, what is worth least is dropped: first the rest of huge anonymous segments
(tensors), never headers, notes, stacks at the stack pointers, or the data of modules. A dropped part must not read as
zeros, so the program headers of the target are rewritten: a dropped part has memory size but no file size, as the
kernel writes what coredump_filter leaves out.
"""

from __future__ import annotations

import errno
from bisect import bisect_right
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import Protocol

from analyzer.cores.elf import (
    PN_XNUM,
    PT_LOAD,
    PT_NOTE,
    Header,
    Segment,
    count_segments,
    pack_segments,
    read_header,
    read_segments,
)
from analyzer.cores.keep import Plan, make_plan

BLOCK = 1 << 18
PAGE = 4096
ZEROS = bytes(BLOCK)
ZERO_PAGE = bytes(PAGE)
MAX_HEAD = 64 << 20  # headers and notes of a core of 10^5 threads and mappings


class Stream(Protocol):
    """What is read from; short reads are fine, b"" is the end."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Extracted:
    """A sparse core at `path`. `dropped_bytes` were not zero and not kept."""

    path: Path
    dropped_bytes: int
    notes: tuple[str, ...]


def extract(stream: Stream, target: Path, budget: int) -> Extracted:
    """Write the core that `stream` holds to `target`, at most about `budget` bytes of it that are not zero.

    Whatever `read` raises in the middle ends the core there, when it is an OSError, EOFError or ValueError: a
    truncated core is still a core. A full disk ends it too and is said.
    """
    head, notes = _read_head(stream)
    header = read_header(head)
    segments = read_segments(head, header, count=count_segments(head, header)) if header else []
    plan = make_plan(head, header, segments, budget)
    with target.open("wb", buffering=0) as out:
        state = _Copy(out, plan, budget, notes)
        state.put(head)
        state.drain(stream)
        out.truncate(state.at)
        if header and state.lost:
            _rewrite_headers(out, header, segments, state)
    if state.dropped:
        notes.append(f"{state.dropped} bytes of memory were dropped, over the budget of {budget} bytes")
    return Extracted(target, state.dropped, tuple(notes))


def spool(stream: Stream, target: Path, budget: int) -> int | None:
    """Write a binary to `target` with holes where it is zero; bytes written, None where it does not fit."""
    target.parent.mkdir(parents=True, exist_ok=True)
    notes = list[str]()
    with target.open("wb", buffering=0) as out:
        state = _Copy(out, Plan(), budget, notes)
        state.drain(stream)
        out.truncate(state.at)
    if state.dropped or state.full:
        target.unlink()
        return None
    return state.kept


def _read_head(stream: Stream) -> tuple[bytes, list[str]]:
    """Headers and notes, and what was read along with them."""
    head, notes = bytearray(), list[str]()
    wanted = PAGE
    while len(head) < wanted:
        block = _read(stream, min(BLOCK, wanted - len(head)), notes)
        if not block:
            break
        head += block
        if len(head) >= wanted:
            wanted = max(wanted, min(MAX_HEAD, _head_size(bytes(head[:PAGE]), head)))
    return bytes(head), notes


def _head_size(page: bytes, head: bytearray) -> int:
    header = read_header(page)
    if header is None:
        return PAGE
    # The first page holds the first program headers, hence the first note of a kernel core, hence the table's size.
    count = count_segments(page, header) if header.phnum == PN_XNUM else header.phnum
    table = header.phoff + count * header.segment_size
    if len(head) < table:
        return table
    # gdb writes the notes behind the memory: those are kept as they come.
    notes = [s for s in read_segments(head, header, count=count) if s.type == PT_NOTE]
    return max([table, *(end for s in notes if (end := s.offset + s.filesz) <= MAX_HEAD)])


def _read(stream: Stream, size: int, notes: list[str]) -> bytes:
    try:
        return stream.read(size)
    except (OSError, EOFError, ValueError) as error:
        notes.append(f"the core breaks off: {error}")
        return b""


class _Copy:
    """The running copy: where it is, what it kept, what it lost (ranges of the file)."""

    def __init__(self, out: RawIOBase, plan: Plan, budget: int, notes: list[str]) -> None:
        self.out, self.plan, self.budget, self.notes = out, plan, budget, notes
        self.at = self.kept = self.kept_to = self.dropped = 0
        self.lost: list[tuple[int, int]] = []
        self.full = False

    def drain(self, stream: Stream) -> None:
        """Whole blocks, so that pages are judged as pages however little a decompressor gives at a time."""
        parts, size = list[bytes](), 0
        while part := _read(stream, BLOCK - size, self.notes):
            parts.append(part)
            size += len(part)
            if size == BLOCK:
                self.put(b"".join(parts))
                parts, size = [], 0
        self.put(b"".join(parts))

    def put(self, block: bytes) -> None:
        """A zero block costs one memcmp; others are looked at page by page, runs of pages are written at once."""
        for start in range(0, len(block), BLOCK):
            self._put_block(block[start : start + BLOCK])

    def _put_block(self, block: bytes) -> None:
        edge = self.plan.next_edge(self.at) - self.at
        if edge < len(block):
            self._put_block(block[:edge])
            self._put_block(block[edge:])
            return
        run = 0
        if block != (ZEROS if len(block) == BLOCK else ZEROS[: len(block)]):
            for page in range(-self.at % PAGE, len(block) - PAGE + 1, PAGE):
                if block[page : page + PAGE] == ZERO_PAGE:
                    self._keep(block, run, page)
                    run = page + PAGE
            self._keep(block, run, len(block))
        self.at += len(block)

    def _keep(self, block: bytes, start: int, end: int) -> None:
        if start == end:
            return
        at, size = self.at + start, end - start
        sure = self.plan.is_sure(at)
        room = self.budget - self.kept - (0 if sure else self.plan.to_come(at))
        if not self.full and (sure or size <= room) and self._write(block[start:end], at):
            self.kept += size
            self.kept_to = at + size
            return
        self.dropped += size
        if self.lost and self.lost[-1][1] >= self.kept_to:  # nothing but zeros between: one hole
            self.lost[-1] = (self.lost[-1][0], at + size)
        else:
            self.lost.append((at, at + size))

    def _write(self, block: bytes, at: int) -> bool:
        try:
            self.out.seek(at)
            self.out.write(block)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            self.full = True
            self.notes.append("the scratch disk is full: the rest of the core was dropped")
            return False
        return True


def _rewrite_headers(out: RawIOBase, header: Header, segments: list[Segment], state: _Copy) -> None:
    """Put a new table of program headers behind the core, with the lost parts as memory without file bytes."""
    # What a truncated stream did not bring is lost too: the new table stands where it would have been.
    lost = [*state.lost, (state.at, 1 << 64)]
    pieces = [piece for s in segments for piece in (_split(s, lost) if s.type == PT_LOAD else [s])]
    if len(pieces) >= PN_XNUM:
        state.notes.append("too many parts were dropped to note each: dropped memory reads as zeros")
        return
    at = (state.at + 63) // 64 * 64
    little = header.order == "<"
    out.seek(at)
    out.write(pack_segments(pieces, header))
    wide = header.bits == 64
    for offset, value, size in ((32 if wide else 28, at, header.word), (56 if wide else 44, len(pieces), 2)):
        out.seek(offset)
        out.write(value.to_bytes(size, "little" if little else "big"))


def _split(segment: Segment, lost: list[tuple[int, int]]) -> list[Segment]:
    """The segment in parts that are there and parts that are not; page-wise, so at most two for each lost range."""
    starts = [start for start, _ in lost]
    index = max(0, bisect_right(starts, segment.offset) - 1)
    at, end, pieces = segment.offset, segment.offset + segment.filesz, list[Segment]()
    while index < len(lost) and lost[index][0] < end:
        low, high = max(at, lost[index][0]), min(end, lost[index][1])
        if low < high:
            if at < low:
                pieces.append(_part(segment, at, low, low - at))
            pieces.append(_part(segment, low, high, 0))
            at = high
        index += 1
    if not pieces:
        return [segment]
    if at < end:
        pieces.append(_part(segment, at, end, end - at))
    rest = segment.memsz - segment.filesz
    return pieces if rest <= 0 else [*pieces, _part(segment, end, end + rest, 0)._replace(offset=end)]


def _part(segment: Segment, start: int, end: int, filesz: int) -> Segment:
    vaddr = segment.vaddr + start - segment.offset
    return segment._replace(offset=start, vaddr=vaddr, memsz=end - start, filesz=filesz)
