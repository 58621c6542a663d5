"""Read one text source: windows → hits → confirmed events. Memory is bounded, independent of the source's size.

Kept are the first MAX_HEAD_HITS and the last MAX_TAIL_HITS events of each signal and stream, and fewer of a series that
states nothing new (`HitReservoir.is_settled`). A signal that has its first ones is *throttled*: its later lines are
counted, and only the latest of them are read when the source ends.
Counts are exact but for *series*, of which the scanner's sightings are counted (`SourceResult.scanner_counted`).
"""

from __future__ import annotations

import logging
from itertools import islice

from analyzer.arrays import np
from analyzer.bundle.peek import Peekable, SupportsRead
from analyzer.formats import read_line, summarize_formats
from analyzer.formats.unwrap import unwrap_head
from analyzer.model import Kind, Line, Severity
from analyzer.reading.hit_blocks import BlockKind
from analyzer.reading.hit_table import HitTable
from analyzer.reading.hit_throttle import HitThrottle
from analyzer.reading.hits import Hit, confirm_hit, is_listed_only, make_event, read_block
from analyzer.reading.learned_steps import LearnedSteps
from analyzer.reading.plan import CompiledSignal, ReadPlan
from analyzer.reading.remarks import holds_remarks, is_listed_remark, is_remark
from analyzer.reading.retention import MAX_STREAMS, HitStore, StreamLimiter, describe_limits
from analyzer.reading.segments import (
    FollowingLines,
    LineCounter,
    SeenPatterns,
    decode,
    find_processable_end,
    first_segment,
    group_by_segment,
    inherit_prefix,
    read_context,
    read_following_segments,
    read_last_lines,
)
from analyzer.reading.shapes import ShapeCounter
from analyzer.reading.source_code_quotes import is_source_code_quote
from analyzer.reading.source_kinds import accepts_line, guess_kind
from analyzer.reading.source_profile import SourceProfiler
from analyzer.reading.source_result import SourceResult, status_after_error
from analyzer.reading.stamp_tracking import StampTracker
from analyzer.reading.stream_tails import EarlyTails, read_stream_tails
from analyzer.reading.window import TextWindow, read_windows
from analyzer.reading.writers import find_writers, has_named_writer
from analyzer.scan import NO_HITS, NO_TEMPLATE, LineMemo, join_hits

HEAD_BYTES = 64 * 1024  # that decide on encoding and record format
# Blocks of hits may overlap, so that lines are read again for each. Once more lines were read for blocks than
# MAX_REREADS_PER_LINE for each line of the source, plus the allowance, only the beginning of a block is read.
MAX_REREADS_PER_LINE = 4
REREAD_ALLOWANCE_LINES = 20_000
REDUCED_BLOCK_LINES = 8
MIN_TABLE_HITS = 64  # in a window; fewer are taken one by one, with the same result
MIN_ROWS_PER_CHOICE = 64  # that are read before others are left out because of what these were
ROWS_AFTER_CHANGE = 512  # that are chosen at once after a choice that did not hold …
MAX_ROWS = 1 << 20
MORE_ROWS = 4  # … and so many times as many after each that did, up to MAX_ROWS
MAX_CONTEXTS = 400  # lines of a source of which the neighbours are kept
MAX_CONTEXTS_PER_STREAM = 20  # of each signal and stream
_log = logging.getLogger("analyzer.reading")


def read_source(file: str, stream: SupportsRead, plan: ReadPlan, mtime: float | None = None) -> SourceResult:
    """Read `stream` to its end; `mtime` is the file's modification time in UTC seconds.

    A DamageError or another OSError becomes the `problem` of the result. No content raises anything.
    """
    result = SourceResult(file, mtime=mtime)
    stream = Peekable(stream)
    head = stream.peek(HEAD_BYTES)
    counted_reader = _CountedReader(stream, result)
    unwrapper, sample = unwrap_head(head)
    reader = _SourceReader(plan, result, sample, small=len(head) < HEAD_BYTES)
    if _log.isEnabledFor(logging.DEBUG):
        record_format = f"unwrapped from {unwrapper.name}" if unwrapper else "plain text"
        writers = f", written by {', '.join(sorted(reader.writers))}"[:200] if reader.writers else ""
        formats = summarize_formats(sample)
        _log.debug("%s: read as %s, lines of %s%s", file, record_format, formats, writers)
    try:
        for window in read_windows(counted_reader, unwrapper):
            reader.take_window(window)
    except OSError as error:
        result.status = status_after_error(error, result.lines)
        result.problem = str(error)
    if unwrapper is not None:
        result.notes += unwrapper.notes
        result.line_order = unwrapper.line_order
        result.ends_mid_line &= not unwrapper.ends_complete
    if counted_reader.holes:
        result.notes.append(
            f"{counted_reader.holes:,} of its bytes are holes, which contain only zeros and were skipped"
        )
    reader.finish()
    if _log.isEnabledFor(logging.DEBUG):
        _log.debug(
            "%s: %s, %d bytes, %d lines (%d with a time), %d hits of which %d are kept, %d streams",
            file,
            result.status,
            result.bytes,
            result.lines,
            result.timed_lines,
            sum(result.counts.values()),
            len(result.events),
            len(result.streams),
        )
    if result.problem:
        _log.info("%s: %s after %d lines: %s", file, result.status, result.lines, result.problem)
    return result


