"""Stamps inside texts: find them, move them, and write them for another zone.

The forms: TensorFlow (tensorflow/tsl default_logging, `2025-10-09 08:53:21.123456: I`), glog and absl
(https://google.github.io/glog/stable/logging/, `E1009 08:53:21.123456`; before absl::InitializeLog()
`W0000 00:00:1760000001.123456`), Python's logging (https://docs.python.org/3/library/logging.html, `08:53:21,123`),
ISO 8601, syslog (RFC 3164), ctime(3), RFC 2822, the Common Log Format, and numbers of seconds since the epoch in JSON,
logfmt and audit records.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import regex

SECOND = 10**9
DAY = 86_400 * SECOND

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
_NAME = rf"(?P<name>{'|'.join(_MONTHS)})"
_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"
_TIME = r"(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)(?:[.,](?P<fraction>\d{1,9})(?!\d))?"
_HALF = r"(?:\ (?P<half>[AP]M)\b)?"
_OFFSET = r"[+-](?:0\d|1[0-4]):?(?:00|15|30|45)(?![\d:.])"
_FORMS = (
    rf"(?<![\d.-])(?P<year>20\d\d)(?P<bar>[-/])(?P<month>\d\d)(?P=bar)(?P<day>\d\d)[T\ ]{_TIME}"
    rf"(?P<zone>Z\b|\ ?UTC\b|\ ?{_OFFSET})?",
    rf"(?<![\d/])(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>20\d\d),?\ {_TIME}{_HALF}",
    rf"(?<!\d)(?P<day>\d\d)/{_NAME}/(?P<year>20\d\d)[:\ ]{_TIME}(?:\ (?P<zone>{_OFFSET}))?",
    rf"\b{_WEEKDAY},\ (?P<day>\d\d)\ {_NAME}\ (?P<year>20\d\d)\ {_TIME}(?:\ (?P<zone>GMT|UTC|{_OFFSET}))?",
    rf"\b(?:{_WEEKDAY}\ )?{_NAME}\ (?P<day>[\ \d]\d|\d)\ {_TIME}{_HALF}"
    rf"(?:\ (?P<zone>UTC|GMT)\b)?(?:\ (?P<year>20\d\d)\b)?",
    rf"(?<=\b[IWEF])(?P<month>0[1-9]|1[0-2])(?P<day>\d\d)\ {_TIME}",
    r"(?<=\b[IWEF]0000\ 00:00:)(?P<epoch>\d{10})\.(?P<fraction>\d{6})(?!\d)",
    r'(?:(?<="@?(?:ts|time|timestamp|created|epoch)":\ ?"?)|(?<=\b(?:ts|time|timestamp)=)|(?<=\baudit\())'
    r"(?P<epoch>1[5-9]\d{8})(?:\.(?P<fraction>\d{1,9})|(?P<fraction>(?:\d{3}){1,3}))?(?!\d)",
    rf"(?:(?<=\[){_TIME}{_HALF}(?=\])|^{_TIME}{_HALF}(?=\ ))",
)
_PATTERN = regex.compile("|".join(f"(?:{form})" for form in _FORMS).encode(), regex.VERBOSE)
_HINT = re.compile(rb"\d:\d\d:\d|[1-9]\d{9}")  # in every stamp, and soon looked for


@dataclass(frozen=True, slots=True)
class WrittenStamp:
    """`wall_ns`: what the clock on the wall shows, counted as though it were UTC. `offset_s`: the stated zone's."""

    match: regex.Match[bytes]
    wall_ns: int
    offset_s: int | None  # None: local time, of a zone that the text does not name

    def field(self, name: str) -> str:
        return (self.match[name] or b"").decode()

    @property
    def is_audit(self) -> bool:
        """Of an audit record: a part of its number."""
        start = self.match.start()
        return bool(self.match.string[max(0, start - 6) : start] == b"audit(")

    def at(self, wall_ns: int, offset_s: int | None = None) -> bytes:
        """The stamp for another time (and another offset), in the same form and precision."""
        digits = len(self.field("fraction"))
        seconds, fraction = divmod(self.wall_ns + _round(wall_ns - self.wall_ns, 10 ** (9 - digits)), SECOND)
        values = _write_fields(datetime.fromtimestamp(seconds, UTC), self.field("half") != "")
        values |= {"epoch": str(seconds), "fraction": f"{fraction:09d}"[:digits], "zone": self.field("zone")}
        if offset_s is not None:
            values["zone"] = _write_offset(offset_s, self.field("zone"))
        if self._pads_with_space():
            values["day"] = f"{int(values['day']):{len(self.field('day'))}}"
        text, begin = bytearray(self.match[0]), self.match.start()
        spans = {self.match.span(name): value for name, value in values.items() if self.match[name] is not None}
        for (start, end), value in sorted(spans.items(), reverse=True):
            text[start - begin : end - begin] = value.encode()
        return bytes(text)

    def _pads_with_space(self) -> bool:
        """`Oct  9`, as syslog and ctime(3) have it; where the day has two digits, it is taken for one of them."""
        match = self.match
        return bool(match["name"]) and match.start("name") < match.start("day") and not match["day"].startswith(b"0")


