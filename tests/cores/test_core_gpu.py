"""GPU cores of CUDA: kernels, places, and layouts that nobody knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from core_rows import read_core_row
from hypothesis import given, settings
from hypothesis import strategies as st
from made_gpu_cores import LOUSER, synthetic_elf, synthetic_gpu_core

from analyzer.core_dump import core_from_json
from analyzer.cores import describe_core
from analyzer.cores.elf.headers import read_header
from analyzer.cores.gpu import read_gpu_core
from analyzer.facts.core_events import crash_events


def read(tmp_path: Path, content: bytes) -> Any:
    (tmp_path / "core.nvcudmp").write_bytes(content)
    return read_core_row(tmp_path / "core.nvcudmp")


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
    (exception,) = gpu["exceptions"]
    assert (exception["code"], exception["exception"], exception["kernel"]) == (
        14,
        "Warp Illegal Address",
        "scatter_add(float*, int)",
    )
    assert (exception["device"], exception["sm"], exception["warp"], exception["block"], exception["pc"]) == (
        0,
        3,
        7,
        [5, 0, 0],
        "0x7040",
    )
    assert (exception["lanes"], exception["thread"]) == ([2, 4], [2, 0, 0])
    assert core["signature"] == "CUDA exception Warp Illegal Address | scatter_add"
    text = "\n".join(describe_core(core_from_json(core)))
    assert "device 0, SM 3, warp 7, lanes 2,4, block (5, 0, 0), thread (2, 0, 0)" in text
    (event,) = crash_events(core_from_json(core), "n1")
    assert event.captures["exception"] == "Warp Illegal Address"


def test_lanes_of_an_unknown_layout_are_said_and_the_sm_still_tells(tmp_path: Path) -> None:
    core = read(tmp_path, synthetic_gpu_core(lane_size=16))
    assert any("lane rows of 16 bytes are of an unknown layout" in problem for problem in core["problems"])
    assert core["facts"]["gpu"]["exceptions"][0]["warp"] == 7


def test_kinds_of_sections_that_nobody_knows_are_said(tmp_path: Path) -> None:
    core = read(tmp_path, synthetic_elf([(".cudbg.new", LOUSER + 99, 0, 0, 8, bytes(16))]))
    assert any("not known: 0x80000063" in problem for problem in core["problems"])
    assert any("no table of devices" in problem for problem in core["problems"])


@settings(max_examples=150)
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
        read_gpu_core(content, header)
