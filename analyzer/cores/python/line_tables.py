"""Find the line of an instruction in a code object, for the three kinds of tables that CPython has had.

co_lnotab up to 3.9 (Objects/lnotab_notes.txt), PEP 626's table in 3.10, the location table from 3.11 on
(Objects/locations.md).
"""

from __future__ import annotations


def find_python_line(table: bytes, first_line: int, offset: int, version: tuple[int, int]) -> int | None:
    """Return the line of the instruction at `offset` (bytes); None if the table has none."""
    if version >= (3, 11):
        return _line_from_location_table(table, first_line, offset)
    if version == (3, 10):
        return _line_from_pep626(table, first_line, offset)
    return _line_from_lnotab(table, first_line, offset)


def _line_from_lnotab(table: bytes, line: int, offset: int) -> int:
    at = 0
    for step, delta in zip(table[::2], table[1::2], strict=False):
        at += step
        if at > offset:
            break
        line += delta - 256 if delta > 127 else delta
    return line


def _line_from_pep626(table: bytes, line: int, offset: int) -> int | None:
    end = 0
    for step, delta in zip(table[::2], table[1::2], strict=False):
        has_no_line = delta == 128
        if not has_no_line:
            line += delta - 256 if delta > 127 else delta
        end += step
        if offset < end:
            return None if has_no_line else line
    return None


def _line_from_location_table(table: bytes, line: int, offset: int) -> int | None:
    at = end = 0
    while at < len(table):
        first = table[at]
        code = first >> 3 & 15
        end += 2 * ((first & 7) + 1)
        delta = 0
        if code in (13, 14):
            delta = _signed_varint(table, at + 1)
        elif code in (11, 12):
            delta = code - 10
        line += delta
        if offset < end:
            return None if code == 15 else line
        at += 1
        while at < len(table) and not table[at] & 0x80:  # entries begin with the high bit set
            at += 1
    return None


def _signed_varint(table: bytes, at: int) -> int:
    value = shift = 0
    while at < len(table) and shift < 60:
        byte = table[at]
        value |= (byte & 63) << shift
        if not byte & 64:
            break
        shift += 6
        at += 1
    return -(value >> 1) if value & 1 else value >> 1
