"""The reader of one text source: windows → hits → confirmed events, bounded whatever the size.

Counts are exact, but for step lines and noise beyond the first: those are counted by the scanner, which may count a
line
too many. Kept are the first FIRST and the last LAST events of each signal and stream.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from analyzer.bundle.peek import Peekable, Readable
from analyzer.formats import read_line
from analyzer.formats.unwrap import unwrapper_for
from analyzer.model import Event, Kind, Line, Locus, Severity, Stamp
from analyzer.reading.blocks import block_limit, fill_captures, holds_all, take_block
from analyzer.reading.kinds import accepts, guess_kind
from analyzer.reading.plan import Plan, Ready
from analyzer.reading.result import SourceResult
from analyzer.reading.shapes import Shapes
from analyzer.reading.survey import Survey
from analyzer.reading.window import LOOK, Window, slide

FIRST = 200  # events of one signal and stream that are kept from the front
LAST = 100  # and from the end
HEAD = 64 * 1024  # bytes that decide on encoding and record format
NAMED = "named_writer"  # the format of a writer's name before its lines
WIDEST = 16 * 1024  # bytes of one line that a pattern is confirmed on
CONTEXTS = 400  # lines that keep their neighbours
AROUND = 4  # neighbours on each side
Sighting = tuple[int, int, int]  # offset in the stream, index of the signal, index in the signal's patterns


class _Hit(NamedTuple):
    """A confirmed hit, before it is worth making an event of it."""

    ready: Ready
    number: int
    text: str
    line: Line
    found: dict[str, str]
    block: tuple[str, ...]
    stamps: tuple[Stamp, ...]
    inferred: bool


@dataclass(slots=True)
class _Kept:
    """The hits of one signal and stream: a front, a ring of the latest, and the first of each new shape between."""

    rare: list[_Hit] = field(default_factory=list)
    front: list[_Hit] = field(default_factory=list)
    back: deque[_Hit] = field(default_factory=lambda: deque(maxlen=LAST))


def read_source(file: str, stream: Readable, plan: Plan, mtime: float | None = None) -> SourceResult:
    """Reads `stream` to its end. DamageError and read errors become its `problem`; data raises nothing."""
    result = SourceResult(file, mtime=mtime)
    stream = Peekable(stream)
    head = stream.peek(HEAD)
    counted = _Counting(stream, result)
    unwrapper = unwrapper_for(head)
    reader = _Reader(plan, result, head if unwrapper is None else unwrapper_for_sample(head))
    try:
        change, finish = (unwrapper.feed, unwrapper.finish) if unwrapper else (None, None)
        for window in slide(counted, change, finish):
            reader.take(window)
    except OSError as error:
        result.status = "partly-read" if result.lines else "failed"
        result.problem = str(error)
    if unwrapper is not None:
        result.notes += unwrapper.notes
    reader.finish()
    return result


def unwrapper_for_sample(head: bytes) -> bytes:
    """The head as the scanner will see it: a second unwrapper, because the first must begin with the first byte."""
    unwrapper = unwrapper_for(head)
    return unwrapper.feed(head) if unwrapper else head


class _Counting:
    """Counts the bytes that come, so that the source says how much was read even when it breaks."""

    def __init__(self, inner: Readable, result: SourceResult) -> None:
        self._inner, self._result = inner, result

    def read(self, size: int = -1) -> bytes:
        data = self._inner.read(size)
        self._result.bytes += len(data)
        return data


class _Reader:
    """Holds the position in one source; `take` windows in order, then `finish`."""

    def __init__(self, plan: Plan, result: SourceResult, head: bytes) -> None:
        self.plan = plan
        self.result = result
        self.survey = Survey(result)
        result.kind = guess_kind(result.file, head)
        self.kept: dict[tuple[int, str], _Kept] = {}
        self.shapes = Shapes(result.shapes)
        self.pending: list[Sighting] = []  # not yet processed
        self.line_at = 0  # stream offset of a line start …
        self.line_number = 1  # … and its 1-based number …
        self.line_end = -1  # … and the offset of its end, as far as it is known
        self.writers = _writers(head)  # names before lines that lines with a prefix of their own made certain
        self.latest: dict[str, tuple[int, tuple[Stamp, ...]]] = {}  # stream → (offset, stamps) of its last stamped line
        self.speakers: dict[int, set[str]] = {}  # signal index → streams that were heard with it
        self.sated: set[int] = set()  # signals of which only the latest hits are still wanted …
        self.aside: dict[int, deque[tuple[int, bytes, int]]] = {}  # … as (line number, line, where the segment begins)
        self.step: tuple[int, int] | None = None  # (line number, where it begins) of this window's latest step
        self.last_step: tuple[int, tuple[int, tuple[str, ...]]] | None = None  # (line number, its context)

    def take(self, window: Window) -> None:
        fresh = window.data[window.fresh : window.cut]
        owners = self.plan.owners
        start = window.base + window.fresh
        self.pending += {(start + end - 1, *owners[index]) for end, index in self.plan.scanner.scan(fresh)}
        self.pending.sort()
        self.survey.take(window, fresh)
        ripe = window.base + _ripe(window)
        done = 0
        for offset, *_ in self.pending:
            if offset >= ripe:
                break
            done += 1
        now, self.pending = self.pending[:done], self.pending[done:]
        for start, stop, signals in _by_segment(now, window):
            if self.sated.issuperset(signals):
                self._set_aside(window, start, stop, signals)
            else:
                self._take_segment(window, start, stop, signals)
        if self.step:  # a task that vanishes is shown by its last step: that one has its neighbours too
            number, start = self.step
            self.last_step, self.step = (number, _around(window, start, number)), None
        self._advance(window, min(ripe, window.base + window.cut))
        if window.long_line:
            self.result.notes.append(f"a line of more than {len(fresh) >> 20} MiB was cut into pieces")

    def _advance(self, window: Window, offset: int) -> int:
        """The number of the line that holds the stream offset; moves the cursor there."""
        if offset <= self.line_end:
            return self.line_number  # a progress bar is one line of thousands of segments
        at = max(0, offset - window.base)
        start = window.data.rfind(b"\n", 0, at) + 1 + window.base
        if start > self.line_at:
            # A line that began before the window has its first line feed in it behind `at`: counting from 0 is exact.
            self.line_number += window.data.count(b"\n", max(0, self.line_at - window.base), start - window.base)
            self.line_at = start
        end = window.data.find(b"\n", at)
        self.line_end = window.base + (len(window.data) - 1 if end < 0 else end)
        return self.line_number

    def _take_segment(self, window: Window, start: int, stop: int, signals: Mapping[int, set[int]]) -> None:
        """`start` and `stop` bound one CR-separated part of a line, in window.data.

        `signals` says which of a signal's patterns were seen there: no other can match.
        """
        number = self._advance(window, window.base + start)
        text = _decode(window.data[start:stop])
        line = read_line(text, self.writers)
        if line.stream and line.formats[:1] == (NAMED,):
            self.writers.add(line.stream.partition("/")[0])
        if (begin := max(0, self.line_at - window.base)) < start:
            line = _inherit(line, read_line(_decode(_first_segment(window.data, begin, start))))
        stamps, inferred = self._stamps(window, start, line)
        taken: list[tuple[int, _Hit]] = []
        for index, seen in signals.items():
            ready = self.plan.ready[index]
            if not accepts(ready.signal.kinds, line.kind, self.result.kind):
                continue
            if (found := _confirm(ready, text, line.message, seen)) is None:
                continue
            limit = block_limit(ready.signal)
            block = take_block(_following(window, stop, line.stream, self.writers), ready, limit) if limit else ()
            if ready.signal.contains and not holds_all(ready.signal.contains, text, block):
                continue
            if ready.not_match and any(
                ready.search(pattern, part) for pattern in ready.not_match for part in (text, *block)
            ):
                continue
            self.result.counts[ready.signal.name, line.stream] += 1
            taken.append((index, _Hit(ready, number, text, line, found, block, stamps, inferred)))
            self._keep_context(window, number, start, ready)
        # A line that no signal knows by its words: a new kind of error between a million known ones is not lost.
        unnamed = bool(taken) and all("error" in hit.ready.signal.feeds for _, hit in taken)
        new = unnamed and self.shapes.note(line.stream, line.message)
        for index, hit in taken:
            self._keep(index, hit, new)

    def _keep(self, index: int, hit: _Hit, new: bool) -> None:
        kept = self.kept.setdefault((index, hit.line.stream), _Kept())
        if len(kept.front) < FIRST:
            kept.front.append(hit)
            self._note_speaker(index, hit.line.stream, hit.ready)
        elif new and self.shapes.keep():
            kept.rare.append(hit)
        else:
            kept.back.append(hit)

    def _note_speaker(self, index: int, stream: str, ready: Ready) -> None:
        """Step lines come by the million: once each stream's front is full, later ones wait unread for the end."""
        streams = self.speakers.setdefault(index, set())
        streams.add(stream)
        may_wait = "progress" in ready.signal.feeds or ready.signal.noise
        if may_wait and all(len(self.kept[index, each].front) >= FIRST for each in streams):
            self.sated.add(index)
            self.aside[index] = deque(self.aside.get(index, ()), maxlen=LAST * len(streams))

    def _set_aside(self, window: Window, start: int, stop: int, signals: Iterable[int]) -> None:
        number = self._advance(window, window.base + start)
        raw, at = window.data[start:stop], 0
        if (begin := max(0, self.line_at - window.base)) < start:  # a progress bar: the prefix of its line goes with it
            prefix = _first_segment(window.data, begin, start) + b"\r"
            raw, at = prefix + raw, len(prefix)
        for index in signals:
            self.aside[index].append((number, raw, at))
            if "progress" in self.plan.ready[index].signal.feeds:
                self.step = (number, start)
            streams = self.speakers[index]
            self.result.counts[
                self.plan.ready[index].signal.name, next(iter(streams)) if len(streams) == 1 else ""
            ] += 1

    def _read_aside(self) -> None:
        """The latest of what was set aside; their stream's last stamp stands for one of their own."""
        for index, waiting in self.aside.items():
            ready = self.plan.ready[index]
            for number, raw, at in waiting:
                text = _decode(raw[at:])
                line = read_line(text, self.writers)
                if at:
                    line = _inherit(line, read_line(_decode(raw[: raw.find(b"\r")])))
                found = _confirm(ready, text, line.message)
                if found is not None and accepts(ready.signal.kinds, line.kind, self.result.kind):
                    stamps = line.stamps or self.latest.get(line.stream, (0, ()))[1]
                    hit = _Hit(ready, number, text, line, found, (), stamps, not line.stamps)
                    self.kept.setdefault((index, line.stream), _Kept()).back.append(hit)

    def _make(self, hit: _Hit) -> Event:
        signal, line = hit.ready.signal, hit.line
        return Event(
            signal=signal.name,
            locus=Locus(self.result.file, hit.number),
            text=hit.text.strip("\r\n"),
            inferred=hit.inferred,
            severity=signal.severity if signal.severity is not None else line.severity or Severity.INFO,
            kind=line.kind or self.result.kind,
            stream=line.stream,
            host=line.host,
            pid=line.pid,
            tid=line.tid,
            captures=fill_captures(hit.ready, hit.found, line.message, hit.text, hit.block, self.plan.tables),
            block=hit.block,
        )

    def _stamps(self, window: Window, start: int, line: Line) -> tuple[tuple[Stamp, ...], bool]:
        """The line's own stamps, else those of the nearest earlier stamped line of its stream."""
        offset = window.base + start
        if line.stamps:
            self.latest[line.stream] = (offset, line.stamps)
            return line.stamps, False
        known = self.latest.get(line.stream, (-1, ()))
        at = self.line_at - window.base - 1  # what stands before it in its own line was looked at by the caller
        floor = max(0, start - LOOK)
        for _ in range(200):
            if at <= floor or window.base + at < known[0]:
                break  # nothing before it, or looked at already
            begin = window.data.rfind(b"\n", floor, at) + 1
            if begin == 0 and window.base + floor > 0:
                break  # a line whose beginning is out of sight
            before = read_line(_decode(window.data[begin : min(at, begin + WIDEST)]), self.writers)
            if before.stamps and before.stream == line.stream:
                self.latest[line.stream] = (offset, before.stamps)
                return before.stamps, True
            at = begin - 1
        self.latest[line.stream] = (offset, known[1])
        return known[1], True

    def _keep_context(self, window: Window, number: int, start: int, ready: Ready) -> None:
        context = self.result.context
        if "progress" in ready.signal.feeds:
            self.step = (number, start)
        elif not ready.signal.noise and len(context) < CONTEXTS and number not in context:
            context[number] = _around(window, start, number)

    def finish(self) -> None:
        self.survey.finish()
        self._read_aside()
        if self.last_step:
            self.result.context.setdefault(*self.last_step)
        result = self.result
        hits = sorted(
            (hit for kept in self.kept.values() for hit in (*kept.front, *kept.rare, *kept.back)),
            key=lambda hit: hit.number,
        )
        result.events = [self._make(hit) for hit in hits]
        result.stamps = [hit.stamps for hit in hits]
        given_up = self.plan.patience.given_up
        result.notes += [f"the pattern of {name} took too long on a line here and was given up" for name in given_up]
        given_up.clear()
        if result.lines and not result.events and result.kind is Kind.UNKNOWN and not result.timed_lines:
            result.status = "not-understood" if result.status == "read" else result.status


