"""Reads one sample file in one pass."""

from __future__ import annotations

import re
from typing import Protocol

from analyzer.bundle.peek import SupportsRead
from analyzer.model import Basis, Kind, Stamp
from analyzer.reading.source_result import SourceResult, status_after_error
from analyzer.samples import dmon, flight, sysstat
from analyzer.samples.line_blocks import HEAD_BYTES, TAIL_BYTES, read_line_blocks
from analyzer.samples.series_collector import SeriesCollector
from analyzer.samples.series_events import derive_series_events


class SampleReader(Protocol):
    """Reads the lines of one kind of sample file into a result and its series. `basis` is that of its times."""

    basis: Basis
    stride: int  # of the middle of a large file, as in `read_line_blocks`; 0: a line needs those before it

    def __init__(self, result: SourceResult, series: SeriesCollector) -> None: ...
    def add_line(self, number: int, line: bytes) -> None: ...
    def finish(self) -> None: ...


_READERS: tuple[tuple[re.Pattern[bytes], type[SampleReader]], ...] = (
    (flight.HEADER, flight.FlightReader),
    (sysstat.HEADER, sysstat.SysstatReader),
    (dmon.HEADER, dmon.DmonReader),
)


def is_sample_file(head: bytes) -> bool:
    """Whether a file with this beginning holds resource samples."""
    return _reader_for(head) is not None


def read_samples(file: str, stream: SupportsRead, mtime: float | None, head: bytes) -> SourceResult:
    """Return the events and series of a file that `is_sample_file` accepts.

    `mtime`: when the file was last written, in UTC seconds. A read error becomes the `problem` of the result; no data
    raise an error.
    """
    result, collector = SourceResult(file, Kind.SAMPLES, mtime), SeriesCollector()
    reader_class = _reader_for(head)
    assert reader_class is not None
    reader = reader_class(result, collector)
    counting_stream = _CountedStream(stream, result)
    skipped = 0
    try:
        for number, lines in read_line_blocks(counting_stream, reader.stride):
            skipped += number - result.lines - 1
            for at, line in enumerate(lines, number):
                if line.strip():
                    reader.add_line(at, line)
            result.lines = number + len(lines) - 1
    except OSError as error:
        result.status, result.problem = status_after_error(error, result.lines), str(error)
    if skipped:
        result.notes.append(
            f"{skipped} lines in its middle were not read: the file is larger than {HEAD_BYTES + TAIL_BYTES} bytes"
        )
    reader.finish()
    _fill_result(result, collector, reader.basis)
    return result


def _fill_result(result: SourceResult, collector: SeriesCollector, basis: Basis) -> None:
    result.streams[""] = 1
    result.series = list(collector.finish(result.file, basis))
    times = [point.time for series in result.series for point in (series.points[0], series.points[-1])]
    if times:
        result.first_stamps, result.last_stamps = (Stamp(min(times), basis),), (Stamp(max(times), basis),)
        result.timed_lines = max(sum(point.count for point in series.points) for series in result.series)
    for series in result.series:
        for event, stamp in derive_series_events(series):
            result.events.append(event)
            result.stamps.append((stamp,))
    if collector.dropped:
        result.notes.append(f"{collector.dropped} samples of more processes or devices were left out")
    if result.problem and result.status == "read":
        result.status = "partly-read"


def _reader_for(head: bytes) -> type[SampleReader] | None:
    start = head.lstrip()
    return next((reader for pattern, reader in _READERS if pattern.match(start)), None)


class _CountedStream:
    def __init__(self, inner: SupportsRead, result: SourceResult) -> None:
        self._inner, self._result = inner, result

    def read(self, size: int = -1, /) -> bytes:
        data = self._inner.read(size)
        self._result.bytes += len(data)
        return data
