"""The series of one file while it is read."""

from __future__ import annotations

import math
from collections.abc import Iterator

from analyzer.formats.stamps import LATEST
from analyzer.model import Basis, Series
from analyzer.samples.downsampling import DownsampledSeries

MAX_SERIES = 2000  # of one file; a node that starts processes all the time has no end of them
MAX_PROCESS_SERIES = 8  # of one metric that are kept at the end: the largest
# What accumulates can leak; of the rest a rise says nothing.
METRIC_UNITS = {
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
ACCUMULATING_METRICS = frozenset({"memory", "swap", "space", "threads", "fds", "processes"})
SeriesKey = tuple[str, str, str]  # scope, metric, what


class SeriesCollector:
    def __init__(self) -> None:
        self._series: dict[SeriesKey, DownsampledSeries] = {}
        self._counters: dict[SeriesKey, tuple[float, float]] = {}
        self.dropped = 0

    def add(self, key: SeriesKey, time: float, value: float, line: int, limit: float | None = None) -> None:
        if not math.isfinite(value) or not abs(time) < LATEST:
            return
        series = self._series.get(key)
        if series is None:
            if len(self._series) >= MAX_SERIES:
                self.dropped += 1
                return
            series = self._series[key] = DownsampledSeries()
        series.add(time, value, line)
        if limit is not None and 0 < float(limit) < math.inf:  # an infinite one is none; JSON's integers have no end
            series.limit = limit

    def add_counter(self, key: SeriesKey, time: float, total: float, line: int) -> None:
        """A counter that only rises: its rate per second. One that falls began anew."""
        previous = self._counters.get(key)
        self._counters[key] = (time, total)
        if previous is not None and time > previous[0] and total >= previous[1]:
            self.add(key, time, (total - previous[1]) / (time - previous[0]), line)

    def finish(self, file: str, basis: Basis) -> Iterator[Series]:
        """All series, but of processes only the largest of each metric, and nothing that was zero all the time."""
        ranked: dict[str, list[tuple[float, SeriesKey]]] = {}
        for key, series in self._series.items():
            if key[0] == "process":
                ranked.setdefault(key[1], []).append((series.highest, key))
        kept = {
            key
            for process_keys in ranked.values()
            for _, key in sorted(process_keys, reverse=True)[:MAX_PROCESS_SERIES]
        }
        for key, series in self._series.items():
            if (key[0] != "process" or key in kept) and series.highest > 0:
                scope, metric, subject = key
                yield Series(
                    scope, metric, subject, METRIC_UNITS[metric], tuple(series.points), series.limit, basis, file
                )
