"""A real core with bytes changed: always an answer, never an exception, and soon."""

from __future__ import annotations

import io
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
import zstandard
from core_rows import read_core_row
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.core_dump import core_from_json
from analyzer.cores import describe_core, extract_core
from analyzer.cores.dwarf.source_lines import find_locations
from analyzer.cores.elf.images import open_image

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize("name", ["circular-siblings", "unknown-sibling-form"])
def test_damaged_debug_information_ends(tmp_path: Path, name: str) -> None:
    """Entries that follow each other in a circle were followed for ever; a form that is none was an exception."""
    path = tmp_path / "crash"
    path.write_bytes(zstandard.decompress((FIXTURES / f"{name}.zst").read_bytes(), max_output_size=1 << 20))
    image = open_image(path)
    assert image is not None
    text = image.sections[".text"]
    started = time.thread_time()
    find_locations(image, range(text.addr, text.addr + text.size, 8))
    assert time.thread_time() - started < 5


# Numbers at which counts, sizes and pointers break.
EVIL = [0, 1, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, 1 << 47, (1 << 63) - 1, (1 << 64) - 1]

changes = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from([64, 2048, 8192, 1 << 30]),
        st.sampled_from([1, 2, 4, 8]),
        st.one_of(st.sampled_from(EVIL), st.integers(0, (1 << 64) - 1)),
    ),
    min_size=1,
    max_size=24,
)


# A minute where it counts, seconds at a desk.
@settings(
    max_examples=4000 if os.environ.get("CI") else 100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(changes, st.one_of(st.none(), st.floats(0, 1)), st.sampled_from([0, 20_000, 1 << 30]))
def test_a_damaged_core_is_answered(make_core: Any, edits: Any, cut: float | None, budget: int) -> None:
    data = bytearray(make_core("assert", "-O1", "-g").read_bytes())
    for where, limit, size, value in edits:
        at = int(where * (min(limit, len(data)) - size))
        data[at : at + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    if cut is not None:
        del data[int(cut * len(data)) :]
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "core")
        path.write_bytes(data)
        core = read_core_row(path)
        json.dumps(core)
        list(describe_core(core_from_json(core)))
        kept = extract_core(io.BytesIO(bytes(data)), Path(folder, "kept"), budget)
        json.dumps(read_core_row(kept.path))
    assert time.process_time() - started < 20  # two readings of five seconds each at the worst
