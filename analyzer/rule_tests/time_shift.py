"""Shift the wall-clock times in a log text: for `clock_offset` of a test, and for mutations.

Only the printed forms are known here; `formats/` knows what they mean.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_MONTH = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_CLOCK = r"\d\d:\d\d:\d\d"
_STAMP = re.compile(
    # ISO 8601 and its relatives: 2026-11-21T05:10:06, 2026/11/21 05:10:06
    rf"(?<![\d-])(?P<iso>\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK})"
    # seconds since the epoch with a fraction: absl's "00:00:1795246669.918172", JSON loggers
    r"|(?<!\d)(?P<epoch>1[5-9]\d{8})(?=\.\d{3,9}(?!\d))"
    # glog before absl: I1121 05:10:06.123456
    rf"|(?P<glog>(?<=\b[IWEF])\d{{4}} {_CLOCK})(?=\.\d{{6}})"
    # ctime: dmesg -T, date(1), Open MPI
    rf"|(?P<ctime>(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:{_MONTH}) [ \d]\d {_CLOCK}(?P<name> [A-Z]{{3,4}})? \d{{4}})"
    rf"|(?<!\w)(?P<syslog>(?:{_MONTH}) [ \d]\d {_CLOCK})"
    rf"|^\[?(?P<daytime>{_CLOCK})(?=[.,\]\s])",
    re.M,
)
_UPTIME = re.compile(r"^((?:<\d+>)?\[ *)(\d{1,18})(\.\d+\])", re.M)  # of the kernel: seconds since boot
_LEAP_YEAR = 2024  # the year for stamps without one: it has a 29 February


def shift_times(text: str, seconds: float, uptime: bool = False) -> str:
    """Return the text with each wall-clock stamp shifted by `seconds`, rounded to whole seconds.

    With `uptime`, the kernel's seconds since boot are shifted too: a delay changes them, a wrong clock does not.
    """
    whole_seconds = round(seconds)
    shifted = _STAMP.sub(lambda match: _shift_stamp(match, whole_seconds), text) if whole_seconds else text
    if uptime and whole_seconds:
        shifted = _UPTIME.sub(lambda match: f"{match[1]}{max(0, int(match[2]) + whole_seconds)}{match[3]}", shifted)
    return shifted


def has_times(text: str) -> bool:
    """Whether any wall-clock stamp stands in the text."""
    return _STAMP.search(text) is not None


def _shift_stamp(match: re.Match[str], seconds: int) -> str:
    if match["epoch"]:
        return str(int(match["epoch"]) + seconds)
    try:
        moment, time_format = _parse_stamp(match)
        printed = (moment + timedelta(seconds=seconds)).strftime(time_format)
    except (ValueError, OverflowError):
        return match[0]  # not a time, such as 2026-13-45: it stays as it is
    if "%b %d" in time_format:  # ctime and syslog pad the day with a blank
        printed = re.sub(r"(?<=[a-z]) 0(?=\d )", "  ", printed)
    return ("[" if match[0].startswith("[") else "") + printed


def _parse_stamp(match: re.Match[str]) -> tuple[datetime, str]:
    """Return the time, and the format that prints it again."""
    if text := match["iso"]:
        time_format = f"%Y{text[4]}%m{text[7]}%d{text[10]}%H:%M:%S"
        return _parse_time(text, time_format), time_format
    if text := match["glog"]:
        return _parse_time(f"{_LEAP_YEAR}{text}", "%Y%m%d %H:%M:%S"), "%m%d %H:%M:%S"
    if text := match["ctime"]:
        zone = match["name"] or ""
        return _parse_time(
            text.replace(zone, "", 1) if zone else text, "%a %b %d %H:%M:%S %Y"
        ), f"%a %b %d %H:%M:%S{zone} %Y"
    if text := match["syslog"]:
        return _parse_time(f"{_LEAP_YEAR} {text}", "%Y %b %d %H:%M:%S"), "%b %d %H:%M:%S"
    return _parse_time(f"{_LEAP_YEAR} {match['daytime']}", "%Y %H:%M:%S"), "%H:%M:%S"


def _parse_time(text: str, time_format: str) -> datetime:
    return datetime.strptime(text, time_format).replace(tzinfo=UTC)
