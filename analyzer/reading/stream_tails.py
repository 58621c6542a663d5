"""The last lines of each stream of a source that several programs write.

At the end of the source, the bytes that the last window holds are read. A stream that ended long before the others has
no lines there: it is missed in the window behind its last one, and read from that one.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass, field
from itertools import islice

from analyzer.arrays import np
from analyzer.formats import read_line
from analyzer.reading.hit_table import Numbers
from analyzer.reading.line_writers import MAX_WRITERS, find_last_rows, find_rows_like, read_writer_word
from analyzer.reading.segments import LAST_LINES, MAX_LAST_CHARS, decode
from analyzer.reading.window import LOOKAROUND_BYTES, TextWindow
from analyzer.redact.truncation import truncate_line

MAX_TAIL_STREAMS = 300  # of a source
TAIL_BYTES = 2 * LOOKAROUND_BYTES  # a window repeats so many, wherever blocks are cut
MAX_PREFIX_BYTES = 1024  # of a line, in which its writer is named
MAX_ABSENCES = 4  # after that, a writer writes seldom, and its last lines are not looked for
NumberedLine = tuple[int, str]  # the number of a line in its source, and its text


def read_stream_tails(
    window: TextWindow, last: int, streams: Collection[str], writers: Container[str]
) -> dict[str, tuple[NumberedLine, ...]]:
    """Return the last LAST_LINES lines of each of `streams`, as far as they are in sight.

    `window` is the last one, `last` the number of its last line.
    """
    data = window.data
    floor = max(0, len(data) - TAIL_BYTES)
    starts_line = floor == window.base_offset == 0
    lines = data[floor:].removesuffix(b"\n").split(b"\n")
    shown = lines if starts_line else lines[1:]  # the first may begin within a line
    tails: dict[str, list[NumberedLine]] = {}
    unfilled = set(sorted(streams)[:MAX_TAIL_STREAMS])
    for back, raw in enumerate(reversed(shown[-last:] if last else ())):
        stream = _stream_of_line(raw, writers)
        if stream not in unfilled:
            continue
        tail = tails.setdefault(stream, [])
        tail.append((last - back, _show_line(raw)))
        if len(tail) == LAST_LINES:
            unfilled.remove(stream)
            if not unfilled:
                break
    return {stream: tuple(reversed(tail)) for stream, tail in tails.items()}


@dataclass(frozen=True, slots=True)
class _NumberedWindow:
    """A window with the offsets of the lines in it, and the number of the first of them."""

    data: bytes
    starts: Numbers
    first_number: int


@dataclass(slots=True)
class EarlyTails:
    """Finds the last lines of streams that end before the last window: `take_window` for each window in order.

    Writers are told apart by the first words of their lines (`line_writers`).
    """

    writers: Container[str]
    tails: dict[str, tuple[NumberedLine, ...]] = field(default_factory=dict)  # of each stream
    _stream_of_key: dict[int, str] = field(default_factory=dict)  # key of a writer → its stream
    _absences: dict[int, int] = field(default_factory=dict)  # key of a writer → how often it was missed
    _missed: dict[int, bytes] = field(default_factory=dict)  # key of a writer whose tail is kept → its word
    _previous: _NumberedWindow | None = None
    _present: set[int] = field(default_factory=set)  # keys of the writers of the window before

    def take_window(self, window: TextWindow, offset: int, lines_before: int) -> None:
        """Look for the writers of a window. `lines_before`: how many lines begin before `offset` in its data."""
        starts = np.flatnonzero(np.frombuffer(window.data, np.uint8, window.fresh_end) == ord("\n")) + 1
        starts = starts[starts < window.fresh_end]
        if not window.base_offset:
            starts = np.concatenate((np.zeros(1, starts.dtype), starts))
        numbered = _NumberedWindow(window.data, starts, lines_before + 1 - int(np.searchsorted(starts, offset)))
        # Without a writer to expect, all lines are read: one that was missed may be back anywhere in the window.
        expected = set() if any(word in window.data for word in self._missed.values()) else self._present
        rows = find_last_rows(window.data, starts, expected) if len(starts) else {}
        present = {key for key, row in rows.items() if self._is_stream(key, numbered, row)}
        for key in present & self._missed.keys():
            del self._missed[key]
        if not rows:  # too many first words: nobody knows who is back
            self.tails.clear()
            self._missed.clear()
        elif self._previous:
            for key in self._present - present:
                self._keep_tail(self._previous, key)
        self._previous, self._present = numbered, present

    def _is_stream(self, key: int, window: _NumberedWindow, row: int) -> bool:
        if key not in self._stream_of_key:
            if len(self._stream_of_key) >= 2 * MAX_WRITERS:
                return False
            self._stream_of_key[key] = self._read_stream(window, row)
        return bool(self._stream_of_key[key]) and self._absences.get(key, 0) < MAX_ABSENCES

    def _read_stream(self, window: _NumberedWindow, row: int) -> str:
        return _stream_of_line(_line_at(window.data, int(window.starts[row])), self.writers)

    def _keep_tail(self, window: _NumberedWindow, key: int) -> None:
        """Keep the last lines of a writer, of which later windows have none."""
        self._absences[key] = absences = self._absences.get(key, 0) + 1
        stream = self._stream_of_key[key]
        if absences == MAX_ABSENCES:
            self.tails.pop(stream, None)
            return
        rows = (
            row
            for row in reversed(find_rows_like(window.data, window.starts, key))
            if self._read_stream(window, row) == stream
        )
        lines = [(row, _line_at(window.data, int(window.starts[row]))) for row in islice(rows, LAST_LINES)]
        if lines and (stream in self.tails or len(self.tails) < MAX_TAIL_STREAMS):
            self.tails[stream] = join_tails((window.first_number + row, _show_line(line)) for row, line in lines)
            self._missed[key] = read_writer_word(lines[0][1])


def join_tails(*tails: Iterable[NumberedLine]) -> tuple[NumberedLine, ...]:
    """Return the last lines of several streams that are one program's."""
    return tuple(sorted(line for tail in tails for line in tail)[-LAST_LINES:])


def _line_at(data: bytes, start: int) -> bytes:
    end = data.find(b"\n", start)
    return data[start : len(data) if end < 0 else end]


def _stream_of_line(line: bytes, writers: Container[str]) -> str:
    return read_line(decode(line.partition(b"\r")[0][:MAX_PREFIX_BYTES]), writers).stream


def _show_line(line: bytes) -> str:
    """Return a line as a terminal shows it: of several segments the last one."""
    return truncate_line(line.rstrip(b"\r").rpartition(b"\r")[2], MAX_LAST_CHARS)
