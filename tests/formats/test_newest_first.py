"""Exports that list the newest record first are read in the order of time."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.formats.records.newest_first import OldestFirstSorter, is_newest_first
from analyzer.formats.unwrap import choose_unwrapper

TRACE = [
    "Traceback (most recent call last):",
    '  File "/srv/train.py", line 3, in <module>',
    "    fit()",
    '  File "/srv/model.py", line 9, in fit',
    "    raise KeyError(name)",
    "KeyError: 'image'",
]
# Second of the minute, writer, line
LINES = [(1, "n1", "step 1"), (2, "n2", "step 1"), (3, "n1", "step 2"), *((4, "n1", line) for line in TRACE)]
LINES += [(5, "n2", "peer lost"), (6, "n2", "giving up")]


def newest_first(keep_ties: bool) -> Sequence[tuple[int, str, str]]:
    if keep_ties:
        return sorted(LINES, key=lambda line: -line[0])
    return LINES[::-1]


def read(content: str) -> tuple[list[str], Sequence[int]]:
    unwrapper = choose_unwrapper(content.encode())
    assert unwrapper is not None
    text = (unwrapper.feed(content.encode()) + unwrapper.finish()).decode()
    return [segment for line in text.split("\n") for segment in line.split("\r")], unwrapper.line_order


def csv(lines: Sequence[tuple[int, str, str]]) -> str:
    rows = [
        f'2026-11-21T05:10:{second:02d}Z,{host},"{line.replace(chr(34), chr(34) * 2)}"\n'
        for second, host, line in lines
    ]
    return "timestamp,host,message\n" + "".join(rows)


def records(lines: Sequence[tuple[int, str, str]]) -> list[dict[str, object]]:
    return [{"_time": f"2026-11-21T05:10:0{second}Z", "host": host, "_raw": line} for second, host, line in lines]


def ndjson(lines: Sequence[tuple[int, str, str]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records(lines))


def array_on_one_line(lines: Sequence[tuple[int, str, str]]) -> str:
    return json.dumps(records(lines))


def pretty_array(lines: Sequence[tuple[int, str, str]]) -> str:
    return json.dumps(records(lines), indent=2) + "\n"


@pytest.mark.parametrize("keep_ties", [True, False])
@pytest.mark.parametrize("export", [csv, ndjson, array_on_one_line, pretty_array])
def test_records_come_in_the_order_of_time(export: object, keep_ties: bool) -> None:
    assert callable(export)
    texts, _ = read(export(newest_first(keep_ties)))
    lines = [next((line for _, _, line in LINES if text.endswith(line)), None) for text in texts]
    assert [line for line in lines if line] == [line for _, _, line in LINES]


def test_each_line_keeps_its_number_in_the_file() -> None:
    content = csv(newest_first(keep_ties=True))
    texts, order = read(content)
    in_file = content.split("\n")
    assert sorted(order) == list(range(1, len(LINES) + 2))
    for number, text in zip(order, texts, strict=False):
        assert in_file[number - 1].rpartition(",")[2].strip('"').replace('""', '"') in text


@pytest.mark.parametrize(
    "lines",
    [
        LINES,
        [LINES[0]],
        [(1, "n1", "step 1")] * 20,
        [(at % 7, "n1", "a clock that is set back again and again") for at in range(40)],
    ],
)
def test_other_exports_stay_as_they_are(lines: Sequence[tuple[int, str, str]]) -> None:
    assert not read(csv(lines))[1]


def test_ordinary_text_is_not_sorted() -> None:
    assert not is_newest_first(b"")
    assert not is_newest_first(b"step 1\n" * 100)
    assert not is_newest_first(b"2026-11-21T05:10:06Z a\nTraceback\n  File\n    x\nKeyError\n2026-11-21T05:10:05Z b\n")


def test_an_export_that_is_too_large_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.formats.records.newest_first.MAX_SORTED_BYTES", 100)
    content = csv(newest_first(keep_ties=False))
    texts, order = read(content)
    assert [text.rpartition(" ")[2] for text in texts][1:3] == ["up", "lost"]
    assert not order


@given(st.lists(st.binary(max_size=40), max_size=30), st.integers(1, 40))
def test_the_sorter_returns_the_lines_it_got(lines: list[bytes], size: int) -> None:
    content = b"\n".join(line.replace(b"\n", b"") for line in lines)
    sorter = OldestFirstSorter()
    output = b"".join(sorter.convert(content[at : at + size]) for at in range(0, len(content), size)) + sorter.finish()
    assert Counter(re.split(rb"[\r\n]", output)) == Counter(re.split(rb"[\r\n]", content))
    assert output.count(b"\n") == content.count(b"\n")
    assert len(sorter.line_order) in (0, len(content.removesuffix(b"\n").split(b"\n")))


def test_each_writers_records_may_fall_where_clocks_differ() -> None:
    """A shipper takes the records of all, and each has the time of its own clock."""
    lines = [(at + 19 * (at % 2), f"n{at % 2}", f"step {at}") for at in range(40)]
    texts, _ = read(csv(lines[::-1]))
    own = [[text.rpartition("step ")[2] for text in texts if f"n{writer}" in text] for writer in (0, 1)]
    assert own == [[str(at) for at in range(writer, 40, 2)] for writer in (0, 1)]
