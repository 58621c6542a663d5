"""The result of reading a file depends neither on how its bytes arrive nor on the borders of windows."""

from __future__ import annotations

import io
import pickle
from dataclasses import asdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.reading import ReadPlan, SourceResult, read_source, window
from analyzer.reading.hit_blocks import MAX_TRACEBACK_LINES
from analyzer.reading.hits import MAX_HEAD_HITS, MAX_TAIL_HITS
from analyzer.reading.source_reader import (
    MAX_REREADS_PER_LINE,
    REDUCED_BLOCK_LINES,
    REREAD_ALLOWANCE_LINES,
    _SourceReader,
)

STAMP = "2026-03-01 10:00:{:02d}.000001: I tensorflow/core/a.cc:1] "
LINES = st.one_of(
    st.integers(0, 59).map(lambda n: f"{STAMP.format(n)}boom {n}"),
    st.integers(0, 59).map(lambda n: f"{STAMP.format(n)}nothing"),
    st.sampled_from(
        [
            "boom 7",
            "0: boom 1",
            "1: boom 2 boom 3",
            "bang boom 4",
            "",
            "step 1\rstep 2\rboom 5",
            "0: step 3",
            "report begins\n  one\n  two\nreport ends",
            "1: report begins\n0:   of another\n1:   mine\n1: report ends",
            'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nValueError: boom 6',
            "harmless",
            "harmless, harmful",
            "plain words",
            "x" * 300,
        ]
    ),
)


