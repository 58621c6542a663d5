"""Finds and moves time stamps in text, apart from the analyzer's own reading of them, so that both cannot err alike."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_MONTH = "|".join(_MONTHS)
_CLOCK = r"\d\d:\d\d:\d\d"
STAMP = re.compile(
    # ISO 8601: log lines of TensorFlow, Python, container runtimes; a zone makes it UTC, else it is local
    rf"(?<![\d-])(?P<iso>\d{{4}}[-/]\d\d[-/]\d\d[T ]{_CLOCK})(?P<fraction>[.,]\d{{1,9}})?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d| UTC)?"
    # seconds since the epoch with a fraction: absl's "00:00:1795246669.918172" and JSON loggers
    r"|(?<!\d)(?P<epoch>1[5-9]\d{8})(?=\.\d{3,9}(?!\d))"
    # glog before absl: I1121 05:10:06.123456
    rf"|(?P<glog>(?<=\b[IWEF])\d{{4}} {_CLOCK})(?=\.\d{{6}})"
    # ctime of dmesg -T, date(1), Open MPI; the zone may stand before the year
    rf"|(?P<ctime>(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:{_MONTH}) [ \d]\d {_CLOCK}(?P<name> UTC)? \d{{4}})"
    rf"|(?<!\w)(?P<syslog>(?:{_MONTH}) [ \d]\d {_CLOCK})"
    # a bare clock opens the line
    rf"|^\[?(?P<daytime>{_CLOCK})(?=[.,\]\s])",
    re.M,
)
YEAR = 2026  # of stamps that state none; only the distance between two of them matters
_EPOCH = datetime(1970, 1, 1)


def shift(text: str, seconds: int, local_only: bool = False) -> str:
    """Every stamp moved by whole seconds; `local_only` leaves those that state UTC."""
    return STAMP.sub(lambda match: match[0] if local_only and is_utc(match) else _moved(match, seconds), text)


def is_utc(match: re.Match[str]) -> bool:
    return bool(match["epoch"] or match["zone"] or match["name"])


def remove(line: str) -> str:
    """The line without its leading stamps and the punctuation that held them."""
    for _ in range(2):
        match = STAMP.search(line[:90])
        if match is None or match.start() > 12:
            break
        line = line[: match.start()].removesuffix(" 00:00:").rstrip("[(") + re.sub(
            r"^(?:[.,]\d+)?[\])]?[:,]?\s*", "", line[match.end() :]
        )
    return line


def read(line: str, zone: float = 0.0) -> float | None:
    """Seconds since the epoch of the first stamp near the line's start."""
    match = STAMP.search(line[:90])
    if match is None or match.start() > 45 or match["daytime"]:
        return None
    return _value(match) - (0.0 if is_utc(match) else zone)


def zone_of(lines: Iterable[str]) -> float:
    """Seconds east of UTC, from local stamps that stand next to UTC ones; 0 where nothing tells."""
    utc: float | None = None
    distances = []
    for line in lines:
        if (match := STAMP.search(line[:90])) is None or match["daytime"]:
            continue
        if is_utc(match):
            utc = _value(match)
        elif utc is not None:
            distances.append(_value(match) - utc)
    return round(statistics.median(distances) / 900) * 900.0 if distances else 0.0


def print_utc(seconds: float, digits: int = 9, end: str = "Z") -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{moment.microsecond:06d}000"[: digits + 1] + end


def print_syslog(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{_MONTHS[moment.month - 1]} {moment.day:2} {moment:%H:%M:%S}"


def _value(match: re.Match[str]) -> float:
    if match["epoch"]:
        return float(match["epoch"])
    moment, _ = _moment(match)
    value = (moment - _EPOCH).total_seconds() + float("0" + (match["fraction"] or "").replace(",", "."))
    if (zone := match["zone"]) and zone[0] in "+-":
        value -= (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 3600 + int(zone[-2:]) * 60)
    return value


def _moment(match: re.Match[str]) -> tuple[datetime, str]:
    """The reading, and the form to print it in."""
    if text := match["iso"]:
        form = f"%Y{text[4]}%m{text[7]}%d{text[10]}%H:%M:%S"
        return datetime.strptime(text, form), form
    if text := match["glog"]:
        return datetime.strptime(f"{YEAR}{text}", "%Y%m%d %H:%M:%S"), "%m%d %H:%M:%S"
    if text := match["ctime"]:
        return datetime.strptime(
            text.replace(" UTC", ""), "%a %b %d %H:%M:%S %Y"
        ), f"%a %b %d %H:%M:%S{match['name'] or ''} %Y"
    if text := match["syslog"]:
        return datetime.strptime(f"{YEAR} {text}", "%Y %b %d %H:%M:%S"), "%b %d %H:%M:%S"
    return datetime.strptime(f"{YEAR} {match['daytime']}", "%Y %H:%M:%S"), "%H:%M:%S"


def _moved(match: re.Match[str], seconds: int) -> str:
    if match["epoch"]:
        return str(int(match["epoch"]) + seconds)
    moment, form = _moment(match)
    printed = (moment + timedelta(seconds=seconds)).strftime(form)
    if "%b %d" in form:  # ctime and syslog pad the day with a blank
        printed = re.sub(r"(?<=[a-z]) 0(?=\d )", "  ", printed)
    return ("[" if match[0].startswith("[") else "") + printed + (match["fraction"] or "") + (match["zone"] or "")
