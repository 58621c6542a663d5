"""What members of a job time again and again, and which of them alone needs long for it."""

from __future__ import annotations

import io

import pytest

from analyzer.facts.odd_timings import find_odd_timings
from analyzer.reading import ReadPlan, read_source
from analyzer.reading.timings import MIN_LINES

Texts = dict[str, list[str]]


def find(texts: Texts, plan: ReadPlan) -> list[tuple[str, float, float, int]]:
    """(node, its milliseconds, those of the others, line) of each odd timing; `texts`: node → its messages."""
    start = "2026-02-01 03:04:01,000 INFO tensorflow: Started server with target: grpc://x:2222\n"
    results = [
        read_source(
            f"{node}/fit.log",
            io.BytesIO((start + "".join(f"2026-02-01 03:04:02,000 INFO fit: {text}\n" for text in lines)).encode()),
            plan,
        )
        for node, lines in texts.items()
    ]
    odd = find_odd_timings(results, lambda file, _: file.partition("/")[0])
    return [(timing.node, timing.own_ms, timing.others_ms, timing.locus.line) for timing in odd]


def repeat(form: str, *durations: float, times: int = 6) -> Texts:
    """Each node prints the form with its duration; the numbers of the files rise."""
    return {
        f"n{node}": [form.format(duration, number=number) for number in range(times)]
        for node, duration in enumerate(durations)
    }


@pytest.mark.parametrize(
    ("form", "own_ms"),
    [
        ("reader: {number} files, {} ms each", 41.0),
        ("{number}個 平均 {}ms/個", 41.0),
        ("шард {number} записан за {} с", 41_000.0),
        ("fetched part-{number} ({}s)", 41_000.0),
        ("n0 n1 read in {} sec.", 41_000.0),
    ],
)
def test_the_slow_member_is_found(form: str, own_ms: float, plan: ReadPlan) -> None:
    share = own_ms / 41.0
    assert find(repeat(form, 1.5, 41.0, 2.0), plan) == [("n1", own_ms, 2.0 * share, 7)]


@pytest.mark.parametrize(
    "durations",
    [(1.5, 41.0), (30.0, 41.0, 35.0), (1.5, 4.5, 1.5), (41.0, 41.0, 1.5), (900.0, 3.0, 3000.0)],
    ids=["two", "alike", "short", "two slow ones", "all differ"],
)
def test_there_need_not_be_a_slow_member(durations: tuple[float, ...], plan: ReadPlan) -> None:
    assert find(repeat("reader: {number} files, {} ms each", *durations), plan) == []


def test_what_is_timed_once_or_twice_is_no_usual_duration(plan: ReadPlan) -> None:
    texts = repeat("reader: {number} files, {} ms each", 1.5, 41.0, 2.0, times=MIN_LINES - 1)
    assert find(texts, plan) == []


def test_the_usual_duration_counts_and_not_the_longest(plan: ReadPlan) -> None:
    texts = repeat("reader: {number} files, {} ms each", 1.5, 1.0, 2.0, times=10)
    texts["n1"][1:6] = ["reader: 7 files, 900 ms each"] * 5
    texts["n1"][-1] = "reader: 7 files, 900 ms each"
    assert find(texts, plan) == []


def test_a_member_may_become_slow_at_the_end(plan: ReadPlan) -> None:
    texts = repeat("reader: {number} files, {} ms each", 1.5, 1.0, 2.0, times=20)
    texts["n1"][-4:] = ["reader: 7 files, 900 ms each"] * 4
    assert [odd[:3] for odd in find(texts, plan)] == [("n1", 900.0, 2.0)]


def test_a_line_may_time_several_things(plan: ReadPlan) -> None:
    texts = repeat("reader: open 3 ms, {} ms each, {number} files", 1.5, 41.0, 2.0)
    assert [odd[:3] for odd in find(texts, plan)] == [("n1", 41.0, 2.0)]


def test_other_members_may_time_other_things(plan: ReadPlan) -> None:
    texts = repeat("reader: {number} files, {} ms each", 1.5, 1.6, 2.0)
    texts |= {"n3": repeat("saved {number} in {} ms", 900.0)["n0"]}
    assert find(texts, plan) == []
