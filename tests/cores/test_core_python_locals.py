"""Arguments and variables of Python frames, of each interpreter that is installed, and of hostile objects."""

from __future__ import annotations

import struct
import time
from pathlib import Path
from typing import Any

import pytest
from command_line import call_for_text
from core_rows import read_core_row
from crashing import crash, find_python
from hypothesis import given, settings
from hypothesis import strategies as st
from made_cores import make_core as make_elf_core

from analyzer.core_dump import CoreDetail
from analyzer.cores.elf.headers import PF_R, PF_W, count_segments, read_header, read_segments
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.python.attributes import find_attribute
from analyzer.cores.python.objects import LAYOUT_OF_FLAG, MAX_VALUE_CHARS, SCALAR_FORMATS, ObjectReader
from analyzer.cores.python.struct_offsets import OFFSETS_BY_MINOR
from analyzer.cores.python.variables import VariableReader

VERSIONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]
JOB = r"""
import ctypes, collections, enum
class Mode(enum.IntEnum):
    TRAIN = 3
class Loader:
    pass
Point = collections.namedtuple("Point", "x y")
def load(index, mode="segv", *rest, password="hunter22", **options):
    total, flag, nothing, zero = 3.5, True, None, 0
    big, huge = -(1 << 70), 1 << 5000
    text, wide, long = "p\u00e4th/\u00fc", "\u65e5\u672c", "x" * 5000
    raw, single, empty = b"\x00abc", (1,), []
    names = ["a", "b"] + [str(i) for i in range(20)]
    nested = {"rows": [1, (3, [4])], 7: None}
    nested["self"] = nested
    attributes, failure = vars(loader), ValueError("bad row", 7)
    point, train = Point(1, -2), Mode.TRAIN
    connection = {"api_key": "abcdef0123456789"}
    def inner():
        return index, text
    ctypes.string_at(16)
loader = Loader()
loader.a = 1
load(4, "x", 5, 6, batch=32)
"""
EXPECTED = {
    "index": "4",
    "mode": "'x'",
    "rest": "(5, 6)",
    "options": "{'batch': 32}",
    "total": "3.5",
    "flag": "True",
    "nothing": "None",
    "zero": "0",
    "big": str(-(1 << 70)),
    "huge": "<int of 5010 bits>",
    "text": repr("päth/ü"),
    "wide": repr("日本"),
    "long": f"{'x' * 100!r}… 5,000 in all",
    "raw": r"b'\x00abc'",
    "single": "(1,)",
    "empty": "[]",
    "names": "['a', 'b', '0', '1', '2', … 22 in all]",
    "nested": "{'rows': [1, (… 2 in all)], 7: None, 'self': {'rows': [… 2 in all], 7: None, 'self': {… 3 in all}}}",
    "attributes": "{… 1 in all}",
    "failure": "ValueError('bad row', 7)",
    "point": "Point((1, -2))",
    "train": "Mode(3)",
}


def locals_of(core: Any, function: str) -> dict[str, str]:
    [frame] = [frame for frame in core["threads"][0]["frames"] if frame["function"] == function]
    variables: dict[str, str] = frame.get("locals", {})
    return variables


