"""One sample file read in one pass."""

from __future__ import annotations

import re
from typing import Protocol

from analyzer.bundle.peek import Readable
from analyzer.model import Basis, Kind, Stamp
from analyzer.reading.result import SourceResult, broken_off
from analyzer.samples import dmon, flight, sysstat
from analyzer.samples.blocks import HEAD, TAIL, lines_of
from analyzer.samples.shelf import Shelf
from analyzer.samples.show import show


class Reader(Protocol):
    basis: Basis
    stride: int  # 0: a line cannot be understood without those before it

    def __init__(self, result: SourceResult, shelf: Shelf) -> None: ...
    def take(self, number: int, line: bytes) -> None: ...
    def finish(self) -> None: ...


_READERS: tuple[tuple[re.Pattern[bytes], type[Reader]], ...] = (
    (flight.HEAD, flight.Flight),
    (sysstat.HEAD, sysstat.Sysstat),
    (dmon.HEAD, dmon.Dmon),
)


def recognize(head: bytes) -> bool:
    """Whether a file that begins so holds resource samples."""
    return _reader_for(head) is not None


def read_samples(file: str, stream: Readable, mtime: float | None, head: bytes) -> SourceResult:
    """Events and series of a file that `recognize` knows. Read errors become its `problem`; data raises nothing."""
    result, shelf = SourceResult(file, Kind.SAMPLES, mtime), Shelf()
    kind = _reader_for(head)
    assert kind is not None
    reader = kind(result, shelf)
    counted = _Counted(stream, result)
    skipped = 0
    try:
        for number, lines in lines_of(counted, reader.stride):
            skipped += number - result.lines - 1
            for at, line in enumerate(lines, number):
                if line.strip():
                    reader.take(at, line)
            result.lines = number + len(lines) - 1
    except OSError as error:
        result.status, result.problem = broken_off(error, result.lines), str(error)
    if skipped:
        result.notes.append(f"{skipped} lines of its middle were not read: it is larger than {HEAD + TAIL} bytes")
    reader.finish()
    _conclude(result, shelf, reader.basis)
    return result


def _conclude(result: SourceResult, shelf: Shelf, basis: Basis) -> None:
    result.streams[""] = 1
    result.series = list(shelf.finish(result.file, basis))
    times = [point.time for series in result.series for point in (series.points[0], series.points[-1])]
    if times:
        result.first, result.last = (Stamp(min(times), basis),), (Stamp(max(times), basis),)
        result.timed_lines = max(sum(point.count for point in series.points) for series in result.series)
    for series in result.series:
        for event, stamp in show(series):
            result.events.append(event)
            result.stamps.append((stamp,))
    if shelf.dropped:
        result.notes.append(f"{shelf.dropped} samples of further processes or devices were left out")
    if result.problem and result.status == "read":
        result.status = "partly-read"


def _reader_for(head: bytes) -> type[Reader] | None:
    start = head.lstrip()
    return next((reader for pattern, reader in _READERS if pattern.match(start)), None)


class _Counted:
    def __init__(self, inner: Readable, result: SourceResult) -> None:
        self._inner, self._result = inner, result

    def read(self, size: int = -1, /) -> bytes:
        data = self._inner.read(size)
        self._result.bytes += len(data)
        return data
