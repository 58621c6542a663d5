"""The word that tells lines of different writers apart, and the last line of each."""

from __future__ import annotations

import pytest

from analyzer.arrays import np
from analyzer.reading.line_writers import MAX_WRITERS, find_last_rows, read_writer_word

WORDS = {
    "worker-1  | step 5": "worker-1",
    "2026-01-02T03:04:05Z worker-1 step 5": "worker-1",
    "2026-01-02 03:04:05,678 worker-1 step 5": "worker-1",
    "[2026-01-02 03:04:05] worker-1: step 5": "worker-1:",
    "Jan  2 03:04:05 node-1 python3[7]: step 5": "node-1",
    "Jan 12 03:04:05 node-1 python3[7]: step 5": "node-1",
    "Fri Jan  2 03:04:05 2026 node-1 step 5": "node-1",
    "02/01/2026 03:04:05 node-1 step 5": "node-1",
    "1767323045.123 node-1 step 5": "node-1",
    "10.0.0.4 step 5": "10.0.0.4",
    "10.0.0.4: 2026-01-02 step 5": "10.0.0.4:",
    "[1,0]<stdout>:step 5": "[1,0]<stdout>:step",
    "12: step 5": "12:",
    "[12] step 5": "[12]",
    " 3: 2026-01-02 step 5": "3:",
    "10:01:33": "10:01:33",
    "": "",
}


@pytest.mark.parametrize(("line", "word"), WORDS.items(), ids=WORDS)
def test_the_word_for_the_writer(line: str, word: str) -> None:
    assert read_writer_word(line.encode()) == word.encode()


def find_last_of(lines: list[bytes]) -> list[int]:
    starts = np.cumsum([0, *(len(line) + 1 for line in lines[:-1])])
    return sorted(find_last_rows(b"\n".join(lines), starts, set()).values())


@pytest.mark.parametrize("form", [line for line, word in WORDS.items() if line not in {"", word}])
def test_the_last_row_of_each_word_is_found(form: str) -> None:
    word = WORDS[form]
    lines = [form.replace(word, f"{word[:-1]}{letter}{word[-1]}").encode() for letter in "abcab"]
    assert find_last_of(lines) == [2, 3, 4]
    assert find_last_of([form.encode()] * 3) == [2]


def test_rows_of_more_writers_than_there_can_be_are_none() -> None:
    def last_rows(count: int) -> list[int]:
        return find_last_of([b"w%d | step" % (row % count) for row in range(2 * count)])

    assert last_rows(3) == [3, 4, 5]
    assert len(last_rows(MAX_WRITERS)) == MAX_WRITERS
    assert last_rows(MAX_WRITERS + 1) == []
