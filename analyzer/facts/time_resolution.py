"""Resolves stamps to UTC, with the zone, year and boot time of each source as far as the bundle states them."""

from __future__ import annotations

import logging
import math
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise

from analyzer.formats.time_resolution import TimeContext, infer_syslog_zone, infer_zone, resolve_stamp
from analyzer.model import Basis, Kind, Stamp
from analyzer.reading.source_result import STEADY_BOOT_S, SourceResult
from analyzer.reading.source_results import SourceResults
from analyzer.signal_semantics import SignalSemantics

FIT_SLACK_S = 60.0  # behind the last proven time
SAME_BOOT_S = 5.0  # readings of one boot time differ by less, through rounding and the clock's drift
_BASIS_ORDER = (Basis.UTC, Basis.LOCAL, Basis.YEARLESS, Basis.UPTIME, Basis.DAYTIME)  # the surest first
# Seconds east of UTC of the zones in use (tz database): whole hours, and a few between them.
_PART_HOUR_ZONES = (-9.5, -3.5, -2.5, 3.5, 4.5, 5.5, 5.75, 6.5, 9.5, 10.5)
_ZONES_S: tuple[float, ...] = tuple(3600.0 * hours for hours in (*range(-12, 15), *_PART_HOUR_ZONES))
_ZONE = re.compile(r"([-+])(\d\d):?(\d\d)")
_log = logging.getLogger("analyzer.facts")


