"""Throttled signals: counts stay exact, and the first and last hits of each stream are kept."""

import io

import pytest

from analyzer.paths import cache_dir
from analyzer.reading import build_plan, read_source
from analyzer.reading.hits import MAX_HEAD_HITS, MAX_TAIL_HITS
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
