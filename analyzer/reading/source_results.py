"""All sources that were read, in the order of reading.

A bundle may have 200,000 sources, most of them without events. As objects these take 730 bytes each; here they are rows
of shared columns, which take 143. Iteration hides the difference: it yields an object for each source, of which those
without events are read-only.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Generic, TypeVar, cast

from analyzer.model import Basis, Kind, SourceStatus, Stamp
from analyzer.reading.source_result import SourceResult
from analyzer.reading.stream_tails import NumberedLine

MIN_SOURCES_TO_COMPACT = 4096  # sources with events from which on it pays to look for some that have lost theirs

Value = TypeVar("Value")
# What many sources have in common is stored once:
_Form = tuple[Kind, SourceStatus, bool, tuple[Basis, ...], tuple[Basis, ...], Any]  # … bases of first and last, zones
_Writer = tuple[Counter[str], Counter[str], dict[str, frozenset[str]]]  # streams, hosts, hosts of streams
# Counts, shapes, signals that the scanner counted:
_Counts = tuple[Counter[tuple[str, str]], dict[tuple[str, str], int], set[str]]


class SourceResults:
    """Iterates over all sources, in order. `with_events` are those with events or anything else beside numbers."""

    def __init__(self, results: Iterable[SourceResult] = ()) -> None:
        self.with_events: list[SourceResult] = []
        self._eventless = _EventlessRows()
        self._has_events = bytearray()  # of each source, in order
        self._min_to_compact = MIN_SOURCES_TO_COMPACT
        self.extend(results)

    def append(self, result: SourceResult) -> bool:
        """Add a source; return whether it is one of those `with_events`."""
        has_events = not result.is_eventless
        self._has_events.append(has_events)
        if has_events:
            self.with_events.append(result)
        else:
            self._eventless.add(result)
        return has_events

    def extend(self, results: Iterable[SourceResult]) -> None:
        """Add sources in the given order."""
        for result in results:
            self.append(result)

    def compact(self) -> None:
        """Turn sources whose events did not fit the event budget into rows, if they may be many."""
        if len(self.with_events) < self._min_to_compact:
            return
        now = SourceResults(self)
        self.with_events, self._eventless, self._has_events = now.with_events, now._eventless, now._has_events
        self._min_to_compact = max(MIN_SOURCES_TO_COMPACT, 2 * len(self.with_events))

    def files(self) -> Iterator[str]:
        """Yield the path of each source."""
        return (result.file for result in self)

    def __iter__(self) -> Iterator[SourceResult]:
        with_events, eventless = iter(self.with_events), iter(self._eventless)
        return (next(with_events) if has_events else next(eventless) for has_events in self._has_events)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceResults) and list(self) == list(other)

    def __len__(self) -> int:
        return len(self._has_events)


class _SharedValues(Generic[Value]):
    """Values that many rows share, each stored once."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._indexes: dict[Hashable, int] = {}

    def index_of(self, key: Hashable, value: Value) -> int:
        index = self._indexes.setdefault(key, len(self.values))
        if index == len(self.values):
            self.values.append(value)
        return index


