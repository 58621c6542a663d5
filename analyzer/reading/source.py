"""The reader of one text source: windows → hits → confirmed events, bounded whatever the size.

Counts are exact. Kept are the first FIRST and the last LAST events of each signal and stream; a signal that has its
first ones is *sated*: its later lines are counted, and only the latest of them are read when the source ends.
"""

from __future__ import annotations

from itertools import islice

from analyzer.bundle.peek import Peekable, Readable
from analyzer.formats import read_line
from analyzer.formats.unwrap import unwrapper_for
from analyzer.model import Kind, Line, Severity
from analyzer.reading.hits import Hit, confirm, make_event, read_block
from analyzer.reading.kinds import accepts, guess_kind
from analyzer.reading.moments import Moments
from analyzer.reading.plan import Plan, Ready
from analyzer.reading.quotes import is_quoted
from analyzer.reading.result import SourceResult, broken_off
from analyzer.reading.sated import Sated
from analyzer.reading.segments import (
    Cursor,
    Following,
    Seen,
    Sighting,
    by_segment,
    decode,
    find_ripe,
    first_segment,
    follow,
    inherit,
    surroundings,
)
from analyzer.reading.shapes import Shapes
from analyzer.reading.streams import MOST, Keep, Streams, say
from analyzer.reading.survey import Survey
from analyzer.reading.window import Window, slide
from analyzer.reading.writers import find_writers, is_named

HEAD = 64 * 1024  # bytes that decide on encoding and record format
AGAIN = 4  # times that a line may be read as a part of others' blocks, on average …
SPARE = 20_000  # … beside that …
FEW = 8  # … and what is read of a block when they were
CONTEXTS = 400  # lines of a source that keep their neighbours …
CONTEXTS_EACH = 20  # … and of each signal and stream


def read_source(file: str, stream: Readable, plan: Plan, mtime: float | None = None) -> SourceResult:
    """Reads `stream` to its end. DamageError and read errors become its `problem`; data raises nothing."""
    result = SourceResult(file, mtime=mtime)
    stream = Peekable(stream)
    head = stream.peek(HEAD)
    counted = _Counting(stream, result)
    unwrapper = unwrapper_for(head)
    sample = head if unwrapper is None else _unwrap_sample(head)
    reader = _Reader(plan, result, sample, small=len(head) < HEAD)
    try:
        for window in slide(counted, unwrapper):
            reader.take(window)
    except OSError as error:
        result.status = broken_off(error, result.lines)
        result.problem = str(error)
    if unwrapper is not None:
        result.notes += unwrapper.notes
    if counted.holes:
        result.notes.append(f"{counted.holes:,} of its bytes are holes, which hold nothing but zeros: stepped over")
    reader.finish()
    return result


def _unwrap_sample(head: bytes) -> bytes:
    """The head as the scanner will see it: a second unwrapper, because the first must begin with the first byte."""
    unwrapper = unwrapper_for(head)
    return unwrapper.feed(head) if unwrapper else head


class _Counting:
    """Counts the bytes that come, so that the source says how much was read even when it breaks."""

    def __init__(self, inner: Peekable, result: SourceResult) -> None:
        self._inner, self._result = inner, result
        self.holes = 0

    def read(self, size: int = -1) -> bytes:
        if passed := self._inner.step_over():
            self.holes += passed
            self._result.bytes += passed
        data = self._inner.read(size)
        self._result.bytes += len(data)
        return data


