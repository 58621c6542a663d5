"""The series of one file while it is read."""

from __future__ import annotations

import math
from collections.abc import Iterator

from analyzer.formats.stamps import LATEST
from analyzer.model import Basis, Series
from analyzer.samples.thin import Thinned

MOST_SERIES = 2000  # of one file; a node that starts processes all the time has no end of them
PROCESSES = 8  # of one metric that are kept at the end: the largest
# What accumulates can leak; of the rest a rise says nothing.
UNITS = {
    "memory": "bytes",
    "swap": "bytes",
    "space": "bytes",
    "threads": "count",
    "fds": "count",
    "processes": "count",
    "cpu": "cores",
    "iowait": "percent",
    "steal": "percent",
    "busy": "percent",
    "load": "count",
    "read": "bytes/s",
    "write": "bytes/s",
    "received": "bytes/s",
    "sent": "bytes/s",
    "temperature": "celsius",
    "power": "watts",
}
ACCUMULATES = frozenset({"memory", "swap", "space", "threads", "fds", "processes"})
Key = tuple[str, str, str]  # scope, metric, what


class Shelf:
    def __init__(self) -> None:
        self._series: dict[Key, Thinned] = {}
        self._counters: dict[Key, tuple[float, float]] = {}
        self.dropped = 0

    def add(self, key: Key, time: float, value: float, line: int, limit: float | None = None) -> None:
        if not math.isfinite(value) or not abs(time) < LATEST:
            return
        series = self._series.get(key)
        if series is None:
            if len(self._series) >= MOST_SERIES:
                self.dropped += 1
                return
            series = self._series[key] = Thinned()
        series.add(time, value, line)
        if limit is not None and 0 < float(limit) < math.inf:  # an infinite one is none; JSON's integers have no end
            series.limit = limit

    def count(self, key: Key, time: float, total: float, line: int) -> None:
        """A counter that only rises: its rate per second. One that falls began anew."""
        before = self._counters.get(key)
        self._counters[key] = (time, total)
        if before is not None and time > before[0] and total >= before[1]:
            self.add(key, time, (total - before[1]) / (time - before[0]), line)

    def finish(self, file: str, basis: Basis) -> Iterator[Series]:
        """All series, but of processes only the largest of each metric, and nothing that was zero all the time."""
        ranked: dict[str, list[tuple[float, Key]]] = {}
        for key, series in self._series.items():
            if key[0] == "process":
                ranked.setdefault(key[1], []).append((series.highest, key))
        kept = {key for found in ranked.values() for _, key in sorted(found, reverse=True)[:PROCESSES]}
        for key, series in self._series.items():
            if (key[0] != "process" or key in kept) and series.highest > 0:
                scope, metric, what = key
                yield Series(scope, metric, what, UNITS[metric], tuple(series.points), series.limit, basis, file)
