"""The latest line of each writer among many lines whose prefixes nobody reads.

Where several programs write into one file, most launchers begin a line with the writer's name, or with a time and the
name: `worker-1  | step 5`, `[1,0]<stdout>:step 5`, `2026-01-02T03:04:05Z worker-1 step 5`. So the first word, or the
second behind one that begins with a digit, tells lines of different writers apart, faster than to read prefixes.
"""

from __future__ import annotations

from analyzer.arrays import np
from analyzer.reading.hit_table import Numbers

MAX_WRITERS = 256  # more first words are no writers, but times or messages
WORD_BYTES = 40  # of a line, in which the word stands
ROWS_AT_ONCE = 1 << 12
_MULTIPLIER = 0x9E3779B97F4A7C15  # odd; of Fibonacci hashing (Knuth, TAOCP 3, 6.4)


def read_writer_word(line: bytes) -> bytes:
    """Return the word that tells the writer of a line from others."""
    words = line[:WORD_BYTES].split(None, 2)
    has_time = line[:1].isdigit() and len(words) > 1
    return words[has_time] if words else b""


def find_last_rows(data: bytes, starts: Numbers, expected: set[int]) -> dict[int, int]:
    """Return the last line of each writer: a key for the writer → its position in `starts`; {} if there are too many.

    `starts` are offsets of lines in `data`. The lines are read from the last on, until those of all `expected` keys are
    there; if none is expected, all of them.
    """
    text = np.frombuffer(data, np.uint8)
    last_rows: dict[int, int] = {}
    for end in range(len(starts), 0, -ROWS_AT_ONCE):
        begin = max(0, end - ROWS_AT_ONCE)
        keys, back = np.unique(_hash_words(text, starts[begin:end])[::-1], return_index=True)
        if len(keys) + len(last_rows) > 2 * MAX_WRITERS:
            return {}
        for key, row in zip(keys.tolist(), (end - 1 - back).tolist(), strict=True):
            last_rows.setdefault(key, row)
        if expected and expected <= last_rows.keys():
            break
    return last_rows if len(last_rows) <= MAX_WRITERS else {}


def _hash_words(text: Numbers, starts: Numbers) -> Numbers:
    columns = np.arange(WORD_BYTES)
    heads = text[np.minimum(starts[:, None] + columns, len(text) - 1)]
    is_blank = heads <= ord(" ")
    end = np.where(is_blank.any(axis=1), is_blank.argmax(axis=1), WORD_BYTES)
    has_time = (heads[:, 0] >= ord("0")) & (heads[:, 0] <= ord("9"))
    begin = np.where(has_time, end, 0)
    if has_time.any():
        is_later = is_blank & (end[:, None] < columns)
        end = np.where(has_time, np.where(is_later.any(axis=1), is_later.argmax(axis=1), WORD_BYTES), end)
    heads[(begin[:, None] > columns) | (end[:, None] <= columns)] = 0
    keys = np.zeros(len(starts), np.uint64)
    for column in heads.view(np.uint64).T:
        keys = (keys ^ column) * np.uint64(_MULTIPLIER)
    return keys
