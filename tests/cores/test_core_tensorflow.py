"""Two crashes of TensorFlow 2.21, kept as slim ones: its real stacks, against eu-stack's of the whole cores."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from analyzer.core_dump import core_to_json
from analyzer.pipeline import analyze

FIXTURES = Path(__file__).parent / "fixtures"


def read(name: str) -> Any:
    (core,) = analyze([FIXTURES / f"tensorflow-2.21-{name}.tar.zst"]).cores
    return core_to_json(core)


@pytest.mark.parametrize("name", ["check", "pyfunc"])
def test_every_frame_agrees_with_eu_stack_on_the_whole_core(name: str) -> None:
    theirs: dict[int, list[int]] = {}
    tid = 0
    for line in (FIXTURES / f"tensorflow-2.21-{name}.eu-stack.txt").read_text().splitlines():
        if match := re.match(r"TID (\d+):", line):
            tid = int(match[1])
        elif match := re.match(r"#\d+\s+0x([0-9a-f]+)", line):
            theirs.setdefault(tid, []).append(int(match[1], 16))
    ours = {
        thread["tid"]: [int(f["address"], 16) for f in thread["frames"] if f["kind"] == "native" and not f["inlined"]]
        for thread in read(name)["threads"]
    }
    assert ours == theirs


def test_a_failed_check_names_its_words_and_the_python_line() -> None:
    core = read("check")
    assert core["signal"] == "SIGABRT"
    assert core["abort_message"].startswith("tensor_shape.cc:204] Check failed: ")
    assert "Expected shape dimensions to be non-negative" in core["abort_message"]
    frames = core["threads"][0]["frames"]
    python = [(f["function"], f["file"], f["line"]) for f in frames if f["kind"] == "python"]
    assert python == [("allocate", "/job/check.py", 8), ("<module>", "/job/check.py", 9)]
    assert any((f["function"] or "").startswith("tensorflow::TensorShapeBase<") for f in frames)


def test_a_crash_in_a_numpy_function_shows_the_users_line() -> None:
    core = read("pyfunc")
    assert (core["signal"], core["fault_address"]) == ("SIGSEGV", "0x8")
    frames = core["threads"][0]["frames"]
    assert ("read_label", "/job/pyfunc.py", 4) in [(f["function"], f["file"], f["line"]) for f in frames]
    assert any((f["function"] or "").startswith("tensorflow::PyFuncOp::Compute") for f in frames)
    assert core["signature"] == "SIGSEGV | strlen | string_at | tensorflow::PyFuncOp::Compute | pyfunc.py:read_label"