class _EventlessRows:
    """The sources without events as columns; iterates over them in the order in which they were added."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.forms: _SharedValues[_Form] = _SharedValues()
        self.writers: _SharedValues[_Writer] = _SharedValues()
        self.counts: _SharedValues[_Counts] = _SharedValues()
        self.shared = array("I")  # three for each source: its indexes in `forms`, `writers` and `counts`
        self.numbers = array("q")  # three for each source: bytes, lines, timed lines
        self.times = array("d")  # for each source: mtime (NaN if unknown), its first stamps, its last stamps

    def add(self, result: SourceResult) -> None:
        first, last = (tuple(stamp.basis for stamp in stamps) for stamps in (result.first_stamps, result.last_stamps))
        form: _Form = (result.kind, result.status, result.ends_mid_line, first, last, tuple(result.zones))
        hosts, [stream] = tuple(result.hosts), result.streams
        writer = (result.streams, result.hosts, result.stream_hosts)
        counted = (result.counts, result.shapes, result.scanner_counted)
        counts = (tuple(result.counts.items()), tuple(result.shapes.items()), tuple(sorted(result.scanner_counted)))
        self.files.append(result.file)
        self.shared.append(self.forms.index_of(form, form))
        self.shared.append(self.writers.index_of((stream, hosts, bool(result.stream_hosts)), writer))
        self.shared.append(self.counts.index_of(counts, counted))
        self.numbers.extend((result.bytes, result.lines, result.timed_lines))
        self.times.append(math.nan if result.mtime is None else result.mtime)
        self.times.extend(stamp.value for stamp in (*result.first_stamps, *result.last_stamps))

    def __iter__(self) -> Iterator[SourceResult]:
        time_counts = [1 + len(first) + len(last) for _, _, _, first, last, _ in self.forms.values]
        times_start = 0
        for row in range(len(self.files)):
            yield cast("SourceResult", _EventlessSource(self, row, times_start))
            times_start += time_counts[self.shared[3 * row]]


class _EventlessSource:
    """A row, with the attributes of `SourceResult`. None of them can be set."""

    __slots__ = ("_row", "_rows", "_times_start")

    unread, problem, boot_time, is_eventless, has_remarks = 0, None, None, True, False
    events = stamps = facts = syslog_zones = boots = settings = notes = series = statements = timings = line_order = ()
    ends: dict[str, tuple[Stamp, ...]] = {}  # noqa: RUF012 (empty for ever)
    context: dict[int, tuple[int, tuple[str, ...]]] = {}  # noqa: RUF012
    tails: dict[str, tuple[NumberedLine, ...]] = {}  # noqa: RUF012

    def __init__(self, rows: _EventlessRows, row: int, times_start: int) -> None:
        self._rows, self._row, self._times_start = rows, row, times_start

    @property
    def _form(self) -> _Form:
        return self._rows.forms.values[self._rows.shared[3 * self._row]]

    @property
    def _writer(self) -> _Writer:
        return self._rows.writers.values[self._rows.shared[3 * self._row + 1]]

    @property
    def _counts(self) -> _Counts:
        return self._rows.counts.values[self._rows.shared[3 * self._row + 2]]

    @property
    def file(self) -> str:
        return self._rows.files[self._row]

    @property
    def kind(self) -> Kind:
        return self._form[0]

    @property
    def status(self) -> SourceStatus:
        return self._form[1]

    @property
    def ends_mid_line(self) -> bool:
        return self._form[2]

    @property
    def zones(self) -> Any:
        return self._form[5]

    @property
    def streams(self) -> Counter[str]:
        return self._writer[0]

    @property
    def hosts(self) -> Counter[str]:
        return self._writer[1]

    @property
    def stream_hosts(self) -> dict[str, frozenset[str]]:
        return self._writer[2]

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        return self._counts[0]

    @property
    def shapes(self) -> dict[tuple[str, str], int]:
        return self._counts[1]

    @property
    def scanner_counted(self) -> set[str]:
        return self._counts[2]

    @property
    def bytes(self) -> int:
        return self._rows.numbers[3 * self._row]

    @property
    def lines(self) -> int:
        return self._rows.numbers[3 * self._row + 1]

    @property
    def timed_lines(self) -> int:
        return self._rows.numbers[3 * self._row + 2]

    @property
    def mtime(self) -> float | None:
        mtime = self._rows.times[self._times_start]
        return None if math.isnan(mtime) else mtime

    @property
    def first_stamps(self) -> tuple[Stamp, ...]:
        return self._stamps(self._times_start + 1, self._form[3])

    @property
    def last_stamps(self) -> tuple[Stamp, ...]:
        form = self._form
        return self._stamps(self._times_start + 1 + len(form[3]), form[4])

    def _stamps(self, start: int, bases: tuple[Basis, ...]) -> tuple[Stamp, ...]:
        return tuple([Stamp(self._rows.times[at], basis) for at, basis in enumerate(bases, start)])

    def last_stamps_of(self, stream: str) -> tuple[Stamp, ...]:
        return self.last_stamps if stream in self.streams else ()

    def compact(self) -> None:
        """Nothing: a row cannot be smaller."""

    def __eq__(self, other: object) -> bool:
        fields = SourceResult.__dataclass_fields__
        return isinstance(other, SourceResult | _EventlessSource) and all(
            getattr(self, name) == getattr(other, name) for name in fields
        )

    __hash__ = None  # type: ignore[assignment]
