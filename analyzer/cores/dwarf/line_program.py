"""Find the rows of a DWARF line program (DWARF 5, 6.2) that cover given addresses.

pyelftools reads the header with its file table. This module runs the program itself, at a microsecond per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from analyzer.cores.dwarf.expressions import read_sleb, read_uleb

MAX_PROGRAM_BYTES = 4 << 20
EXTENDED, COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, CONST_ADD_PC, FIXED_ADVANCE_PC = 0, 1, 2, 3, 4, 8, 9
END_SEQUENCE, SET_ADDRESS = 1, 2  # extended operations
INLINED_CALL = 0x90  # of NVIDIA: the number of the caller's row in its sequence, 0 for none, and the function's name


class LineRow(NamedTuple):
    """A row of the table. `function` and `caller` are from NVIDIA's operations, the only data on inlined GPU calls."""

    file: int  # index in the header's table
    line: int
    function: int | None = None  # offset in .debug_str of the name of the inlined function that the row is in
    caller: LineRow | None = None  # the row of the call


class SourceLocation(NamedTuple):
    """A source line. `function` is set for an inlined function, None for the function that contains it."""

    file: str
    line: int
    function: str | None = None


def find_line_rows(
    program: bytes, header: Any, word_size: int, addresses: Sequence[int], for_gpu: bool = False
) -> dict[int, LineRow]:
    """Return {address: row}. `program` are the bytes after the header; `header` is that of pyelftools.

    `for_gpu`: whether to run NVIDIA's operations.
    """
    rows: dict[int, LineRow] = {}
    opcode_base, line_base, line_range = header.opcode_base, header.line_base, max(1, header.line_range)
    instruction_bytes = header.minimum_instruction_length
    lengths = list(header.standard_opcode_lengths)
    wanted = sorted(addresses)
    address, file, line, at = 0, 1, 1, 0
    previous: tuple[int, LineRow] | None = None
    sequence: list[LineRow] = []
    function: int | None = None
    caller: LineRow | None = None
    end = min(len(program), MAX_PROGRAM_BYTES)
    while at < end:
        opcode, at = program[at], at + 1
        emit = ends = False
        if opcode >= opcode_base:
            step = opcode - opcode_base
            address += step // line_range * instruction_bytes
            line += line_base + step % line_range
            emit = True
        elif opcode == EXTENDED:
            size, at = read_uleb(program, at)
            code = program[at] if size else 0
            if code == END_SEQUENCE:
                emit = ends = True
            elif code == SET_ADDRESS:
                address = int.from_bytes(program[at + 1 : at + 1 + word_size], "little")
            elif code == INLINED_CALL and for_gpu:
                number, name_at = read_uleb(program, at + 1)
                caller = sequence[number - 1] if 0 < number <= len(sequence) else None
                function = read_uleb(program, name_at)[0] if caller else None
            at += size
        elif opcode == COPY:
            emit = True
        elif opcode == ADVANCE_PC:
            step, at = read_uleb(program, at)
            address += step * instruction_bytes
        elif opcode == ADVANCE_LINE:
            step, at = read_sleb(program, at)
            line += step
        elif opcode == SET_FILE:
            file, at = read_uleb(program, at)
        elif opcode == CONST_ADD_PC:
            address += (255 - opcode_base) // line_range * instruction_bytes
        elif opcode == FIXED_ADVANCE_PC:
            address += int.from_bytes(program[at : at + 2], "little")
            at += 2
        else:
            for _ in range(lengths[opcode - 1]):
                _, at = read_uleb(program, at)
        if not emit:
            continue
        if previous is not None and previous[0] < address:
            for target in wanted:
                if previous[0] <= target < address:
                    rows[target] = previous[1]
        previous = (address, LineRow(file, line, function, caller))
        if for_gpu:
            sequence.append(previous[1])
        if ends:
            previous, address, file, line = None, 0, 1, 1
            sequence, function, caller = [], None, None
    return rows
