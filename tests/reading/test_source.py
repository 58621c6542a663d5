"""Blocks, streams, context and damage of one text source."""

from __future__ import annotations

import io

import pytest

from analyzer.bundle import DamageError
from analyzer.formats.time_resolution import infer_zone
from analyzer.model import Event
from analyzer.reading import Peekable, ReadPlan, SourceResult, read_source

TRACE = [
    "Traceback (most recent call last):",
    '  File "/app/train.py", line 12, in main',
    "    model.fit()",
    "ValueError: shapes differ",
]


def read(plan: ReadPlan, text: str, file: str = "node-1/worker.log") -> SourceResult:
    return read_source(file, io.BytesIO(text.encode()), plan)


def only(result: SourceResult, signal: str) -> Event:
    [event] = [event for event in result.events if event.signal == signal]
    return event


class Breaking:
    """A stream that gives its parts and then breaks."""

    def __init__(self, *parts: bytes) -> None:
        self.parts = list(parts)

    def read(self, size: int = -1) -> bytes:
        if not self.parts:
            raise DamageError("the data ends in the middle")
        part = self.parts.pop(0)
        if 0 <= size < len(part):
            self.parts.insert(0, part[size:])
            part = part[:size]
        return part


@pytest.mark.parametrize("size", [20, 5000, 100_000, 2_000_000])
def test_a_broken_stream_keeps_what_came_before(plan: ReadPlan, size: int) -> None:
    data = b"boom 1\n" + b"y" * size + b"\nboom 2\nboo"
    result = read_source("a.log", Breaking(data[:9], data[9:]), plan)
    assert (result.status, result.problem) == ("partly-read", "the data ends in the middle")
    assert [event.captures["number"] for event in result.events] == ["1", "2"]
    assert (result.lines, result.bytes) == (4, len(data))


def test_a_stream_that_breaks_at_once_has_failed(plan: ReadPlan) -> None:
    result = read_source("a.log", Breaking(), plan)
    assert (result.status, result.problem, result.events) == ("failed", "the data ends in the middle", [])


def test_peeking_never_raises_and_loses_nothing() -> None:
    stream = Peekable(Breaking(b"abc", b"def"))
    assert stream.peek(2) == b"ab"
    assert stream.peek(100) == b"abcdef"
    assert stream.read(4) == b"abcd"
    assert stream.read(-1) == b"ef"
    with pytest.raises(OSError, match="ends in the middle"):
        stream.read(1)


def test_a_traceback_knows_the_line_of_its_exception(plan: ReadPlan) -> None:
    chained = [
        *TRACE,
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        *TRACE[:-1],
        "KeyError: 'a'",
    ]
    first, *_ = [event for event in read(plan, "\n".join(["x", *chained, ""])).events if event.signal == "trace"]
    assert first.exception == (len(chained) + 1, "KeyError: 'a'")
    mixed = "".join(f"{rank}: {line}\n" for line in TRACE for rank in (0, 1))
    raised = [event.exception and event.exception.line for event in read(plan, mixed).events if event.signal == "trace"]
    assert raised == [7, 8]
    assert only(read(plan, "\n".join(TRACE[:3])), "trace").exception is None


def test_tracebacks_of_interleaved_streams_do_not_mix(plan: ReadPlan) -> None:
    other = [line.replace("train.py", "other.py").replace("ValueError", "KeyError") for line in TRACE]
    mixed = [text for first, second in zip(TRACE, other, strict=True) for text in (f"0: {first}", f"1: {second}")]
    result = read(plan, "\n".join(mixed) + "\n")
    exceptions = {
        event.stream: (event.captures["exception"], event.captures["path"])
        for event in result.events
        if event.signal == "trace"
    }
    assert exceptions == {"0": ("ValueError", "/app/train.py"), "1": ("KeyError", "/app/other.py")}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
def test_a_block_is_the_same_whatever_ends_its_lines(plan: ReadPlan, end: str) -> None:
    trace = only(read(plan, end.join([*TRACE, ""])), "trace")
    assert trace.captures["exception"] == "ValueError"
    assert trace.captures["lineno"] == "12"
    assert trace.block == tuple(TRACE[1:])
    report = only(read(plan, end.join(["report begins", "  one", "report ends", "  not of it", ""])), "report")
    assert report.block == ("  one", "report ends")


