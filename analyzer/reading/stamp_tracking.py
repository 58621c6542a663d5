"""Finds the stamps of a line: its own, else those of the nearest earlier line of its stream.

A line without a label in a file whose writers are labelled has no stream of its own to look at: it takes the nearest
stamp of any stream. A program's last words would else have the day of whatever else stands there without a label.

Where streams alternate, a stream that has been without a stamp for long takes that of a line of another stream right
before: a member that only prints when it starts and when it dies would else have died when it started.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from analyzer.formats import read_line
from analyzer.formats.time_resolution import resolve_daytime
from analyzer.model import Basis, Line, Stamp
from analyzer.reading.segments import MAX_CONFIRMED_BYTES, decode
from analyzer.reading.window import LOOKAROUND_BYTES, TextWindow

LOOKBACK_LINES = 200
SHORT_LOOKBACK_LINES = 8  # after MAX_FAILED_LOOKBACKS in a row that found nothing: the lines of the file have no times
MAX_FAILED_LOOKBACKS = 250
MIN_STALE_S = 60.0  # by which the stamp of a neighbouring stream must be later: their clocks may differ by less
DATED = frozenset({Basis.UTC, Basis.LOCAL})


class StampTracker:
    """Keeps the latest stamps of each stream, as far as its lines were read."""

    def __init__(self) -> None:
        self._failed_lookbacks = 0  # in a row
        self._failed_date_searches = 0  # in all
        self._date: tuple[int, float] | None = None  # offset in the source and value of the latest stamp with a date
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
            stamps = self._add_date(line.stamps, window, start, line_start, writers)
            self.latest[line.stream] = (offset, stamps)
            return stamps, False
        known_offset, stamps = self.latest.get(line.stream, (-1, ()))
        floor = max(0, start - LOOKAROUND_BYTES, known_offset - window.base_offset)
        starts_line = window.base_offset + floor in (0, known_offset)
        end = line_start - window.base_offset
        max_lines = LOOKBACK_LINES if self._failed_lookbacks < MAX_FAILED_LOOKBACKS else SHORT_LOOKBACK_LINES
        earlier = find_earlier_stamps(window.data, floor, end, line.stream or None, writers, starts_line, max_lines)
        if stamps and line.stream and not earlier:
            earlier = self._find_later_neighbour(window, stamps, floor, end, writers, starts_line)
        stamps = earlier or stamps
        self._failed_lookbacks = 0 if stamps else self._failed_lookbacks + 1
        if earlier:
            stamps = self._add_date(earlier, window, start, line_start, writers)
        self.latest[line.stream] = (offset, stamps)
        return stamps, True

    def _find_later_neighbour(
        self,
        window: TextWindow,
        stamps: tuple[Stamp, ...],
        floor: int,
        end: int,
        writers: Container[str],
        starts_line: bool,
    ) -> tuple[Stamp, ...]:
        """Return the stamps right before `end` of whatever stream, if they are much later than `stamps`; else ()."""
        nearest = find_earlier_stamps(window.data, floor, end, None, writers, starts_line, SHORT_LOOKBACK_LINES)
        if len(nearest) != 1 or len(stamps) != 1 or nearest[0].basis is not stamps[0].basis:
            return ()
        return nearest if nearest[0].basis in DATED and nearest[0].value > stamps[0].value + MIN_STALE_S else ()

    def _add_date(
        self, stamps: tuple[Stamp, ...], window: TextWindow, start: int, line_start: int, writers: Container[str]
    ) -> tuple[Stamp, ...]:
        """Return the stamps; times of day alone get the day of an earlier line, so that they are LOCAL.

        The zone between a LOCAL and a UTC stamp is less than half a day, or the day is that of the line before.
        """
        offset = window.base_offset + start
        if any(stamp.basis is not Basis.DAYTIME for stamp in stamps):
            if dated := next((stamp for stamp in stamps if stamp.basis in DATED), None):
                self._date = offset, dated.value
            return stamps
        if self._failed_date_searches < MAX_FAILED_LOOKBACKS:
            searched_to = self._date[0] if self._date else 0
            floor = max(0, start - LOOKAROUND_BYTES, searched_to - window.base_offset)
            end = line_start - window.base_offset
            dated_line = _find_line(window.data, floor, end, writers, not floor, SHORT_LOOKBACK_LINES, _has_date)
            if dated_line:
                self._date = offset, next(stamp.value for stamp in dated_line.stamps if stamp.basis in DATED)
            self._failed_date_searches += dated_line is None
        if self._date is None:
            return stamps
        dated_stamps = tuple(Stamp(resolve_daytime(stamp.value, self._date[1]), Basis.LOCAL) for stamp in stamps)
        self._date = offset, dated_stamps[-1].value
        return dated_stamps


def _has_date(line: Line) -> bool:
    return any(stamp.basis in DATED for stamp in line.stamps)


def find_earlier_stamps(
    data: bytes,
    floor: int,
    end: int,
    stream: str | None,
    writers: Container[str],
    starts_line: bool,
    max_lines: int = LOOKBACK_LINES,
) -> tuple[Stamp, ...]:
    """Return the last stamps of a line of `stream` in data[floor:end]; () if `max_lines` lines have none.

    Any stream will do if `stream` is None.
    `starts_line` says whether a line begins at `floor`.
    """
    line = _find_line(
        data,
        floor,
        end,
        writers,
        starts_line,
        max_lines,
        lambda line: bool(line.stamps) and stream in (None, line.stream),
    )
    return line.stamps if line else ()


def _find_line(
    data: bytes,
    floor: int,
    end: int,
    writers: Container[str],
    starts_line: bool,
    max_lines: int,
    is_wanted: Callable[[Line], bool],
) -> Line | None:
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
        if is_wanted(line):
            return line
        line_end = begin - 1
    return None
