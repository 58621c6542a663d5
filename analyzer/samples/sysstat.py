"""Reads the text of sysstat: sar, pidstat, iostat -x with times, and `sadf -d`: tables with a header of columns.

    Linux 6.1.0 (node7) 	2026-11-21 	_x86_64_	(8 CPU)

    12:00:01      kbmemfree   kbavail kbmemused  %memused
    12:10:01       18665008  22798672   1505492      6.10

    # hostname;interval;timestamp;kbmemfree;kbavail;kbmemused
    node7;600;2026-11-21 12:10:01 UTC;18665008;22798672;1505492

`pidstat -h` marks its header (`# Time UID PID …`), `sadf -dU` writes seconds since the epoch, `iostat -t` writes one
time for several tables, and dates and times depend on the locale (12 hours in en_US, 05時02分19秒 in ja_JP).
Column names: sysstat 11 to 12.7.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from analyzer.model import Basis
from analyzer.reading.source_result import SourceResult
from analyzer.samples.series_collector import SeriesCollector

HEADER = re.compile(
    rb"Linux \S+ \((?P<host>[^)\s]+)\)\s+(?P<date>\d\S+)\s+_\w+_\s+\(\d+ CPU\)|#\s*hostname;interval;timestamp;"
)
_DATES = ("%Y-%m-%d", "%m/%d/%Y", "%m/%d/%y", "%d.%m.%Y", "%d/%m/%Y", "%d/%m/%y")
_CLOCK = r"(\d\d)[:時时](\d\d)[:分](\d\d)秒?(?:\s+(AM|PM))?"
_TIME = re.compile(rf"{_CLOCK}\s+(?=\S)")
_BLOCK_TIME = re.compile(rf"(?P<date>\d\S+)\s+(?P<clock>{_CLOCK})$")  # before the tables of `iostat -t`
KIBIBYTE = 1024.0
# Column → (scope, metric, factor). Columns such as PID and DEV name the subject of the row.
_COLUMNS: Mapping[str, tuple[str, str, float]] = {
    "kbmemused": ("node", "memory", KIBIBYTE),
    "kbswpused": ("node", "swap", KIBIBYTE),
    "%iowait": ("node", "iowait", 1.0),
    "%steal": ("node", "steal", 1.0),
    "ldavg-1": ("node", "load", 1.0),
    "plist-sz": ("node", "processes", 1.0),
    "rxkB/s": ("interface", "received", KIBIBYTE),
    "txkB/s": ("interface", "sent", KIBIBYTE),
    "%util": ("disk", "busy", 1.0),
    "RSS": ("process", "memory", KIBIBYTE),
    "%CPU": ("process", "cpu", 0.01),
    "kB_rd/s": ("process", "read", KIBIBYTE),
    "kB_wr/s": ("process", "write", KIBIBYTE),
    "threads": ("process", "threads", 1.0),
    "fd-nr": ("process", "fds", 1.0),
    "MBfsused": ("disk", "space", KIBIBYTE * KIBIBYTE),
}
_NAME_COLUMNS = ("IFACE", "DEV", "Device", "FILESYSTEM", "MOUNTPOINT")


class SysstatReader:
    """A `SampleReader` of sysstat's text."""

    basis = Basis.LOCAL
    stride = 0

    def __init__(self, result: SourceResult, series: SeriesCollector) -> None:
        self.result, self.series = result, series
        self._columns: list[str] = []
        self._midnight: float | None = None
        self._last_time = -1.0
        self._semicolons = False
        self._block_time: float | None = None

    def add_line(self, number: int, line: bytes) -> None:
        """Read one line: a banner, a header, or a row of samples. `number` is 1-based."""
        text = line.decode("utf-8", "replace")
        if text.startswith("Linux "):
            self._read_banner(line)
        elif text.startswith("#") and ";" in text:
            self._semicolons, self.basis = True, Basis.UTC
            self._columns = text.lstrip("# ").split(";")
        elif text.startswith("#"):
            self._columns = text.lstrip("# ").split()[1:]
        elif self._semicolons:
            self._add_record(number, text)
        elif match := _BLOCK_TIME.match(text.strip()):
            self._start_block(match)
        elif self._block_time is not None:
            self._add_cells(number, self._block_time, text.removeprefix("avg-cpu:").split())
        elif self._midnight is not None and (match := _TIME.match(text)):
            self._add_cells(number, self._read_time(match), text[match.end() :].split())

    def _add_cells(self, number: int, time: float, cells: list[str]) -> None:
        if any(cell in _COLUMNS or cell in _NAME_COLUMNS for cell in cells):
            self._columns = cells
        elif len(cells) >= len(self._columns):
            self._add_row(number, time, dict(zip(self._columns, cells, strict=False)))

    def _start_block(self, match: re.Match[str]) -> None:
        day, clock = read_date(match["date"]), _TIME.match(match["clock"] + " -")
        if day is not None and clock is not None:
            self._midnight, self._last_time = day, -1.0
            self._block_time = self._read_time(clock)

    def finish(self) -> None:
        if self._midnight is None and not self._semicolons:
            self.result.problem = "its first line gives no date"

    def _read_banner(self, line: bytes) -> None:
        match = HEADER.match(line)
        if match is None or not match["host"]:
            return
        self.result.hosts[match["host"].decode("utf-8", "replace")] += 1
        text = match["date"].decode("utf-8", "replace")
        self._midnight, self._last_time = read_date(text), -1.0
        if (
            self._midnight is not None
            and not text[:4].isdigit()
            and re.match(r"0?\d/|1[0-2]/", text)
            and int(text.split("/")[1]) <= 12
        ):
            self.result.notes.append(
                f"its date {text} is read as month/day (with S_TIME_FORMAT=ISO the date is unambiguous)"
            )

    def _read_time(self, match: re.Match[str]) -> float:
        """Return the seconds of a time of day. A time far below the one before it is of the next day."""
        hours, minutes, seconds = (int(match[at]) for at in (1, 2, 3))
        if match[4]:
            hours = hours % 12 + (12 if match[4] == "PM" else 0)
        assert self._midnight is not None
        if self._midnight + hours * 3600 + minutes * 60 + seconds < self._last_time - 43200:
            self._midnight += 86400
        self._last_time = self._midnight + hours * 3600 + minutes * 60 + seconds
        return self._last_time

    def _add_record(self, number: int, text: str) -> None:
        row = dict(zip(self._columns, text.split(";"), strict=False))
        stamp = row.get("timestamp", "")
        if not stamp.endswith("UTC") and not stamp.isdecimal():
            self.basis = Basis.LOCAL
        try:
            time = float(stamp) if stamp.isdecimal() else _read_stamp(stamp)
        except ValueError:
            return
        if number < 3 and row.get("hostname"):
            self.result.hosts[row["hostname"]] += 1
        self._add_row(number, time, row)

    def _add_row(self, number: int, time: float, row: Mapping[str, str]) -> None:
        if row.get("CPU", row.get("cpu", "all")) not in ("all", "-1") and "PID" not in row:
            return
        numbers = {
            name: value for name, cell in row.items() if name in _COLUMNS and (value := _number(cell)) is not None
        }
        for column, value in numbers.items():
            scope, metric, factor = _COLUMNS[column]
            subject = _subject_of_row(scope, row)
            if subject is not None:
                self.series.add((scope, metric, subject), time, value * factor, number, _capacity(column, value, row))


