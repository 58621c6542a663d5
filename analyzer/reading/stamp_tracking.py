"""Finds the stamps of a line: its own, else those of the nearest earlier line of its stream."""

from __future__ import annotations

from collections.abc import Container

from analyzer.formats import read_line
from analyzer.model import Line, Stamp
from analyzer.reading.segments import MAX_CONFIRMED_BYTES, decode
from analyzer.reading.window import LOOKAROUND_BYTES, TextWindow

LOOKBACK_LINES = 200
SHORT_LOOKBACK_LINES = 8  # after MAX_FAILED_LOOKBACKS in a row that found nothing: the lines of the file have no times
MAX_FAILED_LOOKBACKS = 250


class StampTracker:
    """Keeps the latest stamps of each stream, as far as its lines were read."""

    def __init__(self) -> None:
        self._failed_lookbacks = 0  # in a row
        self.latest: dict[str, tuple[int, tuple[Stamp, ...]]] = {}  # stream → (offset in the source, stamps)

    def find_stamps(
        self, window: TextWindow, start: int, line: Line, line_start: int, writers: Container[str]
    ) -> tuple[tuple[Stamp, ...], bool]:
        """Return the stamps for `line`, and whether they are those of an earlier line.

        `start` is the offset in `window.data` of the segment that was read as `line`, `line_start` the offset in the
        source of the line that holds it.
        """
        offset = window.base_offset + start
        if line.stamps:
            self.latest[line.stream] = (offset, line.stamps)
            return line.stamps, False
        known_offset, stamps = self.latest.get(line.stream, (-1, ()))
        floor = max(0, start - LOOKAROUND_BYTES, known_offset - window.base_offset)
        starts_line = window.base_offset + floor in (0, known_offset)
        end = line_start - window.base_offset
        max_lines = LOOKBACK_LINES if self._failed_lookbacks < MAX_FAILED_LOOKBACKS else SHORT_LOOKBACK_LINES
        stamps = find_earlier_stamps(window.data, floor, end, line.stream, writers, starts_line, max_lines) or stamps
        self._failed_lookbacks = 0 if stamps else self._failed_lookbacks + 1
        self.latest[line.stream] = (offset, stamps)
        return stamps, True


def find_earlier_stamps(
    data: bytes,
    floor: int,
    end: int,
    stream: str,
    writers: Container[str],
    starts_line: bool,
    max_lines: int = LOOKBACK_LINES,
) -> tuple[Stamp, ...]:
    """Return the last stamps of a line of `stream` in data[floor:end]; () if `max_lines` lines have none.

    `starts_line` says whether a line begins at `floor`.
    """
    line_end = end - 1  # the line feed of the last line
    for _ in range(max_lines):
        if line_end <= floor:
            break
        begin = data.rfind(b"\n", floor, line_end) + 1
        if begin == 0:
            if not starts_line:
                break  # the beginning of the line is not in sight
            begin = floor
        line = read_line(decode(data[begin : min(line_end, begin + MAX_CONFIRMED_BYTES)]), writers)
        if line.stamps and line.stream == stream:
            return line.stamps
        line_end = begin - 1
    return ()
