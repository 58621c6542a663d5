"""The word that tells lines of different writers apart, and the last line of each."""

from __future__ import annotations

import pytest

from analyzer.arrays import np
from analyzer.reading.line_writers import MAX_WRITERS, find_last_rows, read_writer_word


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b"worker-1  | step 5", b"worker-1"),
        (b"2026-01-02T03:04:05Z worker-1 step 5", b"worker-1"),
        (b"10:01:33", b"10:01:33"),
        (b"", b""),
    ],
)
def test_the_word_for_the_writer(line: bytes, word: bytes) -> None:
    assert read_writer_word(line) == word


def test_rows_of_more_writers_than_there_can_be_are_none() -> None:
    def last_rows(count: int) -> list[int]:
        lines = [b"w%d | step" % (row % count) for row in range(2 * count)]
        starts = np.cumsum([0, *(len(line) + 1 for line in lines[:-1])])
        return sorted(find_last_rows(b"\n".join(lines), starts, set()).values())

    assert last_rows(3) == [3, 4, 5]
    assert len(last_rows(MAX_WRITERS)) == MAX_WRITERS
    assert last_rows(MAX_WRITERS + 1) == []
