"""Text of sysstat: sar, pidstat, iostat -x with times, and `sadf -d`. Tables whose header says what the columns are.

    Linux 6.1.0 (node7) 	2026-11-21 	_x86_64_	(8 CPU)

    12:00:01      kbmemfree   kbavail kbmemused  %memused
    12:10:01       18665008  22798672   1505492      6.10

    # hostname;interval;timestamp;kbmemfree;kbavail;kbmemused
    node7;600;2026-11-21 12:10:01 UTC;18665008;22798672;1505492

`pidstat -h` marks its header (`# Time UID PID …`), `sadf -dU` counts seconds, `iostat -t` gives a time to a block of
tables, and the locale writes dates and times its own way (12 hours in en_US, 05時02分19秒 in ja_JP).
Column names: sysstat 11 to 12.7.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from analyzer.model import Basis
from analyzer.reading.result import SourceResult
from analyzer.samples.shelf import Shelf

HEAD = re.compile(
    rb"Linux \S+ \((?P<host>[^)\s]+)\)\s+(?P<date>\d\S+)\s+_\w+_\s+\(\d+ CPU\)|#\s*hostname;interval;timestamp;"
)
_DATES = ("%Y-%m-%d", "%m/%d/%Y", "%m/%d/%y", "%d.%m.%Y", "%d/%m/%Y", "%d/%m/%y")
_CLOCK = r"(\d\d)[:時时](\d\d)[:分](\d\d)秒?(?:\s+(AM|PM))?"
_TIME = re.compile(rf"{_CLOCK}\s+(?=\S)")
_MOMENT = re.compile(rf"(?P<date>\d\S+)\s+(?P<clock>{_CLOCK})$")  # of a block of `iostat -t`
KB = 1024.0
# column → (scope, metric, factor); "PID" and "DEV" columns name whose the row is
_COLUMNS: Mapping[str, tuple[str, str, float]] = {
    "kbmemused": ("node", "memory", KB),
    "kbswpused": ("node", "swap", KB),
    "%iowait": ("node", "iowait", 1.0),
    "%steal": ("node", "steal", 1.0),
    "ldavg-1": ("node", "load", 1.0),
    "plist-sz": ("node", "processes", 1.0),
    "rxkB/s": ("interface", "received", KB),
    "txkB/s": ("interface", "sent", KB),
    "%util": ("disk", "busy", 1.0),
    "RSS": ("process", "memory", KB),
    "%CPU": ("process", "cpu", 0.01),
    "kB_rd/s": ("process", "read", KB),
    "kB_wr/s": ("process", "write", KB),
    "threads": ("process", "threads", 1.0),
    "fd-nr": ("process", "fds", 1.0),
    "MBfsused": ("disk", "space", KB * KB),
}
_NAMES = ("IFACE", "DEV", "Device", "FILESYSTEM", "MOUNTPOINT")


class Sysstat:
    basis = Basis.LOCAL
    stride = 0

    def __init__(self, result: SourceResult, shelf: Shelf) -> None:
        self.result, self.shelf = result, shelf
        self._columns: list[str] = []
        self._day: float | None = None
        self._last = -1.0
        self._semicolons = False
        self._block: float | None = None

    def take(self, number: int, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        if text.startswith("Linux "):
            self._begin(line)
        elif text.startswith("#") and ";" in text:
            self._semicolons, self.basis = True, Basis.UTC
            self._columns = text.lstrip("# ").split(";")
        elif text.startswith("#"):
            self._columns = text.lstrip("# ").split()[1:]
        elif self._semicolons:
            self._take_record(number, text)
        elif found := _MOMENT.match(text.strip()):
            self._begin_block(found)
        elif self._block is not None:
            self._take_cells(number, self._block, text.removeprefix("avg-cpu:").split())
        elif self._day is not None and (found := _TIME.match(text)):
            self._take_cells(number, self._time(found), text[found.end() :].split())

    def _take_cells(self, number: int, time: float, cells: list[str]) -> None:
        if any(cell in _COLUMNS or cell in _NAMES for cell in cells):
            self._columns = cells
        elif len(cells) >= len(self._columns):
            self._take_row(number, time, dict(zip(self._columns, cells, strict=False)))

    def _begin_block(self, found: re.Match[str]) -> None:
        day, clock = read_date(found["date"]), _TIME.match(found["clock"] + " -")
        if day is not None and clock is not None:
            self._day, self._last = day, -1.0
            self._block = self._time(clock)

    def finish(self) -> None:
        if self._day is None and not self._semicolons:
            self.result.problem = "its first line gives no date"

    def _begin(self, line: bytes) -> None:
        found = HEAD.match(line)
        if found is None or not found["host"]:
            return
        self.result.hosts[found["host"].decode("utf-8", "replace")] += 1
        text = found["date"].decode("utf-8", "replace")
        self._day, self._last = read_date(text), -1.0
        if (
            self._day is not None
            and not text[:4].isdigit()
            and re.match(r"0?\d/|1[0-2]/", text)
            and int(text.split("/")[1]) <= 12
        ):
            self.result.notes.append(
                f"its date {text} is taken as month/day (S_TIME_FORMAT=ISO writes it beyond doubt)"
            )

    def _time(self, found: re.Match[str]) -> float:
        """Behind midnight the hours begin anew."""
        hours, minutes, seconds = (int(found[at]) for at in (1, 2, 3))
        if found[4]:
            hours = hours % 12 + (12 if found[4] == "PM" else 0)
        assert self._day is not None
        if self._day + hours * 3600 + minutes * 60 + seconds < self._last - 43200:
            self._day += 86400
        self._last = self._day + hours * 3600 + minutes * 60 + seconds
        return self._last

    def _take_record(self, number: int, text: str) -> None:
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
        self._take_row(number, time, row)

    def _take_row(self, number: int, time: float, row: Mapping[str, str]) -> None:
        if row.get("CPU", row.get("cpu", "all")) not in ("all", "-1") and "PID" not in row:
            return
        numbers = {
            name: value for name, cell in row.items() if name in _COLUMNS and (value := _number(cell)) is not None
        }
        for column, value in numbers.items():
            scope, metric, factor = _COLUMNS[column]
            what = _whose(scope, row)
            if what is not None:
                self.shelf.add((scope, metric, what), time, value * factor, number, _limit(column, value, row))


def _read_stamp(text: str) -> float:
    return datetime.strptime(text.removesuffix(" UTC"), "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()


def read_date(text: str) -> float | None:
    """Seconds of midnight as if it were UTC. With slashes the C locale's order (month first) unless it cannot be."""
    plain = re.sub("[年月]", "-", text).rstrip("日")
    for pattern in _DATES:
        try:
            return datetime.strptime(plain, pattern).replace(tzinfo=UTC).timestamp()
        except ValueError:
            continue
    return None


def _whose(scope: str, row: Mapping[str, str]) -> str | None:
    if scope == "process":
        return f"{row.get('Command', 'process')} (pid {row['PID']})" if "PID" in row else None
    if scope == "node":
        return None if "PID" in row else "node"
    return next((row[name] for name in _NAMES if name in row), None)


def _limit(column: str, value: float, row: Mapping[str, str]) -> float | None:
    """What is used and what is free are the whole: `kbavail` counts what the kernel could give back."""
    other = {"kbmemused": "kbmemfree", "kbswpused": "kbswpfree", "MBfsused": "MBfsfree"}.get(column)
    free = _number(row.get(other, "")) if other else None
    return None if free is None else (value + free) * _COLUMNS[column][2]


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return None
