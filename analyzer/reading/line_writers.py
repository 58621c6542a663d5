"""The latest line of each writer among many lines whose prefixes nobody reads.

Where several programs write into one file, most launchers begin a line with the writer's name, or with a time and the
name: `worker-1  | step 5`, `[1,0]<stdout>:step 5`, `2026-01-02T03:04:05Z worker-1 step 5`, `Jan  2 03:04:05 node-1 …`.
So the first word that is no part of a time tells lines of different writers apart, faster than to read prefixes.
"""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.arrays import np
from analyzer.reading.hit_table import Numbers

MAX_WRITERS = 256  # more first words are no writers, but times or messages
WORD_BYTES = 40  # of a line, in which the word stands
MAX_TIME_WORDS = 5  # `Fri Jan  2 03:04:05 2026`
MIN_TIME_DIGITS = 4  # of a date or a time of day; `[1,0]` is a rank
FIRST_ROWS = 1 << 8  # read at once; then twice as many each time, up to MAX_ROWS
MAX_ROWS = 1 << 12
_MULTIPLIER = 0x9E3779B97F4A7C15  # odd; of Fibonacci hashing (Knuth, TAOCP 3, 6.4)
_CALENDAR_WORDS = b"Mon Tue Wed Thu Fri Sat Sun Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_CALENDAR_CODES = np.array([int.from_bytes(word) for word in _CALENDAR_WORDS])
_DIGITS, _TIME_SIGNS = b"0123456789", b"-:/.,+TZ[]()"
_IS_TIME_BYTE = np.isin(np.arange(256), list(_DIGITS + _TIME_SIGNS))


def read_writer_word(line: bytes) -> bytes:
    """Return the word that tells the writer of a line from others."""
    is_behind_month = False
    for position, word in enumerate(words := line[:WORD_BYTES].split()):
        is_calendar = word in _CALENDAR_WORDS
        if position == MAX_TIME_WORDS or not (is_calendar or _is_time(word, is_behind_month)):
            return word
        is_behind_month = is_calendar
    return words[-1] if words else b""


def _is_time(word: bytes, is_behind_month: bool) -> bool:
    """Whether a word is a date, a time of day or a day of the month, and not an address or a rank as `12:`."""
    digits = len(word) - len(word.translate(None, _DIGITS))
    is_long = digits >= MIN_TIME_DIGITS and word.count(b".") != 3
    return bool(digits) and not word.translate(None, _DIGITS + _TIME_SIGNS) and (is_behind_month or is_long)


def read_last_keys(data: bytes, starts_of_signals: Sequence[Numbers]) -> list[Numbers]:
    """Return the keys of the writers of the last FIRST_ROWS lines of each signal, for `find_last_rows`.

    A call of numpy for a few lines costs as much as for thousands, so all signals are read at once.
    """
    last = [starts[-FIRST_ROWS:] for starts in starts_of_signals]
    keys = _hash_words(np.frombuffer(data, np.uint8), np.concatenate(last))
    return np.split(keys, np.cumsum([len(starts) for starts in last])[:-1])


def find_last_rows(
    data: bytes, starts: Numbers, expected: set[int], last_keys: Numbers | None = None
) -> dict[int, int]:
    """Return the last line of each writer: a key for the writer → its position in `starts`; {} if there are too many.

    `starts` are offsets of lines in `data`. The lines are read from the last on, until those of all `expected` keys are
    there; if none is expected, all of them. `last_keys` are those of `read_last_keys`, if it was asked.
    """
    text = np.frombuffer(data, np.uint8)
    last_rows: dict[int, int] = {}
    end, count = len(starts), FIRST_ROWS
    while end > 0:
        begin = max(0, end - count)
        is_read = last_keys is not None and end == len(starts)
        read_keys: Numbers = last_keys if is_read else _hash_words(text, starts[begin:end])
        keys, back = np.unique(read_keys[::-1], return_index=True)
        if len(keys) + len(last_rows) > 2 * MAX_WRITERS:
            return {}
        for key, row in zip(keys.tolist(), (end - 1 - back).tolist(), strict=True):
            last_rows.setdefault(key, row)
        if expected and expected <= last_rows.keys():
            break
        end, count = begin, min(2 * count, MAX_ROWS)
    return last_rows if len(last_rows) <= MAX_WRITERS else {}


def find_rows_like(data: bytes, starts: Numbers, key: int) -> list[int]:
    """Return the positions in `starts` of all lines of the writer with this key, as `find_last_rows` returns it."""
    text = np.frombuffer(data, np.uint8)
    parts = (_hash_words(text, starts[begin : begin + MAX_ROWS]) for begin in range(0, len(starts), MAX_ROWS))
    return np.flatnonzero(np.concatenate([*parts]) == np.uint64(key)).tolist()


def _hash_words(text: Numbers, starts: Numbers) -> Numbers:
    """Return a key of each line's `read_writer_word`: a hash of the word and its offset."""
    columns = np.arange(WORD_BYTES)
    heads = text[np.minimum(starts[:, None] + columns, len(text) - 1)]
    is_blank = heads <= ord(" ")
    begin, end = _next_words(is_blank, np.zeros(len(starts), int))
    rows, is_behind_month = np.arange(len(starts)), np.zeros(len(starts), bool)
    for _ in range(MAX_TIME_WORDS):
        is_calendar = _are_calendar_words(heads[rows], begin[rows], end[rows])
        is_time = is_calendar | _are_times(heads[rows], begin[rows], end[rows], is_behind_month)
        if not is_time.any():
            break
        rows, is_behind_month = rows[is_time], is_calendar[is_time]
        begin[rows], end[rows] = _next_words(is_blank[rows], end[rows])
    heads[(begin[:, None] > columns) | (end[:, None] <= columns)] = 0
    keys = np.zeros(len(starts), np.uint64)
    for column in heads.view(np.uint64).T:
        keys = (keys ^ column) * np.uint64(_MULTIPLIER)
    return keys


def _next_words(is_blank: Numbers, after: Numbers) -> tuple[Numbers, Numbers]:
    """Return (begin, end) of the first word of each row at or behind column `after`."""
    columns = np.arange(WORD_BYTES)
    begin = _first_columns(~is_blank & (columns >= after[:, None]))
    return begin, _first_columns(is_blank & (columns >= begin[:, None]))


def _first_columns(is_chosen: Numbers) -> Numbers:
    return np.where(is_chosen.any(axis=1), is_chosen.argmax(axis=1), WORD_BYTES)


def _are_calendar_words(heads: Numbers, begin: Numbers, end: Numbers) -> Numbers:
    rows, last = np.arange(len(heads)), WORD_BYTES - 1
    codes = sum(heads[rows, np.minimum(begin + place, last)].astype(int) << 16 - 8 * place for place in range(3))
    return np.isin(codes, _CALENDAR_CODES) & (end - begin == 3)


def _are_times(heads: Numbers, begin: Numbers, end: Numbers, is_behind_month: Numbers) -> Numbers:
    """As _is_time, of the words heads[:, begin:end]."""
    columns = np.arange(WORD_BYTES)
    in_word = (columns >= begin[:, None]) & (columns < end[:, None])
    digits = (in_word & (heads >= ord("0")) & (heads <= ord("9"))).sum(axis=1)
    is_long = (digits >= MIN_TIME_DIGITS) & ((in_word & (heads == ord("."))).sum(axis=1) != 3)
    return (digits > 0) & ~(in_word & ~_IS_TIME_BYTE[heads]).any(axis=1) & (is_behind_month | is_long)
