"""Throttles signals of which a source has enough hits: later lines are counted, and only the latest are stored, unread.

A failing log repeats the same line a million times, and reading the prefixes of a line costs ten times as much as
matching its pattern. So the prefixes are read when the source ends, and only those of the few lines that are left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from analyzer.formats import is_continuation_line, read_line
from analyzer.reading.hit_blocks import contains_all
from analyzer.reading.hits import MAX_TAIL_HITS, Hit, confirm_hit, is_excluded
from analyzer.reading.plan import CompiledSignal, ReadPlan
from analyzer.reading.quoted_lists import may_hold_quoted_list
from analyzer.reading.retention import StreamLimiter
from analyzer.reading.segments import (
    MAX_CONFIRMED_BYTES,
    LineCounter,
    SeenPatterns,
    decode,
    first_segment,
    inherit_prefix,
)
from analyzer.reading.shapes import ShapeCounter
from analyzer.reading.source_code_quotes import is_source_code_quote
from analyzer.reading.source_kinds import accepts_line
from analyzer.reading.source_result import SourceResult
from analyzer.reading.stamp_tracking import StampTracker, find_earlier_stamps
from analyzer.reading.window import TextWindow

MAX_WAITING_LINES = 5_000  # of one signal, however many streams write them
LOOKBACK_BYTES = 2048  # stored with a deferred line, which takes the time of an earlier line if it has none


class _DeferredLine(NamedTuple):
    line_number: int
    raw: bytes  # the segment, after the first segment of its line if it is another one
    segment_start: int  # offset of the segment in `raw`
    before: bytes  # the bytes before the line


class HitThrottle:
    """Counts the hits of throttled signals and stores their latest lines.

    A signal is throttled once the reservoir's head is full in each of its streams.
    """

    def __init__(
        self,
        plan: ReadPlan,
        result: SourceResult,
        shapes: ShapeCounter,
        streams: StreamLimiter,
        writers: Container[str],
    ) -> None:
        self._plan, self._result, self._shapes, self._streams = plan, result, shapes, streams
        self._writers = writers
        self._has_full_head: dict[int, dict[str, bool]] = {}  # index of a signal → stream → whether its head is full
        self._throttled: set[int] = set()
        self._deferred: dict[int, deque[_DeferredLine]] = {}  # the latest lines of each signal that is or was throttled
        self._exempt: set[int] = set()

    def exempt_signal(self, index: int) -> None:
        """Never throttle a signal: the source has lines of a kind that it does not accept, so all must be read."""
        self._exempt.add(index)
        self._throttled.discard(index)

    def note_hit(self, index: int, stream: str, has_full_head: bool) -> None:
        """Note a hit of a signal in a stream, and whether the head of their reservoir is full now."""
        streams = self._has_full_head.setdefault(index, {})
        streams[stream] = has_full_head
        if (
            has_full_head
            and all(streams.values())
            and index not in self._exempt
            and self._may_throttle(self._plan.signals[index])
        ):
            self._throttled.add(index)
            self._deferred[index] = deque(
                self._deferred.get(index, ()), maxlen=min(MAX_TAIL_HITS * len(streams), MAX_WAITING_LINES)
            )

    def _may_throttle(self, compiled: CompiledSignal) -> bool:
        """Whether it is enough to look at the text of a line.

        It is for step lines and noise. It is for others if one stream writes and their block holds no prefixed lines.
        """
        return _is_routine(compiled) or (not compiled.reads_following_lines and len(self._result.streams) <= 1)

    def count_if_throttled(
        self, window: TextWindow, start: int, stop: int, signals: SeenPatterns, cursor: LineCounter
    ) -> bool:
        """Count the hits of a segment if all its signals are throttled; return False if the caller has to read it.

        It has to be read as well if its hits or its stream are in doubt, or if it is an error of a new shape. `start`
        and `stop` are offsets in `window.data`, `cursor` stands at the segment's line.
        """
        deferred, compiled_signals = self._deferred, self._plan.signals
        unthrottled = signals.keys() - self._throttled
        if any(not compiled_signals[index].not_match for index in unthrottled):
            return False
        if len(self._result.streams) > 1 and not all(_is_routine(compiled_signals[index]) for index in signals):
            return False  # another stream began to write, so the prefix has to be read
        if is_source_code_quote(window.data, start, stop):
            return False
        raw = window.data[start:stop]
        text = decode(raw)
        if may_hold_quoted_list(text):
            return False
        hit_signals = [index for index in signals if not is_excluded(compiled_signals[index], (text,))]
        if not unthrottled.isdisjoint(hit_signals):
            return False
        if not all(self._is_hit(compiled_signals[index], text, signals[index]) for index in hit_signals):
            return False  # perhaps only the message matches, or the block decides
        if any(compiled_signals[index].signal.block for index in hit_signals) and not self._has_empty_block(
            window, stop, hit_signals
        ):
            return False
        if hit_signals and not self._count_shape(hit_signals, text):
            return False
        segment_start = 0
        begin = max(0, cursor.line_start - window.base_offset)
        if begin < start:  # a later segment of a progress bar, which needs the prefix of its line
            prefix = first_segment(window.data, begin, start) + b"\r"
            raw, segment_start, start = prefix + raw, len(prefix), begin
        line = _DeferredLine(
            cursor.line_number, raw, segment_start, window.data[max(0, start - LOOKBACK_BYTES) : start]
        )
        for index in hit_signals:
            deferred[index].append(line)
            streams = self._has_full_head[index]
            stream = next(iter(streams)) if len(streams) == 1 else ""
            self._result.counts[compiled_signals[index].signal.name, stream] += 1
        return True

    def _is_hit(self, compiled: CompiledSignal, text: str, seen_patterns: Container[int]) -> bool:
        return contains_all(compiled.signal.contains, text, ()) and any(
            position in seen_patterns and compiled.search(pattern, text) is not None
            for position, pattern in enumerate(compiled.match)
        )

    def _has_empty_block(self, window: TextWindow, stop: int, indexes: Iterable[int]) -> bool:
        """Whether the next line continues nothing and is of the signals' stream, so that their blocks are empty."""
        begin, end = stop + 1, window.data.find(b"\n", stop + 1)
        if window.data[stop:begin] != b"\n" or window.data.find(b"\r", begin, end) >= 0 or end < 0:
            return False
        line = read_line(decode(window.data[begin : min(end, begin + MAX_CONFIRMED_BYTES)]), self._writers)
        return not is_continuation_line(line) and all(
            self._has_full_head[index].keys() == {line.stream} for index in indexes
        )

    def _count_shape(self, hit_signals: list[int], text: str) -> bool:
        """Count the shape of a line if all its signals are unknown errors; return False if the shape is new."""
        if not all("error" in self._plan.signals[index].signal.feeds for index in hit_signals):
            return True
        return self._shapes.count_known_line(text)

    def read_deferred_hits(
        self, writers: Container[str], moments: StampTracker
    ) -> Iterator[tuple[int, dict[str, list[Hit]]]]:
        """Read the deferred lines; yield (index of a signal, its latest hits by stream)."""
        for index, waiting in self._deferred.items():
            latest: dict[str, list[Hit]] = {}
            for line in waiting:
                if hit := self._read_deferred_line(self._plan.signals[index], line, writers, moments):
                    latest.setdefault(hit.line.stream, []).append(hit)
            yield index, latest

    def _read_deferred_line(
        self, compiled: CompiledSignal, deferred: _DeferredLine, writers: Container[str], moments: StampTracker
    ) -> Hit | None:
        text = decode(deferred.raw[deferred.segment_start :])
        line = read_line(text, writers)
        if deferred.segment_start:
            line = inherit_prefix(line, read_line(decode(first_segment(deferred.raw, 0, deferred.segment_start))))
        groups = confirm_hit(compiled, text, line.message)
        if groups is None or not accepts_line(compiled.signal.kinds, line.kind, self._result.kind):
            return None
        earlier = find_earlier_stamps(deferred.before, 0, len(deferred.before), line.stream, writers, starts_line=False)
        line = self._streams.admit_line(line)
        stamps = line.stamps or earlier or moments.latest.get(line.stream, (0, ()))[1]
        return Hit(compiled, deferred.line_number, text, line, groups, (), stamps, not line.stamps)


def _is_routine(compiled: CompiledSignal) -> bool:
    """Whether every healthy job writes lines of the signal all the time."""
    return "progress" in compiled.signal.feeds or compiled.signal.noise
