"""Stamps to UTC: each source's zone, year and boot time from whatever the bundle makes known."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from analyzer.formats.resolve import TimeContext, infer_syslog_zone, infer_zone, resolve
from analyzer.model import Basis, Stamp
from analyzer.reading.result import SourceResult

SAME_BOOT = 5.0  # seconds: several readings of one boot time differ by their rounding and the clock's drift
LEAP = 2.0  # seconds; a daemon that slews never shows it between two lines
_ORDER = (Basis.UTC, Basis.LOCAL, Basis.YEARLESS, Basis.UPTIME, Basis.DAYTIME)  # the surest first
_ZONE = re.compile(r"([-+])(\d\d):?(\d\d)")


def contexts(
    results: Sequence[SourceResult], node_of_file: Mapping[str, str], feeds: Mapping[str, frozenset[str]]
) -> dict[str, TimeContext]:
    """A time context for each file. A zone that a node's log proves holds for all files of that node.

    What the host says of its zone counts for less, because a container has one of its own; and for more than a guess.
    """
    zones: dict[str, float] = {}
    for result in results:
        if (zone := infer_zone(result.zones)) is not None:
            zones.setdefault(node_of_file.get(result.file, result.file), zone)
    common = _agreed(list(zones.values()))
    zones = {**_stated(results, node_of_file, feeds), **zones}
    dated = [value for result in results if (value := _dated(result)) is not None]
    middle = statistics.median(dated) if dated else None
    year = None if middle is None else time.gmtime(middle).tm_year
    made: dict[str, TimeContext] = {}
    for result in results:
        zone = zones.get(node_of_file.get(result.file, result.file), common)
        own_year = year if year is not None else time.gmtime(result.mtime).tm_year if result.mtime else None
        date = _dated(result) or (result.mtime if middle is None else middle)
        base = TimeContext(zone, own_year, date=date, syslog_zone=infer_syslog_zone(result.syslog_zones))
        boot = _boot(result, base)
        made[result.file] = base if boot is None else replace(base, boot=boot)
    _share_boots(results, made, node_of_file)
    return made


def pick(stamps: tuple[Stamp, ...], context: TimeContext) -> float | None:
    """The best of a line's stamps: one that needs no zone first, the innermost of several."""
    if len(stamps) == 1:
        return resolve(stamps[0], context)
    for stamp in sorted(stamps[::-1], key=lambda stamp: _ORDER.index(stamp.basis)):  # noqa: C415  (innermost first)
        if (resolved := resolve(stamp, context)) is not None:
            return resolved
    return None


def _stated(
    results: Iterable[SourceResult], node_of_file: Mapping[str, str], feeds: Mapping[str, frozenset[str]]
) -> dict[str, float]:
    """Zones that signals which feed `zone` capture, as in `+0530`, in seconds east of UTC."""
    stated: dict[str, float] = {}
    for result in results:
        for event in result.events:
            if "zone" in feeds.get(event.signal, frozenset()) and (
                found := _ZONE.fullmatch(event.captures.get("zone", ""))
            ):
                seconds = int(found[2]) * 3600.0 + int(found[3]) * 60.0
                stated[node_of_file.get(result.file, result.file)] = -seconds if found[1] == "-" else seconds
    return stated


def _agreed(zones: list[float]) -> float | None:
    """Nodes of one job mostly share a zone; where two are proven different, none is assumed for a third."""
    return zones[0] if zones and len(set(zones)) == 1 else None


def _dated(result: SourceResult) -> float | None:
    for stamp in (*result.last, *result.first):
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


def set_clocks(results: Iterable[SourceResult], known: Mapping[str, TimeContext]) -> Iterator[str]:
    """In words: files whose lines carry uptime and wall clock, and one of them leaps. Uptime cannot be set."""
    for result in results:
        walls = ((uptime, resolve(stamp, known[result.file])) for uptime, stamp in result.boots)
        for (early, before), (uptime, after) in pairwise((up, wall - up) for up, wall in walls if wall is not None):
            if abs(after - before) > LEAP and uptime >= early:  # less: a new boot
                yield (
                    f"{result.file}: the wall clock was set {'forward' if after > before else 'back'} by "
                    f"{abs(after - before):.0f} s at uptime {uptime:.0f} s (or the machine slept): this node's times "
                    "before and after do not compare"
                )


def _share_boots(
    results: Sequence[SourceResult], made: dict[str, TimeContext], node_of_file: Mapping[str, str]
) -> None:
    """A journal with both clocks dates the same node's bare dmesg."""
    boots: dict[str, set[float]] = {}
    for result in results:
        if (boot := made[result.file].boot) is not None and (node := node_of_file.get(result.file)):
            boots.setdefault(node, set()).add(boot)
    for result in results:
        context = made[result.file]
        known = boots.get(node_of_file.get(result.file, ""), set())
        if context.boot is None and known and max(known) - min(known) < SAME_BOOT:
            made[result.file] = replace(context, boot=statistics.median_low(known))
