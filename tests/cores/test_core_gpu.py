"""GPU cores of CUDA. No real one could be made here: these are put together after the layouts that cuda-gdb reads."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.cores import describe_core, read_core
from analyzer.cores.elf import read_header
from analyzer.cores.gpu import read_gpu
from analyzer.facts.crashes import crash_events

LOUSER = 0x80000000
Section = tuple[str, int, int, int, int, bytes]  # name, type, link, info, entsize, content


def synthetic_cubin(symbols: dict[str, tuple[int, int]]) -> bytes:
    """An ELF image with a symbol table: {name: (address, size)}."""
    strings, table = b"\0", bytes(24)
    for name, (address, size) in symbols.items():
        table += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, address, size)
        strings += name.encode() + b"\0"
    return synthetic_elf([(".strtab", 3, 0, 0, 0, strings), (".symtab", 2, 1, 0, 24, table)], kind=2)


def synthetic_elf(sections: list[Section], kind: int = 4, extended: bool = False) -> bytes:
    """Sections behind the header, then the table of sections, as drivers write it."""
    names, body, rows = b"\0", bytearray(), []
    for name, *_, content in sections:
        rows.append((len(names), 64 + len(body), len(content)))
        names += name.encode() + b"\0"
        body += content
    label = len(names)
    names += b".shstrtab\0"
    count = len(sections) + 2
    table = bytearray(struct.pack("<II4QIIQQ", 0, 0, 0, 0, 0, count if extended else 0, 0, 0, 0, 0))
    for (at, offset, size), (_, type_, link, info, entry, _) in zip(rows, sections, strict=True):
        table += struct.pack("<II4QIIQQ", at, type_, 0, 0, offset, size, link, info, 1, entry)
    table += struct.pack("<II4QIIQQ", label, 3, 0, 0, 64 + len(body), len(names), 0, 0, 1, 0)
    body += names
    ident = b"\x7fELF\x02\x01\x01\x33\x07" + bytes(7)
    shown = 0 if extended else count
    header = ident + struct.pack(
        "<HHIQQQIHHHHHH", kind, 190, 1, 0, 0, 64 + len(body), 0, 64, 56, 0, 64, shown, count - 1
    )
    return header + bytes(body) + bytes(table)


def synthetic_gpu_core(grown: int = 0, extended: bool = False, lane_size: int = 48) -> bytes:
    """Two SMs of one device: on SM 3, warp 7 of block (5, 0, 0), lanes 2 and 4 read where they may not; SM 4 is well.

    `grown`: bytes that a later driver appended to every row.
    """
    strings = b"\0NVIDIA Test GPU\0GX100\0sm_90\0"
    device = struct.pack("<3Q12I", 1, 17, 23, 0, 0x1B, 0, 2, 64, 32, 255, 7, 9, 0, 16, 0)
    grid = struct.pack("<7Q12I", 77, 1, 2, 0x7000, 3, 0, 0, 1, 1, 1, 32, 10, 1, 1, 256, 1, 1, 0, 4242)
    sms = [struct.pack("<IIIIQ", 3, 0, 14, 1, 0x7040), struct.pack("<IIIIQ", 4, 0, 0, 0, 0)]
    block = struct.pack("<Q4I", 77, 5, 0, 0, 0)
    warp = struct.pack("<Q6I", 0x7040, 7, 0xFFFFFFFF, 0xFFFFFFFF, 0, 1, 0)
    lanes = [struct.pack("<2Q8I", 0x7050, 0, n, n, 0, 0, 14 if n in (2, 4) else 0, 0, 0, 0) for n in range(6)]
    more = bytes(grown)

    def table(*rows: bytes) -> tuple[int, bytes]:
        return len(rows[0]) + grown, b"".join(row + more for row in rows)

    sections: list[Section] = [
        (".strtab", 3, 0, 0, 0, strings),
        (".cudbg.devtbl", LOUSER + 9, 0, 0, *table(device)),
        (".cudbg.gridtbl.dev0", LOUSER + 12, 2, 0, *table(grid)),
        (".cudbg.smtbl.dev0", LOUSER + 11, 2, 0, *table(*sms)),
        (".cudbg.ctatbl.dev0.sm0", LOUSER + 13, 4, 0, *table(block)),
        (".cudbg.wptbl.dev0.sm0.cta0", LOUSER + 14, 5, 0, *table(warp)),
        (".cudbg.lntbl.dev0.sm0.cta0.wp0", LOUSER + 15, 6, 0, *table(*(lane[:lane_size] for lane in lanes))),
        (".cudbg.relfimg.dev0.ctx0", LOUSER + 7, 0, 0, 0, synthetic_cubin({"_Z11scatter_addPfi": (0x7000, 0x200)})),
    ]
    return synthetic_elf(sections, extended=extended)


def read(tmp_path: Path, content: bytes) -> Any:
    (tmp_path / "core.nvcudmp").write_bytes(content)
    return read_core(tmp_path / "core.nvcudmp")


@pytest.mark.parametrize("grown", [0, 16])
@pytest.mark.parametrize("extended", [False, True])
def test_a_synthetic_gpu_core_tells_kernel_and_place(tmp_path: Path, grown: int, extended: bool) -> None:
    core = read(tmp_path, synthetic_gpu_core(grown, extended))
    gpu = core["facts"]["gpu"]
    assert core["problems"] == []
    assert gpu["devices"][0] | {"warps_per_sm": 64} == {
        "id": 0,
        "name": "NVIDIA Test GPU",
        "type": "GX100",
        "architecture": "sm_90",
        "pci": "1b:00",
        "sms": 2,
        "warps_per_sm": 64,
        "lanes_per_warp": 32,
    }
    assert gpu["grids"] == [
        {
            "id": 77,
            "kernel": "scatter_add(float*, int)",
            "entry": "0x7000",
            "grid_size": [10, 1, 1],
            "block_size": [256, 1, 1],
            "host_tid": 4242,
        }
    ]
    (one,) = gpu["exceptions"]
    assert (one["code"], one["exception"], one["kernel"]) == (14, "Warp Illegal Address", "scatter_add(float*, int)")
    assert (one["device"], one["sm"], one["warp"], one["block"], one["pc"]) == (0, 3, 7, [5, 0, 0], "0x7040")
    assert (one["lanes"], one["thread"]) == ([2, 4], [2, 0, 0])
    assert core["signature"] == "CUDA exception Warp Illegal Address | scatter_add"
    text = "\n".join(describe_core(core))
    assert "scatter_add(float*, int): device 0, SM 3" in text
    (event,) = crash_events(core, "n1")
    assert event.captures["exception"] == "Warp Illegal Address"


def test_lanes_of_an_unknown_layout_are_said_and_the_sm_still_tells(tmp_path: Path) -> None:
    core = read(tmp_path, synthetic_gpu_core(lane_size=16))
    assert any("lane rows of 16 bytes are of an unknown layout" in problem for problem in core["problems"])
    assert core["facts"]["gpu"]["exceptions"][0]["warp"] == 7


def test_kinds_of_sections_that_nobody_knows_are_said(tmp_path: Path) -> None:
    core = read(tmp_path, synthetic_elf([(".cudbg.new", LOUSER + 99, 0, 0, 8, bytes(16))]))
    assert any("not known: 0x80000063" in problem for problem in core["problems"])
    assert any("no table of devices" in problem for problem in core["problems"])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3000), st.sampled_from([0, 1, 0xFF, 0xFFFFFFFF, 1 << 40, (1 << 64) - 1])), max_size=8
    ),
    st.one_of(st.none(), st.integers(0, 3000)),
)
def test_a_damaged_gpu_core_is_answered(edits: list[tuple[int, int]], cut: int | None) -> None:
    data = bytearray(synthetic_gpu_core())
    for at, value in edits:
        size = 8 if value >> 32 else 4
        start = at % (len(data) - 8)
        data[start : start + size] = value.to_bytes(size, "little")
    content = bytes(data[:cut])
    header = read_header(content)
    if header is not None:
        read_gpu(content, header)
