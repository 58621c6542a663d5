"""Whatever writers do, the lines that are kept of a stream's end are the last ones of the stream."""

from __future__ import annotations

import io
import random

import pytest

from analyzer.reading import ReadPlan, read_source, window
from analyzer.reading.segments import LAST_LINES

FORMS = (
    "worker-{}  | 2026-01-02 03:04:05,000 INFO train: {}",
    "[1,{}]<stdout>:{}",
    "2026-01-02T03:04:05Z [pod/bert-worker-{}/main] {}",
)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_kept_of_a_stream_ends_it(seed: int, plan: ReadPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "BLOCK_BYTES", 200_000)
    chance = random.Random(seed)
    form, count = chance.choice(FORMS), chance.randrange(2, 9)
    lines: list[str] = []
    for _ in range(chance.randrange(4, 12)):  # each with the writers that are at work then
        at_work = [writer for writer in range(count) if chance.random() < 0.6] or [0]
        weights = [chance.choice((1, 1, 1, 0.001)) for _ in at_work]
        writers = chance.choices(at_work, weights, k=chance.randrange(3_000))
        lines += [form.format(writer, f"boom {len(lines)} of writer {writer} {'x' * 90}") for writer in writers]
    tails = read_source("job.log", io.BytesIO("\n".join([*lines, ""]).encode()), plan).tails
    assert tails
    for tail in tails.values():
        writer = tail[-1][1].partition("of writer ")[2].split()[0]
        own = [(number, line) for number, line in enumerate(lines, 1) if f"of writer {writer} " in line]
        assert tail == tuple(own[-LAST_LINES:])[-len(tail) :], writer
