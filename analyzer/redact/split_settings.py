"""Mask secrets of which the name ends one line and the value begins the next: either may be shown without the other.

    2026-11-21 07:38:01 INFO train: db_password:
    2026-11-21 07:38:01 INFO train:   hunter2

So the value is overwritten when its file is read, in order, as private keys are (`key_blocks.py`). Each byte becomes an
asterisk, so offsets and line numbers stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.arrays import np
from analyzer.redact.key_blocks import end_of_line
from analyzer.redact.settings import SECRET_HINTS, find_value_on_next_line

_SIGNS = np.isin(np.arange(256), list(b":=|>\\"))  # with which a line ends before the value begins …
_BLANKS = np.isin(np.arange(256), list(b" \t\r"))  # … and what may follow them, up to MAX_BLANKS
MAX_BLANKS = 3
OPTION_BYTES = range(7, 26)  # of an option with its hyphens at the end of a line: `--token`
_VALUE = b"value"  # `value: x`, `"Value": "x"`, `<value>x`
_CASE_BIT = np.uint8(0x20)  # of ASCII's letters
MAX_LINE_BYTES = 4096  # longer lines are no setting, nor its value


class SplitSettingMasker:
    """Overwrite such values in a file that is given in order, in pieces of whole lines."""

    def __init__(self) -> None:
        self._last_line = b""  # of the piece before

    def mask(self, data: bytes) -> bytes:
        """Return as many bytes, with asterisks in the place of the values."""
        masked: bytearray | None = None
        for start in sorted({*_lines_behind_names(data), *_lines_of_values(data)}):
            previous_line = data[_line_start(data, start - 1) : start - 1] if start else self._last_line
            line = data[start : end_of_line(data, start)]
            if max(len(previous_line), len(line)) > MAX_LINE_BYTES:
                continue
            if span := _find_value(previous_line.removesuffix(b"\r"), line.removesuffix(b"\r")):
                masked = masked if masked is not None else bytearray(data)
                masked[start + span[0] : start + span[1]] = b"*" * (span[1] - span[0])
        if data:
            end = len(data) - data.endswith(b"\n")
            self._last_line = data[_line_start(data, end) : end]
        return bytes(masked) if masked is not None else data


def _find_value(previous_line: bytes, line: bytes) -> tuple[int, int] | None:
    """Return where in `line` the value stands, in bytes."""
    name_text = previous_line.decode("utf-8", "surrogateescape")
    if not any(map(name_text.lower().__contains__, SECRET_HINTS)):
        return None
    text = line.decode("utf-8", "surrogateescape")
    span = find_value_on_next_line(name_text, text)
    return span and (_count_bytes(text[: span[0]]), _count_bytes(text[: span[1]]))


def _count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _lines_behind_names(data: bytes) -> Iterator[int]:
    """Yield the starts of lines behind one that may end with a name."""
    yield 0  # the line before it is in the piece before
    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    first = int(np.searchsorted(ends, OPTION_BYTES.stop))
    yield from (ends[:first] + 1).tolist()  # too near to the beginning to look back
    ends = ends[first:]
    at = ends - 1
    for _ in range(MAX_BLANKS):
        at = at - _BLANKS[text[at]]
    is_unfinished = _SIGNS[text[at]]
    for length in OPTION_BYTES:
        is_unfinished |= (text[at - length + 1] == ord("-")) & (text[at - length + 2] == ord("-"))
    starts = ends[is_unfinished] + 1
    yield from starts[starts < len(data)].tolist()


def _lines_of_values(data: bytes) -> Iterator[int]:
    """Yield the starts of lines with the word "value", in any case."""
    letters = np.frombuffer(data, np.uint8) | _CASE_BIT
    at = np.flatnonzero(letters[: 1 - len(_VALUE)] == _VALUE[0])  # a rare letter
    for place, letter in enumerate(_VALUE[1:], 1):
        at = at[letters[at + place] == letter]
    yield from (_line_start(data, start) for start in at.tolist())


def _line_start(data: bytes, at: int) -> int:
    """Return the start of the line that holds the byte before `at`, or begins there."""
    return data.rfind(b"\n", 0, max(0, at)) + 1
