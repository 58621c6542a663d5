"""The latest line of each writer among many lines whose prefixes nobody reads.

Where several programs write into one file, most launchers begin a line with the writer's name, or with a time and the
name: `worker-1  | step 5`, `[1,0]<stdout>:step 5`, `2026-01-02T03:04:05Z worker-1 step 5`. So the first word, or the
second behind one that begins with a digit, tells lines of different writers apart, faster than to read prefixes.
"""

from __future__ import annotations

from analyzer.arrays import np
from analyzer.reading.hit_table import Numbers

MAX_WRITERS = 256  # more first words are no writers, but times or messages
WORD_BYTES = 64  # of a line, in which the word stands
ROWS_AT_ONCE = 1 << 15
_BLANKS = (0x09, 0x0A, 0x20)
_MULTIPLIER = 0x9E3779B97F4A7C15  # odd; of Fibonacci hashing (Knuth, TAOCP 3, 6.4)


def read_writer_word(line: bytes) -> bytes:
    """Return the word that tells the writer of a line from others."""
    words = line[:WORD_BYTES].split(None, 2)
    has_time = line[:1].isdigit() and len(words) > 1
    return words[has_time] if words else b""


def find_last_rows(data: bytes, starts: Numbers) -> list[int]:
    """Return the position in `starts` of the last line of each writer, at most MAX_WRITERS; [] if there are more.

    `starts` are offsets of lines in `data`.
    """
    text = np.frombuffer(data, np.uint8)
    last_rows: dict[int, int] = {}
    for begin in range(0, len(starts), ROWS_AT_ONCE):
        keys = _hash_words(text, starts[begin : begin + ROWS_AT_ONCE])
        distinct, back = np.unique(keys[::-1], return_index=True)
        if len(distinct) > MAX_WRITERS:
            return []
        last_rows |= zip(distinct.tolist(), (begin + len(keys) - 1 - back).tolist(), strict=True)
    return sorted(last_rows.values()) if len(last_rows) <= MAX_WRITERS else []


def _hash_words(text: Numbers, starts: Numbers) -> Numbers:
    heads = text[np.minimum(starts[:, None] + np.arange(WORD_BYTES), len(text) - 1)]
    is_blank = np.isin(heads, _BLANKS)
    has_time = (heads[:, 0] >= ord("0")) & (heads[:, 0] <= ord("9"))
    is_of_word = ~is_blank & (np.cumsum(is_blank, axis=1) == has_time[:, None])
    words = np.ascontiguousarray(np.where(is_of_word, heads, 0).astype(np.uint8)).view(np.uint64)
    keys = np.zeros(len(starts), np.uint64)
    for column in words.T:
        keys = (keys ^ column) * np.uint64(_MULTIPLIER)
    return keys
