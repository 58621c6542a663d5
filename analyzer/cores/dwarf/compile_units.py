"""Read source lines and inlined functions from the compilation units of a file's debug information.

pyelftools finds the compilation unit and reads its entries. All bounds are sizes, not times, so that a core always
gives the same result.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError
from elftools.construct import ConstructError
from elftools.elf.elffile import ELFFile

from analyzer.cores.dwarf.expressions import read_uleb
from analyzer.cores.dwarf.line_program import SourceLocation, find_line_rows

MAX_UNIT_BYTES = 1 << 20  # of one compilation unit, for inlined functions
MAX_UNITS = 5000
MAX_DEPTH = 32
MAX_LINE_HEADER_BYTES = 1 << 20
DW_FORM_STRING, DW_FORM_UDATA = 0x08, 0x0F
MAX_ENTRIES = 60_000  # of one compilation unit; each takes some 20 microseconds

DAMAGE_ERRORS = (
    ELFError,
    DWARFError,
    ConstructError,
    zlib.error,
    struct.error,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    AssertionError,
    OSError,
    EOFError,
    RuntimeError,  # RecursionError, and NotImplementedError of forms that pyelftools does not know
    ArithmeticError,
    MemoryError,
)


def read_locations(file: Path, word_size: int, wanted: Sequence[int]) -> dict[int, list[SourceLocation]]:
    """Return the source locations of the addresses that the debug information covers; none if it is damaged."""
    try:
        with file.open("rb") as stream:
            dwarf = ELFFile(stream).get_dwarf_info(relocate_dwarf_sections=False)  # only .o files need relocation
            return _read_dwarf_locations(dwarf, word_size, wanted)
    except DAMAGE_ERRORS:
        return {}


def _read_dwarf_locations(dwarf: Any, word_size: int, wanted: Sequence[int]) -> dict[int, list[SourceLocation]]:
    units: dict[int, tuple[Any, list[int]]] = {}
    for address in wanted:
        unit = find_unit(dwarf, address)
        if unit is not None:
            units.setdefault(unit.cu_offset, (unit, []))[1].append(address)
    locations: dict[int, list[SourceLocation]] = {}
    for unit, addresses in units.values():
        program = dwarf.line_program_for_CU(unit) if _has_sane_tables(dwarf, unit) else None
        if program is None:
            continue
        stream = dwarf.debug_line_sec.stream
        stream.seek(program.program_start_offset)
        body = stream.read(program.program_end_offset - program.program_start_offset)
        rows = find_line_rows(body, program.header, word_size, addresses)
        names = _FileNames(program.header, unit)
        small = unit["unit_length"] <= MAX_UNIT_BYTES
        unit.iter_DIE_children = bound_children(unit.iter_DIE_children)
        for address, row in rows.items():
            calls = _list_inlined_calls(dwarf, unit, address) if small else []
            locations[address] = _inline_chain(names, row.file, row.line, calls)
    return locations


def _has_sane_tables(dwarf: Any, unit: Any) -> bool:
    """Return whether the tables of folders and files in the unit's line program can be as long as they claim.

    From DWARF 5 on, each entry has a format. Entries of a format without fields take no bytes, so pyelftools could
    count to 2^63.
    """
    at = unit.get_top_DIE().attributes.get("DW_AT_stmt_list")
    if at is None:
        return False
    stream = dwarf.debug_line_sec.stream
    stream.seek(at.value)
    head = stream.read(MAX_LINE_HEADER_BYTES)
    start = 12 if head[:4] == b"\xff" * 4 else 4
    if int.from_bytes(head[start : start + 2], "little") < 5:
        return True
    offset_size = 8 if start == 12 else 4
    at_opcodes = start + 4 + offset_size + 5
    folders = at_opcodes + 1 + max(head[at_opcodes] - 1, 0)
    _skip_table(head, _skip_table(head, folders, offset_size), offset_size)  # the files are after the folders
    return True


def _skip_table(head: bytes, at: int, offset_size: int) -> int:
    """Return the offset after a list of formats and its entries. Raises ValueError if the count is impossible."""
    count, at = head[at], at + 1
    forms = []
    for _ in range(count):
        _, at = read_uleb(head, at)
        form, at = read_uleb(head, at)
        forms.append(form)
    entries, at = read_uleb(head, at)
    if entries > (len(head) if forms else 0):
        raise ValueError(f"{entries} entries cannot be there")
    for _ in range(entries):
        for form in forms:
            at = _skip_form(head, at, form, offset_size)
    return at


def _skip_form(head: bytes, at: int, form: int, offset_size: int) -> int:
    """Return the offset after a value of one of the forms of folders and files (DWARF 5, 6.2.4.1)."""
    if form == DW_FORM_STRING:
        return head.index(b"\0", at) + 1
    if form == DW_FORM_UDATA:
        return read_uleb(head, at)[1]
    return at + {0x0E: offset_size, 0x1F: offset_size, 0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x1E: 16}[form]


def _inline_chain(
    names: _FileNames, file: int, line: int, calls: Sequence[tuple[str, int, int]]
) -> list[SourceLocation]:
    """Return the locations, innermost first.

    The row is in the innermost function, each call in the function around it.
    """
    places = []
    for function, call_file, call_line in reversed(calls):
        places.append(SourceLocation(names.name(file), line, function))
        file, line = call_file, call_line
    return [*places, SourceLocation(names.name(file), line)]


def find_unit(dwarf: Any, address: int) -> Any:
    """Return the compilation unit whose code has an address; None if there is none."""
    ranges = dwarf.get_aranges()
    offset = ranges.cu_offset_at_addr(address) if ranges is not None else None
    if offset is not None:
        return dwarf.get_CU_at(offset)
    for count, unit in enumerate(dwarf.iter_CUs()):
        if count >= MAX_UNITS:
            return None
        if covers(dwarf, unit, unit.get_top_DIE(), address):
            return unit
    return None


def covers(dwarf: Any, unit: Any, die: Any, address: int) -> bool:
    """Return whether the code of an entry has an address."""
    attributes = die.attributes
    if "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
        low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
        end = high.value if high.form == "DW_FORM_addr" else low + high.value
        return bool(low <= address < end)
    if "DW_AT_ranges" not in attributes:
        return False
    top = unit.get_top_DIE().attributes
    base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
    lists = dwarf.range_lists()
    entries = lists.get_range_list_at_offset(attributes["DW_AT_ranges"].value, cu=unit) if lists else []
    for entry in entries:
        if hasattr(entry, "base_address"):
            base = entry.base_address
            continue
        shift = 0 if getattr(entry, "is_absolute", False) else base
        if entry.begin_offset + shift <= address < entry.end_offset + shift:
            return True
    return False


def bound_children(
    children: Callable[[Any], Iterator[Any]], max_entries: int = MAX_ENTRIES
) -> Callable[[Any], Iterator[Any]]:
    """Wrap a unit's iterator over children so that it only moves forwards and ends: damaged files may have circles.

    pyelftools uses the wrapped iterator internally too, because it looks it up on the unit.
    """
    left = max_entries

    def iterate(entry: Any) -> Iterator[Any]:
        nonlocal left
        last = -1
        for child in children(entry):
            left -= 1
            if left < 0 or child.offset <= last:
                raise DWARFError("entries without an end")
            last = child.offset
            yield child

    return iterate


def _list_inlined_calls(dwarf: Any, unit: Any, address: int) -> list[tuple[str, int, int]]:
    """Return the inlined calls around an address; none if the entries are damaged (the line is still known)."""
    try:
        return list(_inlined_calls(dwarf, unit, address))
    except DAMAGE_ERRORS:
        return []


def _inlined_calls(dwarf: Any, unit: Any, address: int) -> Iterator[tuple[str, int, int]]:
    """Yield (function, file and line of its call) of the inlined functions around an address, outermost first."""
    die = covering_child(dwarf, unit, unit.get_top_DIE(), address)
    for _ in range(MAX_DEPTH):
        if die is None:
            return
        if die.tag == "DW_TAG_inlined_subroutine":
            attributes = die.attributes
            if "DW_AT_call_line" not in attributes or "DW_AT_call_file" not in attributes:
                return
            yield _function_name(die), attributes["DW_AT_call_file"].value, attributes["DW_AT_call_line"].value
        die = covering_child(dwarf, unit, die, address)


def covering_child(dwarf: Any, unit: Any, die: Any, address: int) -> Any:
    """Return the function, inlined call or block among an entry's children whose code has an address, or None."""
    tags = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine", "DW_TAG_lexical_block", "DW_TAG_namespace")
    for child in die.iter_children():
        if child.tag == "DW_TAG_namespace":
            inner = covering_child(dwarf, unit, child, address)
            if inner is not None:
                return inner
        elif child.tag in tags and covers(dwarf, unit, child, address):
            return child
    return None