def _writers(head: bytes) -> set[str]:
    """Who writes in a file of many, by its first lines."""
    lines = head.split(b"\n", 401)[:400]
    if not any(read_line(_decode(line[:WIDEST])).formats[:1] == (NAMED,) for line in lines[:5]):
        return set()
    seen = (read_line(_decode(line[:WIDEST])) for line in lines)
    return {line.stream.partition("/")[0] for line in seen if line.formats[:1] == (NAMED,)}


def _ripe(window: Window) -> int:
    """Up to where hits can be taken:

    LOOK bytes before the end, and not in the middle of a segment, which would be taken twice.
    """
    if window.last:
        return window.cut
    reach = max(0, window.cut - LOOK)
    edge = max(window.data.rfind(end, 0, reach) for end in (b"\n", b"\r")) + 1
    return edge if edge >= reach - LOOK else reach


def _by_segment(hits: list[Sighting], window: Window) -> Iterator[tuple[int, int, dict[int, set[int]]]]:
    """Groups hits by the segment (between CR or LF) that they end in: (start, stop, signals with their patterns)."""
    data, base = window.data, window.base
    begin = end = 0  # of the line …
    start = stop = -1  # … and of the segment
    signals: dict[int, set[int]] = {}
    for offset, signal, pattern in hits:
        at = offset - base
        if at < stop:
            signals.setdefault(signal, set()).add(pattern)
            continue
        if signals:
            yield start, stop, signals
        if at >= end:
            begin = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
        start = max(data.rfind(b"\r", begin, at) + 1, begin, at - WIDEST // 2)
        stop = data.find(b"\r", at, end)
        stop = min(end if stop < 0 else stop, at + WIDEST // 2)
        stop = max(stop, at + 1)
        signals = {signal: {pattern}}
    if signals:
        yield start, stop, signals


def _following(window: Window, stop: int, stream: str, writers: Container[str]) -> Iterator[Line]:
    """The segments in the LOOK bytes behind `stop` that belong to the same stream, with their prefixes read."""
    data, at = window.data, stop
    reach = min(stop + LOOK, len(data) if window.last else window.cut)
    line_end = -1
    while at < reach:
        at += 1
        if at > line_end:
            line_end = data.find(b"\n", at)
            line_end = len(data) if line_end < 0 else line_end
        end = data.find(b"\r", at, line_end)
        end = line_end if end < 0 else end
        if end > reach:
            break
        line = read_line(_decode(data[at : min(end, at + WIDEST)]), writers)
        glued = data[at - 1 : at] == b"\r" and not line.stream
        if line.stream == stream or glued:
            yield line
        at = end


def _around(window: Window, start: int, number: int) -> tuple[int, tuple[str, ...]]:
    """The line that holds `start` and its neighbours within LOOK bytes: (number of the first, texts).

    Of a line of several segments the hit's own is shown, of a neighbour the last, as a terminal would.
    """
    data = window.data
    floor, reach = max(0, start - LOOK), min(start + LOOK, len(data) if window.last else window.cut)
    begin = data.rfind(b"\n", floor, start) + 1 or floor
    first = number
    while number - first < AROUND and begin > floor:
        before = data.rfind(b"\n", floor, begin - 1) + 1
        if before == 0 and (floor or window.base):
            break
        begin, first = before, first - 1
    end = start
    for _ in range(AROUND + 1):
        found = data.find(b"\n", end, reach)
        end = reach if found < 0 else found + 1
        if end == reach:
            break
    lines = [line.rstrip(b"\r").rpartition(b"\r")[2] for line in data[begin:end].removesuffix(b"\n").split(b"\n")]
    lines[number - first] = data[start : start + 400].partition(b"\n")[0].partition(b"\r")[0]
    return first, tuple(_decode(line[:400]) for line in lines)


def _confirm(ready: Ready, text: str, message: str, seen: Container[int] | None = None) -> dict[str, str] | None:
    """The captures of the first pattern, of those `seen`, that matches the whole segment or the message alone."""
    for place, pattern in enumerate(ready.match):
        if seen is not None and place not in seen:
            continue
        if found := ready.search(pattern, text) or ready.search(pattern, message):
            return {name: value for name, value in found.groupdict().items() if value is not None}
    return None


def _first_segment(data: bytes, begin: int, end: int) -> bytes:
    """The start of the line at `begin`, up to its first CR before `end`."""
    return data[begin : min(end, begin + WIDEST)].partition(b"\r")[0]


def _inherit(line: Line, first: Line) -> Line:
    """A segment behind a CR has the launcher's prefix of its line only at the line's start."""
    return replace(
        line,
        stream=line.stream or first.stream,
        stamps=line.stamps or first.stamps,
        host=line.host or first.host,
        kind=line.kind or first.kind,
    )


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
