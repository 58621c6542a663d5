"""Read arguments and local variables of native frames, if the debug information has their place.

In optimized code, a variable has a place only for some instructions; elsewhere it is `<optimized out>`. Registers that
a call does not preserve are known only in the innermost frame. If the register of an argument was reused, the value
comes from the caller: the call passed a constant, or a value that the caller still has (DWARF 5, 2.5.1.7 and 3.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from elftools.dwarf.locationlists import LocationParser
from elftools.elf.elffile import ELFFile

from analyzer.cores.dwarf.compile_units import (
    DAMAGE_ERRORS,
    MAX_DEPTH,
    bound_children,
    covering_child,
    find_unit,
)
from analyzer.cores.dwarf.expressions import evaluate, read_sleb, read_uleb
from analyzer.cores.dwarf.machine import FrameState
from analyzer.cores.dwarf.typed_values import ValuePlace, describe_value, find_type, name_of
from analyzer.cores.elf.memory import ProcessMemory

MAX_VARIABLES = 30  # of a frame
MAX_UNIT_BYTES = 16 << 20  # of one compilation unit
MAX_UNITS = 16  # units of one file in which frames are looked up
MAX_ENTRIES = 500_000  # of one compilation unit; the first read of each takes some 20 microseconds
OPTIMIZED_OUT = "<optimized out>"
VARIABLE_TAGS = ("DW_TAG_formal_parameter", "DW_TAG_variable")
OP_ADDR, OP_REG0, OP_REG31, OP_REGX, OP_FBREG = 0x03, 0x50, 0x6F, 0x90, 0x91
OP_CALL_FRAME_CFA, OP_IMPLICIT_VALUE, OP_STACK_VALUE = 0x9C, 0x9E, 0x9F
OP_CONST8U, OP_ENTRY_VALUES = 0x0E, (0xA3, 0xF3)
CALL_TAGS, ARGUMENT_TAGS = ("call_site", "GNU_call_site"), ("call_site_parameter", "GNU_call_site_parameter")


Variables = dict[str, str]


def read_variables(file: Path, frames: Sequence[FrameState], memory: ProcessMemory) -> list[list[Variables]]:
    """Return the variables of each frame: those of its function, then those of each call inlined at its address.

    The list is empty for a frame without debug information, and for all frames if the file is damaged.
    """
    try:
        with file.open("rb") as stream:
            dwarf = ELFFile(stream).get_dwarf_info(relocate_dwarf_sections=False)
            units: dict[int, Any] = {}
            return [_read_frame(dwarf, frame, memory, units) for frame in frames]
    except DAMAGE_ERRORS:
        return [[] for _ in frames]


def _read_frame(dwarf: Any, frame: FrameState, memory: ProcessMemory, units: dict[int, Any]) -> list[Variables]:
    try:
        scopes = _find_scopes(dwarf, frame.address, units)
        if not scopes:
            return []
        reader = _VariableReader(dwarf, frame, memory, scopes, units)
        return [reader.read_scope(blocks) for blocks in scopes]
    except DAMAGE_ERRORS:
        return []


def _find_scopes(dwarf: Any, address: int, units: dict[int, Any]) -> list[list[Any]]:
    """Return the function around an address, then each inlined call, each with its blocks around the address.

    `units` caches the units, whose iterators are bounded.
    """
    unit = find_unit(dwarf, address)
    if unit is None or unit["unit_length"] > MAX_UNIT_BYTES or len(units) >= MAX_UNITS:
        return []
    if units.setdefault(unit.cu_offset, unit) is unit and "iter_DIE_children" not in vars(unit):
        unit.iter_DIE_children = bound_children(unit.iter_DIE_children, MAX_ENTRIES)
    return list(_list_scopes(dwarf, unit, address))


def _list_scopes(dwarf: Any, unit: Any, address: int) -> Iterator[list[Any]]:
    blocks: list[Any] = []
    entry = covering_child(dwarf, unit, unit.get_top_DIE(), address)
    for _ in range(MAX_DEPTH):
        if entry is None:
            break
        if entry.tag == "DW_TAG_inlined_subroutine" and blocks:
            yield blocks
            blocks = []
        blocks.append(entry)
        entry = covering_child(dwarf, unit, entry, address)
    if blocks:
        yield blocks


class _VariableReader:
    """Reads the variables of one frame. Its function is the first entry of the first of `scopes`."""

    def __init__(
        self, dwarf: Any, frame: FrameState, memory: ProcessMemory, scopes: Sequence[Any], units: dict[int, Any]
    ) -> None:
        function = scopes[0][0]
        self.dwarf, self.unit, self.frame, self.memory, self.units = dwarf, function.cu, frame, memory, units
        self.scopes = scopes
        self.locations = LocationParser(dwarf.location_lists())
        base = self.find_expression(function, "DW_AT_frame_base")
        self.frame_base = self._evaluate_frame_base(base) if base else None
        self._caller: _VariableReader | None = None

    def read_scope(self, blocks: Sequence[Any]) -> Variables:
        """Return the variables of a function and of its blocks. An inner variable hides an outer one of
        the same name.
        """
        variables: Variables = {}
        for block in blocks:
            for entry in block.iter_children():
                if entry.tag in VARIABLE_TAGS and (named := self._read_variable(entry)):
                    variables.pop(named[0], None)
                    variables[named[0]] = named[1]
                if len(variables) >= MAX_VARIABLES:
                    return variables
        return variables

    def _read_variable(self, entry: Any) -> tuple[str, str] | None:
        """Return name and value; None for an entry without a name, or that only declares a variable."""
        declared = entry
        if "DW_AT_abstract_origin" in entry.attributes:
            declared = entry.get_DIE_from_attribute("DW_AT_abstract_origin")
        name = name_of(declared)
        if not name or "DW_AT_declaration" in declared.attributes:
            return None
        try:
            place = self._find_place(entry)
            return name, OPTIMIZED_OUT if place is None else describe_value(find_type(declared), place)
        except DAMAGE_ERRORS:
            return name, "<its debug information is damaged>"

    def _find_place(self, entry: Any) -> ValuePlace | None:
        constant = entry.attributes.get("DW_AT_const_value")
        if constant is not None and isinstance(constant.value, int):
            return ValuePlace(self.memory, None, (constant.value & (1 << 64) - 1).to_bytes(8, "little"))
        code = self.find_expression(entry, "DW_AT_location")
        if not code:
            return None
        if (register := self._named_register(code)) is not None:
            return self._place_in_register(register)
        if code[0] == OP_IMPLICIT_VALUE:
            return ValuePlace(self.memory, None, _implicit_value(code))
        is_value = code[-1] == OP_STACK_VALUE
        value = self.evaluate(code[:-1] if is_value else code)
        if value is None:
            return None
        return (
            ValuePlace(self.memory, None, value.to_bytes(8, "little")) if is_value else ValuePlace(self.memory, value)
        )

    def find_expression(self, entry: Any, *names: str) -> bytes:
        """Return the expression for the frame's address; empty if there is none."""
        attribute = next((entry.attributes[name] for name in names if name in entry.attributes), None)
        if attribute is None:
            return b""
        location: Any = self.locations.parse_from_attribute(attribute, self.unit["version"], entry)
        if not isinstance(location, list):
            return bytes(location.loc_expr)
        top = self.unit.get_top_DIE().attributes
        base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
        for row in location:
            if hasattr(row, "base_address"):
                base = row.base_address
            elif hasattr(row, "loc_expr"):
                shift = 0 if row.is_absolute else base
                if row.begin_offset + shift <= self.frame.address < row.end_offset + shift:
                    return bytes(row.loc_expr)
        return b""

    def _named_register(self, code: bytes) -> int | None:
        """Return the number of the register in which the value is; None if the expression names another
        kind of place.
        """
        if len(code) == 1 and OP_REG0 <= code[0] <= OP_REG31:
            return code[0] - OP_REG0
        return read_uleb(code, 1)[0] if code[0] == OP_REGX else None

    def _place_in_register(self, number: int) -> ValuePlace | None:
        value = self.frame.registers[number] if number < len(self.frame.registers) else None
        return None if value is None else ValuePlace(self.memory, None, value.to_bytes(8, "little"))

    def _evaluate_frame_base(self, code: bytes) -> int | None:
        if code[0] == OP_CALL_FRAME_CFA:
            return self.frame.cfa
        if (register := self._named_register(code)) is not None:
            return self.frame.registers[register] if register < len(self.frame.registers) else None
        return evaluate(code, self.frame.registers, self.memory)

    def evaluate(self, code: bytes) -> int | None:
        """Evaluate an expression; its first operation may be the frame's base, an address, or a value at entry."""
        start, operations = None, code
        if code[:1] == bytes([OP_FBREG]):
            offset, at = read_sleb(code, 1)
            start, operations = None if self.frame_base is None else self.frame_base + offset, code[at:]
        elif code[:1] == bytes([OP_ADDR]):
            size = self.memory.word_size
            start, operations = int.from_bytes(code[1 : 1 + size], "little") + self.frame.bias, code[1 + size :]
        elif code and code[0] == OP_IMPLICIT_VALUE:
            return int.from_bytes(_implicit_value(code)[:8], "little")
        elif code and code[0] in OP_ENTRY_VALUES:
            size, at = read_uleb(code, 1)
            start, operations = self._find_entry_value(code[at : at + size]), code[at + size :]
        elif code:
            return evaluate(code, self.frame.registers, self.memory)
        if start is None:
            return None
        constant = bytes([OP_CONST8U]) + (start & (1 << 64) - 1).to_bytes(8, "little")
        return evaluate(constant + operations, self.frame.registers, self.memory)

    def _find_entry_value(self, register: bytes) -> int | None:
        """Return the value that the caller passed in the register of an expression; None if the caller does not state
        it.
        """
        caller = self._make_caller()
        for entry in caller.list_arguments() if caller is not None else ():
            if caller is not None and caller.find_expression(entry, "DW_AT_location") == register:
                code = caller.find_expression(entry, "DW_AT_call_value", "DW_AT_GNU_call_site_value")
                return caller.evaluate(code) if code else None
        return None

    def _make_caller(self) -> _VariableReader | None:
        if self._caller is None and self.frame.caller is not None:
            scopes = _find_scopes(self.dwarf, self.frame.caller.address, self.units)
            if scopes:
                self._caller = _VariableReader(self.dwarf, self.frame.caller, self.memory, scopes, self.units)
        return self._caller

    def list_arguments(self) -> Iterator[Any]:
        """Yield the entries of the arguments of the call at which this frame stands."""
        returns_to = self.frame.address + 1
        for block in (block for blocks in self.scopes for block in blocks):
            for entry in block.iter_children():
                address = entry.attributes.get("DW_AT_call_return_pc") or entry.attributes.get("DW_AT_low_pc")
                if _tag(entry) in CALL_TAGS and address is not None and address.value == returns_to:
                    yield from (child for child in entry.iter_children() if _tag(child) in ARGUMENT_TAGS)


def _implicit_value(code: bytes) -> bytes:
    """Return the bytes that an expression itself holds."""
    size, at = read_uleb(code, 1)
    return code[at : at + size]


def _tag(entry: Any) -> str:
    return str(entry.tag).removeprefix("DW_TAG_")