def _function_name(die: Any) -> str:
    """Return a function's name: its linkage name, which has namespace and parameters, or else its plain name."""
    for _ in range(4):
        for key in ("DW_AT_linkage_name", "DW_AT_MIPS_linkage_name", "DW_AT_name"):
            if key in die.attributes:
                return str(die.attributes[key].value.decode("utf-8", "replace"))
        origin = next((k for k in ("DW_AT_abstract_origin", "DW_AT_specification") if k in die.attributes), None)
        if origin is None:
            break
        die = die.get_DIE_from_attribute(origin)
    return "?"


@dataclass(slots=True)
class _FileNames:
    """Paths of a file table. Its indices count from 1 up to DWARF 4, from 0 in DWARF 5."""

    header: Any
    unit: Any

    def name(self, index: int) -> str:
        version = self.header.version
        entries, folders = self.header.file_entry, self.header.include_directory
        at = index if version >= 5 else index - 1
        if not 0 <= at < len(entries):
            return "?"
        name, folder = _decode(entries[at].name), entries[at].dir_index
        top = self.unit.get_top_DIE().attributes
        home = _decode(top["DW_AT_comp_dir"].value) if "DW_AT_comp_dir" in top else ""
        inner = _decode(folders[folder]) if version >= 5 and folder < len(folders) else ""
        if version < 5 and 0 < folder <= len(folders):
            inner = _decode(folders[folder - 1])
        return str(PurePosixPath(home, inner, name))


def _decode(raw: Any) -> str:
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
