"""The streams of a minidump: its directory, and the lists of threads, modules and memory, each within its bounds.

The package `minidump` knows the structures. It trusts every count, so this module first compares a list's count with
the size of its stream. Formats: minidumpapiset.h; the types of Linux are those of Breakpad (google_breakpad/common/
minidump_format.h) and Crashpad (minidump/minidump_extensions.h).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from minidump.streams import (
    MINIDUMP_MEMORY64_LIST,
    MINIDUMP_MEMORY_LIST,
    MINIDUMP_MODULE_LIST,
    MINIDUMP_THREAD_LIST,
)
from minidump.streams.ExceptionStream import MINIDUMP_EXCEPTION_STREAM

from analyzer.cores.elf.headers import Buffer

THREADS, MODULES, MEMORY, EXCEPTION, SYSTEM, MEMORY_64, MISC, THREAD_NAMES = 3, 4, 5, 6, 7, 9, 15, 24
CPU_INFO, PROC_STATUS, LSB_RELEASE, CMD_LINE, ENVIRON, AUXV, MAPS, DSO_DEBUG = range(0x47670003, 0x4767000B)
CRASHPAD_INFO = 0x43500001
# Streams without further facts about the crash: the machine, and the addresses of modules again.
PASSED_OVER = frozenset((0, SYSTEM, CPU_INFO, LSB_RELEASE, DSO_DEBUG))
STREAM_NAMES = {12: "open handles", 14: "unloaded modules", 16: "protections", CRASHPAD_INFO: "Crashpad's annotations"}

HEADER, DIRECTORY_ROW = struct.Struct("<4sIIIIIQ"), struct.Struct("<III")
THREAD_BYTES, MODULE_BYTES, RANGE_BYTES, LONG_RANGE_BYTES, EXCEPTION_BYTES = 48, 108, 16, 16, 168
THREAD_NAME_ROW = struct.Struct("<IQ")
MAX_STREAMS = 4096
MAX_STREAM_BYTES = 16 << 20
MAX_NAME_BYTES = 8192
BUILD_ID_MARK, MAX_BUILD_ID_BYTES = b"LEpB", 64  # MD_CVINFOELF_SIGNATURE


class MemoryRange(NamedTuple):
    """Memory at address `start`. Its bytes are at `offset` in the file."""

    start: int
    size: int
    offset: int

    @property
    def end(self) -> int:
        return self.start + self.size


class MinidumpModule(NamedTuple):
    path: str
    start: int
    size: int
    build_id: str | None

    @property
    def end(self) -> int:
        return self.start + max(self.size, 1)


@dataclass(slots=True)
class Minidump:
    """The directory of a minidump. `rows` has (offset, size) of the first stream of each type.

    `written` is in UTC seconds. `problems` are sentences about truncated parts.
    """

    data: Buffer
    written: int
    rows: dict[int, tuple[int, int]]
    problems: list[str] = field(default_factory=list)

    def content(self, kind: int) -> bytes:
        """Return the bytes of a stream, as far as the file has them; empty if there is no such stream."""
        offset, size = self.rows.get(kind, (0, 0))
        return bytes(self.data[offset : offset + min(size, MAX_STREAM_BYTES)])

    def text(self, kind: int) -> str:
        return self.content(kind).decode("utf-8", "backslashreplace")

    def name_at(self, offset: int) -> str:
        """Return a MINIDUMP_STRING: its length in bytes, and UTF-16 text."""
        size = int.from_bytes(self.data[offset : offset + 4], "little")
        raw = bytes(self.data[offset + 4 : offset + 4 + min(size, MAX_NAME_BYTES)])
        return raw.decode("utf-16-le", "replace").rstrip("\0")

    @property
    def unread_streams(self) -> list[str]:
        """Return the names of the streams that this program does not read."""
        read = {THREADS, MODULES, MEMORY, EXCEPTION, MEMORY_64, MISC, THREAD_NAMES}
        read |= {PROC_STATUS, CMD_LINE, ENVIRON, AUXV, MAPS}
        return [STREAM_NAMES.get(kind, f"stream {kind:#x}") for kind in self.rows if kind not in read | PASSED_OVER]


def read_directory(data: Buffer) -> Minidump:
    """Return the directory, as far as the file has it. The caller has checked the magic number."""
    head = bytes(data[: HEADER.size]).ljust(HEADER.size, b"\0")
    _, _, count, offset, _, written, _ = HEADER.unpack(head)
    wanted = min(count, MAX_STREAMS)
    table = bytes(data[offset : offset + wanted * DIRECTORY_ROW.size])
    rows: dict[int, tuple[int, int]] = {}
    for kind, size, at in DIRECTORY_ROW.iter_unpack(table[: len(table) // DIRECTORY_ROW.size * DIRECTORY_ROW.size]):
        rows.setdefault(kind, (at, size))
    minidump = Minidump(data, written, rows)
    present = len(table) // DIRECTORY_ROW.size
    if count > present:
        minidump.problems.append(f"only {present} of {count} streams are listed: the others are cut off")
    return minidump


def read_threads(minidump: Minidump) -> list[Any]:
    """Return the MINIDUMP_THREADs."""
    return list(_read_list(minidump, THREADS, "threads", MINIDUMP_THREAD_LIST.parse, THREAD_BYTES).Threads)


def read_modules(minidump: Minidump) -> Iterator[MinidumpModule]:
    """Yield the modules in the order of the file, with their build ids (in minidumps since 2016)."""
    listed = _read_list(minidump, MODULES, "modules", MINIDUMP_MODULE_LIST.parse, MODULE_BYTES)
    for row in listed.Modules:
        mark = bytes(minidump.data[row.CvRecord.Rva : row.CvRecord.Rva + 4])
        size = min(row.CvRecord.DataSize - 4, MAX_BUILD_ID_BYTES)
        build_id = bytes(minidump.data[row.CvRecord.Rva + 4 : row.CvRecord.Rva + 4 + max(size, 0)])
        yield MinidumpModule(
            minidump.name_at(row.ModuleNameRva),
            row.BaseOfImage,
            row.SizeOfImage,
            build_id.hex() if mark == BUILD_ID_MARK and build_id else None,
        )


def read_memory_ranges(minidump: Minidump) -> Iterator[MemoryRange]:
    """Yield all ranges of memory: those of both lists, and the stacks of threads, which some writers do not list."""
    for row in _read_list(minidump, MEMORY, "ranges of memory", MINIDUMP_MEMORY_LIST.parse, RANGE_BYTES).MemoryRanges:
        yield MemoryRange(row.StartOfMemoryRange, row.DataSize, row.Rva)
    raw = minidump.content(MEMORY_64)
    if len(raw) >= 16:
        count = min(int.from_bytes(raw[:8], "little"), (len(raw) - 16) // LONG_RANGE_BYTES)
        at = int.from_bytes(raw[8:16], "little")
        for row in MINIDUMP_MEMORY64_LIST.parse(io.BytesIO(count.to_bytes(8, "little") + raw[8:])).MemoryRanges:
            yield MemoryRange(row.StartOfMemoryRange, row.DataSize, at)
            at += row.DataSize
    for thread in read_threads(minidump):
        yield MemoryRange(thread.Stack.StartOfMemoryRange, thread.Stack.DataSize, thread.Stack.Rva)


def read_exception(minidump: Minidump) -> Any | None:
    """Return the MINIDUMP_EXCEPTION_STREAM; None if there is none."""
    raw = minidump.content(EXCEPTION)
    return MINIDUMP_EXCEPTION_STREAM.parse(io.BytesIO(raw)) if len(raw) >= EXCEPTION_BYTES else None


def read_thread_names(minidump: Minidump) -> dict[int, str]:
    """Return the names of threads by tid."""
    raw = minidump.content(THREAD_NAMES)
    rows = raw[4 : 4 + int.from_bytes(raw[:4], "little") * THREAD_NAME_ROW.size]
    rows = rows[: len(rows) // THREAD_NAME_ROW.size * THREAD_NAME_ROW.size]
    names = {tid: minidump.name_at(at) for tid, at in THREAD_NAME_ROW.iter_unpack(rows) if at < len(minidump.data)}
    return {tid: name for tid, name in names.items() if name}


def _read_list(minidump: Minidump, kind: int, what: str, parse: Callable[[io.BytesIO], Any], row_bytes: int) -> Any:
    """Return a list that the package `minidump` parses, with the rows that the stream has.

    The count has 4 bytes. Some writers pad it, so that the rows begin at a multiple of 8.
    """
    raw = minidump.content(kind)
    count = int.from_bytes(raw[:4], "little")
    rows = raw[8:] if len(raw) == 8 + count * row_bytes else raw[4:]
    present = min(count, len(rows) // row_bytes)
    problem = f"only {present} of {count} {what} are read: the list is cut off"
    if present < count and problem not in minidump.problems:
        minidump.problems.append(problem)
    return parse(io.BytesIO(present.to_bytes(4, "little") + rows[: present * row_bytes]))
