"""Source lines and inlined functions, in the versions of DWARF that compilers write, against addr2line."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from core_rows import read_core_row
from crashing import compile_program, crash
from hypothesis import given
from hypothesis import strategies as st

from analyzer.cores.dwarf.line_program import find_line_rows


@pytest.mark.parametrize("dwarf", ["-gdwarf-3", "-gdwarf-4", "-gdwarf-5"])
def test_lines_and_inlined_functions(tmp_path: Path, dwarf: str) -> None:
    program = compile_program("inline.c", tmp_path / "inline", "-O2", dwarf)
    core: Any = read_core_row(crash(tmp_path / "run", [str(program)]))
    frames = [
        (f["function"], Path(f["file"]).name, f["line"], f["inlined"])
        for f in core["threads"][0]["frames"]
        if f["file"]
    ]
    assert frames[:4] == [
        ("take", "inline.c", 5, True),
        ("take_two", "inline.c", 9, True),
        ("outer", "inline.c", 14, False),
        ("main", "inline.c", 20, False),
    ]
    assert core["signature"] == "SIGSEGV | outer | main"


def test_lines_agree_with_addr2line(make_core: Any) -> None:
    if shutil.which("addr2line") is None:
        pytest.skip("no addr2line (binutils)")
    core: Any = read_core_row(make_core("assert", "-O1", "-g"))
    frames = [f for f in core["threads"][0]["frames"] if f["file"] and not f["inlined"]]
    assert frames
    for frame in frames:
        inside = int(frame["module_offset"], 16) - 1
        output = subprocess.run(
            ["addr2line", "-e", frame["module"], hex(inside)], capture_output=True, text=True
        ).stdout
        assert output.split(" ")[0].strip() == f"{frame['file']}:{frame['line']}"


class Header:
    """What a line program needs of its header, as GCC writes it."""

    opcode_base, line_base, line_range, minimum_instruction_length = 13, -10, 14, 1
    standard_opcode_lengths = (0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1)


@given(st.binary(max_size=200))
def test_arbitrary_programs_end(program: bytes) -> None:
    with contextlib.suppress(IndexError):  # a number that runs over the end; find_places catches it
        find_line_rows(program, Header, 8, [0, 5, 1 << 30])


def test_a_program_advances_as_dwarf_says() -> None:
    """DWARF 5, 6.2.5: rows at 0x1000, 0x1028, 0x1030 and 0x1060, and the sequence ends at 0x1064."""
    header = SimpleNamespace(
        opcode_base=15,  # two opcodes more than any version knows, with two operands and none
        line_base=-5,
        line_range=12,
        minimum_instruction_length=2,
        standard_opcode_lengths=[0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2, 0],
    )
    program = bytes(
        [
            *(0, 9, 2, *(0x1000).to_bytes(8, "little")),  # set address
            *(4, 3, 3, 9, 1),  # file 3, line + 9, row
            *(8, 1),  # as special opcode 255 does: (255 - 15) // 12 * 2 = 40
            *(13, 7, 7, 14, 10, 5, 2),  # the unknown ones, prologue's end, column
            *(2, 4, 3, 0x7F, 1),  # address + 4 * 2, line - 1, row
            *(9, 48, 0, 15 + 5 + 2),  # address + 48, then one that says line + 2 and address + 0
            *(2, 2, 0, 1, 1),  # address + 2 * 2, the sequence ends
        ]
    )
    rows = find_line_rows(program, header, 8, [0xFFF, 0x1000, 0x1027, 0x1028, 0x1030, 0x1060, 0x1063, 0x1064])
    assert {address: (row.file, row.line) for address, row in rows.items()} == {
        0x1000: (3, 10),
        0x1027: (3, 10),
        0x1028: (3, 10),
        0x1030: (3, 9),
        0x1060: (3, 11),
        0x1063: (3, 11),
    }
