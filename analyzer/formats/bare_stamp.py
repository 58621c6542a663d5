"""A time, then text or another format.

    2026-11-21T05:10:06Z starting
    [2026-11-21 05:10:06] node-3 is down
    [2026-11-21T05:10:06.123Z] step 12
    2026/11/21 05:10:06 Failed to connect
    Sat Nov 21 05:10:07 2026: Job <812> was killed
    Sat Nov 21 05:10:08 UTC 2026
    11/21/2026 05:10:07;0008;pbs_mom;Job;123.server;kill_task: killing pid 4242
    [05:10:06] src/engine.cc:12: stopped
    1795237809.123456 starting
    @400000006b01023e1dcd6500 starting
    [Nov 21 05:10:06] step 12
    Nov 21 05:10:06 Traceback (most recent call last):
    Sat Nov 21 05:10:06: Exited with exit code 1

The last is what LSF's bhist writes, and the one before it moreutils' `ts`: syslog's stamp, but no host follows. The one
before these is TAI64N
of multilog and svlogd: seconds from 2**62 + 10 on, then nanoseconds (https://cr.yp.to/libtai/tai64.html).
Local time unless there is a zone. If the year comes last, PBS (with its semicolon) and Condor (with a year of two
digits) put the month first. Other such dates are read only if one of the two numbers cannot be a month.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, UPPER, Format, Tier
from analyzer.formats.stamps import (
    CTIME,
    ISO,
    SYSLOG,
    as_stamps,
    read_ctime,
    read_daytime,
    read_epoch,
    read_iso,
    read_parts,
    read_syslog,
)
from analyzer.model import Line, Stamp

# The indentation of the text behind the time stays: it may be a traceback's.
_ISO = re.compile(
    rf"(?:\[({ISO})\]|({ISO})(?=[\s:,;|\]]|$))[:,;]?(?:\s*(?:>>|[-|]))?(?:\s(?=\s\s)|\s{{0,2}})(.*)", re.DOTALL
).match
_CTIME = re.compile(rf"(?:\[({CTIME})\]|({CTIME})(?![\w.]))[:,]?\s?(.*)", re.DOTALL).match
_YEAR_LAST = re.compile(r"(\d\d)/(\d\d)/(\d{4}|\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,9})?)(;?)[:,]? ?(.*)", re.DOTALL).match
_CLOCK = re.compile(
    r"\[(\d\d:\d\d:\d\d(?:[.,]\d{1,6})?)\] (.*)|(\d\d:\d\d:\d\d(?:[.,]\d{1,6})?)(?: - | \| |: )(.*)", re.DOTALL
).match
_EPOCH = re.compile(r"(?:\[(\d{10}\.\d{3,9})\]|(\d{10}\.\d{3,9})) (.*)", re.DOTALL).match
_TAI64N = re.compile(r"@([0-9a-f]{16})([0-9a-f]{8}) (.*)", re.DOTALL).match
_TAI_EPOCH_S = 2**62 + 10  # both programs take the ten leap seconds of 1970 for those of today
_SYSLOG = re.compile(
    rf"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?={SYSLOG}: ))?(?:({SYSLOG})(?: ([AP]M)|:)?|\[({SYSLOG})\]) (.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if match := _ISO(text):
        return _line(match[3], read_iso(match[1] or match[2]))
    if match := _CTIME(text):
        return _line(match[3], read_ctime(match[1] or match[2]))
    if match := _YEAR_LAST(text):
        month, day, year, clock, semicolon, message = match.groups()
        if int(month) > 12 and len(year) == 4:
            month, day = day, month
        elif int(day) <= 12 and len(year) == 4 and not semicolon:
            return None
        return _line(message, read_parts(int(year), int(month), int(day), clock))
    if match := _CLOCK(text):
        return _line(match[2] or match[4] or "", read_daytime(match[1] or match[3]))
    if match := _EPOCH(text):
        return _line(match[3], read_epoch(match[1] or match[2]))
    if match := _TAI64N(text):
        return _line(match[3], read_epoch(int(match[1], 16) - _TAI_EPOCH_S + int(match[2], 16) / 1e9))
    if match := _SYSLOG(text):
        return _line(match[4], _add_half_day(read_syslog(match[1] or match[3]), match[2]))
    return None


def _add_half_day(stamp: Stamp | None, half: str | None) -> Stamp | None:
    """Return the stamp of a time of twelve hours: 12 AM is midnight, 12 PM is noon."""
    if stamp is None or half is None:
        return stamp
    hour = int(stamp.value // 3600) % 24
    return stamp._replace(value=stamp.value + 3600 * (hour % 12 + (12 if half == "PM" else 0) - hour))


def _line(message: str, stamp: Stamp | None) -> Line | None:
    """Return None for an impossible date: the text was not meant as one."""
    return Line(message, as_stamps(stamp)) if stamp else None


FORMAT = Format(
    "bare_stamp", None, parse, tier=Tier.GUESS, wrapper=True, first_chars="[@" + UPPER + DIGITS, repeats_prefix=True
)
