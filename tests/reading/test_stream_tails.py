"""The last lines of each program that writes into one file."""

from __future__ import annotations

import io

import pytest

from analyzer.facts.launcher_ranks import _merge_streams
from analyzer.reading import ReadPlan, SourceResult, read_source
from analyzer.reading import stream_tails as module
from analyzer.reading.segments import LAST_LINES


def read(plan: ReadPlan, lines: list[str]) -> SourceResult:
    return read_source("slurm-7.out", io.BytesIO("\n".join([*lines, ""]).encode()), plan)


def test_each_stream_has_its_own_last_lines(plan: ReadPlan) -> None:
    lines = [f"{number % 3}: boom {number}" for number in range(200)]
    tails = read(plan, lines).tails
    assert sorted(tails) == ["0", "1", "2"]
    assert tails["1"] == tuple((number + 1, lines[number]) for number in range(142, 200, 3))[-LAST_LINES:]


def test_a_file_of_one_stream_has_none(plan: ReadPlan) -> None:
    assert read(plan, [f"0: boom {number}" for number in range(200)]).tails == {}


def test_only_the_end_of_a_long_file_is_read(plan: ReadPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TAIL_BYTES", 2000)
    lines = ["2: boom 0", *(f"{number % 2}: boom {number}" for number in range(20_000))]
    tails = read(plan, lines).tails
    assert sorted(tails) == ["0", "1"] and tails["1"][-1] == (20_001, "1: boom 19999")


def test_the_number_of_streams_is_bounded(plan: ReadPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TAIL_STREAMS", 2)
    assert len(read(plan, [f"{number % 3}: boom {number}" for number in range(200)]).tails) == 2


def test_streams_that_are_one_program_have_their_lines_in_order(plan: ReadPlan) -> None:
    result = read(plan, [f"0: boom {number}" if number % 2 else f"boom {number}" for number in range(60)])
    _merge_streams(result, {"0"})
    assert [number for number, _ in result.tails[""]] == list(range(41, 61))
