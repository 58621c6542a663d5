"""The node of the graph whose kernel crashed, read from objects as TensorFlow lays them out."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import pytest
from crashing import compile_program, crash
from hypothesis import given, settings
from hypothesis import strategies as st
from made_cores import make_core as make_elf_core

from analyzer.core_dump import core_from_json, core_to_json
from analyzer.cores import describe_core, read_core
from analyzer.cores.elf.headers import PF_R, PF_W, count_segments, read_header, read_segments
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.modules import LoadedModule, ModuleMap
from analyzer.cores.kernel_node import KernelNode, find_kernel_node

BASE = 0x7F0000000000
WORDS = 512


@pytest.mark.parametrize("flags", [("-O1", "-g"), ("-O2", "-s", "-rdynamic")])
def test_the_node_of_the_kernel_that_crashed_is_named(tmp_path: Path, flags: tuple[str, ...]) -> None:
    program = compile_program("kernel.cc", tmp_path / "kernel", "-std=c++17", "-fno-optimize-sibling-calls", *flags)
    core = core_from_json(core_to_json(read_core(crash(tmp_path / "run", [str(program)]))))
    assert core.facts.places is not None
    assert (core.facts.places.operation, core.facts.places.node) == ("ShardedGather", "model/embedding/rows")
    inputs = "float32[4,3], int64[], bool[70000]"
    assert core.facts.places.inputs == inputs
    assert f"  operation: ShardedGather, node model/embedding/rows, inputs {inputs}" in list(describe_core(core))


def test_of_two_kernels_none_is_named(tmp_path: Path) -> None:
    program = compile_program("kernel.cc", tmp_path / "kernel", "-std=c++17", "-O1", "-fno-optimize-sibling-calls")
    places = read_core(crash(tmp_path / "run", [str(program), "other"])).facts.places
    assert places is not None
    assert (places.operation, places.node) == ("GatherOp", None)


def find_in(words: list[int], pointers: int = 16) -> KernelNode | None:
    data = struct.pack(f"<{len(words)}Q", *words)
    core = make_elf_core("x86_64", b"", [(BASE, PF_R | PF_W, data, len(data))])
    header = read_header(core)
    assert header is not None
    segments = read_segments(core, header, count=count_segments(core, header))
    memory = ProcessMemory(core, len(core), segments, "<", 64)
    modules = ModuleMap([LoadedModule(path="/x/libop.so", start=BASE, end=BASE + len(data))])
    functions = [
        ("gather(int)", BASE),
        ("BadOp::Compute(int)", BASE + 8),
        ("Run()", BASE + 8 * pointers),
        ("main", None),
    ]
    return find_kernel_node(memory, modules, functions, {"rax": BASE + 64})


def make_kernel() -> list[int]:
    """Return words: the stack, a kernel at 16, its table of functions at 40, type information at 48, texts at 60."""
    words = [0] * WORDS
    words[3] = BASE + 8 * 16
    words[16] = BASE + 8 * 40
    words[20:24] = [5, BASE + 8 * 60, 5, BASE + 8 * 61]
    words[39], words[49] = BASE + 8 * 48, BASE + 8 * 62
    for at, text in ((60, b"a/b_1"), (61, b"BadOp"), (62, b"5BadOp")):
        words[at] = int.from_bytes(text, "little")
    return words


def test_views_are_recognized_in_either_order() -> None:
    words = make_kernel()
    assert find_in(words) == KernelNode("a/b_1", "BadOp")
    words[20:24] = [BASE + 8 * 60, 5, BASE + 8 * 61, 5]
    assert find_in(words) == KernelNode("a/b_1", "BadOp")
    words[62] = int.from_bytes(b"5GoodOp", "little")  # the object of another class
    assert find_in(words) is None


word = st.one_of(
    st.integers(0, WORDS - 1).map(lambda index: BASE + 8 * index),
    st.sampled_from([0, 1, 5, 512, 1 << 47, (1 << 63) - 1, (1 << 64) - 1]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, WORDS - 1), word), min_size=1, max_size=200))
def test_hostile_objects_end(changes: list[tuple[int, int]]) -> None:
    """Classes that derive from themselves, views of anything, every word of the stack a candidate."""
    words = make_kernel()
    for at, value in changes:
        words[at] = value
    started = time.thread_time()
    find_in(words, pointers=WORDS)
    assert time.thread_time() - started < 5
