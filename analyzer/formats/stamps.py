"""Reads the times of log prefixes, in every form that they have, as `Stamp`s.

Each function returns None for a reading that no calendar or clock has (month 13, second 61), and for years before 1990:
a clock that was never set shows 1970 or 1980.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from analyzer.model import Basis, Stamp

# ISO 8601 date and time. The fraction (dot or comma) has up to nine digits; the zone may be missing or stand apart.
ISO = r"\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d)(?![\d:])| UTC\b)?"
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
CTIME = (
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) "
    + MONTH
    + r" [ 0-3]?\d \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: [AP]M)?(?: [A-Z]{2,5})? \d{4}"
)
SYSLOG = MONTH + r" [ 0-3]\d [ \d]\d:\d\d:\d\d(?:\.\d{1,9})?"

MONTHS = {MONTH[at : at + 3]: (at + 1) // 4 for at in range(3, 50, 4)}
EARLIEST = 631152000.0  # 1990-01-01 in seconds since the epoch
LATEST = 7258118400.0  # 2200-01-01
LEAP_YEAR = 1972  # the year in which Basis.YEARLESS counts

_NAIVE_EPOCH = datetime(1970, 1, 1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_iso(text: str) -> Stamp | None:
    """Read `2026-11-21 05:10:06`, or with T, `.123456789` or `,123`, and Z, UTC, +00:00, +0000 or no zone (LOCAL)."""
    if text[4:5] == "/":
        text = text.replace("/", "-")
    if " " in text[19:]:
        text = text.replace(" UTC", "Z").replace(" Z", "Z").replace(" +", "+").replace(" -", "-")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return _plausible_stamp((moment - _NAIVE_EPOCH).total_seconds(), Basis.LOCAL)
    return _plausible_stamp((moment - _EPOCH).total_seconds(), Basis.UTC)


def read_ctime(text: str) -> Stamp | None:
    """Read `Sat Nov 21 05:10:07 2026`, or with a zone before the year, as date(1) prints it.

    The basis is LOCAL unless the zone is UTC or GMT.
    """
    words = text.split()
    if len(words) < 5 or words[1] not in MONTHS:
        return None
    clock = words[3]
    if words[4] in ("AM", "PM"):  # date(1) in an American locale
        if not clock[:2].isdecimal() or not 1 <= int(clock[:2]) <= 12:
            return None
        clock = f"{int(clock[:2]) % 12 + 12 * (words.pop(4) == 'PM'):02}{clock[2:]}"
    zone = words[4] if len(words) > 5 else ""
    basis = Basis.UTC if zone in ("UTC", "GMT") else Basis.LOCAL
    try:
        return read_parts(int(words[-1]), MONTHS[words[1]], int(words[2]), clock, basis)
    except ValueError:
        return None


def read_syslog(text: str) -> Stamp | None:
    """Read `Nov 21 05:10:07`, with or without a fraction, as YEARLESS."""
    words = text.split()
    if len(words) < 3 or words[0] not in MONTHS or not words[1].isdecimal():
        return None
    return read_yearless(MONTHS[words[0]], int(words[1]), words[2] if words[2][2:3] == ":" else f"0{words[2]}")


def read_yearless(month: int, day: int, clock: str) -> Stamp | None:
    """Return the stamp of a date without a year; `clock` is hh:mm:ss with or without a fraction."""
    seconds, midnight = read_clock(clock), _midnight(LEAP_YEAR, month, day)
    if seconds is None or midnight is None:
        return None
    return Stamp(midnight + seconds, Basis.YEARLESS)


def read_parts(year: int, month: int, day: int, clock: str, basis: Basis = Basis.LOCAL) -> Stamp | None:
    """Return the stamp of a date; `clock` is hh:mm:ss with or without a fraction. Year 26 means 2026."""
    seconds, midnight = read_clock(clock), _midnight(year + 2000 if year < 100 else year, month, day)
    if seconds is None or midnight is None:
        return None
    return _plausible_stamp(midnight + seconds, basis)


def read_daytime(clock: str) -> Stamp | None:
    """Read `10:00:00.123`, a time of day alone, as DAYTIME."""
    seconds = read_clock(clock)
    return None if seconds is None else Stamp(seconds, Basis.DAYTIME)


def read_clock(clock: str) -> float | None:
    """Return the seconds since midnight of `hh:mm:ss`, with a fraction behind a dot or a comma, or without."""
    try:
        hours, minutes, seconds = int(clock[0:2]), int(clock[3:5]), float(clock[6:].replace(",", "."))
    except ValueError:
        return None
    if not (0 <= hours < 24 and 0 <= minutes < 60 and 0 <= seconds < 60):
        return None
    return hours * 3600 + minutes * 60 + seconds


def read_epoch(text: str | float) -> Stamp | None:
    """Read a number of seconds, milli-, micro- or nanoseconds since the epoch; its size tells which (1990 to 2200)."""
    try:
        value = float(text)
    except (ValueError, OverflowError):
        return None
    for unit in (1.0, 1e3, 1e6, 1e9):
        if EARLIEST <= value / unit < LATEST:
            return Stamp(value / unit, Basis.UTC)
    return None


def read_uptime(text: str, unit: float = 1.0) -> Stamp | None:
    """Read a time since boot; `unit` is that of the number, in seconds. More than a hundred years is no uptime."""
    try:
        value = float(text) * unit
    except (ValueError, OverflowError):
        return None
    return Stamp(value, Basis.UPTIME) if 0 <= value < 3.2e9 else None


@lru_cache(4096)
def _midnight(year: int, month: int, day: int) -> float | None:
    try:
        return (datetime(year, month, day) - _NAIVE_EPOCH).total_seconds()
    except (ValueError, OverflowError):
        return None


def _plausible_stamp(value: float, basis: Basis) -> Stamp | None:
    return Stamp(value, basis) if EARLIEST <= value < LATEST else None


def as_stamps(stamp: Stamp | None) -> tuple[Stamp, ...]:
    """Return the stamps of a line: one, or none if its time could not be read."""
    return () if stamp is None else (stamp,)
