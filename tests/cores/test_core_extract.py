"""A core through a stream: what is kept reads the same, what is not reads as absent, never as zeros."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from core_rows import read_core_row
from hypothesis import given, settings
from hypothesis import strategies as st
from made_cores import make_core, make_note, make_prstatus

from analyzer.cores import extract_core
from analyzer.cores.elf.headers import count_segments, read_header, read_segments
from analyzer.cores.elf.memory import MemoryOrigin, ProcessMemory

PAGE = 4096


class Trickle(io.RawIOBase):
    """Gives a few bytes at a time, as decompressors do, and breaks at the end if told to."""

    def __init__(self, data: bytes, step: int, breaks: bool = False) -> None:
        self.data, self.step, self.breaks, self.at = data, step, breaks, 0

    def read(self, size: int = -1) -> bytes:
        if self.at >= len(self.data) and self.breaks:
            raise EOFError("compressed data ends early")
        block = self.data[self.at : self.at + min(size, self.step)]
        self.at += len(block)
        return block


def open_memory(data: bytes) -> ProcessMemory:
    header = read_header(data)
    assert header is not None
    segments = read_segments(data, header, count=count_segments(data, header))
    return ProcessMemory(data, len(data), segments, header.order, header.bits)


def test_a_core_comes_out_as_it_went_in(make_core: Any, tmp_path: Path) -> None:
    path = make_core("threads", "-O1", "-g")
    kept = extract_core(io.BytesIO(path.read_bytes()), tmp_path / "kept", 1 << 30)
    assert (kept.dropped_bytes, kept.notes) == (0, ())
    assert kept.path.read_bytes() == path.read_bytes()
    assert kept.path.stat().st_blocks * 512 < path.stat().st_size / 4
    ours, theirs = read_core_row(kept.path, name="x"), read_core_row(path, name="x")
    assert ours == theirs


def test_over_the_budget_the_stack_and_the_facts_stay(make_core: Any, tmp_path: Path) -> None:
    path = make_core("overflow", "-O1", "-g")
    kept = extract_core(io.BytesIO(path.read_bytes()), tmp_path / "kept", 3 << 20)
    assert kept.dropped_bytes > 2 << 20
    assert kept.path.stat().st_blocks * 512 < 4 << 20
    assert "dropped" in kept.notes[0]
    core: Any = read_core_row(kept.path)
    full_core: Any = read_core_row(path)
    assert core["threads"][0]["frames"][:200] == full_core["threads"][0]["frames"][:200]
    assert core["facts"]["environment"] == full_core["facts"]["environment"] != {}
    assert "not in the core" in core["threads"][0]["stop"]


def test_a_stream_that_breaks_off_keeps_what_came(make_core: Any, tmp_path: Path) -> None:
    data = make_core("null", "-O1", "-g").read_bytes()
    kept = extract_core(Trickle(data[:60_000], 1000, breaks=True), tmp_path / "kept", 1 << 30)
    assert kept.path.read_bytes() == data[:60_000]
    assert "ends early" in kept.notes[0]


loads = st.lists(
    st.tuples(st.sampled_from([4, 5, 6]), st.lists(st.sampled_from([0, 0, 1, 7]), max_size=12), st.integers(0, 3)),
    max_size=8,
)


@settings(max_examples=60)
@given(loads, st.integers(0, 40), st.sampled_from([100, 4096, 5000, 1 << 18]), st.integers(0, 30))
def test_what_is_read_is_true_or_absent(parts: Any, budget: int, step: int, cut: int) -> None:
    """For any layout, budget and truncation: each byte of the kept core is the original's, or is not there."""
    rows = []
    for index, (flags, pages, more) in enumerate(parts):
        content = b"".join(bytes([page]) * PAGE for page in pages)
        rows.append(((index + 1) << 24, flags, content, len(content) + more * PAGE))
    registers = [0] * 19 + [1 << 24] + [0] * 7
    data = make_core("x86_64", make_note("<", 1, make_prstatus(64, "<", 5, 11, registers)), rows)
    data = data[: max(PAGE, len(data) - cut * PAGE)]
    with tempfile.TemporaryDirectory() as folder:
        kept = extract_core(Trickle(data, step), Path(folder, "core"), budget * PAGE)
        content = kept.path.read_bytes()
    before, after = open_memory(data), open_memory(content)
    for address, _, content, _ in rows:
        for at in range(address, address + len(content), PAGE):
            state = after.origin(at)
            assert after.find_segment(at) is not None
            if before.origin(at) is not MemoryOrigin.CORE:
                assert state is MemoryOrigin.ABSENT
            elif state is MemoryOrigin.CORE:
                kept_bytes = after.read_some(at, PAGE)
                assert kept_bytes
                assert kept_bytes == before.read_some(at, len(kept_bytes))
            elif kept.dropped_bytes == 0:
                raise AssertionError("something is absent though nothing was dropped")
