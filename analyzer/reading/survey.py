"""What is learnt of a source without its hits: time span, zone, hosts, streams."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.formats import read_line
from analyzer.model import Basis, Line, Stamp
from analyzer.reading.result import SourceResult
from analyzer.reading.streams import MOST, Streams
from analyzer.reading.window import Window

HEAD = 64 * 1024  # bytes: of a source that is shorter every line is looked at, of others those of the beginning …
OPENING = 4 * 1024  # … or fewer where one writer, one host and one way to tell the time were met in so many …
EVERY = 32  # … of whose following lines a few will do: one of so many
SAMPLE = 12  # lines of a later window's start …
FEW = 2  # … or fewer, over all of it, where everything met so far looks alike
SPREAD = 64  # lines over the rest of the first window: streams that begin late are met there …
THIN = 16  # … or fewer, likewise
UNRELATED = {Basis.LOCAL, Basis.YEARLESS, Basis.DAYTIME}  # lines of two of these tell nothing of each other's zone
TAIL = 16 * 1024  # bytes of the end that are looked at for each stream's last stamp …
LAST = 12  # … or so many lines, where one writer was met


class Survey:
    """Looks at all lines of a small source; of a large one at its beginning and at some lines of each window."""

    def __init__(self, result: SourceResult, streams: Streams, small: bool = False) -> None:
        self.result = result
        self.streams = streams
        self.small = small
        self.seen = 0
        self.looked = 0
        self.timed = 0
        self.bases: set[Basis] = set()
        self.alike = False  # all that was met: a further line of it tells nothing that the others did not
        # Each stream's last local and UTC readings, for the zone: ranks have clocks of their own.
        self.local: dict[str, float] = {}
        self.utc: dict[str, float] = {}
        self.end = b""

    def take(self, window: Window) -> None:
        data, start, stop = window.data, window.fresh, window.cut
        self.result.cut = window.last and stop > start and not data.endswith(b"\n", start, stop)
        for raw in self._choose(data, start, stop):
            self._look(raw)
        self.seen += stop - start
        tail = data[max(start, stop - TAIL) : stop]
        self.end = tail if len(tail) == TAIL else (self.end + tail)[-TAIL:]

    def _choose(self, data: bytes, start: int, stop: int) -> Iterator[bytes]:
        """Lines of data[start:stop] to look at; each is, before the next is asked for."""
        if self.small:
            yield from data[start:stop].splitlines()
        elif self.seen < HEAD:
            head = min(stop, start + HEAD)
            yield from self._choose_first(data[start:head].splitlines())
            yield from _spread(data, head, stop, THIN if self.alike else SPREAD)
        elif self.alike:
            yield from _spread(data, start, stop, FEW)
        else:
            yield from data[start : min(stop, start + 8192)].splitlines()[:SAMPLE]

    def _choose_first(self, lines: list[bytes]) -> Iterator[bytes]:
        passed, place = self.seen, 0
        for place, raw in enumerate(lines):
            if passed < OPENING or place % EVERY == 0 or not self.alike:
                yield raw
            passed += len(raw) + 1

    def _look(self, raw: bytes) -> None:
        self._note(self.streams.admit(_read(raw)))
        told = bool(self.bases) and (len(self.bases) == 1 or self.bases <= UNRELATED)
        self.alike = told and len(self.result.streams) <= 1 and len(self.result.hosts) <= 1

    def _note(self, line: Line) -> None:
        self.looked += 1
        if line.host and (line.host in self.result.hosts or len(self.result.hosts) < MOST):
            self.result.hosts[line.host] += 1
            known = self.result.stream_hosts.get(line.stream, frozenset())
            self.result.stream_hosts[line.stream] = known if line.host in known else known | {line.host}
        self.result.streams[line.stream] += 1
        if not line.stamps:
            return
        self.timed += 1
        if not self.result.first:
            self.result.first = line.stamps
        self._mark_end(line)
        self._learn(line.stream, line.stamps)

    def _mark_end(self, line: Line) -> None:
        self.result.last = line.stamps
        self.result.ends[line.stream] = line.stamps

    def _learn(self, stream: str, stamps: tuple[Stamp, ...]) -> None:
        by_basis = {stamp.basis: stamp for stamp in stamps}
        self.bases.update(by_basis)
        wall = by_basis.get(Basis.UTC) or by_basis.get(Basis.LOCAL) or by_basis.get(Basis.YEARLESS)
        if (uptime := by_basis.get(Basis.UPTIME)) and wall and len(self.result.boots) < 1000:
            self.result.boots.append((uptime.value, wall))
        if utc := by_basis.get(Basis.UTC):
            self.utc[stream] = utc.value
        if local := by_basis.get(Basis.LOCAL):
            self.local[stream] = local.value
        if (yearless := by_basis.get(Basis.YEARLESS)) and stream in self.utc and len(self.result.syslog_zones) < 1000:
            self.result.syslog_zones.append((yearless.value, self.utc[stream]))
        if stream in self.utc and stream in self.local and len(self.result.zones) < 1000:
            self.result.zones.append((self.local[stream], self.utc[stream]))

    def finish(self) -> None:
        """Exact for small sources; for large ones the sample's share of all lines."""
        result = self.result
        for raw in self._choose_last(self.end.splitlines()):
            if (line := self.streams.admit(_read(raw))).stamps:
                self._mark_end(line)
        result.timed_lines = (
            min(self.timed, result.lines)
            if self.looked >= result.lines
            else round(result.lines * self.timed / max(self.looked, 1))
        )

    def _choose_last(self, lines: list[bytes]) -> list[bytes]:
        """Those that tell when each stream ended."""
        if self.small:
            return []  # all were looked at
        few = lines[-LAST:]
        return few if self.alike and any(_read(raw).stamps for raw in reversed(few)) else lines


def _spread(data: bytes, start: int, stop: int, count: int) -> Iterator[bytes]:
    """About `count` whole lines of data[start:stop], at even distances."""
    for at in range(start, stop, max((stop - start) // count, 1)):
        begin = data.find(b"\n", at, stop) + 1
        end = data.find(b"\n", begin, stop) if begin else -1
        if end < 0:
            return
        if begin < end:
            yield data[begin:end]


def _read(raw: bytes) -> Line:
    return read_line(raw[:1024].decode("utf-8", "replace"))
