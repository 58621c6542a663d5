"""A member of a merged log that prints no times for long did not write its last words when it last printed one."""

from __future__ import annotations

import io

from analyzer.model import Event
from analyzer.reading import ReadPlan, read_source

START = "[1,{rank}]<stderr>:2026-02-08 03:00:00.000000: I tensorflow/core/platform/cpu_feature_guard.cc:193] oneDNN\n"
STEPS = [
    f"[1,0]<stdout>:2026-02-08 {3 + m // 60:02}:{m % 60:02}:10,000 INFO step {m} loss 0.5\n" for m in range(1, 300)
]
ERROR = "[1,1]<stderr>:and then boom 42\n"


def last_event(text: str, plan: ReadPlan) -> Event:
    return max(read_source("job.out", io.BytesIO(text.encode()), plan).events, key=lambda event: event.locus.line or 0)


def test_its_last_words_have_the_time_of_the_line_before(plan: ReadPlan) -> None:
    text = START.format(rank=0) + START.format(rank=1) + "".join(STEPS) + ERROR
    event = last_event(text, plan)
    step = last_event(START.format(rank=0) + "".join(STEPS), plan)
    assert event.inferred
    assert event.time == step.time
    assert event.text in ERROR


def test_the_own_stream_counts_if_the_neighbour_is_hardly_later(plan: ReadPlan) -> None:
    text = START.format(rank=0) + START.format(rank=1).replace("03:00:00", "07:58:50") + "".join(STEPS) + ERROR
    own = last_event(START.format(rank=1).replace("03:00:00", "07:58:50") + ERROR, plan)
    assert last_event(text, plan).time == own.time