def test_context_has_the_lines_around_with_their_numbers(plan: ReadPlan) -> None:
    lines = [f"line {number}" for number in range(1, 21)]
    lines[9] = "bar 1\rbar 2\rbar 3"
    lines[11] = "bang"
    result = read(plan, "\n".join(lines) + "\n")
    first, shown = result.context[12]
    assert first == 8
    assert shown == ("line 8", "line 9", "bar 3", "line 11", "bang", "line 13", "line 14", "line 15", "line 16")


def test_context_shows_the_part_of_the_line_that_was_hit(plan: ReadPlan) -> None:
    first, shown = read(plan, "step 1\rboom 5\rstep 6\n").context[1]
    assert (first, shown) == (1, ("boom 5",))


def test_a_file_without_a_final_line_feed_and_an_empty_one(plan: ReadPlan) -> None:
    assert read(plan, "plain\nboom 9").events[0].locus.line == 2
    assert read(plan, "plain\nboom 9").lines == 2
    empty = read(plan, "")
    assert (empty.lines, empty.status, empty.events) == (0, "read", [])


def test_two_matches_in_a_line_are_one_line(plan: ReadPlan) -> None:
    result = read(plan, "boom 1 boom 2 bang\n")
    assert result.counts == {("boom", ""): 1, ("bang", ""): 1}


def test_an_overlong_line_does_not_hide_what_stands_in_it(plan: ReadPlan) -> None:
    result = read(plan, "x" * 5_000_000 + " boom 3 " + "y" * 100_000 + "\nboom 4\n")
    assert [(event.captures["number"], event.locus.line) for event in result.events] == [("3", 1), ("4", 2)]
    assert any("cut into pieces" in note for note in result.notes)
    assert len(result.events[0].text) < 20_000


def test_nothing_of_random_bytes_raises(plan: ReadPlan) -> None:
    data = bytes((n * 167 + n // 251) % 256 for n in range(200_000))
    result = read_source("noise.bin", io.BytesIO(data), plan)
    assert result.bytes == len(data)


def test_a_zone_is_shown_where_a_stamp_in_utc_meets_a_local_one(plan: ReadPlan) -> None:
    """TensorFlow's own lines stand at the start alone: the program's later ones say nothing of their zone."""
    local = [f"2026-08-08 06:00:{second}.000000: I tensorflow/core/x.cc:1] ready" for second in range(10, 20)]
    utc = [f"2026-08-08T09:{minute}:30Z step {minute}" for minute in range(10, 60)]
    result = read(plan, "\n".join(["2026-08-08T09:00:09Z start", *local, *utc]) + "\n")
    assert len(result.zones) == 2  # ten minutes lie between the second pair
    assert infer_zone(result.zones) is None
    result = read(plan, "\n".join(["2026-08-08T09:00:09Z start", *local, "2026-08-08T09:00:21Z step 1", *utc]) + "\n")
    assert infer_zone(result.zones) == -3 * 3600


@pytest.mark.parametrize(
    ("seconds", "lines"),
    [((7.0, 7.0004, 7.001), 2), ((7.0, 7.0004, 9.0), 1), ((7.0, 8.0, 8.001), 0)],
    ids=["at once", "the last one later", "later"],
)
def test_lines_that_a_program_writes_to_syslog_at_once_are_one_message(
    seconds: tuple[float, ...], lines: int, plan: ReadPlan
) -> None:
    texts = ("report begins", "a", "b")
    stamped = (
        f"2026-11-21T05:10:0{at:.6f}+00:00 n3 fitter[7]: {text}" for at, text in zip(seconds, texts, strict=True)
    )
    assert len(only(read(plan, "\n".join(stamped) + "\n"), "report").block) == lines


@pytest.mark.parametrize(
    ("times", "lines"),
    [(("07.433", "07.433", "07.434"), 2), (("07.433", "07.634", "07.634"), 0), (("07", "07", "07"), 0)],
    ids=["at once", "later", "whole seconds"],
)
def test_lines_that_a_collector_stamps_alike_are_one_message(
    times: tuple[str, ...], lines: int, plan: ReadPlan
) -> None:
    texts = ("report begins", "a", "b")
    stamped = (f"[pod/gx-7/-] 2026-10-28T17:04:{at} {text}" for at, text in zip(times, texts, strict=True))
    assert len(only(read(plan, "\n".join(stamped) + "\n"), "report").block) == lines
