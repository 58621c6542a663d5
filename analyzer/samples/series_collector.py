"""Collects the series of one file while it is read."""

from __future__ import annotations

import math
from collections.abc import Iterator

from analyzer.formats.stamps import LATEST
from analyzer.model import Basis, Series
from analyzer.samples.downsampling import DownsampledSeries

MAX_SERIES = 2000  # of one file: a node may start processes all the time
MAX_PROCESS_SERIES = 8  # of one metric; the largest are kept
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
# Only these can leak; a rise of another metric means nothing.
ACCUMULATING_METRICS = frozenset({"memory", "swap", "space", "threads", "fds", "processes"})
SeriesKey = tuple[str, str, str]  # scope, metric, what


class SeriesCollector:
    """The series of one file, at most MAX_SERIES; `dropped` counts the samples of further ones."""

    def __init__(self) -> None:
        self._series: dict[SeriesKey, DownsampledSeries] = {}
        self._counters: dict[SeriesKey, tuple[float, float]] = {}
        self.dropped = 0

    def add(self, key: SeriesKey, time: float, value: float, line: int, limit: float | None = None) -> None:
        """Add a sample. `time` is in seconds on the basis of the file; `limit` is that of the resource, if known."""
        if not math.isfinite(value) or not abs(time) < LATEST:
            return
        series = self._series.get(key)
        if series is None:
            if len(self._series) >= MAX_SERIES:
                self.dropped += 1
                return
            series = self._series[key] = DownsampledSeries()
        series.add(time, value, line)
        if limit is not None and 0 < float(limit) < math.inf:  # JSON may hold infinity, and integers of any size
            series.limit = limit

    def add_counter(self, key: SeriesKey, time: float, total: float, line: int) -> None:
        """Add the rate per second of a counter that only rises. A counter that falls was reset."""
        previous = self._counters.get(key)
        self._counters[key] = (time, total)
        if previous is not None and time > previous[0] and total >= previous[1]:
            self.add(key, time, (total - previous[1]) / (time - previous[0]), line)

    def finish(self, file: str, basis: Basis) -> Iterator[Series]:
        """Yield all series that were not zero all the time; of processes, only the largest of each metric."""
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
                    scope=scope,
                    metric=metric,
                    subject=subject,
                    unit=METRIC_UNITS[metric],
                    points=tuple(series.points),
                    limit=series.limit,
                    basis=basis,
                    file=file,
                )