class TimeResolver:
    """Zone, year, date and boot time for the stamps of each source.

    A zone that one log of a node proves, by local and UTC stamps side by side, holds for all files of that node. Next
    comes the zone that a line states, which may be the host's and not the container's; then the one zone that all
    other nodes have proven, or their syslogs if no other log has; then the only one with which the nodes' local times
    lie within those of their system logs. A file for which that zone is hours off, and of which
    UTC is in the span of all proven times, is in UTC: servers often are.
    """

    def __init__(self, results: SourceResults, node_of_file: Mapping[str, str], semantics: SignalSemantics) -> None:
        """`node_of_file` maps the files of which the node is known; a zone of any other file holds for that file."""
        self._node_of_file = node_of_file
        proven: dict[str, float] = {}
        dated: list[float] = []
        for result in results:
            if (zone := infer_zone(result.zones)) is not None:
                node = node_of_file.get(result.file, result.file)
                if proven.setdefault(node, zone) != zone:
                    _log.debug(
                        "%s proves the zone UTC%+.2f h, unlike other files of %s", result.file, zone / 3600, node
                    )
            if (value := _dated_value(result)) is not None:
                dated.append(value)
        by_syslog = (infer_syslog_zone(result.syslog_zones) for result in results if result.syslog_zones)
        self._common_zone = _agreed_zone(list(proven.values()) or [zone for zone in by_syslog if zone is not None])
        self._zones = {**_stated_zones(results, node_of_file, semantics), **proven}
        if self._common_zone is None and not self._zones:
            self._common_zone = _find_fitting_zone(results, node_of_file)
        self._median_time = statistics.median(dated) if dated else None
        self._year = None if self._median_time is None else time.gmtime(self._median_time).tm_year
        self._files_in_utc = frozenset(self._find_files_in_utc(results)) if self._common_zone else frozenset[str]()
        self._boot_time_of_file: dict[str, float] = {}  # UTC seconds, as all times here
        self._boot_time_of_node: dict[str, float] = {}
        self._syslog_zone_of_file: dict[str, float | None] = {}
        self._find_boot_times(results)
        self._log_zones(proven)

    def zone_of(self, file: str) -> float | None:
        """Return the zone of a file's local times in seconds east of UTC; None if it is not known.

        Containers run in UTC whatever their users' clocks show: that says nothing of a file that is of no node.
        """
        node = self._node_of_file.get(file)
        if file in self._files_in_utc:
            return 0.0
        common = self._common_zone if node or self._common_zone else None
        return self._zones.get(node or file, common)

    def _find_files_in_utc(self, results: Iterable[SourceResult]) -> Iterator[str]:
        """Yield the files without a zone of their own whose local times fit the others only if they are UTC."""
        low, high = math.inf, -math.inf
        open_files: list[tuple[str, float]] = []
        for result in results:
            zone = self._zones.get(self._node_of_file.get(result.file, result.file))
            for stamp in (*result.first_stamps, *result.last_stamps):
                offset = 0.0 if stamp.basis is Basis.UTC else zone if stamp.basis is Basis.LOCAL else None
                if offset is not None:
                    low, high = min(low, stamp.value - offset), max(high, stamp.value - offset)
            stamp_bases = {stamp.basis for stamp in result.last_stamps}
            if zone is None and stamp_bases == {Basis.LOCAL}:
                open_files.append((result.file, result.last_stamps[0].value))
        zone = self._common_zone or 0.0
        for file, value in open_files:
            if low <= value <= high + FIT_SLACK_S and not low - abs(zone) / 2 <= value - zone <= high + abs(zone) / 2:
                _log.debug("%s: its times fit those of the other files only if they are UTC", file)
                yield file

    def context_of(self, result: SourceResult) -> TimeContext:
        """Return what is needed to resolve the stamps of a source."""
        zone = self.zone_of(result.file)
        year = self._year if self._year is not None else time.gmtime(result.mtime).tm_year if result.mtime else None
        date = _dated_value(result) or (result.mtime if self._median_time is None else self._median_time)
        boot = self._boot_time_of_file.get(result.file)
        if boot is None:
            boot = self._boot_time_of_node.get(self._node_of_file.get(result.file, ""))
        return TimeContext(zone, year, boot, date, self._syslog_zone_of(result))

    def _syslog_zone_of(self, result: SourceResult) -> float | None:
        if not result.syslog_zones:
            return None
        if result.file not in self._syslog_zone_of_file:
            self._syslog_zone_of_file[result.file] = infer_syslog_zone(result.syslog_zones)
        return self._syslog_zone_of_file[result.file]

    def _find_boot_times(self, results: Iterable[SourceResult]) -> None:
        """Find the boot time of each file, and of each node whose files agree on it.

        So a journal with wall clock and uptime dates the same node's bare dmesg.
        """
        nodes: dict[str, set[float]] = {}
        for result in results:
            if not result.boots and result.boot_time is None:
                continue
            if (boot := _boot_time(result, self.context_of(result))) is not None:
                self._boot_time_of_file[result.file] = boot
                if node := self._node_of_file.get(result.file):
                    nodes.setdefault(node, set()).add(boot)
        for node, boot_times in nodes.items():
            if max(boot_times) - min(boot_times) < SAME_BOOT_S:
                self._boot_time_of_node[node] = statistics.median_low(boot_times)
            else:
                _log.debug(
                    "Node %s: files state boot times up to %.0f s apart", node, max(boot_times) - min(boot_times)
                )

    def _log_zones(self, proven: Mapping[str, float]) -> None:
        if not _log.isEnabledFor(logging.DEBUG):
            return
        for node, zone in self._zones.items():
            reason = "proven by lines with local and UTC stamps" if node in proven else "as a line states"
            _log.debug("%s: local times are UTC%+.2f h, %s", node, zone / 3600, reason)
        if self._common_zone is not None:
            _log.debug("All other nodes: local times are UTC%+.2f h, as on these", self._common_zone / 3600)


def resolve_line_time(stamps: tuple[Stamp, ...], context: TimeContext) -> float | None:
    """Return the time of a line in UTC seconds; None if none of its stamps can be resolved.

    The stamp whose basis needs the least is taken, UTC first; of several such, the innermost prefix's.
    """
    if len(stamps) == 1:
        return resolve_stamp(stamps[0], context)
    for stamp in sorted(stamps[::-1], key=lambda stamp: _BASIS_ORDER.index(stamp.basis)):  # noqa: C415  (innermost first)
        if (resolved := resolve_stamp(stamp, context)) is not None:
            return resolved
    return None