@pytest.mark.parametrize("version", VERSIONS)
def test_variables_of_the_crashing_thread_are_shown_when_asked_for(tmp_path: Path, version: str) -> None:
    python = find_python(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    (tmp_path / "job.py").write_text(JOB)
    path = crash(tmp_path / "run", [python, str(tmp_path / "job.py")])
    variables = locals_of(read_core_row(path, detail=CoreDetail(locals=True)), "load")
    assert {name: variables[name] for name in EXPECTED} == EXPECTED
    assert variables["inner"].startswith("<function at 0x")
    assert variables["password"] == "'hunter22'"  # the command line masks
    assert not any("locals" in frame for thread in read_core_row(path)["threads"] for frame in thread["frames"])


def test_variables_are_masked(tmp_path: Path) -> None:
    python = find_python("3.11")
    if python is None:
        pytest.skip("no Python 3.11 here")
    (tmp_path / "job.py").write_text(JOB.replace("batch=32", 'peer="worker-7.train.example.com"'))
    path = crash(tmp_path / "run", [python, str(tmp_path / "job.py")])
    for options in ([], ["--json", "-"]):
        shown = call_for_text("core", "--locals", *options, str(path)).stdout
        assert "hunter22" not in shown
        assert "abcdef0123456789" not in shown
        assert "worker-7.train.example.com" in shown
        hidden = call_for_text("core", "--locals", "--redact", *options, str(path)).stdout
        assert "worker-7.train.example.com" not in hidden
        assert "total" in hidden
    assert "total" not in call_for_text("core", str(path)).stdout
    failed = call_for_text("core", "--locals", "--slim", str(tmp_path / "out.tar.gz"), str(path))
    assert failed.returncode == 2
    assert "cannot be used with --slim" in failed.stderr


BASE = 0x7F0000000000
TYPE_NAMES = [*LAYOUT_OF_FLAG.values(), "bool", "cell", "NoneType", "numpy.ndarray", *SCALAR_FORMATS, "Thing", "\x01"]


def memory_of(data: bytes) -> ProcessMemory:
    core = make_elf_core("x86_64", b"", [(BASE, PF_R | PF_W, data, len(data))])
    header = read_header(core)
    assert header is not None
    segments = read_segments(core, header, count=count_segments(core, header))
    return ProcessMemory(core, len(core), segments, "<", 64)


def make_types() -> tuple[bytes, list[int]]:
    """Return type objects of all layouts that are known, and their addresses."""
    data, addresses = bytearray(), list[int]()
    flags = {layout: 1 << bit for bit, layout in LAYOUT_OF_FLAG.items()}
    for name in TYPE_NAMES:
        at = BASE + len(data)
        addresses.append(at)
        body = bytearray(208)
        struct.pack_into("<Q", body, 24, at + 176)
        struct.pack_into("<Q", body, 168, flags.get({"bool": "int"}.get(name, name), 0))
        body[176 : 176 + len(name)] = name.encode()
        data += body
    return bytes(data), addresses


TYPES, TYPE_ADDRESSES = make_types()
OBJECTS = BASE + len(TYPES)
WORDS = 96
word = st.one_of(
    st.integers(0, WORDS - 1).map(lambda index: OBJECTS + 8 * index),
    st.sampled_from(TYPE_ADDRESSES),
    st.sampled_from([0, 1, 3, 5, 0xFF, 1 << 16, 1 << 31, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]),
    st.integers(0, (1 << 64) - 1),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(word, min_size=WORDS, max_size=WORDS), st.sampled_from(range(8, 15)))
def test_hostile_objects_are_described_within_bounds(words: list[int], minor: int) -> None:
    """Containers hold themselves, lengths lie, and types contradict what they are types of."""
    memory = memory_of(TYPES + struct.pack(f"<{WORDS}Q", *words))
    objects = ObjectReader(memory, (3, minor), 48 if minor < 12 else 40, 72 if minor < 12 else 56)
    started = time.thread_time()
    for index in range(0, WORDS, 3):
        assert len(objects.describe(OBJECTS + 8 * index)) <= MAX_VALUE_CHARS
        find_attribute(memory, objects, OBJECTS + 8 * index, "step")
    offsets = OFFSETS_BY_MINOR[min(minor, 12)]._replace(version=(3, minor))
    reader = VariableReader(memory, offsets, objects, time.thread_time() + 60)
    for index in range(0, WORDS, 7):
        assert len(reader.read_frame(OBJECTS + 8 * index - offsets.variables, OBJECTS)) <= 30
    assert time.thread_time() - started < 5


def test_references_of_python_3_14_have_tags() -> None:
    """Its frames hold tagged references, its tuples a hash before their items."""
    tuple_type, int_type, str_type = (TYPE_ADDRESSES[TYPE_NAMES.index(name)] for name in ("tuple", "int", "str"))
    step = [1, int_type, 1 << 3, 17]  # refcount, type, tag, digit
    name = [1, str_type, 4, 0, 0x64, int.from_bytes(b"step", "little")]  # length, hash, state, characters
    step_at, name_at = OBJECTS, OBJECTS + 8 * len(step)
    names_at = name_at + 8 * len(name)
    frame_at = names_at + 8 * 5
    names = [1, tuple_type, 1, 0xFFFF, name_at]  # length, hash, item
    memory = memory_of(TYPES + struct.pack("<17Q", *step, *name, *names, step_at | 1, names_at))
    objects = ObjectReader(memory, (3, 14), 40, 56)
    offsets = OFFSETS_BY_MINOR[12]._replace(version=(3, 14), variables=0, variable_names=(8,))
    reader = VariableReader(memory, offsets, objects, time.thread_time() + 60)
    assert reader.read_frame(frame_at, frame_at) == {"step": "17"}
