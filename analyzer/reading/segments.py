"""Lines of a window and their segments, which CR separates: the line of a progress bar has thousands of them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from analyzer.arrays import np
from analyzer.formats import read_line
from analyzer.model import Line
from analyzer.reading.window import LOOKAROUND_BYTES, TextWindow
from analyzer.redact.truncation import CONTEXT_FACTOR, truncate_line

MAX_CONFIRMED_BYTES = 16 * 1024  # of one segment on which patterns are confirmed
CONTEXT_LINES = 4  # shown before and after a hit
MAX_CONTEXT_CHARS = 400  # of each of them
LAST_LINES = 20  # kept of each source
MAX_LAST_CHARS = 300  # of each of them
MIN_NUMPY_BYTES = 4096  # below that the overhead of numpy's calls is larger than its gain
RECORD_FORMAT = "cri"  # the prefix that exported records get
_LINE_FEED = ord("\n")
SeenPatterns = dict[int, set[int]]  # index of a signal → indexes of its patterns that were seen


class LineCounter:
    """Finds the line numbers of offsets, which must be asked for in rising order."""

    def __init__(self) -> None:
        self.line_start = 0  # offset in the stream at which the current line starts
        self.line_number = 1  # counted from 1
        self.line_end = -1  # offset in the stream of its end, as far as it is known

    def move_to(self, window: TextWindow, offset: int) -> int:
        """Move to the line that holds a stream offset; return its number."""
        if offset <= self.line_end:
            return self.line_number
        data, at = window.data, max(0, offset - window.base_offset)
        start = data.rfind(b"\n", 0, at) + 1 + window.base_offset
        if start > self.line_start:
            # If the current line began before the window, its line feed is in the window: counting from 0 is exact.
            self.line_number += count_lines(
                data, max(0, self.line_start - window.base_offset), start - window.base_offset
            )
            self.line_start = start
        end = data.find(b"\n", at)
        self.line_end = window.base_offset + (len(data) - 1 if end < 0 else end)
        return self.line_number

    def count_before(self, offset: int) -> int:
        """Return the number of lines that begin before the stream offset to which the counter was moved."""
        return self.line_number - (self.line_start >= offset)


class FollowingLines:
    """The lines that follow a hit in its stream, with their prefixes read; each is read once for all signals."""

    def __init__(self, lines: Iterator[tuple[int, Line | None]]) -> None:
        self._lines = lines
        self._read: list[Line] = []
        self.line_offsets: list[int] = []  # of each line that was read, counted from the line of the hit
        self.lines_read = 0  # including lines of other streams

    def __iter__(self) -> Iterator[Line]:
        at = 0
        while True:
            while at == len(self._read):
                try:
                    line_offset, line = next(self._lines)
                except StopIteration:
                    return
                self.lines_read += 1
                if line is not None:
                    self._read.append(line)
                    self.line_offsets.append(line_offset)
            yield self._read[at]
            at += 1


def count_lines(data: bytes, begin: int, end: int) -> int:
    """Return the number of line feeds in data[begin:end]. numpy counts them five times as fast as `bytes.count`."""
    if end - begin < MIN_NUMPY_BYTES:
        return data.count(b"\n", begin, end)
    return int(np.count_nonzero(np.frombuffer(data, np.uint8, end - begin, begin) == _LINE_FEED))


def group_by_segment(
    hits: Iterable[tuple[int, int]], window: TextWindow, pattern_owners: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, SeenPatterns]]:
    """Group hits by the segment in which they end; yield (start, stop, signals with their patterns).

    `hits` are pairs of an offset in the stream and a pattern of the scanner, in order of offset; `start` and `stop` are
    offsets in `window.data`. `pattern_owners`: of the plan.
    """
    data, base = window.data, window.base_offset
    begin = end = 0  # of the line …
    start = stop = -1  # … and of the segment
    signals: SeenPatterns = {}
    for offset, number in hits:
        signal, pattern = pattern_owners[number]
        at = offset - base
        if at <= stop:
            signals.setdefault(signal, set()).add(pattern)
            continue
        if signals:
            yield start, stop, signals
        if at >= end:
            begin = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
        start = max(data.rfind(b"\r", begin, at) + 1, begin, at - MAX_CONFIRMED_BYTES // 2)
        stop = data.find(b"\r", at, end)
        stop = min(end if stop < 0 else stop, at + MAX_CONFIRMED_BYTES // 2)
        stop = max(stop, at + 1)
        signals = {signal: {pattern}}
    if signals:
        yield start, stop, signals


def find_processable_end(window: TextWindow) -> int:
    """Return the offset in `window.data` up to which hits can be processed.

    It is LOOKAROUND_BYTES before the end, so that blocks are in sight, and not inside a segment, which would otherwise
    be processed twice. In the last window it is the end.
    """
    if window.is_last:
        return window.fresh_end
    reach = max(0, window.fresh_end - LOOKAROUND_BYTES)
    edge = max(window.data.rfind(end, max(0, reach - LOOKAROUND_BYTES - 1), reach) for end in (b"\n", b"\r")) + 1
    return edge if edge >= reach - LOOKAROUND_BYTES else reach


def read_following_segments(
    window: TextWindow, stop: int, stream: str, writers: Container[str]
) -> Iterator[tuple[int, Line | None]]:
    """Yield (lines after the hit, segment with its prefixes read) for the LOOKAROUND_BYTES after `stop`.

    The segment is None if it belongs to another stream. Empty lines before a record of a log service are left out: they
    stand for the lines over which an export spreads each record.
    """
    data, at = window.data, stop
    empty_lines: list[tuple[int, Line | None]] = []
    reach = min(stop + LOOKAROUND_BYTES, len(data) if window.is_last else window.fresh_end)
    line_end = -1
    line_offset = 0
    while at < reach:
        line_offset += data[at] == _LINE_FEED
        at += 1
        if at > line_end:
            line_end = data.find(b"\n", at)
            line_end = len(data) if line_end < 0 else line_end
        end = data.find(b"\r", at, line_end)
        end = line_end if end < 0 else end
        if end > reach:
            break
        line = read_line(decode(data[at : min(end, at + MAX_CONFIRMED_BYTES)]), writers)
        glued = data[at - 1 : at] == b"\r" and not line.stream
        row = line_offset, line if line.stream == stream or glued else None
        if end == at:
            empty_lines.append(row)
        else:
            if RECORD_FORMAT not in line.formats:
                yield from empty_lines
            empty_lines = []
            yield row
        at = end
    yield from empty_lines


def read_context(window: TextWindow, start: int, number: int) -> tuple[int, tuple[str, ...]]:
    """Return (number of the first line, texts) of the line `number` that holds `start` and its neighbours.

    Of a line of several segments the hit's own is shown, of a neighbour the last, as a terminal would.
    """
    data = window.data
    floor, reach = (
        max(0, start - LOOKAROUND_BYTES),
        min(start + LOOKAROUND_BYTES, len(data) if window.is_last else window.fresh_end),
    )
    begin = data.rfind(b"\n", floor, start) + 1 or floor
    first = number
    while number - first < CONTEXT_LINES and begin > floor:
        before = data.rfind(b"\n", floor, begin - 1) + 1
        if before == 0 and (floor or window.base_offset):
            break
        begin, first = before, first - 1
    end = start
    for _ in range(CONTEXT_LINES + 1):
        line_feed = data.find(b"\n", end, reach)
        end = reach if line_feed < 0 else line_feed + 1
        if end == reach:
            break
    lines = [line.rstrip(b"\r").rpartition(b"\r")[2] for line in data[begin:end].removesuffix(b"\n").split(b"\n")]
    looked_at = data[start : start + CONTEXT_FACTOR * MAX_CONTEXT_CHARS + 1]
    lines[number - first] = looked_at.partition(b"\n")[0].partition(b"\r")[0]
    is_last_cut = end == reach < len(data) and not data.startswith(b"\n", end - 1)
    texts = [truncate_line(line, MAX_CONTEXT_CHARS) for line in lines[:-1]]
    return first, (*texts, truncate_line(lines[-1], MAX_CONTEXT_CHARS, is_last_cut))


def read_last_lines(window: TextWindow, last: int) -> tuple[int, tuple[str, ...]]:
    """Return (number of the first line, texts) of the last lines of a source, of which `last` is the last one."""
    data = window.data[max(0, len(window.data) - LOOKAROUND_BYTES) :].removesuffix(b"\n")
    lines = data.rsplit(b"\n", LAST_LINES)[-LAST_LINES:]
    if len(window.data) > LOOKAROUND_BYTES and len(lines) < LAST_LINES:
        lines[0] = lines[0].partition(b" ")[2]  # it begins within a line, perhaps within a word
    shown = [line.rstrip(b"\r").rpartition(b"\r")[2] for line in lines[-last:] if last]
    return last - len(shown) + 1, tuple(truncate_line(line, MAX_LAST_CHARS) for line in shown)


def first_segment(data: bytes, begin: int, end: int) -> bytes:
    """Return the line at `begin` up to its first CR before `end`."""
    return data[begin : min(end, begin + MAX_CONFIRMED_BYTES)].partition(b"\r")[0]


def inherit_prefix(line: Line, first: Line) -> Line:
    """Return a later segment of a line with the prefixes of its first one: a launcher writes them once per line."""
    return line._replace(
        stream=line.stream or first.stream,
        stamps=line.stamps or first.stamps,
        host=line.host or first.host,
        kind=line.kind or first.kind,
    )


def decode(raw: bytes) -> str:
    """Decode UTF-8; invalid bytes become U+FFFD."""
    return raw.decode("utf-8", "replace")