def _stated_zones(
    results: Iterable[SourceResult], node_of_file: Mapping[str, str], semantics: SignalSemantics
) -> dict[str, float]:
    """Return node → zone in seconds east of UTC, as events that mean `zone` capture it, for example `+0530`."""
    stated: dict[str, float] = {}
    for result in results:
        for event in result.events:
            if semantics.has_meaning("zone", event) and (match := _ZONE.fullmatch(event.captures.get("zone", ""))):
                seconds = int(match[2]) * 3600.0 + int(match[3]) * 60.0
                stated[node_of_file.get(result.file, result.file)] = -seconds if match[1] == "-" else seconds
    return stated


def _agreed_zone(zones: list[float]) -> float | None:
    """Return the zone if all are the same, else None: nodes of one job usually share it, but need not."""
    return zones[0] if zones and len(set(zones)) == 1 else None


def _find_fitting_zone(results: Iterable[SourceResult], node_of_file: Mapping[str, str]) -> float | None:
    """Return the zone with which the local times of each node lie within the span of its system's logs, which are in
    UTC; None if UTC, no zone or several zones do so.

    A journal that is collected with a job's logs begins before the job and ends after it.
    """
    system: dict[str, list[float]] = defaultdict(list)
    local: dict[str, list[float]] = defaultdict(list)
    for result in results:
        node = node_of_file.get(result.file)
        stamps = (*result.first_stamps, *result.last_stamps)
        bases = {stamp.basis for stamp in stamps}
        if node and bases == {Basis.UTC} and result.kind in (Kind.SYSTEM, Kind.KERNEL):
            system[node] += (stamp.value for stamp in stamps)
        elif node and bases == {Basis.LOCAL} and result.kind is Kind.WORKER:
            local[node] += (stamp.value for stamp in stamps)
    nodes = system.keys() & local.keys()
    zones = [
        zone
        for zone in _ZONES_S
        if all(
            min(system[node]) <= min(local[node]) - zone and max(local[node]) - zone <= max(system[node])
            for node in nodes
        )
    ]
    if not nodes or len(zones) != 1 or not zones[0]:
        return None
    _log.debug(
        "Local times lie within those of the system logs of %d nodes if they are UTC%+.1f h",
        len(nodes),
        zones[0] / 3600,
    )
    return zones[0]


def _dated_value(result: SourceResult) -> float | None:
    """Return the seconds of one stamp with a year, from the end of the source if possible; None if it has none."""
    for stamp in chain(result.last_stamps, result.first_stamps, chain.from_iterable(result.stamps)):
        if stamp.basis in (Basis.UTC, Basis.LOCAL):
            return stamp.value
    return None


def _boot_time(result: SourceResult, context: TimeContext) -> float | None:
    """Return the boot time in UTC seconds: as stated, else the median of wall clock minus uptime."""
    if isinstance(result.boot_time, float):
        return result.boot_time
    if result.boot_time is not None:
        return resolve_stamp(result.boot_time, context)
    boot_times = [
        wall - uptime for uptime, stamp in result.boots if (wall := resolve_stamp(stamp, context)) is not None
    ]
    return statistics.median(boot_times) if boot_times else None


def describe_clock_steps(results: Iterable[SourceResult], times: TimeResolver) -> Iterator[str]:
    """Yield a sentence for each step of a wall clock, seen in lines that also state the uptime: that cannot be set."""
    for result in results:
        context = times.context_of(result) if result.boots else TimeContext()
        walls = [(uptime, resolve_stamp(stamp, context)) for uptime, stamp in result.boots]
        for (early, before), (uptime, after) in pairwise((up, wall - up) for up, wall in walls if wall is not None):
            if abs(after - before) > STEADY_BOOT_S and uptime >= early:  # less: a new boot
                yield (
                    f"{result.file}: the wall clock was set {'forward' if after > before else 'back'} by "
                    f"{abs(after - before):.0f} s at uptime {uptime:.0f} s (or the machine slept): this node's times "
                    "before and after that cannot be compared"
                )
