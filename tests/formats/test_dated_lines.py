"""The time of a file's lines is read whatever its form, and what only looks like one is left alone."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.records.dated_lines import is_surely_read, may_be_dated
from analyzer.formats.unwrap import choose_unwrapper
from tests.formats.samples import SAMPLES
from tests.formats.test_dates import DATES

SECONDS = range(10, 40)


def unwrap(text: str) -> list[str]:
    unwrapper = choose_unwrapper(text.encode())
    return (
        (unwrapper.feed(text.encode()) + unwrapper.finish()).decode().splitlines() if unwrapper else text.splitlines()
    )


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        ("24.11.2026 10:33:{:02},123 Epoche 3", "2026-11-24T10:33:10.123 Epoche 3"),
        ("[11/24/2026 10:33:{:02} PM] epoch 3", "[2026-11-24 22:33:10] epoch 3"),
        ("24/Nov/2026:10:33:{:02} +0100 INFO epoch 3", "2026-11-24T10:33:10+0100 INFO epoch 3"),
        ("10:33:{:02} epoch 3", "[10:33:10] epoch 3"),
        ("9:33:{:02} PM epoch 3", "[21:33:10] epoch 3"),
        ("17955163{:02} epoch 3", "[1795516310.000000] epoch 3"),
        ("1795516392{:03}: epoch 3", "[1795516392.010000] epoch 3"),
        ("24. Nov 10:33:{:02} Épochë 3", "Nov 24 10:33:10 Épochë 3"),
        ("[24/11 10:33:{:02}] epoch 3", "[Nov 24 10:33:10] epoch 3"),
        ("11-24 10:33:{:02},123 | epoch 3", "Nov 24 10:33:10.123 | epoch 3"),
        ("[04/05 10:33:{:02}] epoch 3", "[10:33:10] epoch 3"),
        ("04/05/2026 10:33:{:02} epoch 3", "[10:33:10] epoch 3"),
        ("<10:33:{:02}> epoch 3", "[10:33:10] epoch 3"),
        ("INFO 10:33:{:02} epoch 3", "[10:33:10] INFO epoch 3"),
        ("[INFO 10:33:{:02}] epoch 3", "[10:33:10] INFO epoch 3"),
        ("fit[811] 24/11 10:33:{:02} epoch 3", "Nov 24 10:33:10 fit[811] epoch 3"),
        ("[rank 1] [24/11 10:33:{:02}] epoch 3", "Nov 24 10:33:10 rank 1 epoch 3"),
        ("gx-7 | 10:33:{:02} epoch 3", "gx-7 | [10:33:10] epoch 3"),
    ],
)
def test_a_form_is_learned_and_its_time_read(form: str, wanted: str) -> None:
    first, *_ = unwrap("".join(form.format(second) + "\n" for second in SECONDS))
    assert first == wanted
    assert len(read_line(first).stamps) == 1


@pytest.mark.parametrize("time", ["24.11.2026 10:33:{:02}", "[24/Nov/2026 10:33:{:02}]", "11/24/2026 10:33:{:02} AM"])
@pytest.mark.parametrize(
    "prefix",
    ["worker-{}    | ", "[pod/bert-worker-{}/main] ", "worker-{}\t", "{}: ", "  {}: ", "[1,{}]<stdout>:"],
)
def test_the_time_behind_the_name_of_a_writer_is_read(prefix: str, time: str) -> None:
    text = "".join(f"{prefix.format(second % 2)}{time.format(second)} epoch 3\n" for second in SECONDS)
    lines = [read_line(line) for line in unwrap(text)]
    assert all(len(line.stamps) == 1 and line.stream for line in lines)
    assert lines[0].stream != lines[1].stream
    assert {line.stream for line in lines} == {lines[0].stream, lines[1].stream}


def test_lines_between_the_dated_ones_stay() -> None:
    text = "".join(f"24.11.2026 10:33:{second}: step {second}\n  File x\n\n\xff\n" for second in SECONDS)
    assert unwrap(text)[:4] == ["2026-11-24T10:33:10: step 10", "  File x", "", "\xff"]


def test_dates_that_a_format_reads_tell_the_month_of_the_others() -> None:
    days = [f"11/{day}/2026" for day in range(20, 31)] + [f"12/{day:02}/2026" for day in range(1, 12)]
    lines = unwrap("".join(f"{day} 10:33:12 epoch 3\n" for day in days))
    assert lines[0] == "2026-11-20T10:33:12 epoch 3"
    assert lines[-1] == "2026-12-11T10:33:12 epoch 3"


def test_bytes_that_are_no_text_stay() -> None:
    raw = b"".join(b"24.11.2026 10:33:%02d \xff\xfe x\n" % second for second in SECONDS)
    unwrapper = choose_unwrapper(raw)
    assert unwrapper is not None
    assert (unwrapper.feed(raw) + unwrapper.finish()).startswith(b"2026-11-24T10:33:10 \xff\xfe x\n")


def test_times_that_a_format_reads_stay() -> None:
    text = "".join(f"2026-11-24 10:33:{second} INFO epoch 3\n" for second in SECONDS)
    assert unwrap(text) == text.splitlines()


@pytest.mark.parametrize(
    "form",
    [
        "epoch {}: 10:33:12 elapsed",
        "10:{0:02}:12 left of epoch {0}",  # a clock that falls
        "12345678{:02} images read",  # no time since 1990
        "{}/24/2026 images",
    ],
)
def test_other_lines_are_left_alone(form: str) -> None:
    text = "".join(form.format(second) + "\n" for second in reversed(SECONDS))
    assert unwrap(text) == text.splitlines()


TIMES = (
    "2026-11-24 10:33:12",
    "2026-11-24T10:33:12.123Z",
    "2026-11-24 10:33:12,345",
    "2026-11-28T10:33:12+01:00",
    "Nov  4 10:33:12.123",
)
BEHIND = (
    "",
    " epoch 3",
    ": I x.cc:3] a",
    ",345 a",
    " - a - INFO - b",
    " INFO a: b",
    " gx-7 a[3]: b",
    "|gx-7",
    "; b",
    ": [a] b",
)


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("behind", BEHIND)
def test_what_is_surely_read_is_read(time: str, behind: str) -> None:
    for line in (time + behind, f"{time} {time}{behind}"):
        assert not is_surely_read(line) or read_line(line).stamps, line
    assert is_surely_read(f"{time} epoch 3")


def test_samples_that_are_surely_read_are_read() -> None:
    assert all(read_line(line).stamps for _, line in SAMPLES if is_surely_read(line))


@pytest.mark.parametrize(
    "line",
    [
        "2026-02-30 10:33:12 a",
        "2026-11-24 10:33:12 +99:99 a",
        "2026-11-24 25:33:12 a",
        "Nov 31 10:33:12 a",
        "Nov 4 10:33:12,123 a",
    ],
)
def test_impossible_times_are_not_surely_read(line: str) -> None:
    assert not is_surely_read(line)


@pytest.mark.parametrize("text", [text for text, _ in DATES])
@pytest.mark.parametrize("before", ["", "[", "gx-7 ", "gx-7: ", "## ", "gx-7 | ["])
def test_no_date_is_missed(text: str, before: str) -> None:
    assert may_be_dated(f"{before}{text} epoch 3")
