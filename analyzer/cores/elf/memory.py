"""The process's memory, as far as it is in the core or in a mapped file.

The core is mapped and never read as a whole. A lookup is a bisection over the PT_LOAD segments.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from analyzer.cores.elf.headers import PF_W, PF_X, PT_LOAD, Buffer, ElfSegment

PAGE_BYTES = 4096


class MemoryOrigin(StrEnum):
    """The file that has the bytes at an address."""

    CORE = "core"
    FILE = "file"  # from a binary that was verified to be the mapped one
    ABSENT = "absent"  # mapped, but neither the core nor a file has it
    UNMAPPED = "unmapped"


class Extent(NamedTuple):
    """The bytes of addresses [start, end) are in `buffer` from `offset` on."""

    start: int
    end: int
    buffer: Buffer
    offset: int


class ProcessMemory:
    """Reads any address. Unknown memory is None. Never raises."""

    def __init__(self, data: Buffer, size: int, segments: Sequence[ElfSegment], order: str, bits: int) -> None:
        self.size = size
        self.mapped_segments = sorted(
            (s for s in segments if s.type == PT_LOAD and s.memsz), key=lambda s: (s.vaddr, s.memsz)
        )
        self._starts = [s.vaddr for s in self.mapped_segments]
        self.extents = [
            Extent(s.vaddr, s.vaddr + stored_bytes, data, s.offset)
            for s in self.mapped_segments
            if (stored_bytes := min(s.filesz, s.memsz, max(0, size - s.offset))) > 0
        ]
        self._extent_starts = [e.start for e in self.extents]
        self._files: list[Extent] = []
        self._file_starts: list[int] = []
        self._code: list[Extent] = []
        self._code_starts: list[int] = []
        self._last = Extent(0, 0, b"", 0)
        self._word = struct.Struct(order + ("Q" if bits == 64 else "I"))
        self.word_size = bits // 8
        self.order = order

    def attach_files(self, extents: Iterable[Extent], code: Iterable[Extent] = ()) -> None:
        """Add extents of files for memory that the core lacks. The caller has verified the files.

        `code` are the executable extents. This sorts all extents, so callers attach those of all modules at once.
        """
        self._files = sorted((*self._files, *extents), key=lambda e: e.start)
        self._file_starts = [e.start for e in self._files]
        self._code = sorted((*self._code, *code), key=lambda e: e.start)
        self._code_starts = [e.start for e in self._code]

    def find_segment(self, address: int) -> ElfSegment | None:
        index = bisect_right(self._starts, address) - 1
        return self.mapped_segments[index] if index >= 0 and address < self.mapped_segments[index].end else None

    def is_executable(self, address: int) -> bool:
        """Return whether code was mapped there. For mappings that are missing in gdb's cores, the module's file
        decides.
        """
        segment = self.find_segment(address)
        if segment is not None:
            return bool(segment.flags & PF_X)
        return _find_covering(self._code, self._code_starts, address) is not None

    def origin(self, address: int) -> MemoryOrigin:
        if _find_covering(self.extents, self._extent_starts, address):
            return MemoryOrigin.CORE
        if _find_covering(self._files, self._file_starts, address):
            return MemoryOrigin.FILE
        return MemoryOrigin.ABSENT if self.find_segment(address) else MemoryOrigin.UNMAPPED

    def find_extent(self, address: int) -> Extent | None:
        last = self._last
        if last.start <= address < last.end:
            return last
        extent = _find_covering(self.extents, self._extent_starts, address)
        extent = extent or _find_covering(self._files, self._file_starts, address)
        if extent:
            self._last = extent
        return extent

    def read_word(self, address: int) -> int | None:
        """Return the pointer-sized number at an address."""
        extent = self.find_extent(address)
        if extent is None:
            return None
        if address + self.word_size > extent.end:
            raw = self.peek(address, self.word_size)
            return self._word.unpack(raw)[0] if len(raw) == self.word_size else None
        value: int = self._word.unpack_from(extent.buffer, address - extent.start + extent.offset)[0]
        return value

    def read_number(self, address: int, size: int, signed: bool = False) -> int | None:
        raw = self.read(address, size)
        if raw is None:
            return None
        return int.from_bytes(raw, "little" if self.order == "<" else "big", signed=signed)

    def read(self, address: int, size: int) -> bytes | None:
        """Return exactly `size` bytes, or None."""
        raw = self.read_some(address, size)
        return raw if len(raw) == size else None

    def read_some(self, address: int, size: int) -> bytes:
        """Return at most `size` bytes, up to the first gap."""
        return self.peek(address, size)

    def peek(self, address: int, size: int) -> bytes:
        """Do the same as `read_some`, for searches. RecordingMemory does not record it, so callers read
        results again.
        """
        extent = self.find_extent(address) if size > 0 else None
        if extent is None:
            return b""
        start = address - extent.start + extent.offset
        if address + size <= extent.end:
            return bytes(extent.buffer[start : start + size])
        parts: list[bytes] = []
        while extent is not None and size > 0:
            start, count = address - extent.start + extent.offset, min(size, extent.end - address)
            parts.append(bytes(extent.buffer[start : start + count]))
            address, size = address + count, size - count
            extent = self.find_extent(address)
        return b"".join(parts)

    def read_string(self, address: int, limit: int = 4096) -> bytes:
        """Return the NUL-ended string at an address, without the NUL, or its beginning if the end is unknown."""
        raw = self.read_some(address, min(limit, 256))
        if b"\0" not in raw and len(raw) == 256 < limit:
            raw = self.read_some(address, limit)
        return raw.split(b"\0", 1)[0]

    def writable_segments(self) -> Iterator[tuple[ElfSegment, int]]:
        """Yield the writable segments, each with the number of its bytes that the core has."""
        for segment in self.mapped_segments:
            stored_bytes = min(segment.filesz, max(0, self.size - segment.offset))
            if segment.flags & PF_W and stored_bytes:
                yield segment, stored_bytes

    def missing_bytes(self) -> tuple[int, int]:
        """Return (number of bytes that the headers promise, number of those that the file lacks)."""
        wanted = sum(s.filesz for s in self.mapped_segments)
        return wanted, sum(s.filesz - min(s.filesz, max(0, self.size - s.offset)) for s in self.mapped_segments)


class RecordingMemory(ProcessMemory):
    """Records which memory was read, so that a core with only this memory gives the same answer.

    `pages` are page numbers of the core's own memory; `file_ranges` are address ranges that only a file has.
    """

    def __init__(self, data: Buffer, size: int, segments: Sequence[ElfSegment], order: str, bits: int) -> None:
        super().__init__(data, size, segments, order, bits)
        self.pages: set[int] = set()
        self.file_ranges: set[tuple[int, int]] = set()

    def read_word(self, address: int) -> int | None:
        self.record_range(address, address + self.word_size)
        return super().read_word(address)

    def read_some(self, address: int, size: int) -> bytes:
        raw = self.peek(address, size)
        self.record_range(address, address + len(raw))
        return raw

    def record_range(self, start: int, end: int) -> None:
        if _find_covering(self.extents, self._extent_starts, start):
            self.pages.update(range(start // PAGE_BYTES, (end + PAGE_BYTES - 1) // PAGE_BYTES))
        elif end - start <= PAGE_BYTES:
            self.file_ranges.add((start, end))


def _find_covering(extents: Sequence[Extent], starts: Sequence[int], address: int) -> Extent | None:
    index = bisect_right(starts, address) - 1
    return extents[index] if index >= 0 and address < extents[index].end else None
