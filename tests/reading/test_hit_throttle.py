"""Throttled signals: counts are those of lines or of the scanner, the first and last hits of each stream are kept."""

import io

import pytest

from analyzer.paths import cache_dir
from analyzer.reading import build_plan, read_source
from analyzer.reading.hits import MAX_HEAD_HITS, MAX_REPEATED_HITS, MAX_SETTLED_TAIL_HITS, MAX_TAIL_HITS
from analyzer.rules.packs.cache import load_packs


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_first_and_the_last_steps_of_each_stream_are_kept(ranks: int) -> None:
    plan = build_plan(load_packs((), cache_dir()), cache_dir())
    steps = 20_000
    lines = (
        f"{rank}: 2026-11-21 02:{step // 600:02d}:{step // 10 % 60:02d},{step % 10}00 INFO step: step {step} loss 0.5\n"
        for step in range(steps)
        for rank in range(ranks)
    )
    result = read_source("job.log", io.BytesIO("".join(lines).encode()), plan)
    for rank in range(ranks):
        seen = [
            int(e.captures["step"]) for e in result.events if e.signal == "step_with_loss" and e.stream == str(rank)
        ]
        assert seen[:MAX_HEAD_HITS] == list(range(MAX_HEAD_HITS))
        assert seen[-1] == steps - 1
        assert len(seen) <= MAX_HEAD_HITS + MAX_TAIL_HITS
    total = sum(count for (signal, _), count in result.counts.items() if signal == "step_with_loss")
    assert total == steps * ranks
    assert result.lines == steps * ranks


