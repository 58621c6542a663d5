"""Stamps to UTC: each source's zone, year and boot time from whatever the bundle makes known."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise

from analyzer.feeds import Feeds
from analyzer.formats.resolve import TimeContext, infer_syslog_zone, infer_zone, resolve
from analyzer.model import Basis, Stamp
from analyzer.reading.result import STEADY, SourceResult
from analyzer.reading.results import Results

SAME_BOOT = 5.0  # seconds: several readings of one boot time differ by their rounding and the clock's drift
_ORDER = (Basis.UTC, Basis.LOCAL, Basis.YEARLESS, Basis.UPTIME, Basis.DAYTIME)  # the surest first
_ZONE = re.compile(r"([-+])(\d\d):?(\d\d)")


class Times:
    """What is known for the stamps of each source. A zone that a node's log proves holds for all files of that node.

    What the host says of its zone counts for less, because a container has one of its own; and for more than a guess.
    """

    def __init__(self, results: Results, node_of_file: Mapping[str, str], feeds: Feeds) -> None:
        self._home = node_of_file
        proven: dict[str, float] = {}
        dated: list[float] = []
        for result in results:
            if (zone := infer_zone(result.zones)) is not None:
                proven.setdefault(node_of_file.get(result.file, result.file), zone)
            if (value := _dated(result)) is not None:
                dated.append(value)
        self._common = _agreed(list(proven.values()))
        self._zones = {**_stated(results.loud, node_of_file, feeds), **proven}
        self._middle = statistics.median(dated) if dated else None
        self._year = None if self._middle is None else time.gmtime(self._middle).tm_year
        self._boots: dict[str, float] = {}  # of files
        self._shared: dict[str, float] = {}  # of nodes
        self._find_boots(results.loud)

    def zone(self, file: str) -> float | None:
        """Seconds east of UTC of its local times."""
        return self._zones.get(self._home.get(file, file), self._common)

    def of(self, result: SourceResult) -> TimeContext:
        zone = self.zone(result.file)
        year = self._year if self._year is not None else time.gmtime(result.mtime).tm_year if result.mtime else None
        date = _dated(result) or (result.mtime if self._middle is None else self._middle)
        boot = self._boots.get(result.file)
        if boot is None:
            boot = self._shared.get(self._home.get(result.file, ""))
        syslog_zone = infer_syslog_zone(result.syslog_zones) if result.syslog_zones else None
        return TimeContext(zone, year, boot, date, syslog_zone)

    def _find_boots(self, results: Iterable[SourceResult]) -> None:
        """A journal with both clocks dates the same node's bare dmesg."""
        nodes: dict[str, set[float]] = {}
        for result in results:
            if (boot := _boot(result, self.of(result))) is not None:
                self._boots[result.file] = boot
                if node := self._home.get(result.file):
                    nodes.setdefault(node, set()).add(boot)
        for node, known in nodes.items():
            if max(known) - min(known) < SAME_BOOT:
                self._shared[node] = statistics.median_low(known)


def pick(stamps: tuple[Stamp, ...], context: TimeContext) -> float | None:
    """The best of a line's stamps: one that needs no zone first, the innermost of several."""
    if len(stamps) == 1:
        return resolve(stamps[0], context)
    for stamp in sorted(stamps[::-1], key=lambda stamp: _ORDER.index(stamp.basis)):  # noqa: C415  (innermost first)
        if (resolved := resolve(stamp, context)) is not None:
            return resolved
    return None


def _stated(results: Iterable[SourceResult], node_of_file: Mapping[str, str], feeds: Feeds) -> dict[str, float]:
    """Zones that signals which feed `zone` capture, as in `+0530`, in seconds east of UTC."""
    stated: dict[str, float] = {}
    for result in results:
        for event in result.events:
            if feeds.says("zone", event) and (found := _ZONE.fullmatch(event.captures.get("zone", ""))):
                seconds = int(found[2]) * 3600.0 + int(found[3]) * 60.0
                stated[node_of_file.get(result.file, result.file)] = -seconds if found[1] == "-" else seconds
    return stated


def _agreed(zones: list[float]) -> float | None:
    """Nodes of one job mostly share a zone; where two are proven different, none is assumed for a third."""
    return zones[0] if zones and len(set(zones)) == 1 else None


def _dated(result: SourceResult) -> float | None:
    for stamp in chain(result.last, result.first, chain.from_iterable(result.stamps)):
        if stamp.basis in (Basis.UTC, Basis.LOCAL):
            return stamp.value
    return None


def _boot(result: SourceResult, context: TimeContext) -> float | None:
    """Wall clock less uptime, over the lines that carry both."""
    if isinstance(result.booted, float):
        return result.booted
    if result.booted is not None:
        return resolve(result.booted, context)
    known = [wall - uptime for uptime, stamp in result.boots if (wall := resolve(stamp, context)) is not None]
    return statistics.median(known) if known else None


def set_clocks(results: Iterable[SourceResult], times: Times) -> Iterator[str]:
    """In words: files whose lines carry uptime and wall clock, and one of them leaps. Uptime cannot be set."""
    for result in results:
        context = times.of(result) if result.boots else TimeContext()
        walls = [(uptime, resolve(stamp, context)) for uptime, stamp in result.boots]
        for (early, before), (uptime, after) in pairwise((up, wall - up) for up, wall in walls if wall is not None):
            if abs(after - before) > STEADY and uptime >= early:  # less: a new boot
                yield (
                    f"{result.file}: the wall clock was set {'forward' if after > before else 'back'} by "
                    f"{abs(after - before):.0f} s at uptime {uptime:.0f} s (or the machine slept): this node's times "
                    "before and after do not compare"
                )