class _CountedReader:
    """Counts the bytes that are read, so that the count is right even if the stream breaks."""

    def __init__(self, inner: Peekable, result: SourceResult) -> None:
        self._inner, self._result = inner, result
        self.holes = 0

    def read(self, size: int = -1) -> bytes:
        if passed := self._inner.skip_hole():
            self.holes += passed
            self._result.bytes += passed
        data = self._inner.read(size)
        self._result.bytes += len(data)
        return data


class _SourceReader:
    """The state of reading one source: `take_window` for each window in order, then `finish`."""

    def __init__(self, plan: ReadPlan, result: SourceResult, head: bytes, small: bool = False) -> None:
        self.plan = plan
        self.result = result
        self.streams = StreamLimiter()
        self.writers = find_writers(head)  # names before lines that are certain to be their writers
        self.profiler = SourceProfiler(result, self.streams, self.writers, small)
        self.learned_steps = LearnedSteps(plan, result, self.streams, self.profiler.step_forms)
        result.kind = guess_kind(result.file, head)
        self.has_remarks = result.has_remarks = small and holds_remarks(head, result.file)
        self.hit_store = HitStore()
        self.shapes = ShapeCounter(result.shapes)
        self.line_memo = LineMemo(plan.scanner)
        self.signals_of_template: dict[int, SeenPatterns] = {}
        self.pending = NO_HITS  # not yet processed
        self.line_counter = LineCounter()
        self.stamp_tracker = StampTracker()
        self.throttle = HitThrottle(plan, result, self.shapes, self.streams, self.writers)
        self.block_lines_read = 0
        self.rows_at_once = ROWS_AFTER_CHANGE
        self.last_lines: tuple[int, tuple[str, ...]] | None = None
        self.last_window: TextWindow | None = None
        self.early_tails = EarlyTails(self.writers)
        self.last_step: tuple[TextWindow, int, int] | None = None  # latest step line: window, offset in it, line number

    def take_window(self, window: TextWindow) -> None:
        """Scan the fresh part of a window, and process the hits whose surroundings are in sight."""
        window_hits = self.line_memo.scan(window.data, window.fresh_start, window.fresh_end)
        hits = join_hits((self.pending, window_hits.shift(window.base_offset + window.fresh_start)))
        self.profiler.take_window(window)
        self.throttle.notice_streams()
        ripe = window.base_offset + find_processable_end(window)
        done = int(np.searchsorted(hits.offsets, ripe))
        now, self.pending = hits.select(slice(done)), hits.select(slice(done, None))
        table = HitTable(window, now, self.plan.signal_of_pattern) if len(now) >= MIN_TABLE_HITS else None
        if table is None or table.has_long_segment:
            pairs = zip(now.offsets.tolist(), now.patterns.tolist(), strict=True)
            for start, stop, signals in group_by_segment(pairs, window, self.plan.pattern_owners):
                self._take_hits(window, start, stop, signals, NO_TEMPLATE)
        else:
            self._take_table(window, table)
        self.learned_steps.take_window(window, self.writers, self.hit_store)
        self.line_counter.move_to(window, min(ripe, window.base_offset + window.fresh_end))
        self.result.lines = self.line_counter.count_before(ripe)
        if len(self.result.streams) > 1:
            self.early_tails.take_window(window, ripe - window.base_offset, self.result.lines)
        if window.is_last:
            self.last_lines = read_last_lines(window, self.result.lines)
            self.last_window = window
        if window.has_cut_line:
            self.result.notes.append(
                f"a line of more than {(window.fresh_end - window.fresh_start) >> 20} MiB was cut into pieces"
            )

    def _take_table(self, window: TextWindow, table: HitTable) -> None:
        """Read the segments that have to be read, and count the others at once."""
        first_number = self.line_counter.move_to(window, window.base_offset + table.first_line_start)
        begin = 0
        while begin < len(table):
            part = table.select_rows(begin, min(begin + self.rows_at_once, len(table)))
            end = self._take_rows(window, part, first_number)
            more = min(MORE_ROWS * self.rows_at_once, MAX_ROWS)
            self.rows_at_once = ROWS_AFTER_CHANGE if end < len(part) else more
            begin += end
        if (last := table.find_last_row(self.plan.progress_signals)) is not None:
            self.last_step = window, int(table.starts[last]), first_number + table.count_line_feeds(last)

    def _take_rows(self, window: TextWindow, table: HitTable, first_number: int) -> int:
        """Take the rows of a part of a table until other ones would be chosen; return the number of rows taken."""
        version, verdicts, end = self.throttle.version, self.throttle.verdicts.count, len(table)
        choice = self.throttle.choose_rows(window, table)
        is_counted = np.ones(len(table), bool)
        rows = table.read_rows(choice.rows_to_read, self.plan.pattern_owners, self.signals_of_template)
        for rows_read, (reading, start, stop, signals, template) in enumerate(rows, 1):
            is_counted[reading] = False
            self._take_hits(window, start, stop, signals, template)
            learned = self.throttle.verdicts.count != verdicts and rows_read >= MIN_ROWS_PER_CHOICE
            if self.throttle.version != version or learned:
                end = reading + 1
                break
        is_counted[end:] = False
        self.throttle.count_rows(window, table, choice, is_counted, first_number)
        return end

    def _take_hits(self, window: TextWindow, start: int, stop: int, signals: SeenPatterns, template: int) -> None:
        number = self.line_counter.move_to(window, window.base_offset + start)
        if not self.plan.progress_signals.isdisjoint(signals):
            self.last_step = window, start, number
        signals = self.throttle.drop_refuted(signals, template)
        if signals and not self.throttle.count_if_throttled(window, start, stop, signals, template, self.line_counter):
            self._take_segment(window, start, stop, signals, template, number)

    def _take_segment(
        self, window: TextWindow, start: int, stop: int, signals: SeenPatterns, template: int, number: int
    ) -> None:
        """Confirm the hits of the segment window.data[start:stop] in line `number`, and keep them.

        `signals` says which of a signal's patterns were seen there: no other can match.
        """
        text = decode(window.data[start:stop])
        prefixed = self._read_prefixes(window, start, text)
        line = self.streams.admit_line(prefixed)
        stamps, inferred = self.stamp_tracker.find_stamps(
            window, start, line, self.line_counter.line_start, self.writers
        )
        behind = read_following_segments(window, stop, prefixed.stream, self.writers)
        following = FollowingLines(behind if self._may_read_blocks(number) else islice(behind, REDUCED_BLOCK_LINES))
        hits: list[tuple[int, Hit]] = []
        blocks: dict[BlockKind, tuple[str, ...]] = {}
        is_quote: bool | None = None
        is_hearsay: bool | None = None
        for index, seen_patterns in signals.items():
            compiled = self.plan.signals[index]
            if not accepts_line(compiled.signal.kinds, line.kind, self.result.kind):
                self.throttle.exempt_signal(index)
                self.throttle.verdicts.note_refutation(index, template, text, seen_patterns)
                continue
            groups = confirm_hit(compiled, text, line, seen_patterns)
            if groups is None or (block := read_block(compiled, text, line, following, blocks)) is None:
                self.throttle.verdicts.note_refutation(index, template, text, seen_patterns)
                continue
            if is_hearsay is None:
                is_hearsay = is_remark(text) if self.has_remarks else is_listed_remark(text)
            if is_hearsay:
                continue
            if compiled.signal.severity is not Severity.INFO:
                if is_quote is None:
                    is_quote = is_source_code_quote(window.data, start, stop)
                if is_quote or is_listed_only(compiled, text, line):
                    continue
            line_offsets = (
                tuple(following.line_offsets[: len(block)]) if block and "traceback" in compiled.signal.feeds else ()
            )
            hits.append((index, Hit(compiled, number, text, line, groups, block, stamps, inferred, line_offsets)))
        self.block_lines_read += following.lines_read
        # An error that only generic signals match: a new kind of error among a million known ones is kept.
        is_unnamed_error = bool(hits) and all("error" in hit.compiled.signal.feeds for _, hit in hits)
        is_novel = is_unnamed_error and self.shapes.count_line(line.stream, line.message, text)
        is_alone = all(hit.compiled.is_series for _, hit in hits)
        for index, hit in hits:
            self._keep_hit(index, hit, is_novel, is_alone, window, start)

    def _may_read_blocks(self, number: int) -> bool:
        """Whether a block may be read to its end; if every line begins one, each line is read again and again."""
        if self.block_lines_read < MAX_REREADS_PER_LINE * number + REREAD_ALLOWANCE_LINES:
            return True
        note = f"too many blocks overlap: only the first {REDUCED_BLOCK_LINES} lines of the later ones are read"
        if note not in self.result.notes:
            self.result.notes.append(note)
        return False

    def _read_prefixes(self, window: TextWindow, start: int, text: str) -> Line:
        line = read_line(text, self.writers)
        if has_named_writer(line) and len(self.writers) < MAX_STREAMS:
            self.writers.add(line.stream.partition("/")[0])
            self.throttle.version += len(self.result.streams) <= 1  # lines may be read differently from here on
        if (begin := max(0, self.line_counter.line_start - window.base_offset)) < start:
            line = inherit_prefix(line, read_line(decode(first_segment(window.data, begin, start)), self.writers))
        return line

    def _keep_hit(self, index: int, hit: Hit, is_novel: bool, is_alone: bool, window: TextWindow, start: int) -> None:
        stream = hit.line.stream
        self.result.counts[hit.compiled.signal.name, stream] += 1
        reservoir = self.hit_store.reservoir_of(index, stream)
        if len(reservoir.head) < MAX_CONTEXTS_PER_STREAM:
            self._keep_context(window, hit.line_number, start, hit.compiled)
        if self.hit_store.add_first_hit(reservoir, hit, is_alone):
            max_tail = self.hit_store.max_tail_of(reservoir, hit.compiled)
            self.throttle.note_hit(index, stream, self.hit_store.has_full_head(reservoir), max_tail)
        elif is_novel and self.shapes.may_keep_novel():
            self.hit_store.add_hit(reservoir.novel, hit)
        else:
            self.hit_store.add_latest_hits(reservoir, (hit,))

    def _keep_context(self, window: TextWindow, number: int, start: int, compiled: CompiledSignal) -> None:
        context = self.result.context
        if (
            "progress" not in compiled.signal.feeds
            and not compiled.signal.noise
            and len(context) < MAX_CONTEXTS
            and number not in context
        ):
            context[number] = read_context(window, start, number)

    def finish(self) -> None:
        """Make events of the hits that were kept, and complete the result."""
        self.profiler.finish()
        for index, latest in self.throttle.read_deferred_hits(self.writers, list(self.hit_store.hits())):
            for stream, hits in latest.items():
                self.hit_store.add_latest_hits(self.hit_store.reservoir_of(index, stream), hits)
        if self.learned_steps.keep(self.hit_store) and (step := self.learned_steps.last):
            self.last_step = self.last_step or (step.window, step.start, step.hit.line_number)
        if self.last_step:  # the report shows the last step of a task that vanished, so its neighbours are kept too
            *_, number = self.last_step
            self.result.context.setdefault(number, read_context(*self.last_step))
        if self.last_lines and self.hit_store.reservoirs:  # what a node wrote last, whatever rule will fire
            first, lines = self.last_lines
            begin, around = self.result.context.get(self.result.lines, (self.result.lines, lines[-1:]))
            last = around[
                self.result.lines - begin : self.result.lines - begin + 1
            ]  # of several segments the hit's own
            self.result.context[self.result.lines] = first, (*lines[:-1], *last)
        result = self.result
        hits = sorted(self.hit_store.hits(), key=lambda hit: (hit.line_number, hit.compiled.index))
        if self.last_window and hits and len(result.streams) > 1:
            early = {stream: tail for stream, tail in self.early_tails.tails.items() if stream in result.streams}
            result.tails = early | read_stream_tails(self.last_window, result.lines, result.streams, self.writers)
        result.events = [make_event(hit, result.file, result.kind, self.plan.tables) for hit in hits]
        result.stamps = [hit.stamps for hit in hits]
        limits = describe_limits(self.streams, self.hit_store)
        for sentence in limits:
            _log.info("%s: %s", result.file, sentence)
        abandoned = self.plan.timeout_budget.abandoned_signals
        result.notes += limits
        result.notes += [
            f"the pattern of {name} took too long on a line of this file and was given up" for name in abandoned
        ]
        abandoned.clear()
        if result.lines and not result.events and result.kind is Kind.UNKNOWN and not result.timed_lines:
            result.status = "not-understood" if result.status == "read" else result.status
