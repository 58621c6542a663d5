"""Reads `nvidia-smi dmon -o DT`: a table with a header of the names of the columns and, below, of their units.

    #Date       Time        gpu   pwr gtemp mtemp    sm   mem    fb
    #YYYYMMDD   HH:MM:SS    Idx     W     C     C     %     %    MB
     20261121   07:00:00      0    68    42     -    17     0  4321

Without `-o DT`, the lines have no time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from analyzer.model import Basis
from analyzer.reading.source_result import SourceResult
from analyzer.samples.line_blocks import MIDDLE_STRIDE
from analyzer.samples.series_collector import SeriesCollector

HEADER = re.compile(rb"#\s*(?:Date\s+Time\s+|Time\s+)?gpu\s+\w")
MEBIBYTE = 1024.0 * 1024.0
_COLUMNS: Mapping[str, tuple[str, float]] = {
    "fb": ("memory", MEBIBYTE),
    "sm": ("busy", 1.0),
    "gtemp": ("temperature", 1.0),
    "temp": ("temperature", 1.0),
    "pwr": ("power", 1.0),
}


class DmonReader:
    """A `SampleReader` of `nvidia-smi dmon`."""

    basis = Basis.LOCAL
    stride = MIDDLE_STRIDE

    def __init__(self, result: SourceResult, series: SeriesCollector) -> None:
        self.result, self.series = result, series
        self._columns: list[str] = []

    def add_line(self, number: int, line: bytes) -> None:
        """Read one line: a header, which names the columns, or a row of samples. `number` is 1-based."""
        cells = line.decode("utf-8", "replace").replace("#", " ").split()
        if line.startswith(b"#"):
            if "gpu" in cells:
                self._columns = cells
            return
        row = dict(zip(self._columns, cells, strict=False))
        time = _read_time(row)
        if time is None or "gpu" not in row:
            return
        for column, (metric, factor) in _COLUMNS.items():
            try:
                self.series.add(("gpu", metric, f"gpu {row['gpu']}"), time, float(row[column]) * factor, number)
            except (KeyError, ValueError):
                continue  # the column is missing, or "-": the card does not state it

    def finish(self) -> None:
        if "Date" not in self._columns:
            self.result.problem = "its lines have no time (`nvidia-smi dmon -o DT` writes times)"


def _read_time(row: Mapping[str, str]) -> float | None:
    try:
        moment = datetime.strptime(f"{row['Date']} {row['Time']}", "%Y%m%d %H:%M:%S")
    except (KeyError, ValueError):
        return None
    return moment.replace(tzinfo=UTC).timestamp()
