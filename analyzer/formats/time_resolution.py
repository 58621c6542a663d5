"""Resolves stamps: from what a line states to UTC seconds, with what is known of its source."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from analyzer.formats.stamps import LEAP_YEAR
from analyzer.model import Basis, Stamp

DAY_S = 86400.0
ZONE_STEP_S = 900.0  # every zone in use since 1972 is a multiple of 15 minutes from UTC
NEIGHBOUR_SLACK_S = 300.0  # adjacent lines were written within so many seconds
MIN_ZONE_S, MAX_ZONE_S = -12 * 3600.0, 14 * 3600.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_YEARLESS_DAY = (
    datetime(LEAP_YEAR, 12, 31, tzinfo=UTC) - _EPOCH
).days  # of the year in which YEARLESS stamps count


@dataclass(frozen=True, slots=True)
class TimeContext:
    """What is known of a source or its node; None: unknown. Times are UTC seconds.

    zone: seconds east of UTC. If it is unknown, LOCAL times are read as UTC, and the caller reports that.
    year: the year of YEARLESS stamps.
    boot_time: the boot from which UPTIME stamps count.
    near_time: a time near the line, of a neighbour or of the file. The year or the day nearest to it is chosen.
    syslog_zone: the zone of YEARLESS stamps, if it is another one because a shipper that runs elsewhere wrote them.
    latest_time: when the file was last written. No line is later.
    """

    zone: float | None = None
    year: int | None = None
    boot_time: float | None = None
    near_time: float | None = None
    syslog_zone: float | None = None
    latest_time: float | None = None


def resolve_stamp(stamp: Stamp, context: TimeContext) -> float | None:
    """Return the UTC seconds of a stamp; None if the context lacks what that takes. A missing part is not guessed."""
    zone = context.zone or 0.0
    match stamp.basis:
        case Basis.UTC:
            return stamp.value
        case Basis.LOCAL:
            return stamp.value - zone if zone else stamp.value  # the same object, to save memory
        case Basis.UPTIME:
            return None if context.boot_time is None else context.boot_time + stamp.value
        case Basis.YEARLESS:
            return _resolve_yearless(stamp.value, zone if context.syslog_zone is None else context.syslog_zone, context)
        case Basis.DAYTIME:
            return None if context.near_time is None else resolve_daytime(stamp.value - zone, context.near_time)


def _resolve_yearless(value: float, zone: float, context: TimeContext) -> float | None:
    """Resolve a YEARLESS value in the year that is nearest to `near_time`.

    A line of December in a file of January is of the year before.
    """
    year = context.year
    if context.near_time is None:
        return None if year is None else _in_year(value, year, zone)
    if year is None:
        year = (_EPOCH + timedelta(seconds=context.near_time + zone)).year
    candidates = [
        candidate for near in (year - 1, year, year + 1) if (candidate := _in_year(value, near, zone)) is not None
    ]
    near, latest = context.near_time, context.latest_time
    past = [candidate for candidate in candidates if latest is None or candidate <= latest + 2 * DAY_S]
    candidates = past or candidates
    return min(candidates, key=lambda moment: abs(moment - near), default=None)


def _in_year(value: float, year: int, zone: float) -> float | None:
    """Return a time of LEAP_YEAR in another year; None for 29 February of a year without one."""
    day = min(value // DAY_S, LAST_YEARLESS_DAY)  # as a float, 23:59:59.999999999 of the last day is in the next year
    midnight = _EPOCH + timedelta(days=day)
    try:
        return (midnight.replace(year=year) - _EPOCH).total_seconds() + (value - day * DAY_S) - zone
    except ValueError:
        return None


def resolve_daytime(daytime: float, near_time: float) -> float:
    """Return the time with that time of day that is nearest to `near_time`."""
    return daytime + round((near_time - daytime) / DAY_S) * DAY_S


def infer_zone(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Return the zone in seconds east of UTC, from pairs (LOCAL value, UTC seconds) of adjacent lines.

    Returns None unless nine in ten of the pairs agree within NEIGHBOUR_SLACK_S on a zone that exists. A clock that is
    wrong by more than that is not mistaken for a zone.
    """
    differences = [local - utc for local, utc in pairs]
    if not differences:
        return None
    median = statistics.median(differences)
    if not MIN_ZONE_S - NEIGHBOUR_SLACK_S <= median <= MAX_ZONE_S + NEIGHBOUR_SLACK_S:  # false for NaN, too
        return None
    zone = round(median / ZONE_STEP_S) * ZONE_STEP_S
    agreeing = sum(abs(difference - zone) <= NEIGHBOUR_SLACK_S for difference in differences)
    if (
        abs(median - zone) > NEIGHBOUR_SLACK_S
        or agreeing < 0.9 * len(differences)
        or not MIN_ZONE_S <= zone <= MAX_ZONE_S
    ):
        return None
    return zone


def infer_syslog_zone(pairs: Iterable[tuple[float, float]]) -> float | None:
    """Return the zone as `infer_zone` does, from pairs with YEARLESS values."""
    moments = ((_resolve_yearless(value, 0.0, TimeContext(near_time=utc)), utc) for value, utc in pairs)
    return infer_zone((moment, utc) for moment, utc in moments if moment is not None)
