"""Durations that a stream states again and again, in whatever words: the latest usual ones of each form of line.

    loader: 512 rows, 8.25 ms each
    shard written (1,4 s)

Members of a job print the same forms. One whose durations are several times those of all others is slow:
`facts/odd_timings.py` compares them.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from typing import NamedTuple

from analyzer.model import Kind, Line, Severity
from analyzer.reading.statements import is_of_library
from analyzer.reading.step_forms import read_form
from analyzer.untrusted.numbers import read_decimal

MIN_LINES = 4  # of a form, before its durations are usual ones
LATE_SHARE = 0.2  # of the lines, the last ones: people end a job soon after it became slow
MAX_LINES = 256  # of a source, with a duration in them
MAX_TEXT = 200  # characters of a message
_UNITS_MS = {"us": 0.001, "µs": 0.001, "μs": 0.001, "ms": 1.0, "msec": 1.0, "s": 1000.0, "sec": 1000.0, "secs": 1000.0}
_UNITS_MS |= {"мкс": 0.001, "мс": 1.0, "с": 1000.0, "сек": 1000.0, "ミリ秒": 1.0, "毫秒": 1.0, "秒": 1000.0}
_find_durations = re.compile(
    r"(?<![\w.,:/-])(\d{1,9}(?:[.,]\d{1,9})?) ?"
    r"(us|[µμ]s|ms(?:ec)?|s(?:ecs?)?|мк?с|с(?:ек)?|ミリ秒|毫秒|秒)(?![A-Za-zА-я0-9])"
).findall


class Timing(NamedTuple):
    """The usual durations of one form of line in a stream, in milliseconds and in the line's order.

    `form` has `#` for each number. `line` and `text` are those of the last line that was read.
    """

    stream: str
    form: str
    durations_ms: tuple[float, ...]
    line: int
    text: str


class _TimedLine(NamedTuple):
    durations_ms: tuple[float, ...]
    line: int
    text: str


class TimingReader:
    """Collects the lines of a source that state durations, in order."""

    def __init__(self) -> None:
        self._timed_lines: dict[str, list[_TimedLine]] = {}  # of each stream
        self._noted = 0

    def note_line(self, line: Line, number: int) -> None:
        """Note a line whose prefixes have been read; `number` is that of the line in its source."""
        text = line.message[:MAX_TEXT]
        if self._noted >= MAX_LINES or not (durations := _find_durations(text)) or not _is_of_program(line):
            return
        self._noted += 1
        durations_ms = tuple(
            (read_decimal(value.replace(",", ".")) or 0.0) * _UNITS_MS[unit] for value, unit in durations
        )
        self._timed_lines.setdefault(line.stream, []).append(_TimedLine(durations_ms, number, text))

    def timings(self) -> Iterator[Timing]:
        """Yield the usual durations of each stream's forms."""
        for stream, timed_lines in self._timed_lines.items():
            by_form: dict[tuple[str, int], list[_TimedLine]] = {}
            for timed_line in timed_lines if len(timed_lines) >= MIN_LINES else ():
                form, _ = read_form(timed_line.text)
                by_form.setdefault((form, len(timed_line.durations_ms)), []).append(timed_line)
            for (form, _), alike in by_form.items():
                if len(alike) >= MIN_LINES:
                    late = alike[-max(MIN_LINES, round(LATE_SHARE * len(alike))) :]
                    columns = zip(*(timed_line.durations_ms for timed_line in late), strict=True)
                    usual_ms = tuple(map(statistics.median, columns))
                    last = alike[-1]
                    yield Timing(stream=stream, form=form, durations_ms=usual_ms, line=last.line, text=last.text)


def _is_of_program(line: Line) -> bool:
    return (
        (line.severity is None or line.severity <= Severity.INFO)
        and line.kind not in (Kind.KERNEL, Kind.SCHEDULER)
        and not is_of_library(line)
    )
