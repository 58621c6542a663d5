"""Samples the lines of a source for what does not depend on hits: time span, zone, hosts, streams."""

from __future__ import annotations

from collections.abc import Container, Iterator, Set

from analyzer.formats import read_line
from analyzer.model import Basis, Kind, Line, Stamp
from analyzer.reading.own_names import OwnNames
from analyzer.reading.retention import MAX_STREAMS, StreamLimiter
from analyzer.reading.source_result import SourceResult
from analyzer.reading.statements import StatementReader
from analyzer.reading.step_forms import StepFormLearner
from analyzer.reading.timings import TimingReader
from analyzer.reading.window import TextWindow

# A source is uniform as long as all sampled lines have one stream, one host and one kind of stamp: then fewer will do.
HEAD_BYTES = 64 * 1024  # of which every line is read …
OPENING_BYTES = 4 * 1024  # … but of a uniform source only in these …
OPENING_STRIDE_LINES = 32  # … and then one of so many lines
SPREAD_SAMPLE_LINES = 64  # spread over the rest of the first window, where streams may begin late …
UNIFORM_SPREAD_LINES = 16  # … of a uniform source
WINDOW_SAMPLE_LINES = 12  # at the start of each later window …
UNIFORM_SAMPLE_LINES = 2  # … or spread over it, of a uniform source
UNRELATED_BASES = {Basis.LOCAL, Basis.YEARLESS, Basis.DAYTIME}  # two of these prove nothing about each other's zone
TAIL_BYTES = 16 * 1024  # at the end, read for the last stamp of each stream …
UNIFORM_TAIL_LINES = 12  # … of which so many lines will do for a uniform source

_BRACKETS = {b"{": b"}", b"[": b"]"}