def rewrite(text: bytes, write: Callable[[WrittenStamp], bytes], near_ns: int | None = None) -> bytes:
    """`write` says what stands in the place of each stamp.

    `near_ns` is about when the text was written: dates more than a day from it are no stamps, but part of the message.
    Without it every date counts, and a stamp without a year is taken for one of a leap year.
    """

    def replace(match: regex.Match[bytes]) -> bytes:
        stamp = _read_stamp(match, near_ns)
        return match[0] if stamp is None else write(stamp)

    return bytes(_PATTERN.sub(replace, text)) if _HINT.search(text) else text


def restamp(text: bytes, delta_ns: int, near_ns: int | None = None) -> bytes:
    """The text of a host whose clock is `delta_ns` ahead."""
    return rewrite(text, lambda stamp: stamp.at(stamp.wall_ns + delta_ns), near_ns)


def rezone(text: bytes, old: ZoneInfo, new: ZoneInfo, near_ns: int | None = None) -> bytes:
    """The text of a host that has another zone. What is stated in UTC or as a number stays."""

    def write(stamp: WrittenStamp) -> bytes:
        epoch_ns = _find_epoch(stamp.wall_ns, old)
        seconds = epoch_ns // SECOND
        if stamp.offset_s is None:
            return stamp.at(epoch_ns + find_offset(new, seconds) * SECOND)
        if stamp.field("zone").lstrip(" ")[:1] in ("+", "-") and stamp.offset_s == find_offset(old, seconds):
            offset_s = find_offset(new, seconds)
            return stamp.at(epoch_ns + offset_s * SECOND, offset_s)
        return stamp.match[0]

    return rewrite(text, write, near_ns)


def find_offset(zone: ZoneInfo, epoch_s: int) -> int:
    """Seconds east of UTC."""
    return int((datetime.fromtimestamp(epoch_s, zone).utcoffset() or timedelta()).total_seconds())


