"""Find source lines and inlined functions of GPU code (a cubin), which mostly has only a table of lines.

The table has one unit for each compiled source file, and NVIDIA's own operations for inlined calls. The driver has set
the addresses of loaded code; all other addresses are 0.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from analyzer.cores.dwarf.expressions import read_uleb
from analyzer.cores.dwarf.line_program import LineRow, SourceLocation, find_line_rows
from analyzer.cores.elf.images import ElfImage

MAX_UNITS = 5000
MAX_FILES = 50_000  # of one unit
MAX_INLINED = 32
_LENGTHS = struct.Struct("<IHI")  # of the unit, version, length of the header after it


@dataclass(slots=True)
class _Header:
    minimum_instruction_length: int
    line_base: int
    line_range: int
    opcode_base: int
    standard_opcode_lengths: Sequence[int]
    folders: list[str]
    files: list[tuple[str, int]]  # name, folder's number

    def path(self, number: int) -> str:
        if not 0 < number <= len(self.files):
            return "?"
        name, folder = self.files[number - 1]
        return f"{self.folders[folder - 1]}/{name}" if 0 < folder <= len(self.folders) and name[:1] != "/" else name


def find_gpu_locations(image: ElfImage, addresses: Iterable[int]) -> dict[int, list[SourceLocation]]:
    """Return {address: locations}: the innermost inlined function first, the containing function last.

    Addresses without a known line are absent, and so are all addresses of a damaged unit.
    """
    wanted = sorted(set(addresses))
    names = bytes(image.section_content(".debug_str"))
    locations: dict[int, list[SourceLocation]] = {}
    for header, program in _list_units(bytes(image.section_content(".debug_line"))):
        try:
            rows = find_line_rows(program, header, image.header.word_size, wanted, for_gpu=True)
        except (IndexError, ValueError):
            continue
        locations |= {address: list(_inline_chain(header, row, names)) for address, row in rows.items()}
    return locations


def _inline_chain(header: _Header, row: LineRow, names: bytes) -> Iterator[SourceLocation]:
    for _ in range(MAX_INLINED):
        if row.caller is None:
            break
        start = row.function or 0
        name = names[start : start + 4096].split(b"\0", 1)[0].decode("utf-8", "replace")
        yield SourceLocation(header.path(row.file), row.line, name or "?")
        row = row.caller
    yield SourceLocation(header.path(row.file), row.line)


def _list_units(table: bytes) -> Iterator[tuple[_Header, bytes]]:
    """Yield (header, program) of each unit that can be read."""
    at = 0
    for _ in range(MAX_UNITS):
        if len(table) < at + _LENGTHS.size:
            return
        length, version, header_length = _LENGTHS.unpack_from(table, at)
        end, start = at + 4 + length, at + _LENGTHS.size
        if 2 <= version <= 4 and end <= len(table) and start + header_length <= end:
            with suppress(IndexError, ValueError):
                yield _read_header(table[start : start + header_length], version), table[start + header_length : end]
        at = end


def _read_header(raw: bytes, version: int) -> _Header:
    """Read a header after its length (DWARF 4, 6.2.4). Raises IndexError or ValueError if it is damaged."""
    start = 3 if version >= 4 else 2  # after the instruction length, since DWARF 4 the operations of one, the default
    opcode_base = raw[start + 2]
    at = start + 3 + max(opcode_base - 1, 0)
    lengths = list(raw[start + 3 : at])
    folders: list[str] = []
    files: list[tuple[str, int]] = []
    while raw[at]:
        end = raw.index(b"\0", at)
        folders.append(raw[at:end].decode("utf-8", "replace"))
        at = end + 1
    at += 1
    while raw[at] and len(files) < MAX_FILES:
        end = raw.index(b"\0", at)
        folder, behind = read_uleb(raw, end + 1)
        files.append((raw[at:end].decode("utf-8", "replace"), folder))
        at = read_uleb(raw, read_uleb(raw, behind)[1])[1]  # its time and its size
    return _Header(
        minimum_instruction_length=raw[0],
        line_base=int.from_bytes(raw[start : start + 1], "little", signed=True),
        line_range=raw[start + 1],
        opcode_base=opcode_base,
        standard_opcode_lengths=lengths,
        folders=folders,
        files=files,
    )
