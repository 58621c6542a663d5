"""GPU cores that an H100 wrote, compared with what cuda-gdb says of them; fixtures/make/gpu has their maker."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from core_rows import read_core_row
from gpu_archives import unpack_cores

from analyzer.core_dump import core_from_json
from analyzer.cores import describe_core

# The exception, then function, line and inlining of each frame.
EXPECTED: dict[str, tuple[str, list[tuple[str, int, bool]]]] = {
    "scatter": ("Warp Illegal Address", [("accumulate", 8, True), ("scatter_add", 14, False)]),
    "null": ("Warp Illegal Address", [("read_scale", 18, False), ("normalize", 22, False)]),
    "misaligned": ("Warp Misaligned Address", [("unpack_rows", 26, False)]),
    "trap": ("Warp Trap", [("check_range", 30, False)]),
    "assert": ("Warp Assert", [("gather_rows", 35, False)]),
    "stack": (
        "Warp Out-of-range Address",
        [("descend", 39, False), *[("descend", 42, False)] * 3, ("walk_tree", 46, False)],
    ),
    "shared": ("Warp Illegal Instruction", [("reduce_rows", 52, False)]),
    "cluster": ("Warp Out-of-range Address", [("exchange_halo", 66, False)]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All cores, each in a folder that is called after its case."""
    return unpack_cores(tmp_path_factory.mktemp("gpu"))


def read_case(folder: Path, case: str) -> tuple[Any, str]:
    """Return the core's row and what cuda-gdb says of it."""
    (core,) = (folder / case).glob("*.nvcudmp")
    return read_core_row(core), (folder / case / "cuda-gdb.txt").read_text()


@pytest.mark.parametrize("case", EXPECTED)
def test_exception_and_stack_are_those_of_cuda_gdb(folder: Path, case: str) -> None:
    core, other = read_case(folder, case)
    first = core["facts"]["gpu"]["exceptions"][0]
    name, frames = EXPECTED[case]
    assert core["problems"] == []
    assert first["exception"] == name
    assert [(frame["function"].split("(")[0], frame["line"], frame["inlined"]) for frame in first["frames"]] == frames
    focus = re.search(r"block \((\d+),0,0\), thread \((\d+),0,0\), device 0, sm (\d+), warp (\d+), lane (\d+)", other)
    assert focus is not None
    assert [first["block"][0], first["thread"][0], first["sm"], first["warp"], first["lanes"][0]] == [
        int(number) for number in focus.groups()
    ]
    if case not in ("trap", "assert"):  # of these cuda-gdb knows no address
        assert f"CUDA Exception: {name}" in other
        assert f"triggered at PC {first['pc']}" in other
        assert f"(faults.cu:{frames[0][1]}" in other


def test_a_core_says_which_process_on_which_driver_wrote_it_and_when(folder: Path) -> None:
    core, _ = read_case(folder, "scatter")
    gpu = core["facts"]["gpu"]
    assert (core["pid"], gpu["driver"], gpu["cuda"], gpu["written"]) == (565, "580.159", "13.0", 1795747495.0)
    assert core["signature"] == "CUDA exception Warp Illegal Address | accumulate | scatter_add"
    assert (
        core["abort_message"] == "CUDA exception 14: Warp Illegal Address in scatter_add at faults.cu:8 in accumulate"
    )


def test_a_jump_to_nowhere_is_of_the_kernel_that_jumped(folder: Path) -> None:
    core, other = read_case(folder, "pc")
    first = core["facts"]["gpu"]["exceptions"][0]
    assert first["kernel"] == "apply_activation(float*, float (*)(float))"
    assert [frame["function"] for frame in first["frames"]] == [None, None]
    assert f"triggered at PC {first['pc']}" in other


def test_a_core_on_request_says_where_kernels_run(folder: Path) -> None:
    core, other = read_case(folder, "hang")
    gpu = core["facts"]["gpu"]
    assert gpu["exceptions"] == []
    assert core["facts"]["waits"] == ["the GPU runs wait_for_peer at faults.cu:71 in 2 warps"]
    assert "faults.cu:71" in other
    text = "\n".join(describe_core(core_from_json(core)))
    assert "#0   wait_for_peer(int volatile*) at /srv/train/faults.cu:71" in text


def test_equal_failures_are_shown_once(folder: Path) -> None:
    core, _ = read_case(folder, "cluster")
    text = "\n".join(describe_core(core_from_json(core)))
    assert "lanes 0-31, block (0, 0, 0), thread (0, 0, 0); 3 more warps alike" in text
    assert text.count("Warp Out-of-range Address in") == 1
