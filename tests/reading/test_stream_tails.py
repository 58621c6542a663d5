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


PADDING = "loss 0.5 accuracy 0.25 learning_rate 0.001 grad_norm 1.5 examples_per_sec 1234.5"


@pytest.mark.parametrize("prefix", ["{}: ", "[1,{}]<stdout>:", "worker-{}  | 2026-01-02 03:04:05,000 INFO train: "])
@pytest.mark.parametrize("lines_after", [20_000, 60_000])
def test_a_stream_that_ends_long_before_the_others_has_its_last_lines(
    prefix: str, lines_after: int, plan: ReadPlan
) -> None:
    lines = [f"{prefix.format(number % 3)}boom {number} {PADDING}" for number in range(300)]
    lines += [f"{prefix.format(number % 2)}boom {number} {PADDING}" for number in range(lines_after)]
    tails = read(plan, lines).tails
    assert len(tails) == 3
    early = next(tail for stream, tail in tails.items() if "2" in stream)
    assert early == tuple((number + 1, lines[number]) for number in range(242, 300, 3))
    late = next(tail for stream, tail in tails.items() if "1" in stream)
    assert late[-1] == (300 + lines_after, lines[-1])


@pytest.mark.parametrize(("absences", "last"), [(4, 60_001), (2, None)])
def test_lines_that_a_later_one_follows_are_not_the_last_ones(
    absences: int, last: int | None, plan: ReadPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ABSENCES", absences)
    lines = [f"{number % 2}: boom {number} {PADDING}" for number in range(90_000)]
    for number in (100, 30_000, 60_000):  # a writer that comes back
        lines[number] = f"2: boom {number} {PADDING}"
    tail = read(plan, lines).tails.get("2")
    assert (tail and tail[-1][0]) == last


def test_the_number_of_streams_is_bounded(plan: ReadPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TAIL_STREAMS", 2)
    assert len(read(plan, [f"{number % 3}: boom {number}" for number in range(200)]).tails) == 2


def test_streams_that_are_one_program_have_their_lines_in_order(plan: ReadPlan) -> None:
    result = read(plan, [f"0: boom {number}" if number % 2 else f"boom {number}" for number in range(60)])
    _merge_streams(result, {"0"})
    assert [number for number, _ in result.tails[""]] == list(range(41, 61))
