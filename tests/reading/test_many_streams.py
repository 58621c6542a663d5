"""The hits kept of a source are bounded, notes say what was left out, and counts stay exact."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator

import pytest

from analyzer.reading import ReadPlan, SourceResult, read_source, retention


def lines(ranks: int, lines_per_rank: int, words: str = "boom {number}") -> bytes:
    output_lines = (
        f"[1,{rank}]<stderr>:{words.format(number=number)}\n"
        for number in range(lines_per_rank)
        for rank in range(ranks)
    )
    return "".join(output_lines).encode()


def read(log: bytes, plan: ReadPlan) -> SourceResult:
    return read_source("job.log", io.BytesIO(log), plan)


def test_ranks_beyond_the_limit_share_one_stream(plan: ReadPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "MAX_STREAMS", 50)
    result = read(lines(400, 3), plan)
    assert len(result.streams) == len({stream for _, stream in result.counts}) == 51
    assert sum(result.counts.values()) == 1200
    assert any("more than 50 processes write to this file" in note for note in result.notes)
    assert not read(lines(50, 3), plan).notes


@pytest.mark.parametrize("between", ["\t", ": ", " | "])
def test_names_before_equal_messages_are_writers(plan: ReadPlan, between: str) -> None:
    log = "".join(f"{name}{between}boom {step} of them\n" for step in range(4) for name in ("ant", "bee"))
    assert {event.stream for event in read(log.encode(), plan).events} == {"ant", "bee"}
    table = "".join(f"{name}{between}boom {step}\n" for step in range(4) for name in ("loss", "rate"))
    assert {event.stream for event in read(table.encode(), plan).events} == {""}


def test_a_writer_of_only_a_traceback_is_found_beside_others(plan: ReadPlan) -> None:
    alone = ["Traceback (most recent call last):", '  File "a.py", line 3', "boom 1"]
    others = [f"2026-11-21 02:06:1{step}.000000: W a/b.cc:1] step {step}" for step in range(8)]
    log = [
        f"{name}  | {line}" for name, lines in (("ant", alone * 2), ("bee", others), ("cow", others)) for line in lines
    ]
    assert {event.stream for event in read("\n".join(log).encode(), plan).events} == {"ant", "bee", "cow"}


def test_many_ranks_share_what_is_kept(plan: ReadPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "MAX_HITS", 600)
    result = read(lines(100, 40), plan)
    assert 300 < len(result.events) <= 600
    assert sum(result.counts.values()) == 4000
    for rank in range(100):
        numbers = [int(event.captures["number"]) for event in result.events if event.stream == str(rank)]
        assert numbers[0] == 0 and numbers[-1] == 39
    assert any("only the first" in note for note in result.notes)


def test_streams_that_do_not_fit_are_counted(plan: ReadPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "MAX_HITS", 60)
    result = read(lines(400, 3), plan)
    assert len(result.events) <= 61
    assert sum(result.counts.values()) == 1200


@pytest.mark.parametrize("words", ["nothing of note", "boom {number}", "step {number}", "bang {number}"])
def test_memory_does_not_grow_with_the_source(plan: ReadPlan, words: str) -> None:
    class Repeated(io.RawIOBase):
        """So many times the same lines, given as they are read."""

        def __init__(self, times: int) -> None:
            self.pieces: Iterator[bytes] = iter([lines(4, 200, words) + b"nothing\n" * 90_000] * times)

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            return next(self.pieces, b"")

    peaks = []
    for times in (16, 32):
        tracemalloc.start()
        result = read_source("job.log", Repeated(times), plan)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert result.lines == times * 90_800
    assert peaks[1] < 1.3 * peaks[0]