def test_a_stream_that_begins_late_is_read_although_the_signal_was_throttled() -> None:
    plan = build_plan(load_packs((), cache_dir()), cache_dir())
    line = "2026-11-21 02:{:02d}:{:02d}.000000: E tensorflow/core/a.cc:1] nobody knows this error\n"
    alone = [line.format(n // 60 % 60, n % 60) for n in range(20_000)]
    both = [f"[1,{n % 2}]<stderr>:{line.format(n // 60 % 60, n % 60)}" for n in range(20_000)]
    result = read_source("job.log", io.BytesIO("".join(alone + both).encode()), plan)
    counts = {stream: count for (signal, stream), count in result.counts.items() if signal == "error_line"}
    assert sum(counts.values()) == 40_000
    late = [event for event in result.events if event.signal == "error_line" and event.stream]
    assert len({event.stream for event in late}) == 2
    assert min(event.locus.line for event in late) < 30_000


class _ShortReads(io.BytesIO):
    """A stream that returns less than it is asked for, as decompressors do."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size, 70_001) if size and size > 0 else size)


def test_steps_of_which_most_are_only_counted_do_not_depend_on_the_blocks_that_are_read() -> None:
    """`step N loss X` is also sighted as `^step N$`, which never confirms it until the program changes its wording."""
    plan = build_plan(load_packs((), cache_dir()), cache_dir())
    stamp = "2026-11-21 02:{:02d}:{:02d},000 INFO train: "
    lines = [
        stamp.format(step // 60 % 60, step % 60) + (f"step {step} loss 0.5\n" if step < 12_000 else f"step {step}\n")
        for step in range(24_000)
    ]
    lines[9_000] = stamp.format(30, 0).replace("INFO", "ERROR") + "step 9000 failed: nobody knows why\n"
    data = "".join(lines).encode()
    uncut = read_source("train.log", io.BytesIO(data), plan)
    pieces = read_source("train.log", _ShortReads(data), plan)
    assert (uncut.events, uncut.counts, uncut.shapes) == (pieces.events, pieces.counts, pieces.shapes)
    assert [event.locus.line for event in uncut.events if event.signal == "error_logged"] == [9_001]
    bare = [int(event.captures["step"]) for event in uncut.events if event.signal == "step_done"]
    assert bare[:3] == [12_000, 12_001, 12_002], "a line of another template is read although others were no hits"
    assert bare[-1] == 23_999
    assert uncut.counts["step_with_loss", ""] == 11_999
    assert len(uncut.events) < 600


def test_the_last_redraws_of_one_progress_bar_stay_in_order() -> None:
    """A bar is one line, however often it is redrawn: the number of the line does not order its segments."""
    plan = build_plan(load_packs((), cache_dir()), cache_dir())
    bar = "\r".join(f"{step:4d}/3000 [====>.........] - ETA: 9s - loss: 0.5000" for step in range(1, 2_001))
    data = f"2026-11-21 02:00:00,000 INFO train: start\nEpoch 1/2\n{bar}".encode()
    for stream in (io.BytesIO(data), _ShortReads(data)):
        result = read_source("train.log", stream, plan)
        steps = [int(event.captures["step"]) for event in result.events if event.signal == "keras_bar"]
        assert steps == [*range(1, MAX_HEAD_HITS + 1), *range(2_001 - MAX_TAIL_HITS, 2_001)]


def test_a_hit_without_a_time_in_sight_never_takes_a_later_one() -> None:
    """The latest lines of a throttled signal are read when the source ends, and other lines come behind them."""
    plan = build_plan(load_packs((), cache_dir()), cache_dir())
    stamped = "".join(f"2026-11-21 02:00:{n // 10:02d},000 INFO train: step {n} loss 0.5\n" for n in range(600))
    bare = "node-1:4003:5003 [3] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0\n" * 300
    late = "2026-11-21 09:00:00,000 ERROR train: nobody knows this error\n"
    result = read_source("train.log", io.BytesIO((stamped + bare + late).encode()), plan)
    stamps_by_line = {event.locus.line: stamps for event, stamps in zip(result.events, result.stamps, strict=True)}
    late_stamp = stamps_by_line.pop(901)[0]
    assert set(range(901 - MAX_SETTLED_TAIL_HITS, 901)) <= stamps_by_line.keys()
    assert all(stamps[0].value < late_stamp.value for stamps in stamps_by_line.values() if stamps)


def test_a_series_that_states_nothing_new_has_enough_hits_early() -> None:
    """What is new is kept as long as something new may come; a start is a point in time, whatever it states."""
    plan = build_plan(load_packs((), cache_dir()), cache_dir())
    stamp = "2026-11-21 02:{:02d}:{:02d}.000000: I tensorflow/core/a.cc:1] "
    messages = [
        *(
            f"/job:worker/replica:0/task:{task} has connected to coordination service. Incarnation: 7\n"
            for task in range(30)
        ),
        *["/job:worker/replica:0/task:3 has connected to coordination service. Incarnation: 7\n"] * 300,
        *["Started server with target: grpc://10.0.0.7:2222\n"] * 300,
    ]
    data = "".join(stamp.format(second // 60, second % 60) + text for second, text in enumerate(messages)).encode()
    for stream in (io.BytesIO(data), _ShortReads(data)):
        result = read_source("worker.log", stream, plan)
        lines = [event.locus.line for event in result.events if event.signal == "task_connected"]
        assert lines == [*range(1, 31 + MAX_REPEATED_HITS), *range(331 - MAX_SETTLED_TAIL_HITS, 331)]
        starts = [event.locus.line for event in result.events if event.signal == "server_started"]
        assert len(starts) == MAX_HEAD_HITS + MAX_TAIL_HITS
        assert result.counts["task_connected", ""] == 330


def test_of_several_streams_each_has_its_first_and_last_errors_whoever_writes_more() -> None:
    """Lines of a stream that has its first hits are counted by their prefix alone, with the same result."""
    plan = build_plan(load_packs((), cache_dir()), cache_dir())
    stamp = "2026-11-21 02:{:02d}:{:02d}.000000: "
    lines = []
    for number in range(9_000):
        line = stamp.format(number // 60 % 60, number % 60) + "E tensorflow/core/a.cc:1] nobody knows this error\n"
        rank = number % 3
        # The second rank falls silent early: its last errors are far from the end.
        lines.append(line if rank == 0 or (rank == 1 and number > 3_000) else f"[1,{rank}]<stderr>:{line}")
    data = "".join(lines).encode()
    uncut = read_source("job.log", io.BytesIO(data), plan)
    pieces = read_source("job.log", _ShortReads(data), plan)
    assert (uncut.events, uncut.counts, uncut.shapes) == (pieces.events, pieces.counts, pieces.shapes)
    for rank, stream in enumerate(("", "1", "2")):
        numbers = [number for number, line in enumerate(lines, 1) if line.startswith(f"[1,{rank}]" if rank else "2026")]
        kept = [event.locus.line for event in uncut.events if event.signal == "error_line" and event.stream == stream]
        assert kept == [*numbers[:MAX_HEAD_HITS], *numbers[-MAX_TAIL_HITS:]]
        assert uncut.counts["error_line", stream] == len(numbers)


def test_blocks_of_equal_errors_are_read_where_the_next_line_may_continue_them() -> None:
    plan = build_plan(load_packs((), cache_dir()), cache_dir())
    error = "2026-11-21 02:{:02d}:{:02d}.000000: E tensorflow/core/a.cc:1] Check failed: n < {} (3 vs. 2)\n"
    lines = [error.format(number // 60 % 60, number % 60, number) for number in range(6_000)]
    lines[5_999] += "\tat tensorflow::Step() step.cc:12\n"
    data = "".join(lines).encode()
    uncut = read_source("job.log", io.BytesIO(data), plan)
    pieces = read_source("job.log", _ShortReads(data), plan)
    assert (uncut.events, uncut.counts, uncut.shapes) == (pieces.events, pieces.counts, pieces.shapes)