class SourceProfiler:
    """Reads all lines of a small source; of a large one the beginning, the end, and some lines of each window."""

    def __init__(
        self, result: SourceResult, streams: StreamLimiter, writers: Container[str] = (), small: bool = False
    ) -> None:
        self.result = result
        self.streams = streams
        self.writers = writers
        self.is_small = small
        self.bytes_seen = 0
        self.lines_read = 0
        self.timed_lines = 0
        self.bases: set[Basis] = set()
        self.is_uniform = False
        # The last local and UTC readings of each stream, for the zone: ranks have clocks of their own.
        self.local_readings: dict[str, float] = {}
        self.utc_readings: dict[str, float] = {}
        self.bases_before: dict[str, Set[Basis]] = {}  # of each stream's last line with a date
        self.tail = b""
        self.closing_bracket = b"\n"
        self.own_names = OwnNames()
        self.statements = StatementReader()
        self.step_forms = StepFormLearner()
        self.timings = TimingReader()
        self.line_feeds = 0  # before the line that is read, as long as every line is passed
        self.lines_with_host = 0  # without a label

    def take_window(self, window: TextWindow) -> None:
        """Sample the fresh part of a window."""
        data, start, stop = window.data, window.fresh_start, window.fresh_end
        if self.bytes_seen == 0:
            self.closing_bracket = _BRACKETS.get(data[start : start + 1], b"\n")
        ends = (b"\n", self.closing_bracket)  # a document need not end in a line feed
        self.result.ends_mid_line = window.is_last and stop > start and not data.endswith(ends, start, stop)
        for raw, number in self._choose_lines(data, start, stop):
            self._profile_line(raw, number)
        self.bytes_seen += stop - start
        tail = data[max(start, stop - TAIL_BYTES) : stop]
        self.tail = tail if len(tail) == TAIL_BYTES else (self.tail + tail)[-TAIL_BYTES:]

    def _choose_lines(self, data: bytes, start: int, stop: int) -> Iterator[tuple[bytes, int]]:
        """Yield the lines of data[start:stop] to read, with their numbers; 0 if it is unknown.

        Each must be read before the next: `is_uniform` may change.
        """
        if self.is_small:
            yield from self._number_lines(data[start:stop])
        elif self.bytes_seen < HEAD_BYTES:
            head = _end_of_line(data, min(stop, start + HEAD_BYTES - self.bytes_seen), stop)
            yield from self._choose_opening_lines(data[start:head])
            count = UNIFORM_SPREAD_LINES if self.is_uniform else SPREAD_SAMPLE_LINES
            yield from ((raw, 0) for raw in _spread_lines(data, head, stop, count))
        elif self.is_uniform:
            yield from ((raw, 0) for raw in _spread_lines(data, start, stop, UNIFORM_SAMPLE_LINES))
        else:
            lines = data[start : min(stop, start + 8192)].splitlines()[:WINDOW_SAMPLE_LINES]
            yield from ((raw, 0) for raw in lines)

    def _choose_opening_lines(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        passed = self.bytes_seen
        for raw, number in self._number_lines(data):
            if passed < OPENING_BYTES or number % OPENING_STRIDE_LINES == 0 or not self.is_uniform:
                yield raw, number
            passed += len(raw) + 1

    def _number_lines(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        """Yield each line of `data` with its number. What carriage returns part is in one line of the file."""
        for ended in data.splitlines(keepends=True):
            yield ended.rstrip(b"\r\n"), self.line_feeds + 1
            self.line_feeds += ended.endswith(b"\n")

    def _profile_line(self, raw: bytes, number: int) -> None:
        line = self.streams.admit_line(self._read_prefixes(raw))
        self._note_line(line)
        self.step_forms.note_line(line)
        if number:
            self.statements.note_line(line, number)
            self.timings.note_line(line, number)
        is_one_zone = bool(self.bases) and (len(self.bases) == 1 or self.bases <= UNRELATED_BASES)
        self.is_uniform = is_one_zone and len(self.result.streams) <= 1 and len(self.result.hosts) <= 1

    def _note_line(self, line: Line) -> None:
        self.lines_read += 1
        self.own_names.note_line(line)
        if line.host and (line.host in self.result.hosts or len(self.result.hosts) < MAX_STREAMS):
            self.result.hosts[line.host] += 1
            self.lines_with_host += not line.stream
            hosts = self.result.stream_hosts.get(line.stream, frozenset())
            self.result.stream_hosts[line.stream] = hosts if line.host in hosts else hosts | {line.host}
        self.result.streams[line.stream] += 1
        if not line.stamps:
            return
        self.timed_lines += 1
        if not self.result.first_stamps:
            self.result.first_stamps = line.stamps
        self._note_last_stamps(line)
        self._note_stamps(line.stream, line.stamps)

    def _note_last_stamps(self, line: Line) -> None:
        self.result.last_stamps = line.stamps
        self.result.ends[line.stream] = line.stamps

    def _note_stamps(self, stream: str, stamps: tuple[Stamp, ...]) -> None:
        by_basis = {stamp.basis: stamp for stamp in stamps}
        self.bases.update(by_basis)
        wall = by_basis.get(Basis.UTC) or by_basis.get(Basis.LOCAL) or by_basis.get(Basis.YEARLESS)
        if (uptime := by_basis.get(Basis.UPTIME)) and wall and len(self.result.boots) < 1000:
            self.result.boots.append((uptime.value, wall))
        if utc := by_basis.get(Basis.UTC):
            self.utc_readings[stream] = utc.value
        if local := by_basis.get(Basis.LOCAL):
            self.local_readings[stream] = local.value
        if (
            (yearless := by_basis.get(Basis.YEARLESS))
            and stream in self.utc_readings
            and len(self.result.syslog_zones) < 1000
        ):
            self.result.syslog_zones.append((yearless.value, self.utc_readings[stream]))
        bases = by_basis.keys() & {Basis.UTC, Basis.LOCAL}
        if not bases:
            return
        # The last line with a date had the other basis, or this one has both: an older reading says less.
        is_pair = len(self.bases_before.get(stream, bases) | bases) == 2
        self.bases_before[stream] = bases
        if is_pair and len(self.result.zones) < 1000:
            self.result.zones.append((self.local_readings[stream], self.utc_readings[stream]))

    def finish(self) -> None:
        """Read the tail, and set `timed_lines`: exact for small sources, else estimated from the sample."""
        result = self.result
        result.facts += self.own_names.make_facts(result.file)
        if result.kind in (Kind.WORKER, Kind.UNKNOWN):
            result.statements = tuple(self.statements.statements())
        if result.kind in (Kind.WORKER, Kind.UNKNOWN, Kind.SYSTEM):  # a journal holds what a service prints
            result.timings = tuple(self.timings.timings())
        for raw in self._choose_tail_lines(self.tail.splitlines()):
            if (line := self.streams.admit_line(self._read_prefixes(raw))).stamps:
                self._note_last_stamps(line)
        unlabelled = result.streams.get("", 0)
        if self.lines_with_host < min(unlabelled / 2, result.streams.total() - unlabelled):
            # Beside labelled writers, lines that a machine wrote do not say who wrote the others without a label.
            result.stream_hosts.pop("", None)
        result.timed_lines = (
            min(self.timed_lines, result.lines)
            if self.lines_read >= result.lines
            else round(result.lines * self.timed_lines / max(self.lines_read, 1))
        )

    def _read_prefixes(self, raw: bytes) -> Line:
        return read_line(raw[:1024].decode("utf-8", "replace"), self.writers)

    def _choose_tail_lines(self, lines: list[bytes]) -> list[bytes]:
        """Return the lines to read for the last stamp of each stream."""
        if self.is_small:
            return []  # all lines have been read
        last_lines = lines[-UNIFORM_TAIL_LINES:]
        return (
            last_lines
            if self.is_uniform and any(self._read_prefixes(raw).stamps for raw in reversed(last_lines))
            else lines
        )


def _end_of_line(data: bytes, place: int, stop: int) -> int:
    """Return where the line ends that holds the byte before `place`: a line is read whole, wherever blocks are cut."""
    return data.find(b"\n", place - 1, stop) + 1 or stop


def _spread_lines(data: bytes, start: int, stop: int, count: int) -> Iterator[bytes]:
    """Yield about `count` whole lines of data[start:stop], at even distances."""
    for offset in range(start, stop, max((stop - start) // count, 1)):
        begin = data.find(b"\n", offset, stop) + 1
        end = data.find(b"\n", begin, stop) if begin else -1
        if end < 0:
            return
        if begin < end:
            yield data[begin:end]