class Dripping:
    """Gives its bytes in pieces of the given sizes, over and over."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data, self.sizes, self.turn = data, sizes, 0

    def read(self, size: int = -1) -> bytes:
        step = self.sizes[self.turn % len(self.sizes)]
        self.turn += 1
        step = min(step, size) if size >= 0 else step
        part, self.data = self.data[:step], self.data[step:]
        return part


def read(plan: ReadPlan, data: bytes, sizes: list[int] | None = None) -> SourceResult:
    return read_source("node-1/worker.log", Dripping(data, sizes) if sizes else io.BytesIO(data), plan)


def summary(result: SourceResult) -> dict[str, object]:
    return {
        name: value
        for name, value in (asdict(result) | {"counts": dict(result.counts)}).items()
        if name in {"bytes", "lines", "events", "stamps", "counts", "context", "status", "problem"}
    }


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(LINES, max_size=40),
    repeat=st.integers(1, 40),
    sizes=st.lists(st.integers(1, 5000), min_size=1, max_size=4),
    block=st.integers(200, 30_000),
    look=st.sampled_from([2000, 4000]),
    final=st.booleans(),
)
def test_cuts_do_not_matter(
    plan: ReadPlan,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[str],
    repeat: int,
    sizes: list[int],
    block: int,
    look: int,
    final: bool,
) -> None:
    text = "\n".join(lines * repeat) + ("\n" if final else "")
    data = text.encode()
    # No hit may look further than LOOK in either case, so that the same is in sight.
    with monkeypatch.context() as patch:
        patch.setattr(window, "LOOKAROUND_BYTES", look)
        patch.setattr("analyzer.reading.segments.LOOKAROUND_BYTES", look)
        patch.setattr("analyzer.reading.stamp_tracking.LOOKAROUND_BYTES", look)
        uncut = summary(read(plan, data))
        patch.setattr(window, "BLOCK_BYTES", block)
        assert summary(read(plan, data, sizes)) == uncut


@pytest.mark.parametrize(
    "at",
    [
        0,
        1,
        40,
        window.LOOKAROUND_BYTES - 60,
        window.LOOKAROUND_BYTES,
        window.LOOKAROUND_BYTES + 1,
        2 * window.LOOKAROUND_BYTES,
        9 * window.LOOKAROUND_BYTES,
    ],
)
@pytest.mark.parametrize(
    "behind",
    [
        0,
        1,
        70,
        window.LOOKAROUND_BYTES - 1,
        window.LOOKAROUND_BYTES,
        window.LOOKAROUND_BYTES + 5,
        9 * window.LOOKAROUND_BYTES,
    ],
)
def test_a_line_is_found_wherever_it_stands(plan: ReadPlan, at: int, behind: int) -> None:
    before = (b"y" * 63 + b"\n") * (at // 64) + b"2026-03-01 10:00:01.500000: I a.cc:1] nothing\n"
    data = before + b"a long beginning of the line and then boom 42\n" + b"z" * 30 + b"\n" + b"y" * behind
    result = read(plan, data, [10_000])
    [event] = result.events
    assert (event.captures, event.locus.line) == ({"number": "42"}, before.count(b"\n") + 1)
    assert event.inferred
    assert result.stamps[0], "the stamp of the line before it"
    assert result.lines == data.count(b"\n") + (not data.endswith(b"\n"))


def test_counts_are_exact_and_the_first_and_last_are_kept(plan: ReadPlan) -> None:
    result = read(plan, b"".join(b"boom %d\n" % number for number in range(5000)))
    numbers = [int(event.captures["number"]) for event in result.events]
    assert result.counts["boom", ""] == 5000
    assert numbers == [*range(MAX_HEAD_HITS), *range(5000 - MAX_TAIL_HITS, 5000)]
    assert [event.locus.line for event in result.events] == [number + 1 for number in numbers]


def test_a_result_survives_a_process_pool(plan: ReadPlan) -> None:
    result = read(plan, b"boom 1\nbang\n")
    assert summary(pickle.loads(pickle.dumps(result))) == summary(result)


def test_one_line_of_many_segments_takes_time_that_grows_with_it(plan: ReadPlan) -> None:
    """A progress bar redraws itself thousands of times in one line, which is not searched as a whole for each."""

    class Counted(bytes):
        touched = 0

        def rfind(self, sub: bytes, start: int = 0, end: int = 1 << 62) -> int:  # type: ignore[override]
            position = super().rfind(sub, start, end)
            Counted.touched += min(end, len(self)) - max(position, start)
            return position

        def find(self, sub: bytes, start: int = 0, end: int = 1 << 62) -> int:  # type: ignore[override]
            position = super().find(sub, start, end)
            Counted.touched += (min(end, len(self)) if position < 0 else position) - start
            return position

    touched = []
    for segments in (1000, 8000):
        data = b"\r".join(b"boom %05d" % number for number in range(segments)) + b"\n"
        Counted.touched = 0
        reader_window = window.TextWindow(Counted(data), 0, 0, len(data), True, False)
        result = SourceResult("bar.log")
        _SourceReader(plan, result, b"").take_window(reader_window)
        assert result.counts["boom", ""] == segments
        touched.append(Counted.touched)
    assert touched[1] < 12 * touched[0]


def test_the_last_stamp_is_found_although_the_last_block_is_a_few_bytes(plan: ReadPlan) -> None:
    lines = [f"{STAMP.format(n % 60)}nothing".ljust(127).encode() + b"\n" for n in range(window.BLOCK_BYTES // 128)]
    result = read(plan, b"".join(lines) + b"plain words\n")
    assert result.last_stamps[0].value % 60 == pytest.approx((len(lines) - 1) % 60 + 1e-6, abs=1e-4)


def test_headers_without_end_are_read_a_few_times_only(plan: ReadPlan) -> None:
    """A file of nothing but headers: each begins a block of hundreds of lines, which begin blocks again."""
    header = b"Traceback (most recent call last):\n"
    lines = 3_000
    result = SourceResult("bad.log")
    reader = _SourceReader(plan, result, header)
    for part in window.read_windows(io.BytesIO(header * lines)):
        reader.take_window(part)
    reader.finish()
    assert result.counts["trace", ""] == lines
    assert (
        reader.block_lines_read
        < MAX_REREADS_PER_LINE * lines + REREAD_ALLOWANCE_LINES + REDUCED_BLOCK_LINES * lines + MAX_TRACEBACK_LINES
    )
    assert any("blocks overlap" in note for note in result.notes)


def test_a_large_log_of_one_writer_is_known_by_few_of_its_lines(plan: ReadPlan) -> None:
    """Every line is counted, a few are read, and what they say of times and writers is true of all."""
    lines = [f"2026-03-01 00:{n // 60 % 60:02d}:{n % 60:02d}.000001: I some/file.cc:7] nothing" for n in range(3000)]
    result = SourceResult("node-1/worker.log")
    reader = _SourceReader(plan, result, b"")
    for part in window.read_windows(io.BytesIO("\n".join(lines).encode())):
        reader.take_window(part)
    reader.finish()
    assert reader.profiler.lines_read < 400
    assert (result.lines, result.timed_lines, set(result.streams)) == (3000, 3000, {""})
    assert result.last_stamps[0].value - result.first_stamps[0].value == 2999


@pytest.mark.parametrize("other", ["node-7:9:9 [0] NCCL INFO ready", "[1,3]<stdout>:ready", "[   12.345678] ready"])
def test_a_log_of_several_writers_hosts_or_clocks_is_read_more_closely(plan: ReadPlan, other: str) -> None:
    line = "2026-03-01 00:00:00.000001: I some/file.cc:7] nothing"
    first = "node-6:9:9 [0] NCCL INFO ready"
    looked = []
    for mixed in ([first, line], [first, line, other]):
        result = SourceResult("node-1/worker.log")
        reader = _SourceReader(plan, result, b"")
        for part in window.read_windows(io.BytesIO(("\n".join([*mixed, *[line] * 3000]) + "\n").encode())):
            reader.take_window(part)
        looked.append(reader.profiler.lines_read)
    assert looked[1] > 2 * looked[0]
