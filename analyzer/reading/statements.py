"""Statements of a program with whole numbers or versions in them, the first of each form.

    catalogue /data/vars.yaml (38 predictors), 812 training days
    manifest part-03.tsv: 1920 clips -> 60 batches per epoch
    oak-1 speechlib 0.4.2 | tensorflow 2.15.1

Every member of a job prints the same statements when it starts, and a member that read something else prints another
number: `facts/odd_numbers.py` compares them. A number that belongs to a name (`bg12`, `part-03.tsv`), a path, a
time or a fraction is no number here, and a word with a hyphen may be a machine's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from analyzer.model import Line, Severity

MAX_DULL_LINES = 64  # one behind the other, with numbers, that state nothing new: steps have begun, or data is listed
MAX_STATEMENTS = 60  # of a stream
MAX_STREAMS = 256  # of a source
MAX_TEXT = 200  # characters of a message
MAX_LINE = 1000  # characters of a line in which a frame of a stack is sought
MIN_WORD_LETTERS = 3  # a statement has a word of at least so many letters
MAX_DIGITS = 12
# With commas; times of day; and whatever holds a digit, names of machines among them.
_find_numbers = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)|\d{1,2}(?::\d{2})+[\d.]*|(?<![\w.])(?:[^\W\d]|\.)*+\d[\w.]*").sub
_is_number = re.compile(r"[0-9]{1,12}(?:(?:\.[0-9]{1,6}){2,4})?").fullmatch  # whole, or a version
_has_digit = re.compile(r"\d").search
_is_stack_frame = re.compile(r'File "[^"]{1,300}", line \d').search  # of Python, behind whatever prefix
_is_library_place = re.compile(r"\.(?:cc|cpp|h|cu|c):\d+$").search  # the logger of a line of TensorFlow's C++


class Statement(NamedTuple):
    """What a stream states, where, and its numbers in order; None for a number that is part of a name."""

    stream: str
    line: int
    form: str  # the text with `#` for each number and for each path
    numbers: tuple[str | None, ...]
    text: str


class StatementReader:
    """Collects the statements of a source's streams."""

    def __init__(self) -> None:
        self._dull_lines: dict[str, int] = {}  # stream → lines with numbers since the last that stated something new
        self._statements: dict[str, dict[str, Statement]] = {}  # stream → form → the first statement

    def note_line(self, line: Line, number: int) -> None:
        """Note a line whose prefixes have been read; `number` is that of the line in its source."""
        dull = self._dull_lines.get(line.stream, 0)
        is_full = line.stream not in self._dull_lines and len(self._dull_lines) >= MAX_STREAMS
        if is_full or dull >= MAX_DULL_LINES:
            return
        text = line.message[:MAX_TEXT]
        if _has_digit(text) and not is_of_library(line):
            form, numbers = read_numbers(text)
            known = self._statements.setdefault(line.stream, {})
            is_new = form not in known and len(known) < MAX_STATEMENTS and _is_statement(form, numbers)
            if is_new:
                known[form] = Statement(stream=line.stream, line=number, form=form, numbers=numbers, text=text)
            self._dull_lines[line.stream] = 0 if is_new else dull + 1

    def statements(self) -> Iterator[Statement]:
        """Yield the statements of all streams."""
        for of_stream in self._statements.values():
            yield from of_stream.values()


def read_numbers(text: str) -> tuple[str, tuple[str | None, ...]]:
    """Return the form of a text and its numbers.

    >>> read_numbers("bg12: /data/vars.yaml has 1,920 clips (lr=0.1), speechlib 0.4.2")
    ('#: # has # clips (lr=#), speechlib #', (None, None, '1920', None, '0.4.2'))
    """
    numbers: list[str | None] = []

    def note(match: re.Match[str]) -> str:
        digits = match[0].replace(",", "").rstrip(".")
        numbers.append(digits if len(digits) <= MAX_DIGITS and _is_number(digits) else None)
        return "#"

    words: list[str] = []
    for word in text.split():
        if ("/" in word or "-" in word) and any(map(str.isalpha, word)):
            numbers.append(None)
            words.append("#")
        else:
            words.append(_find_numbers(note, word) if _has_digit(word) else word)
    return " ".join(words), tuple(numbers)


def is_of_library(line: Line) -> bool:
    """Whether the program did not choose the words: a warning, a frame of a stack, a line of TensorFlow's C++."""
    is_warning = line.severity is not None and line.severity > Severity.INFO
    return (
        is_warning
        or (line.logger is not None and _is_library_place(line.logger) is not None)
        or _is_stack_frame(line.message[:MAX_LINE]) is not None
    )


def _is_statement(form: str, numbers: tuple[str | None, ...]) -> bool:
    return any(number is not None for number in numbers) and any(
        sum(map(str.isalpha, word)) >= MIN_WORD_LETTERS for word in form.split()
    )
