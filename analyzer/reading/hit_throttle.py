"""Throttles signals of which a source has enough hits: later lines are counted, and only the latest are stored, unread.

A failing log repeats the same line a million times, and reading the prefixes of a line costs ten times as much as
matching its pattern. So the prefixes are read when the source ends, and only those of the few lines that are left.

Nearly every line of an ordinary log is a hit of a *series*: a step, a heartbeat, a greeting. Once such a signal is
throttled, its lines are not even confirmed: the scanner's sightings are counted for whole windows at once, and patterns
run only on the latest lines of each window.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from analyzer.arrays import np
from analyzer.formats import find_digit_blind_message, is_continuation_line, read_line
from analyzer.model import Basis, Line, Severity, Stamp
from analyzer.reading.hit_blocks import contains_all
from analyzer.reading.hit_table import HitTable, Numbers
from analyzer.reading.hits import MAX_TAIL_HITS, Hit, confirm_hit, is_excluded, is_listed_only
from analyzer.reading.line_writers import MAX_WRITERS, find_last_rows, read_last_keys, read_writer_word
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
from analyzer.reading.shapes import ShapeCounter, shape_of
from analyzer.reading.source_code_quotes import is_source_code_quote, may_hold_frames
from analyzer.reading.source_kinds import accepts_line
from analyzer.reading.source_result import SourceResult
from analyzer.reading.stamp_tracking import find_earlier_stamps
from analyzer.reading.template_prefixes import TemplatePrefixes, is_stamped_by_program
from analyzer.reading.template_verdicts import KnownHits, TemplateVerdicts, is_template_hit
from analyzer.reading.window import TextWindow
from analyzer.reading.writers import has_named_writer
from analyzer.scan import NO_TEMPLATE

MAX_WAITING_LINES = 5_000  # of one signal, however many streams write them
MAX_QUEUES = 1_000  # of the latest lines of a signal and a stream; the lines of further ones are read
ANY_STREAM = ""  # the queue of lines of which the stream is not read
LOOKBACK_BYTES = 2048  # stored with a deferred line, which takes the time of an earlier line if it has none
EXPECTED_ROUNDS = 3  # of counted rows, in which a writer that was there is looked for
MAX_COUNTED_BYTES = 16 << 20  # of windows, kept in memory until the latest lines of their series are stored


class _DeferredLine(NamedTuple):
    line_number: int
    offset: int  # of the segment in the source: one line of a progress bar has thousands of them
    raw: bytes  # the segment, after the first segment of its line if it is another one
    segment_start: int  # offset of the segment in `raw`
    before: bytes  # the bytes before the line


class RowChoice(NamedTuple):
    """Which rows of a table have to be read, and of which others the hits are counted.

    `is_unread[i]`: hit i is counted as the scanner sighted it. `is_known[i]`: by `known_hits`, those of its template.
    """

    rows_to_read: Numbers  # in order
    is_unread: Numbers
    is_known: Numbers
    known_hits: Mapping[int, KnownHits | None]


class _CountedRows(NamedTuple):
    """Rows of a table in which a signal was counted, in order."""

    signal: int  # its index
    window: TextWindow
    table: HitTable
    rows: Numbers
    first_line_number: int  # of the table


class HitThrottle:
    """Counts the hits of throttled signals and stores their latest lines.

    A signal is throttled once the reservoir's head is full in each of its streams. `version` rises whenever a series
    begins or ends to be throttled, or gets another stream: lines after that are treated differently.
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
        # The latest lines of each throttled signal, and of each stream where lines are told apart by that.
        self._deferred: dict[tuple[int, str], deque[_DeferredLine]] = {}
        self._last_of_writers: dict[int, dict[bytes, _DeferredLine]] = {}  # signal → word for a writer → its last line
        self._recent_writers: dict[int, dict[int, int]] = {}  # signal → key of a writer → how long it is still expected
        self._max_tails: dict[int, int] = {}  # index of a signal → its latest hits that one of its streams keeps
        self._exempt: set[int] = set()
        self.verdicts = TemplateVerdicts(plan.signals)
        self._counted: list[_CountedRows] = []  # of which the latest are not stored yet
        self._counted_bytes = 0  # of the windows of these rows
        self.version = 0
        self._prefixes = TemplatePrefixes()
        self._has_streams = False  # whether several streams write, as far as anybody knows
        # The segments of a table, at a version, and whether their blocks are empty.
        self._blocks: tuple[HitTable | None, int, dict[int, bool]] = (None, 0, {})

    def notice_streams(self) -> None:
        """Notice that several streams write: which one does is no longer known of a template."""
        if not self._has_streams and len(self._result.streams) > 1:
            self._has_streams = True
            self.verdicts.forget_hits()
            self.version += 1

    def exempt_signal(self, index: int) -> None:
        """Never throttle a signal: the source has lines of a kind that it does not accept, so all must be read."""
        self._exempt.add(index)
        if index in self._throttled:
            self._throttled.discard(index)
            self.verdicts.forget_hits()
            self.version += 1

    def note_hit(self, index: int, stream: str, has_full_head: bool, max_tail: int) -> None:
        """Note a hit of a signal in a stream, and whether the head of their reservoir is full now.

        `max_tail`: how many of the latest hits the reservoir keeps once its head is full.
        """
        if has_full_head:
            self._max_tails[index] = max(max_tail, self._max_tails.get(index, 0))
        streams = self._has_full_head.setdefault(index, {})
        self.version += stream not in streams and index in self._throttled
        streams[stream] = has_full_head
        if (
            has_full_head
            and all(streams.values())
            and index not in self._exempt
            and self._may_throttle(self._plan.signals[index])
        ):
            self.version += index not in self._throttled
            self._throttled.add(index)
            self._deferred[index, ANY_STREAM] = deque(
                self._deferred.get((index, ANY_STREAM), ()),
                maxlen=min(self._max_tails[index] * len(streams), MAX_WAITING_LINES),
            )

    def _may_throttle(self, compiled: CompiledSignal) -> bool:
        """Whether it is enough to look at the text of a line: its block holds no prefixed lines, or nobody needs it."""
        return _is_routine(compiled) or not compiled.reads_following_lines

    def _has_full_heads(self, index: int) -> bool:
        """Whether a signal has enough hits in one stream at least."""
        return any(self._has_full_head.get(index, {}).values())

    def _has_enough(self, index: int, stream: str | None) -> bool:
        """Whether a source has enough hits of a signal; in one stream, unless that is None."""
        if stream is None:
            return index in self._throttled
        return (
            self._has_full_head.get(index, {}).get(stream, False)
            and index not in self._exempt
            and self._may_throttle(self._plan.signals[index])
        )

    def count_if_throttled(
        self, window: TextWindow, start: int, stop: int, signals: SeenPatterns, template: int, cursor: LineCounter
    ) -> bool:
        """Count the hits of a segment if all its signals are throttled; return False if the caller has to read it.

        It has to be read as well if its hits or its stream are in doubt, or if it is an error of a new shape. `start`
        and `stop` are offsets in `window.data`, `cursor` stands at the segment's line.
        """
        deferred, compiled_signals = self._deferred, self._plan.signals
        if all(map(self._is_counted_unread, signals)):
            text = decode(window.data[start:stop])
            begin = max(0, cursor.line_start - window.base_offset)
            for index, seen in signals.items():
                self._count_unread(index, 1)
                if self._is_confirmed(index, text, seen, window, start, stop):
                    line = _store_line(window, begin, start, stop, cursor.line_number)
                    deferred[index, ANY_STREAM].append(line)
                    self._note_last_of_writer(index, line)
            return True
        if known := self.verdicts.hits.get(template):
            if known.may_quote_code and is_source_code_quote(window.data, start, stop):
                return False
            return self._count_known(known, window, start, stop, cursor)
        stream = None
        if self._has_streams and not all(_is_routine(compiled_signals[index]) for index in signals):
            if not all(compiled_signals[index].not_match or self._has_full_heads(index) for index in signals):
                return False
            stream = self._read_stream(window, start, stop, cursor)
            if stream is None:
                return False
        unthrottled = {index for index in signals if not self._has_enough(index, stream)}
        if any(not compiled_signals[index].not_match for index in unthrottled):
            return False
        if is_source_code_quote(window.data, start, stop):
            return False
        text = decode(window.data[start:stop])
        if may_hold_quoted_list(text):
            return False
        hit_signals = [index for index in signals if not is_excluded(compiled_signals[index], (text,))]
        if not unthrottled.isdisjoint(hit_signals):
            return False
        for index in signals.keys() - hit_signals:
            self.verdicts.note_refutation(index, template, text, signals[index])
        if not all(self._is_hit(compiled_signals[index], text, signals[index]) for index in hit_signals):
            return False  # perhaps only the message matches, or the block decides
        if not self._accept_kind(hit_signals, text, window, start, cursor):
            return False  # so that these signals are never throttled again
        known = KnownHits(
            tuple(hit_signals),
            shape_of(text) if hit_signals and self._are_unknown_errors(hit_signals) else None,
            any(compiled_signals[index].signal.block for index in hit_signals),
            may_quote_code=window.data.find(b"  ", start, stop) >= 0,
        )
        if not self._count_known(known, window, start, stop, cursor, stream):
            return False
        if known.shape is not None and known.shape not in self._shapes.known_lines:
            return True  # counted among the others: no template stands for it
        if template != NO_TEMPLATE and template not in self.verdicts.hits:
            is_known = (
                not self._has_streams or (stream == ANY_STREAM and is_stamped_by_program(text))
            ) and self._is_known_of_template(known, text, signals, template)
            self.verdicts.note_hits(template, known if is_known else None)
        return True

    def _read_stream(self, window: TextWindow, start: int, stop: int, cursor: LineCounter) -> str | None:
        """Return the stream of a segment of a source with several; None if it has to be read for more than that.

        That is the case for new streams, and for lines without a date, which take that of another line.
        """
        text = decode(window.data[start:stop])
        begin = max(0, cursor.line_start - window.base_offset)
        if begin == start and is_stamped_by_program(text):
            return ANY_STREAM
        line = read_line(text, self._writers)
        if has_named_writer(line) and line.stream.partition("/")[0] not in self._writers:
            return None
        if begin < start:
            line = inherit_prefix(line, read_line(decode(first_segment(window.data, begin, start)), self._writers))
        is_dated = any(stamp.basis is not Basis.DAYTIME for stamp in line.stamps)
        return line.stream if is_dated and line.stream in self._streams.known_streams else None

    def _accept_kind(
        self, indexes: Iterable[int], text: str, window: TextWindow, start: int, cursor: LineCounter
    ) -> bool:
        """Whether all signals are searched for in lines of the kind that the segment `text` has."""
        restricted = [kinds for index in indexes if (kinds := self._plan.signals[index].signal.kinds)]
        if not restricted:
            return True
        line = read_line(text, self._writers)
        if (begin := max(0, cursor.line_start - window.base_offset)) < start:
            line = inherit_prefix(line, read_line(decode(first_segment(window.data, begin, start)), self._writers))
        return all(accepts_line(kinds, line.kind, self._result.kind) for kinds in restricted)

    def _count_known(
        self,
        known: KnownHits,
        window: TextWindow,
        start: int,
        stop: int,
        cursor: LineCounter,
        stream: str | None = None,
    ) -> bool:
        """Count a segment of which the hits are known; return False if it has to be read nevertheless.

        `stream`: its own; None if there is only one, or if it has none.
        """
        if known.needs_next_line and not self._has_empty_block(window, stop, known.signals, stream):
            return False
        queues = [self._queue_of(index, stream or ANY_STREAM) for index in known.signals]
        if None in queues or (
            known.shape is not None
            and not self._shapes.count_known_shape(known.shape, 1)
            and not self._count_other_shape(known.signals, window, start, stop, cursor, stream)
        ):
            return False
        line = _store_line(window, max(0, cursor.line_start - window.base_offset), start, stop, cursor.line_number)
        for index, queue in zip(known.signals, queues, strict=True):
            if queue is not None:
                queue.append(line)
            self._count(index, 1, stream)
        return True

    def _queue_of(self, index: int, stream: str) -> deque[_DeferredLine] | None:
        """Return the queue of the latest lines of a signal and stream; None if there are too many queues."""
        queue = self._deferred.get((index, stream))
        if queue is None and len(self._deferred) < MAX_QUEUES:
            queue = self._deferred[index, stream] = deque(maxlen=self._max_tails.get(index, MAX_TAIL_HITS))
        return queue

    def _count_other_shape(
        self,
        indexes: Iterable[int],
        window: TextWindow,
        start: int,
        stop: int,
        cursor: LineCounter,
        stream: str | None,
    ) -> bool:
        """Count an error of a new shape if there are too many shapes to keep it; return False if it has to be read."""
        if not self._shapes.is_full or cursor.line_start != window.base_offset + start:
            return False
        text = decode(window.data[start:stop])
        if (begin := find_digit_blind_message(text)) is not None:
            line = Line(text[begin:])
        else:
            line = read_line(text, self._writers)
        if has_named_writer(line) or not self._are_in_stream(indexes, line.stream, stream):
            return False
        self._shapes.count_line(line.stream, line.message, text)
        return True

    def _are_in_stream(self, indexes: Iterable[int], stream: str, expected: str | None) -> bool:
        """Whether `stream` is the expected one; None: the only one in which there are hits of the signals."""
        if expected is not None:
            return stream == expected
        return all(self._has_full_head[index].keys() == {stream} for index in indexes)

    def _is_known_of_template(self, known: KnownHits, text: str, signals: SeenPatterns, template: int) -> bool:
        """Whether the hits of a segment that was counted are those of all segments of its template."""
        return (
            bool(known.signals)
            and all(self.verdicts.is_refuted(index, template) for index in signals.keys() - set(known.signals))
            and all(is_template_hit(self._plan.signals[index], text, signals[index]) for index in known.signals)
        )

    def drop_refuted(self, signals: SeenPatterns, template: int) -> SeenPatterns:
        """Return the signals of a segment without those of which no line of its template is a hit.

        A series that is counted unread stays: its sightings are counted.
        """
        if template == NO_TEMPLATE:
            return signals
        is_refuted = self.verdicts.is_refuted
        return {
            index: seen
            for index, seen in signals.items()
            if not is_refuted(index, template) or self._is_counted_unread(index)
        }

    def choose_rows(self, window: TextWindow, table: HitTable) -> RowChoice:
        """Return which rows can neither be counted without a look at them nor left out."""
        is_unread = self._are_counted_unread()[table.signals]
        is_done, is_known = is_unread.copy(), np.zeros(len(is_unread), bool)
        rest = np.flatnonzero(~table.are_all(is_unread)[table.rows])
        if self.verdicts.count and len(rest):
            templates, signals = table.templates[rest], table.signals[rest]
            is_done[rest] |= self.verdicts.are_refuted(templates, signals)
            if self.verdicts.hits:
                is_of_known, is_hit, needs_next_line = self.verdicts.find_known_hits(templates, signals)
                is_left = needs_next_line & ~self._have_empty_blocks(window, table, rest, needs_next_line)
                if may_hold_frames(window.data):
                    is_left |= self.verdicts.find_quoting(templates)
                is_of_known &= ~is_left
                is_known[rest] = is_hit & ~is_left
                is_done[rest] |= is_of_known
                is_unread[rest] &= ~is_of_known
        return RowChoice(np.flatnonzero(~table.are_all(is_done)), is_unread, is_known, self.verdicts.hits)

    def _have_empty_blocks(self, window: TextWindow, table: HitTable, hits: Numbers, is_asked: Numbers) -> Numbers:
        """Return for each of `hits` whether its block is empty; False where nobody asks.

        The hits are of segments of known templates.
        """
        if self._blocks[:2] != (table, self.version):
            self._blocks = table, self.version, {}
        blocks = self._blocks[2]
        are_empty = np.zeros(len(hits), bool)
        asked = np.flatnonzero(is_asked)
        rows = table.rows[hits[asked]]
        is_certain = self._are_before_certain_lines(window, table, rows)
        are_empty[asked] = is_certain
        asked, rows = asked[~is_certain], rows[~is_certain]
        templates = table.templates[hits[asked]]
        for place, row, template in zip(asked.tolist(), rows.tolist(), templates.tolist(), strict=True):
            if (is_empty := blocks.get(row)) is None and (known := self.verdicts.hits[template]):
                is_empty = blocks[row] = self._has_empty_block(window, int(table.stops[row]), known.signals)
            are_empty[place] = bool(is_empty)
        return are_empty

    def _are_before_certain_lines(self, window: TextWindow, table: HitTable, rows: Numbers) -> Numbers:
        """Return for each of `rows` whether the line behind it surely continues nothing, as its template says.

        False where the hits of the row may be of another stream than such lines.
        """
        is_certain = self._prefixes.are_before_program_lines(window, table, rows)
        if not self._has_streams and is_certain.any():
            for template in np.unique(own := table.templates[table.first_hits[rows]]).tolist():
                known = self.verdicts.hits.get(template)
                if known is None or not self._are_in_stream(known.signals, ANY_STREAM, None):
                    is_certain &= own != template
        return is_certain

    def _are_counted_unread(self) -> Numbers:
        """Return for each signal whether its sightings are counted without a look at the line."""
        is_counted = np.zeros(len(self._plan.signals), bool)
        is_counted[[*filter(self._is_counted_unread, self._throttled)]] = True
        return is_counted

    def count_rows(
        self, window: TextWindow, table: HitTable, choice: RowChoice, is_counted: Numbers, first_line_number: int
    ) -> None:
        """Count the hits of the rows for which `is_counted` is true; the latest of them are looked at later.

        `first_line_number` is the number of the table's first line.
        """
        is_known = is_counted[table.rows] & choice.is_known
        chosen = is_counted[table.rows] & choice.is_unread | is_known
        if not chosen.any():
            return
        if not self._counted or self._counted[-1].window is not window:
            if self._counted_bytes > MAX_COUNTED_BYTES:
                self._store_latest()
                self._counted_bytes = 0
            self._counted_bytes += len(window.data)
        is_known_row = np.zeros(len(table), bool)
        is_known_row[table.rows[is_known]] = True
        for index, rows in table.rows_by_signal(chosen):
            if known := int(np.count_nonzero(is_known_row[rows])):
                self._count(index, known)
            if known < len(rows):
                self._count_unread(index, len(rows) - known)
            self._counted.append(
                _CountedRows(signal=index, window=window, table=table, rows=rows, first_line_number=first_line_number)
            )
        if is_known_row.any():
            templates = table.templates[table.first_hits[:-1]][is_known_row]
            for template, lines in zip(*np.unique(templates, return_counts=True), strict=True):
                if (known_hits := choice.known_hits[int(template)]) and known_hits.shape is not None:
                    self._shapes.count_known_shape(known_hits.shape, int(lines))

    def _store_latest(self) -> None:
        """Store the latest lines of the rows that were counted: those that are confirmed."""
        if self._has_streams:
            for _, of_window in groupby(self._counted, lambda counted: id(counted.window)):
                self._note_last_of_writers([*of_window])
        latest: dict[int, list[_DeferredLine]] = {}
        for counted in reversed(self._counted):
            stored = latest.setdefault(counted.signal, [])
            limit = self._deferred[counted.signal, ANY_STREAM].maxlen or 0
            for row in counted.rows[::-1]:
                if len(stored) == limit:
                    break
                if self._is_row_confirmed(counted, row):
                    stored.append(_store_row(counted, row))
        self._counted.clear()
        for index, stored in latest.items():
            queue = self._deferred[index, ANY_STREAM]
            in_order = sorted((*queue, *stored), key=lambda line: line.offset)
            queue.clear()
            queue.extend(in_order)

    def _note_last_of_writers(self, rows_of_window: Sequence[_CountedRows]) -> None:
        """Note the latest line of each writer. One that was silent for EXPECTED_ROUNDS is no longer looked for."""
        window = rows_of_window[0].window
        starts_of_signals = [counted.table.starts[counted.rows] for counted in rows_of_window]
        keys_of_signals = read_last_keys(window.data, starts_of_signals)
        for counted, starts, last_keys in zip(rows_of_window, starts_of_signals, keys_of_signals, strict=True):
            recent = self._recent_writers.setdefault(counted.signal, {})
            last_rows = find_last_rows(window.data, starts, set(recent), last_keys)
            for position in last_rows.values():
                row, start = counted.rows[position], int(starts[position])
                may_be_noted = window.data[start - 1 : start] != b"\n" or self._may_note_writer(
                    counted.signal, read_writer_word(window.data[start : int(counted.table.stops[row])])
                )
                if may_be_noted and self._is_row_confirmed(counted, row):
                    self._note_last_of_writer(counted.signal, _store_row(counted, row))
            left = {key: rounds - 1 for key, rounds in recent.items() if rounds > 1}
            self._recent_writers[counted.signal] = left | dict.fromkeys(last_rows, EXPECTED_ROUNDS)

    def _note_last_of_writer(self, index: int, line: _DeferredLine) -> None:
        """Note the latest line of its writer, who may end long before the others."""
        word = read_writer_word(line.raw)
        if self._has_streams and self._may_note_writer(index, word):
            self._last_of_writers.setdefault(index, {})[word] = line

    def _may_note_writer(self, index: int, word: bytes) -> bool:
        """Whether a word is that of a known writer of a signal's lines, or there are not too many words yet."""
        last_lines = self._last_of_writers.get(index, {})
        return word in last_lines or len(last_lines) < MAX_WRITERS

    def _is_row_confirmed(self, counted: _CountedRows, row: int) -> bool:
        table, window = counted.table, counted.window
        start, stop = int(table.starts[row]), int(table.stops[row])
        seen = table.seen_patterns(row, self._plan.pattern_owners)[counted.signal]
        return self._is_confirmed(counted.signal, decode(window.data[start:stop]), seen, window, start, stop)

    def _is_counted_unread(self, index: int) -> bool:
        """Whether the sightings of a signal are counted without a look at the line."""
        compiled = self._plan.signals[index]
        return (
            index in self._throttled
            and compiled.is_series
            and (len(self._result.streams) <= 1 or _is_routine(compiled))
        )

    def _is_confirmed(
        self, index: int, text: str, seen: Container[int], window: TextWindow, start: int, stop: int
    ) -> bool:
        compiled = self._plan.signals[index]
        if (
            not self._is_hit(compiled, text, seen)
            and confirm_hit(compiled, text, read_line(text, self._writers), seen) is None
        ) or is_excluded(compiled, (text,)):
            return False
        return compiled.signal.severity is Severity.INFO or not (
            is_source_code_quote(window.data, start, stop)
            or (may_hold_quoted_list(text) and is_listed_only(compiled, text, read_line(text, self._writers)))
        )

    def _count(self, index: int, hits: int, stream: str | None = None) -> None:
        if stream is None:
            streams = self._has_full_head[index]
            stream = next(iter(streams)) if len(streams) == 1 else ""
        self._result.counts[self._plan.signals[index].signal.name, stream] += hits

    def _count_unread(self, index: int, sightings: int) -> None:
        self._count(index, sightings)
        self._result.scanner_counted.add(self._plan.signals[index].signal.name)

    def _is_hit(self, compiled: CompiledSignal, text: str, seen_patterns: Container[int]) -> bool:
        signal = compiled.signal
        if signal.fields:
            return False  # the fields decide, too
        if signal.contains and not contains_all(signal.contains, text, ()):
            return False
        for position, pattern in enumerate(compiled.match):  # a generator takes longer
            if position in seen_patterns and compiled.search(pattern, text) is not None:
                return True
        return False

    def _has_empty_block(
        self, window: TextWindow, stop: int, indexes: Iterable[int], stream: str | None = None
    ) -> bool:
        """Whether the next line continues nothing and is of the hits' stream, so that their blocks are empty."""
        begin, end = stop + 1, window.data.find(b"\n", stop + 1)
        if window.data[stop:begin] != b"\n" or window.data.find(b"\r", begin, end) >= 0 or end < 0:
            return False
        text = decode(window.data[begin : min(end, begin + MAX_CONFIRMED_BYTES)])
        if find_digit_blind_message(text) is not None:
            return self._are_in_stream(indexes, ANY_STREAM, stream)
        line = read_line(text, self._writers)
        return not is_continuation_line(line) and self._are_in_stream(indexes, line.stream, stream)

    def _are_unknown_errors(self, indexes: Iterable[int]) -> bool:
        """Whether all signals say only that a line is an error, so that its shape is counted."""
        return all("error" in self._plan.signals[index].signal.feeds for index in indexes)

    def read_deferred_hits(
        self, writers: Container[str], kept: Iterable[Hit]
    ) -> Iterator[tuple[int, dict[str, list[Hit]]]]:
        """Read the deferred lines; yield (index of a signal, its latest hits by stream).

        A hit without a time in sight takes that of the nearest earlier one of its stream, in `kept` or here.
        """
        self._store_latest()
        read = [
            (index, hit)
            for (index, stream), waiting in self._deferred.items()
            for hit in self._read_queue(index, stream, waiting, writers)
        ]
        stamped: dict[str, list[tuple[int, tuple[Stamp, ...]]]] = {}
        for hit in (*kept, *(hit for _, hit in read)):
            if hit.stamps:
                stamped.setdefault(hit.line.stream, []).append((hit.line_number, hit.stamps))
        for known in stamped.values():
            known.sort(key=itemgetter(0))
        latest: dict[int, dict[str, list[Hit]]] = {index: {} for index, _ in self._deferred}
        for index, hit in read:
            known = stamped.get(hit.line.stream, [])
            if not hit.stamps and (earlier := bisect_right(known, hit.line_number, key=itemgetter(0))):
                hit = hit._replace(stamps=known[earlier - 1][1])
            latest[index].setdefault(hit.line.stream, []).append(hit)
        yield from latest.items()

    def _read_queue(
        self, index: int, stream: str, waiting: Iterable[_DeferredLine], writers: Container[str]
    ) -> Iterator[Hit]:
        """Yield in order the hits of the waiting lines of a queue, and the last ones of writers that are silent since.

        Which writers there are is known when the lines have been read: first words may be anything.
        """
        waiting_lines = {line.offset: line for line in waiting}
        last_lines = self._last_of_writers.get(index, {}).values() if stream == ANY_STREAM else ()
        lines = waiting_lines | {line.offset: line for line in last_lines}
        hits = {
            offset: hit
            for offset in sorted(lines)
            if (hit := self._read_deferred_line(self._plan.signals[index], lines[offset], writers))
        }
        last_offsets = {(hit.line.stream, hit.line.host): offset for offset, hit in hits.items()}
        for offset, hit in hits.items():
            if offset in waiting_lines or last_offsets[hit.line.stream, hit.line.host] == offset:
                yield hit

    def _read_deferred_line(
        self, compiled: CompiledSignal, deferred: _DeferredLine, writers: Container[str]
    ) -> Hit | None:
        text = decode(deferred.raw[deferred.segment_start :])
        line = read_line(text, writers)
        if deferred.segment_start:
            line = inherit_prefix(line, read_line(decode(first_segment(deferred.raw, 0, deferred.segment_start))))
        groups = confirm_hit(compiled, text, line)
        if groups is None or not accepts_line(compiled.signal.kinds, line.kind, self._result.kind):
            return None
        before = deferred.before
        stamps = line.stamps or find_earlier_stamps(before, 0, len(before), line.stream, writers, starts_line=False)
        inferred, line = not line.stamps, self._streams.admit_line(line)
        return Hit(compiled, deferred.line_number, text, line, groups, (), stamps, inferred)


def _store_line(window: TextWindow, line_start: int, start: int, stop: int, number: int) -> _DeferredLine:
    """Return what is needed to read the segment data[start:stop] of the line at `line_start` later."""
    raw, segment_start, offset = window.data[start:stop], 0, window.base_offset + start
    if line_start < start:  # a later segment of a progress bar, which needs the prefix of its line
        prefix = first_segment(window.data, line_start, start) + b"\r"
        raw, segment_start, start = prefix + raw, len(prefix), line_start
    return _DeferredLine(number, offset, raw, segment_start, window.data[max(0, start - LOOKBACK_BYTES) : start])


def _store_row(counted: _CountedRows, row: int) -> _DeferredLine:
    table = counted.table
    start, stop, line_feeds = int(table.starts[row]), int(table.stops[row]), table.count_line_feeds(row)
    number = counted.first_line_number + line_feeds
    return _store_line(counted.window, table.line_start(line_feeds), start, stop, number)


def _is_routine(compiled: CompiledSignal) -> bool:
    """Whether every healthy job writes lines of the signal all the time."""
    return "progress" in compiled.signal.feeds or compiled.signal.noise
