"""Sources of which nothing but numbers is kept, as columns: a bundle may have two hundred thousand of them."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Any, Generic, TypeVar

from analyzer.model import Basis, Kind, SourceStatus, Stamp
from analyzer.reading.source_result import SourceResult

T = TypeVar("T")
Bases = tuple[Basis, ...]
SourceForm = tuple[Kind, SourceStatus, bool, Bases, Bases, Any]  # kind, status, cut, bases of first and last, zones
SourceWriter = tuple[Counter[str], Counter[str], dict[str, frozenset[str]]]  # streams, hosts, hosts of streams
SourceCounts = tuple[Counter[tuple[str, str]], dict[tuple[str, str], int]]  # counts, shapes


def is_eventless(result: SourceResult) -> bool:
    """One writer's, who said nothing of which more is kept than how often. Holds of settled sources alone."""
    kept = (result.events, result.facts, result.settings, result.series, result.boots, result.syslog_zones)
    odd = result.problem is not None or result.unread != 0 or result.boot_time is not None
    one = len(result.streams) == 1 and len(result.hosts) < 2 and not result.ends
    return one and not odd and not any(kept) and not result.notes and not result.context


class _SharedValues(Generic[T]):
    """Values that many rows share, each once."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._places: dict[Hashable, int] = {}

    def place(self, key: Hashable, value: T) -> int:
        place = self._places.setdefault(key, len(self.values))
        if place == len(self.values):
            self.values.append(value)
        return place


class EventlessSources:
    """Iterates over the sources in the order in which they were added."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self._forms: _SharedValues[SourceForm] = _SharedValues()
        self._writers: _SharedValues[SourceWriter] = _SharedValues()
        self._said: _SharedValues[SourceCounts] = _SharedValues()
        self._shared = array("I")  # of each source its places in these three
        self._numbers = array("q")  # bytes, lines, timed lines
        self._times = array("d")  # time of change (not a number: unknown), first stamps, last stamps

    def add(self, result: SourceResult) -> None:
        first, last = (tuple(stamp.basis for stamp in stamps) for stamps in (result.first_stamps, result.last_stamps))
        form: SourceForm = (result.kind, result.status, result.ends_mid_line, first, last, tuple(result.zones))
        hosts, [stream] = tuple(result.hosts), result.streams
        said = (tuple(result.counts.items()), tuple(result.shapes.items()))
        writer = (result.streams, result.hosts, result.stream_hosts)
        self.files.append(result.file)
        self._shared.append(self._forms.place(form, form))
        self._shared.append(self._writers.place((stream, hosts, bool(result.stream_hosts)), writer))
        self._shared.append(self._said.place(said, (result.counts, result.shapes)))
        self._numbers.extend((result.bytes, result.lines, result.timed_lines))
        self._times.append(math.nan if result.mtime is None else result.mtime)
        self._times.extend(stamp.value for stamp in (*result.first_stamps, *result.last_stamps))

    def hosts(self) -> Iterator[str]:
        """The names that prefixes of lines give to machines."""
        for _, hosts, _ in self._writers.values:
            yield from hosts

    def __iter__(self) -> Iterator[SourceResult]:
        shared, numbers, times = iter(self._shared), iter(self._numbers), iter(self._times)
        forms, writers, saids = self._forms.values, self._writers.values, self._said.values
        for file in self.files:
            kind, status, cut, first, last, zones = forms[next(shared)]
            streams, hosts, stream_hosts = writers[next(shared)]
            counts, shapes = saids[next(shared)]
            mtime = next(times)
            yield SourceResult(
                file=file,
                kind=kind,
                mtime=None if mtime != mtime else mtime,
                bytes=next(numbers),
                lines=next(numbers),
                timed_lines=next(numbers),
                status=status,
                ends_mid_line=cut,
                first_stamps=tuple([Stamp(next(times), basis) for basis in first]),
                last_stamps=tuple([Stamp(next(times), basis) for basis in last]),
                zones=zones,
                streams=streams,
                hosts=hosts,
                stream_hosts=stream_hosts,
                counts=counts,
                shapes=shapes,
                **_NOTHING,
            )


_NOTHING: Any = {
    **dict.fromkeys(("events", "stamps", "facts", "syslog_zones", "boots", "settings", "notes", "series"), ()),
    **{name: {} for name in ("ends", "context")},
}