def _read_stamp(text: str) -> float:
    return datetime.strptime(text.removesuffix(" UTC"), "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()


def read_date(text: str) -> float | None:
    """Return the seconds of the date's midnight, as if it were UTC, or None.

    A date with slashes is read with the month first, as the C locale writes it, unless that is impossible.
    """
    plain = re.sub("[年月]", "-", text).rstrip("日")
    for pattern in _DATES:
        try:
            return datetime.strptime(plain, pattern).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    return None


def _subject_of_row(scope: str, row: Mapping[str, str]) -> str | None:
    if scope == "process":
        return f"{row.get('Command', 'process')} (pid {row['PID']})" if "PID" in row else None
    if scope == "node":
        return None if "PID" in row else "node"
    return next((row[name] for name in _NAME_COLUMNS if name in row), None)


def _capacity(column: str, value: float, row: Mapping[str, str]) -> float | None:
    """Return used plus free, or None if the row lacks the free part.

    `kbavail` is not the free part: it counts what the kernel could give back, too.
    """
    free_column = {"kbmemused": "kbmemfree", "kbswpused": "kbswpfree", "MBfsused": "MBfsfree"}.get(column)
    free = _number(row.get(free_column, "")) if free_column else None
    return None if free is None else (value + free) * _COLUMNS[column][2]


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return None
