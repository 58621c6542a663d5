"""When a line was written: by its own prefix, or by the nearest earlier line of its stream that has one."""

from __future__ import annotations

from collections.abc import Container

from analyzer.formats import read_line
from analyzer.model import Line, Stamp
from analyzer.reading.segments import MAX_CONFIRMED_BYTES, decode
from analyzer.reading.window import LOOKAROUND_BYTES, TextWindow

LOOKBACK_LINES = 200  # lines that are looked back over …
SHORT_LOOKBACK_LINES = 8  # … and where that was VAIN times in a row for nothing: a file whose lines have no times
MAX_FAILED_LOOKBACKS = 250


class StampTracker:
    """The latest stamps of each stream, as far as lines were looked at in order."""

    def __init__(self) -> None:
        self._failed_lookbacks = 0  # looks back in a row that found no time
        self.latest: dict[str, tuple[int, tuple[Stamp, ...]]] = {}  # stream → (stream offset, stamps)

    def find_stamps(
        self, window: TextWindow, start: int, line: Line, line_start: int, writers: Container[str]
    ) -> tuple[tuple[Stamp, ...], bool]:
        """The stamps of the `line` that stands at `start`, and whether they are another's. `line_start`: of its own."""
        offset = window.base_offset + start
        if line.stamps:
            self.latest[line.stream] = (offset, line.stamps)
            return line.stamps, False
        known_offset, stamps = self.latest.get(line.stream, (-1, ()))
        floor = max(0, start - LOOKAROUND_BYTES, known_offset - window.base_offset)
        starts_line = window.base_offset + floor in (0, known_offset)
        end = line_start - window.base_offset
        back = LOOKBACK_LINES if self._failed_lookbacks < MAX_FAILED_LOOKBACKS else SHORT_LOOKBACK_LINES
        stamps = find_earlier_stamps(window.data, floor, end, line.stream, writers, starts_line, back) or stamps
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
    """The last stamps in data[floor:end] of a line of this stream. `whole`: `floor` begins a line."""
    line_end = end - 1  # the line feed of its last line
    for _ in range(max_lines):
        if line_end <= floor:
            break
        begin = data.rfind(b"\n", floor, line_end) + 1
        if begin == 0:
            if not starts_line:
                break  # a line whose beginning is out of sight
            begin = floor
        line = read_line(decode(data[begin : min(line_end, begin + MAX_CONFIRMED_BYTES)]), writers)
        if line.stamps and line.stream == stream:
            return line.stamps
        line_end = begin - 1
    return ()
