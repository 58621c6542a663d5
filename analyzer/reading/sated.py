"""Signals of which a source has enough: their later lines are counted, and only the latest are kept, unread.

A log that fails says the same a million times, and to take a line apart costs ten times what it costs to see that the
pattern matches. So the second half waits until the source ends, when few lines are left of which it is asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from analyzer.formats import continues, read_line
from analyzer.reading.blocks import holds_all
from analyzer.reading.hits import LAST, Hit, confirm, refuses
from analyzer.reading.kinds import accepts
from analyzer.reading.moments import Moments, find_earlier
from analyzer.reading.plan import Plan, Ready
from analyzer.reading.quotes import is_quoted
from analyzer.reading.result import SourceResult
from analyzer.reading.segments import WIDEST, Cursor, Seen, decode, first_segment, inherit
from analyzer.reading.shapes import Shapes
from analyzer.reading.streams import Streams
from analyzer.reading.window import Window

WAITING = 5_000  # lines of a signal that wait, however many streams write them
BEFORE = 2048  # bytes before a waiting line that wait with it: a line without a time takes that of an earlier one


class _Waiting(NamedTuple):
    number: int
    raw: bytes  # the prefix of its line, if that has several segments, and the segment
    at: int  # where in `raw` the segment begins
    before: bytes


class Sated:
    """Which signals are sated, and the latest lines of each."""

    def __init__(
        self, plan: Plan, result: SourceResult, shapes: Shapes, streams: Streams, writers: Container[str]
    ) -> None:
        self._plan, self._result, self._shapes, self._streams = plan, result, shapes, streams
        self._writers = writers
        self._full: dict[int, dict[str, bool]] = {}  # index of a signal → stream → whether its front is full
        self._sated: set[int] = set()
        self._waiting: dict[int, deque[_Waiting]] = {}  # the latest lines of those that are sated, or were
        self._choosy: set[int] = set()  # signals that lines of this source were no lines for

    def refuse(self, index: int) -> None:
        """A line was of a kind that the signal is not asked in: whether later ones are has to be read."""
        self._choosy.add(index)
        self._sated.discard(index)

    def hear(self, index: int, stream: str, full: bool) -> None:
        """The signal was heard in the stream, whose front is full now or not."""
        streams = self._full.setdefault(index, {})
        streams[stream] = full
        if full and all(streams.values()) and index not in self._choosy and self._may_wait(self._plan.ready[index]):
            self._sated.add(index)
            self._waiting[index] = deque(self._waiting.get(index, ()), maxlen=min(LAST * len(streams), WAITING))

    def _may_wait(self, ready: Ready) -> bool:
        """Step lines and noise always; others where one stream writes and the line or its block decides."""
        return _is_common(ready) or (not ready.reads_on and len(self._result.streams) <= 1)

    def take(self, window: Window, start: int, stop: int, signals: Seen, cursor: Cursor) -> bool:
        """Counts the segment's hits, if all its signals are sated and it is nothing new; else the caller reads it."""
        waiting, ready = self._waiting, self._plan.ready
        fresh = signals.keys() - self._sated
        if any(not ready[index].not_match for index in fresh):
            return False
        if len(self._result.streams) > 1 and not all(_is_common(ready[index]) for index in signals):
            return False  # another stream began to write: whose line it is has to be read
        if is_quoted(window.data, start, stop):
            return False
        raw = window.data[start:stop]
        text = decode(raw)
        left = [index for index in signals if not refuses(ready[index], (text,))]
        if not fresh.isdisjoint(left):
            return False
        if not all(self._is_hit(ready[index], text, signals[index]) for index in left):
            return False  # perhaps only its message matches, or its block decides: that has to be read
        if any(ready[index].signal.block for index in left) and not self._stands_alone(window, stop, left):
            return False
        if left and not self._note_shape(left, text):
            return False
        at = 0
        if (begin := max(0, cursor.start - window.base)) < start:  # a progress bar: its line's prefix goes with it
            prefix = first_segment(window.data, begin, start) + b"\r"
            raw, at, start = prefix + raw, len(prefix), begin
        line = _Waiting(cursor.number, raw, at, window.data[max(0, start - BEFORE) : start])
        for index in left:
            waiting[index].append(line)
            streams = self._full[index]
            stream = next(iter(streams)) if len(streams) == 1 else ""
            self._result.counts[ready[index].signal.name, stream] += 1
        return True

    def _is_hit(self, ready: Ready, text: str, seen: Container[int]) -> bool:
        return holds_all(ready.signal.contains, text, ()) and any(
            place in seen and ready.search(pattern, text) is not None for place, pattern in enumerate(ready.match)
        )

    def _stands_alone(self, window: Window, stop: int, indexes: Iterable[int]) -> bool:
        """Whether the line behind begins something else, so that the block of each of the signals is empty."""
        begin, end = stop + 1, window.data.find(b"\n", stop + 1)
        if window.data[stop:begin] != b"\n" or window.data.find(b"\r", begin, end) >= 0 or end < 0:
            return False
        line = read_line(decode(window.data[begin : min(end, begin + WIDEST)]), self._writers)
        return not continues(line) and all(self._full[index].keys() == {line.stream} for index in indexes)

    def _note_shape(self, left: list[int], text: str) -> bool:
        """Counts the shape of a line that no signal knows by its words; not if it is new or its streams are several."""
        if not all("error" in self._plan.ready[index].signal.feeds for index in left):
            return True
        return self._shapes.note_again(text)

    def read(self, writers: Container[str], moments: Moments) -> Iterator[tuple[int, dict[str, list[Hit]]]]:
        """The latest hits of each sated signal, by stream."""
        for index, waiting in self._waiting.items():
            latest: dict[str, list[Hit]] = {}
            for line in waiting:
                if hit := self._read_one(self._plan.ready[index], line, writers, moments):
                    latest.setdefault(hit.line.stream, []).append(hit)
            yield index, latest

    def _read_one(self, ready: Ready, waiting: _Waiting, writers: Container[str], moments: Moments) -> Hit | None:
        text = decode(waiting.raw[waiting.at :])
        line = read_line(text, writers)
        if waiting.at:
            line = inherit(line, read_line(decode(first_segment(waiting.raw, 0, waiting.at))))
        found = confirm(ready, text, line.message)
        if found is None or not accepts(ready.signal.kinds, line.kind, self._result.kind):
            return None
        earlier = find_earlier(waiting.before, 0, len(waiting.before), line.stream, writers, whole=False)
        line = self._streams.admit(line)
        stamps = line.stamps or earlier or moments.latest.get(line.stream, (0, ()))[1]
        return Hit(ready, waiting.number, text, line, found, (), stamps, not line.stamps)


def _is_common(ready: Ready) -> bool:
    """Written by every healthy job all the time."""
    return "progress" in ready.signal.feeds or ready.signal.noise
