"""What was read of one source: small, picklable, and independent of the size of the source."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from analyzer.bundle.types import StoppedError
from analyzer.formats.time_resolution import infer_zone
from analyzer.model import Event, Kind, Series, Setting, SourceStatus, Stamp
from analyzer.reading.statements import Statement
from analyzer.reading.stream_tails import NumberedLine
from analyzer.reading.timings import Timing

STEADY_BOOT_S = 2.0  # seconds by which readings of one boot time differ at most, where no clock was set


@dataclass(slots=True)
class SourceResult:
    """What was read of one source. The reader fills it; after `compact` it is used as a value.

    `events` have no time, node or task yet; `stamps[i]` holds the stamps of event i's line, outermost prefix first.
    `counts` has the lines of each (signal, stream), although of many events only the first and last are kept. It is
    exact but for the signals in `scanner_counted`: of these, lines were counted that the scanner sighted and nobody
    confirmed, so that their count may be too high.
    `zones` holds (local wall clock, UTC) readings of neighbouring lines and `boots` (uptime, wall stamp) of one line,
    in seconds. `context` maps a line number to the lines around it: (number of the first, texts).
    """

    file: str
    kind: Kind = Kind.UNKNOWN
    mtime: float | None = None
    bytes: int = 0  # that were read
    unread: int | None = 0  # bytes that were not read, as stored; None: unknown
    lines: int = 0
    timed_lines: int = 0
    status: SourceStatus = "read"
    problem: str | None = None
    events: list[Event] = field(default_factory=list)
    stamps: list[tuple[Stamp, ...]] = field(default_factory=list)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    scanner_counted: set[str] = field(default_factory=set)
    ends_mid_line: bool = False  # the last line has no line feed
    first_stamps: tuple[Stamp, ...] = ()
    last_stamps: tuple[Stamp, ...] = ()
    ends: dict[str, tuple[Stamp, ...]] = field(default_factory=dict)  # each stream's last stamps
    zones: list[tuple[float, float]] = field(default_factory=list)
    syslog_zones: list[tuple[float, float]] = field(default_factory=list)  # as `zones`, of stamps without a year
    boots: list[tuple[float, Stamp]] = field(default_factory=list)
    boot_time: Stamp | float | None = None  # that the file states: UTC seconds or a stamp in local time
    hosts: Counter[str] = field(default_factory=Counter)
    streams: Counter[str] = field(default_factory=Counter)
    stream_hosts: dict[str, frozenset[str]] = field(default_factory=dict)
    shapes: dict[tuple[str, str], int] = field(default_factory=dict)  # (stream, shape) → lines of unknown errors
    has_remarks: bool = False  # people wrote much of it: a mail, a chat, a ticket
    settings: list[Setting] = field(default_factory=list)  # that the file states of its node, or of others
    notes: list[str] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    facts: list[Event] = field(default_factory=list)  # that the file states as a whole; no budget cuts them
    context: dict[int, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    tails: dict[str, tuple[NumberedLine, ...]] = field(default_factory=dict)  # each stream's last lines, if several
    statements: Sequence[Statement] = ()  # of programs, with whole numbers in them
    timings: Sequence[Timing] = ()  # the usual durations of what programs time again and again
    line_order: Sequence[int] = ()  # number in the file of each line that was read; empty: they are read in that order

    def last_stamps_of(self, stream: str) -> tuple[Stamp, ...]:
        """Return the last stamps of a stream; () if the source does not have it."""
        return self.last_stamps if not self.ends and stream in self.streams else self.ends.get(stream, ())

    @property
    def is_eventless(self) -> bool:
        """Whether a compacted source holds nothing but numbers and has one writer.

        Such a source states nothing of its node beyond its path and the host before its lines.
        """
        has_one_writer = len(self.streams) == 1 and len(self.hosts) < 2 and not self.ends and not self.line_order
        is_whole = self.problem is None and self.unread == 0 and self.boot_time is None
        lists = (self.events, self.facts, self.settings, self.series, self.boots, self.syslog_zones, self.notes)
        return has_one_writer and is_whole and not any(lists) and not self.context and not self.has_remarks

    def compact(self) -> None:
        """Make a source that was read small: equal parts are shared with other sources, and readings condensed.

        The attributes are not to be changed in place afterwards.
        """
        zone = infer_zone(self.zones)
        self.zones = cast("list[tuple[float, float]]", () if zone is None else ((zone, 0.0),))
        self.boots = _median_readings(self.boots)
        for name in _LISTS:
            setattr(self, name, getattr(self, name) or ())
        if not self.events and not self.facts:
            self.statements = self.timings = ()  # of nobody: a program of a job leaves more
        self.mtime = None if self.mtime is None else _shared_float(self.mtime)
        if len(self.streams) != 1:
            return
        [stream] = self.streams
        self.streams, self.ends = _shared_counter(stream), {}
        self.hosts = _shared_counter(*self.hosts) if len(self.hosts) < 2 else self.hosts
        self.stream_hosts = _shared_stream_hosts(stream, self.stream_hosts.get(stream, frozenset()))
        self.counts = _shared_counts(tuple(self.counts.items()))
        for name in _MAPPINGS:
            setattr(self, name, getattr(self, name) or _EMPTY)


def status_after_error(error: OSError, lines: int) -> SourceStatus:
    """Return the status of a source whose reading ended with `error` after `lines` lines."""
    if lines:
        return "partly-read"
    return "skipped" if isinstance(error, StoppedError) else "failed"


def _median_readings(boots: Sequence[tuple[float, Stamp]]) -> list[tuple[float, Stamp]]:
    """Return the one or two middle readings, which have the median of all.

    All are returned if they differ by more than STEADY_BOOT_S: then the clock was set, or the machine rebooted.
    """
    if len({stamp.basis for _, stamp in boots}) != 1:
        return list(boots)
    ranked = sorted(boots, key=lambda reading: reading[1].value - reading[0])
    (low, first), (high, last) = ranked[0], ranked[-1]
    if (last.value - high) - (first.value - low) > STEADY_BOOT_S:
        return list(boots)
    return ranked[(len(ranked) - 1) // 2 : len(ranked) // 2 + 1]


_LISTS = ("events", "stamps", "zones", "syslog_zones", "boots", "settings", "notes", "series", "facts")
_MAPPINGS = ("shapes", "context", "tails")
_EMPTY: dict[object, object] = {}
_MAX_SHARED_VALUES = 4096  # of each kind; further ones are not shared


@functools.lru_cache(_MAX_SHARED_VALUES)
def _shared_float(number: float) -> float:
    return number


@functools.lru_cache(_MAX_SHARED_VALUES)
def _shared_counter(*names: str) -> Counter[str]:
    return Counter(names)


@functools.lru_cache(_MAX_SHARED_VALUES)
def _shared_stream_hosts(stream: str, hosts: frozenset[str]) -> dict[str, frozenset[str]]:
    return {stream: hosts} if hosts else {}


@functools.lru_cache(_MAX_SHARED_VALUES)
def _shared_counts(counts: Iterable[tuple[tuple[str, str], int]]) -> Counter[tuple[str, str]]:
    return Counter(dict(counts))