class _Reader:
    """Holds the position in one source; `take` windows in order, then `finish`."""

    def __init__(self, plan: Plan, result: SourceResult, head: bytes, small: bool = False) -> None:
        self.plan = plan
        self.result = result
        self.streams = Streams()
        self.survey = Survey(result, self.streams, small)
        result.kind = guess_kind(result.file, head)
        self.keep = Keep()
        self.shapes = Shapes(result.shapes)
        self.pending: list[Sighting] = []  # not yet processed
        self.cursor = Cursor()
        self.writers = find_writers(head)  # names before lines that lines with a prefix of their own made certain
        self.moments = Moments()
        self.sated = Sated(plan, result, self.shapes, self.streams, self.writers)
        self.behind = 0  # lines that were read for blocks
        self.last_step: tuple[Window, int, int] | None = None  # (where, its place there, line number) of the latest

    def take(self, window: Window) -> None:
        owners = self.plan.owners
        scan, start = self.plan.scanner.scan, window.base + window.fresh
        self.pending += {
            (start + end - 1, *owners[index]) for end, index in scan(window.data, window.fresh, window.cut)
        }
        self.pending.sort()
        self.survey.take(window)
        ripe = window.base + find_ripe(window)
        done = 0
        for offset, *_ in self.pending:
            if offset >= ripe:
                break
            done += 1
        now, self.pending = self.pending[:done], self.pending[done:]
        for start, stop, signals in by_segment(now, window):
            number = self.cursor.move(window, window.base + start)
            if not self.sated.take(window, start, stop, signals, self.cursor):
                self._take_segment(window, start, stop, signals, number)
            if not self.plan.steps.isdisjoint(signals):
                self.last_step = window, start, number
        self.cursor.move(window, min(ripe, window.base + window.cut))
        self.result.lines = self.cursor.count(ripe)
        if window.long_line:
            self.result.notes.append(f"a line of more than {(window.cut - window.fresh) >> 20} MiB was cut into pieces")

    def _take_segment(self, window: Window, start: int, stop: int, signals: Seen, number: int) -> None:
        """`start` and `stop` bound one CR-separated part of a line, in window.data.

        `signals` says which of a signal's patterns were seen there: no other can match.
        """
        text = decode(window.data[start:stop])
        spoken = self._read(window, start, text)
        line = self.streams.admit(spoken)
        stamps, inferred = self.moments.find(window, start, line, self.cursor.start, self.writers)
        behind = follow(window, stop, spoken.stream, self.writers)
        following = Following(behind if self._spare(number) else islice(behind, FEW))
        taken: list[tuple[int, Hit]] = []
        quoted: bool | None = None
        for index, seen in signals.items():
            ready = self.plan.ready[index]
            if not accepts(ready.signal.kinds, line.kind, self.result.kind):
                self.sated.refuse(index)
                continue
            if (found := confirm(ready, text, line.message, seen)) is None:
                continue
            if (block := read_block(ready, text, line, following)) is None:
                continue
            if quoted is None:
                quoted = is_quoted(window.data, start, stop)
            if quoted and ready.signal.severity is not Severity.INFO:
                continue
            places = tuple(following.places[: len(block)]) if block and "traceback" in ready.signal.feeds else ()
            taken.append((index, Hit(ready, number, text, line, found, block, stamps, inferred, places)))
        self.behind += following.looked
        # A line that no signal knows by its words: a new kind of error between a million known ones is not lost.
        unnamed = bool(taken) and all("error" in hit.ready.signal.feeds for _, hit in taken)
        new = unnamed and self.shapes.note(line.stream, line.message, text)
        for index, hit in taken:
            self._keep(index, hit, new, window, start)

    def _spare(self, number: int) -> bool:
        """Whether all that follows a hit may be read: where each line begins a block, each is read again and again."""
        if self.behind < AGAIN * number + SPARE:
            return True
        note = f"more blocks overlap than can be read: of later ones the first {FEW} lines"
        if note not in self.result.notes:
            self.result.notes.append(note)
        return False

    def _read(self, window: Window, start: int, text: str) -> Line:
        line = read_line(text, self.writers)
        if is_named(line) and len(self.writers) < MOST:
            self.writers.add(line.stream.partition("/")[0])
        if (begin := max(0, self.cursor.start - window.base)) < start:
            line = inherit(line, read_line(decode(first_segment(window.data, begin, start)), self.writers))
        return line

    def _keep(self, index: int, hit: Hit, new: bool, window: Window, start: int) -> None:
        stream = hit.line.stream
        self.result.counts[hit.ready.signal.name, stream] += 1
        kept = self.keep.of(index, stream)
        if len(kept.front) < CONTEXTS_EACH:
            self._keep_context(window, hit.number, start, hit.ready)
        if not self.keep.fills(kept):
            self.keep.add(kept.front, hit)
            self.sated.hear(index, stream, self.keep.fills(kept))
        elif new and self.shapes.keep():
            self.keep.add(kept.rare, hit)
        else:
            self.keep.add_latest(kept, (hit,))

    def _keep_context(self, window: Window, number: int, start: int, ready: Ready) -> None:
        context = self.result.context
        if (
            "progress" not in ready.signal.feeds
            and not ready.signal.noise
            and len(context) < CONTEXTS
            and number not in context
        ):
            context[number] = surroundings(window, start, number)

    def finish(self) -> None:
        self.survey.finish()
        for index, latest in self.sated.read(self.writers, self.moments):
            for stream, hits in latest.items():
                self.keep.add_latest(self.keep.of(index, stream), hits)
        if self.last_step:  # a task that vanishes is shown by its last step: that one has its neighbours too
            *_, number = self.last_step
            self.result.context.setdefault(number, surroundings(*self.last_step))
        result = self.result
        hits = sorted(
            (hit for kept in self.keep.hits.values() for hit in (*kept.front, *kept.rare, *kept.back)),
            key=lambda hit: hit.number,
        )
        result.events = [make_event(hit, result.file, result.kind, self.plan.tables) for hit in hits]
        result.stamps = [hit.stamps for hit in hits]
        result.notes += say(self.streams, self.keep)
        given_up = self.plan.patience.given_up
        result.notes += [f"the pattern of {name} took too long on a line here and was given up" for name in given_up]
        given_up.clear()
        if result.lines and not result.events and result.kind is Kind.UNKNOWN and not result.timed_lines:
            result.status = "not-understood" if result.status == "read" else result.status
