"""When a line was written: by its own prefix, or by the nearest earlier line of its stream that has one."""

from __future__ import annotations

from collections.abc import Container

from analyzer.formats import read_line
from analyzer.model import Line, Stamp
from analyzer.reading.segments import WIDEST, decode
from analyzer.reading.window import LOOK, Window

BACK = 200  # lines that are looked back over …
FEW = 8  # … and where that was VAIN times in a row for nothing: a file whose lines have no times
VAIN = 250


class Moments:
    """The latest stamps of each stream, as far as lines were looked at in order."""

    def __init__(self) -> None:
        self._vain = 0  # looks back in a row that found no time
        self.latest: dict[str, tuple[int, tuple[Stamp, ...]]] = {}  # stream → (stream offset, stamps)

    def find(
        self, window: Window, start: int, line: Line, line_start: int, writers: Container[str]
    ) -> tuple[tuple[Stamp, ...], bool]:
        """The stamps of the `line` that stands at `start`, and whether they are another's. `line_start`: of its own."""
        offset = window.base + start
        if line.stamps:
            self.latest[line.stream] = (offset, line.stamps)
            return line.stamps, False
        known, stamps = self.latest.get(line.stream, (-1, ()))
        floor = max(0, start - LOOK, known - window.base)
        whole = window.base + floor in (0, known)
        end = line_start - window.base
        back = BACK if self._vain < VAIN else FEW
        stamps = find_earlier(window.data, floor, end, line.stream, writers, whole, back) or stamps
        self._vain = 0 if stamps else self._vain + 1
        self.latest[line.stream] = (offset, stamps)
        return stamps, True


def find_earlier(
    data: bytes, floor: int, end: int, stream: str, writers: Container[str], whole: bool, back: int = BACK
) -> tuple[Stamp, ...]:
    """The last stamps in data[floor:end] of a line of this stream. `whole`: `floor` begins a line."""
    at = end - 1  # the line feed of its last line
    for _ in range(back):
        if at <= floor:
            break
        begin = data.rfind(b"\n", floor, at) + 1
        if begin == 0:
            if not whole:
                break  # a line whose beginning is out of sight
            begin = floor
        line = read_line(decode(data[begin : min(at, begin + WIDEST)]), writers)
        if line.stamps and line.stream == stream:
            return line.stamps
        at = begin - 1
    return ()
