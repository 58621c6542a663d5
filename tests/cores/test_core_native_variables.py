"""Arguments and variables of native code, of real cores at several levels of optimization and versions of DWARF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from core_rows import read_core_row
from crashing import compile_program, crash

from analyzer.core_dump import CoreDetail

BATCH = '{<Base> = {id = 5}, name = "first", shape = {rank = 2, sizes = {64, 32, 0}}, phase = kTrain, flags = '
LABELS = "vector of 10: {2, 2, 2, 2, 2, 2, 2, 2, … 2 more}"


def read_frames(folder: Path, *flags: str) -> dict[str, dict[str, str]]:
    """Variables by function, of frames that have any."""
    program = compile_program("variables.cc", folder / "variables", *flags)
    core: Any = read_core_row(crash(folder / "run", [str(program)]), detail=CoreDetail(locals=True))
    frames = core["threads"][0]["frames"]
    return {frame["function"].partition("(")[0]: frame["locals"] for frame in frames if "locals" in frame}


@pytest.mark.parametrize("version", [3, 4, 5])
def test_variables_of_code_that_is_not_optimized(tmp_path: Path, version: int) -> None:
    frames = read_frames(tmp_path, "-O0", f"-gdwarf-{version}")
    assert list(frames) == ["read_rows", "pick", "run_step", "main"]
    assert frames["read_rows"]["p"] == "0x0" and frames["read_rows"]["index"] == "6"
    assert (frames["pick"]["offset"], frames["pick"]["scaled"]) == ("3", "6")
    step = frames["run_step"]
    assert step["batch"].startswith(BATCH)
    assert step["labels"] == LABELS
    expected = {"loss": "2.5", "is_last": "true", "tag": "200", "letter": "120 'x'", "attempt": "3", "calls": "4"}
    assert {name: step[name] for name in expected} == expected
    assert step["note"] == '"step of the training"' and step["tags"] == 'vector of 2: {"a", "b"}'
    assert step["path"].endswith(' "/data/train"') and step["missing"] == "{{1, 2}, {3, 4}}"
    assert step["negative"] == "3", "the inner variable hides the outer one"
    assert frames["main"]["labels"] == LABELS
    if version > 3:
        assert step["batch"].endswith("flags = {ready = 1, level = 6}}") or "<bit field>" in step["batch"]


def test_what_is_optimized_out_is_not_made_up(tmp_path: Path) -> None:
    """Of an argument whose register was used again, nothing is known; what is shown is true."""
    frames = read_frames(tmp_path, "-O2", "-g")
    shown = {name: value for name, value in frames["run_step"].items() if value != "<optimized out>"}
    true = {"labels": LABELS, "note": '"step of the training"', "calls": "4", "negative": "3", "attempt": "3"}
    true |= {"letter": "120 'x'", "loss": "2.5", "is_last": "true", "tag": "200", "tags": 'vector of 2: {"a", "b"}'}
    assert shown and {name: value for name, value in shown.items() if name in true} == {
        name: true[name] for name in shown if name in true
    }
    assert shown.get("batch", BATCH).startswith(BATCH)
    assert {"batch", "is_last", "tag"} & shown.keys(), "what the caller passed and still has"
    assert frames["main"]["batch"].startswith(BATCH)


def test_variables_are_read_only_when_they_are_asked_for(tmp_path: Path) -> None:
    program = compile_program("variables.cc", tmp_path / "variables", "-O0", "-g")
    core: Any = read_core_row(crash(tmp_path / "run", [str(program)]))
    assert not [frame for frame in core["threads"][0]["frames"] if "locals" in frame]


def test_a_program_without_debug_information_has_none(tmp_path: Path) -> None:
    assert read_frames(tmp_path, "-O0") == {}
