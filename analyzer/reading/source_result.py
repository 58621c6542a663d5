"""What one source gave: small, picklable, independent of its size."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast

from analyzer.bundle.types import StoppedError
from analyzer.formats.time_resolution import infer_zone
from analyzer.model import Event, Kind, Series, Setting, SourceStatus, Stamp

STEADY_BOOT_S = 2.0  # seconds by which readings of one boot time differ at most, where no clock was set


@dataclass(slots=True)
class SourceResult:
    """Filled while a source is read; handed on as a value.

    `events` have no time, node or task yet; `stamps[i]` holds what line i's prefixes stated (outermost first).
    `counts` is exact for each (signal, stream) although only the first and last events are kept.
    `zones` holds (local wall clock, UTC) readings of neighbouring lines, `boots` (uptime, wall stamp) of one line.
    `context` maps a line number to the lines around it (number of the first, texts).

    A bundle may have a hundred thousand sources: `settle` makes one that was read as small as what it holds.
    """

    file: str
    kind: Kind = Kind.UNKNOWN
    mtime: float | None = None
    bytes: int = 0  # read
    unread: int | None = 0  # behind them, as stored; None: nobody knows how many
    lines: int = 0
    timed_lines: int = 0
    status: SourceStatus = "read"
    problem: str | None = None
    events: list[Event] = field(default_factory=list)
    stamps: list[tuple[Stamp, ...]] = field(default_factory=list)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    ends_mid_line: bool = False  # the last line has no line feed
    first_stamps: tuple[Stamp, ...] = ()
    last_stamps: tuple[Stamp, ...] = ()
    ends: dict[str, tuple[Stamp, ...]] = field(default_factory=dict)  # each stream's last stamps
    zones: list[tuple[float, float]] = field(default_factory=list)
    syslog_zones: list[tuple[float, float]] = field(default_factory=list)  # as `zones`, of stamps without a year
    boots: list[tuple[float, Stamp]] = field(default_factory=list)
    boot_time: Stamp | float | None = None  # the file states the boot time: UTC seconds or a local stamp
    hosts: Counter[str] = field(default_factory=Counter)
    streams: Counter[str] = field(default_factory=Counter)
    stream_hosts: dict[str, frozenset[str]] = field(default_factory=dict)
    shapes: dict[tuple[str, str], int] = field(default_factory=dict)  # (stream, shape) → error lines no signal names
    settings: list[Setting] = field(default_factory=list)  # what the file states of its node, or of others
    notes: list[str] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    facts: list[Event] = field(default_factory=list)  # that the file states by being there; there is room for all
    context: dict[int, tuple[int, tuple[str, ...]]] = field(default_factory=dict)

    def last_stamps_of(self, stream: str) -> tuple[Stamp, ...]:
        """The last stamps of a stream."""
        return self.last_stamps if not self.ends and stream in self.streams else self.ends.get(stream, ())

    def compact(self) -> None:
        """From here on a value. What is empty, and what sources of one writer have in common, they share."""
        zone = infer_zone(self.zones)
        self.zones = cast("list[tuple[float, float]]", () if zone is None else ((zone, 0.0),))
        self.boots = _median_readings(self.boots)
        for name in _LISTS:
            setattr(self, name, getattr(self, name) or ())
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
    """What became of a source whose reading ended with an error after so many lines."""
    if lines:
        return "partly-read"
    return "skipped" if isinstance(error, StoppedError) else "failed"


def _median_readings(boots: Sequence[tuple[float, Stamp]]) -> list[tuple[float, Stamp]]:
    """The readings of which the median is that of all; all, where the clock was set or a new boot began."""
    if len({stamp.basis for _, stamp in boots}) != 1:
        return list(boots)
    ranked = sorted(boots, key=lambda each: each[1].value - each[0])
    (low, first), (high, last) = ranked[0], ranked[-1]
    if (last.value - high) - (first.value - low) > STEADY_BOOT_S:
        return list(boots)
    return ranked[(len(ranked) - 1) // 2 : len(ranked) // 2 + 1]


_LISTS = ("events", "stamps", "zones", "syslog_zones", "boots", "settings", "notes", "series", "facts")
_MAPPINGS = ("shapes", "context")
_EMPTY: dict[object, object] = {}
_MAX_SHARED_VALUES = 4096  # different ones that are shared


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