def write_twelve_hours(stamp: WrittenStamp) -> bytes:
    """As Python's logging HOWTO has it (`%m/%d/%Y %I:%M:%S %p`); other programs' stamps stay."""
    wall = datetime.fromtimestamp(stamp.wall_ns // SECOND, UTC)
    if stamp.field("half") or stamp.field("epoch"):
        return stamp.match[0]
    if not stamp.field("year") and not stamp.field("month") and not stamp.field("name"):
        return wall.strftime("%I:%M:%S %p").encode()
    logging = stamp.offset_s is None and b"," in stamp.match[0]
    return wall.strftime("%m/%d/%Y %I:%M:%S %p").encode() if logging else stamp.match[0]


_ASIDE = regex.compile(rb'(?:"@?\w+":\ ?"?|\b\w+=)?[\[(]?\x00[\])]?"?(?:\ ?,\ ?|:\ |\ [-|]\ |\ +)?', regex.VERBOSE)


def strip_stamps(text: bytes, near_ns: int | None = None) -> bytes:
    """The text without its stamps, their brackets, their keys and what parts them from the message."""
    marked = rewrite(text, lambda stamp: stamp.match[0] if stamp.is_audit else b"\0", near_ns)
    if marked == text:
        return text
    marked = regex.sub(rb"\b([IWEF])(?:0000 00:00:)?\x00 +", rb"\1 ", marked)
    bare = _ASIDE.sub(b"", marked)
    return bytes(regex.sub(rb", ?}$", b"}", bare)) if bare.startswith(b"{") else bare


def _read_stamp(match: regex.Match[bytes], near_ns: int | None) -> WrittenStamp | None:
    fraction = int(((match["fraction"] or b"") + b"0" * 9)[:9])
    if match["epoch"]:
        return _within(WrittenStamp(match, int(match["epoch"]) * SECOND + fraction, 0), near_ns)
    year, month, day = (int(match[name]) if match[name] else 0 for name in ("year", "month", "day"))
    if match["name"]:
        month = _MONTHS.index(match["name"].decode()) + 1
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == b"PM" else 0)
    time_ns = (hour * 3600 + int(match["minute"]) * 60 + int(match["second"])) * SECOND + fraction
    if not month:
        return WrittenStamp(match, _nearest_day(near_ns) + time_ns, None)
    years = [year] if year else _years_about(near_ns)
    walls = [wall + time_ns for guess in years if (wall := _count_days(guess, month, day)) is not None]
    if not walls:
        return None
    wall_ns = min(walls, key=lambda wall: abs(wall - (near_ns or wall)))
    return _within(WrittenStamp(match, wall_ns, _read_offset(match["zone"])), near_ns)


def _within(stamp: WrittenStamp, near_ns: int | None) -> WrittenStamp | None:
    return stamp if near_ns is None or abs(stamp.wall_ns - near_ns) <= DAY + 2 * 3600 * SECOND else None


def _count_days(year: int, month: int, day: int) -> int | None:
    try:
        return calendar.timegm(datetime(year, month, day).timetuple()) * SECOND
    except ValueError:
        return None


def _years_about(near_ns: int | None) -> list[int]:
    if near_ns is None:
        return [2024]
    year = datetime.fromtimestamp(near_ns // SECOND, UTC).year
    return [year, year - 1, year + 1]


def _nearest_day(near_ns: int | None) -> int:
    return (near_ns or 1_704_067_200 * SECOND) // DAY * DAY


def _find_epoch(wall_ns: int, zone: ZoneInfo) -> int:
    seconds, fraction = divmod(wall_ns, SECOND)
    local = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=zone)
    return int(local.timestamp()) * SECOND + fraction


def _read_offset(zone: bytes | None) -> int | None:
    if zone is None:
        return None
    text = zone.decode().strip().replace(":", "")
    if text[:1] not in ("+", "-"):
        return 0
    seconds = int(text[1:3]) * 3600 + int(text[3:5]) * 60
    return -seconds if text[0] == "-" else seconds


def _write_offset(offset_s: int, like: str) -> str:
    hours, minutes = divmod(abs(offset_s) // 60, 60)
    colon, space = ":" if ":" in like else "", " " if like.startswith(" ") else ""
    return f"{space}{'-' if offset_s < 0 else '+'}{hours:02d}{colon}{minutes:02d}"


def _round(delta_ns: int, unit: int) -> int:
    """To a multiple of the unit; the same both ways, so that what was moved can be moved back."""
    steps = (abs(delta_ns) + unit // 2) // unit
    return steps * unit if delta_ns >= 0 else -steps * unit


def _write_fields(moment: datetime, twelve: bool) -> dict[str, str]:
    hour = (moment.hour % 12 or 12) if twelve else moment.hour
    return {
        "year": f"{moment.year:04d}",
        "month": f"{moment.month:02d}",
        "name": _MONTHS[moment.month - 1],
        "day": f"{moment.day:02d}",
        "weekday": _WEEKDAYS[moment.weekday()],
        "hour": f"{hour:02d}",
        "minute": f"{moment.minute:02d}",
        "second": f"{moment.second:02d}",
        "half": "PM" if moment.hour >= 12 else "AM",
    }
