"""Stamps to UTC: each source's zone, year and boot time from whatever the bundle makes known."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise

from analyzer.formats.time_resolution import TimeContext, infer_syslog_zone, infer_zone, resolve_stamp
from analyzer.model import Basis, Stamp
from analyzer.reading.source_result import STEADY_BOOT_S, SourceResult
from analyzer.reading.source_results import SourceResults
from analyzer.signal_semantics import SignalSemantics

SAME_BOOT_S = 5.0  # seconds: several readings of one boot time differ by their rounding and the clock's drift
_BASIS_ORDER = (Basis.UTC, Basis.LOCAL, Basis.YEARLESS, Basis.UPTIME, Basis.DAYTIME)  # the surest first
_ZONE = re.compile(r"([-+])(\d\d):?(\d\d)")


class TimeResolver:
    """What is known for the stamps of each source. A zone that a node's log proves holds for all files of that node.

    What the host says of its zone counts for less, because a container has one of its own; and for more than a guess.
    """

    def __init__(self, results: SourceResults, node_of_file: Mapping[str, str], semantics: SignalSemantics) -> None:
        self._node_of_file = node_of_file
        proven: dict[str, float] = {}
        dated: list[float] = []
        for result in results:
            if (zone := infer_zone(result.zones)) is not None:
                proven.setdefault(node_of_file.get(result.file, result.file), zone)
            if (value := _dated_value(result)) is not None:
                dated.append(value)
        self._common_zone = _agreed_zone(list(proven.values()))
        self._zones = {**_stated_zones(results.with_events, node_of_file, semantics), **proven}
        self._median_time = statistics.median(dated) if dated else None
        self._year = None if self._median_time is None else time.gmtime(self._median_time).tm_year
        self._boot_time_of_file: dict[str, float] = {}  # of files
        self._boot_time_of_node: dict[str, float] = {}  # of nodes
        self._find_boot_times(results.with_events)

    def zone_of(self, file: str) -> float | None:
        """Seconds east of UTC of its local times."""
        return self._zones.get(self._node_of_file.get(file, file), self._common_zone)

    def context_of(self, result: SourceResult) -> TimeContext:
        zone = self.zone_of(result.file)
        year = self._year if self._year is not None else time.gmtime(result.mtime).tm_year if result.mtime else None
        date = _dated_value(result) or (result.mtime if self._median_time is None else self._median_time)
        boot = self._boot_time_of_file.get(result.file)
        if boot is None:
            boot = self._boot_time_of_node.get(self._node_of_file.get(result.file, ""))
        syslog_zone = infer_syslog_zone(result.syslog_zones) if result.syslog_zones else None
        return TimeContext(zone, year, boot, date, syslog_zone)

    def _find_boot_times(self, results: Iterable[SourceResult]) -> None:
        """A journal with both clocks dates the same node's bare dmesg."""
        nodes: dict[str, set[float]] = {}
        for result in results:
            if (boot := _boot_time(result, self.context_of(result))) is not None:
                self._boot_time_of_file[result.file] = boot
                if node := self._node_of_file.get(result.file):
                    nodes.setdefault(node, set()).add(boot)
        for node, known in nodes.items():
            if max(known) - min(known) < SAME_BOOT_S:
                self._boot_time_of_node[node] = statistics.median_low(known)


def resolve_line_time(stamps: tuple[Stamp, ...], context: TimeContext) -> float | None:
    """The best of a line's stamps: one that needs no zone first, the innermost of several."""
    if len(stamps) == 1:
        return resolve_stamp(stamps[0], context)
    for stamp in sorted(stamps[::-1], key=lambda stamp: _BASIS_ORDER.index(stamp.basis)):  # noqa: C415  (innermost first)
        if (resolved := resolve_stamp(stamp, context)) is not None:
            return resolved
    return None


def _stated_zones(
    results: Iterable[SourceResult], node_of_file: Mapping[str, str], semantics: SignalSemantics
) -> dict[str, float]:
    """Zones that signals which feed `zone` capture, as in `+0530`, in seconds east of UTC."""
    stated: dict[str, float] = {}
    for result in results:
        for event in result.events:
            if semantics.has_meaning("zone", event) and (found := _ZONE.fullmatch(event.captures.get("zone", ""))):
                seconds = int(found[2]) * 3600.0 + int(found[3]) * 60.0
                stated[node_of_file.get(result.file, result.file)] = -seconds if found[1] == "-" else seconds
    return stated


def _agreed_zone(zones: list[float]) -> float | None:
    """Nodes of one job mostly share a zone; where two are proven different, none is assumed for a third."""
    return zones[0] if zones and len(set(zones)) == 1 else None


def _dated_value(result: SourceResult) -> float | None:
    for stamp in chain(result.last_stamps, result.first_stamps, chain.from_iterable(result.stamps)):
        if stamp.basis in (Basis.UTC, Basis.LOCAL):
            return stamp.value
    return None


def _boot_time(result: SourceResult, context: TimeContext) -> float | None:
    """Wall clock less uptime, over the lines that carry both."""
    if isinstance(result.boot_time, float):
        return result.boot_time
    if result.boot_time is not None:
        return resolve_stamp(result.boot_time, context)
    known = [wall - uptime for uptime, stamp in result.boots if (wall := resolve_stamp(stamp, context)) is not None]
    return statistics.median(known) if known else None


def describe_clock_steps(results: Iterable[SourceResult], times: TimeResolver) -> Iterator[str]:
    """In words: files whose lines carry uptime and wall clock, and one of them leaps. Uptime cannot be set."""
    for result in results:
        context = times.context_of(result) if result.boots else TimeContext()
        walls = [(uptime, resolve_stamp(stamp, context)) for uptime, stamp in result.boots]
        for (early, before), (uptime, after) in pairwise((up, wall - up) for up, wall in walls if wall is not None):
            if abs(after - before) > STEADY_BOOT_S and uptime >= early:  # less: a new boot
                yield (
                    f"{result.file}: the wall clock was set {'forward' if after > before else 'back'} by "
                    f"{abs(after - before):.0f} s at uptime {uptime:.0f} s (or the machine slept): this node's times "
                    "before and after do not compare"
                )
