"""The tables of a GPU core of CUDA (`.nvcudmp`).

The file is an ELF core of machine EM_CUDA without memory segments. All data is in sections of NVIDIA's own types. A
table's parent is the section in sh_link and the row in sh_info. Rows have sh_entsize bytes and became longer with newer
drivers. The reader uses the beginning, which is unchanged since CUDA 7, and further fields if the row has them.
NVIDIA's cudacoredump.h has the layouts. `problems` says what does not fit in a file of a different version.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy.typing as npt

from analyzer.arrays import np
from analyzer.cores.elf.headers import Buffer, ElfHeader

SHT_LOUSER = 0x80000000
CUBIN, CALLS, DEVICES, SMS, GRIDS, BLOCKS, WARPS, LANES, METADATA = (
    SHT_LOUSER + n for n in (7, 8, 9, 11, 12, 13, 14, 15, 22)
)
LAST_KNOWN_TYPE = SHT_LOUSER + 23
TABLE_NAMES = {
    CALLS: "call",
    DEVICES: "device",
    SMS: "SM",
    GRIDS: "grid",
    BLOCKS: "block",
    WARPS: "warp",
    LANES: "lane",
    METADATA: "metadata",
}
ROW_LAYOUTS = {
    CALLS: struct.Struct("<2QI"),  # offset in the function, return address, depth
    DEVICES: struct.Struct("<3Q12I"),
    GRIDS: struct.Struct("<7Q12I"),
    SMS: struct.Struct("<2I"),
    BLOCKS: struct.Struct("<Q3I"),
    WARPS: struct.Struct("<Q5I"),
    LANES: struct.Struct("<2Q5I"),
    METADATA: struct.Struct("<Q6I"),  # generator, driver's version, CUDA's version, flags, seconds since the epoch
}
SM_EXCEPTION_LAYOUT = struct.Struct(
    "<2IQ"
)  # after the SM's first 8 bytes, since driver 555: exception, whether a PC is known, PC
MAX_SECTIONS = 1 << 22
STRING_TABLE = 3  # SHT_STRTAB

SECTION_HEADER = np.dtype(
    [
        ("name", "<u4"),
        ("type", "<u4"),
        ("flags", "<u8"),
        ("addr", "<u8"),
        ("offset", "<u8"),
        ("size", "<u8"),
        ("link", "<u4"),
        ("info", "<u4"),
        ("align", "<u8"),
        ("entsize", "<u8"),
    ]
)


class GpuRow(NamedTuple):
    """A row of a table: the table's section, the row's number in it, its fields, and all its bytes."""

    section: int
    number: int
    fields: tuple[int, ...]
    raw: bytes


@dataclass(slots=True)
class GpuTables:
    """The sections of a GPU core. `problems` are sentences about parts that are not understood."""

    data: Buffer
    table: npt.NDArray[Any]
    problems: list[str] = field(default_factory=list)
    children: dict[tuple[int, int, int], list[int]] = field(
        default_factory=dict
    )  # (kind, section and row of the parent) → sections

    def __post_init__(self) -> None:
        for index in map(int, np.flatnonzero(np.isin(self.table["type"], list(ROW_LAYOUTS)))):
            row = self.table[index]
            key = int(row["type"]), int(row["link"]), int(row["info"])
            self.children.setdefault(key, []).append(index)

    def sections_of_type(self, kind: int) -> list[int]:
        return [int(index) for index in np.flatnonzero(self.table["type"] == kind)]

    def section_content(self, index: int) -> memoryview:
        row = self.table[index]
        start, end = int(row["offset"]), int(row["offset"]) + int(row["size"])
        return memoryview(self.data)[start:end] if end <= len(self.data) else memoryview(b"")

    def rows(self, kind: int, parent: int | None = None, row: int = 0) -> Iterator[GpuRow]:
        """Yield the rows of the tables of a kind, or of those below a parent's row."""
        layout = ROW_LAYOUTS[kind]
        chosen = self.sections_of_type(kind) if parent is None else self.children.get((kind, parent, row), ())
        for index in chosen:
            body = self.section_content(index)
            size = int(self.table[index]["entsize"]) or layout.size  # metadata states no size
            if size < layout.size:
                self._add_problem(f"{TABLE_NAMES[kind]} rows of {size} bytes are of an unknown layout")
                continue
            for number in range(len(body) // size):
                raw = bytes(body[number * size : (number + 1) * size])
                yield GpuRow(index, number, layout.unpack_from(raw), raw)

    def _add_problem(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)


def open_tables(data: Buffer, header: ElfHeader) -> GpuTables:
    """Return the tables of a GPU core. Never raises for damaged data."""
    return GpuTables(data, _read_section_table(data, header))


def _read_section_table(data: Buffer, header: ElfHeader) -> npt.NDArray[Any]:
    """Return the section headers. If there are more than 65,279, the first one's size is their count."""
    empty = np.zeros(0, SECTION_HEADER)
    room = (len(data) - header.shoff) // SECTION_HEADER.itemsize
    if header.bits != 64 or header.shentsize != SECTION_HEADER.itemsize or header.shoff <= 0 or room <= 0:
        return empty
    first = np.frombuffer(data, SECTION_HEADER, 1, header.shoff)[0]
    count = header.shnum or int(first["size"])
    return np.frombuffer(data, SECTION_HEADER, min(count, room, MAX_SECTIONS), header.shoff)


def string_table(tables: GpuTables, header: ElfHeader) -> bytes:
    """Return .strtab, into which names are offsets: the string table that does not name the sections."""
    every = tables.sections_of_type(STRING_TABLE)
    chosen = [index for index in every if index != header.shstrndx] or every
    return bytes(tables.section_content(chosen[0])[: 1 << 24]) if chosen else b""
