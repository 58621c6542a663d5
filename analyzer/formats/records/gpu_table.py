"""Convert rows that `nvidia-smi --query-gpu=... --format=csv` printed repeatedly into lines that name each value.

    timestamp, name, temperature.gpu, clocks.current.sm [MHz], clocks_throttle_reasons.hw_thermal_slowdown
    2026/07/08 12:29:14.431, NVIDIA RTX A5000, 93, 1292 MHz, Active

becomes `2026/07/08 12:29:14.431 name=NVIDIA RTX A5000, temperature.gpu=93, …`, so that a rule can test a value by
its name. The names of the columns are those of `nvidia-smi --help-query-gpu`. Without a header, they come from a typed
command: `--query-gpu=index,utilization.gpu --format=csv,noheader`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzer.formats.records.head_lines import head_lines
from analyzer.formats.records.line_by_line import LineByLine

MAX_LINES_ABOVE = 5  # the header: a typed command, a date
MIN_COLUMNS = 2
_is_column = re.compile(
    rb"\s*(?:(?:utilization|temperature|memory|power|fan|clocks|clocks_throttle_reasons|clocks_event_reasons|ecc|pcie|pci|retired_pages"
    rb"|remapped_rows)\.[\w.]{1,60}|timestamp|index|name|uuid|pstate|serial)(?: \[[\w%/]{1,8}\])?\s*"
).fullmatch
_has_dot = re.compile(rb"\w\.\w").search
_find_queries = re.compile(rb"nvidia-smi\b.{0,200}? --query-gpu[= ]([\w.,]{1,1000})").findall
_is_measured = re.compile(
    rb"index|(?:utilization|temperature|memory|power|fan|clocks\.(?:current|max|sm|mem|gr))\b"
).match
_is_measure = re.compile(rb"\[?(?:N/A|Not Supported|Unknown Error)\]?|\d[\d.]{0,12}(?: ?[A-Za-z%]{1,4})?").fullmatch
_unit = re.compile(rb" ?\[[^\]]{0,8}\]$")


def find_gpu_columns(head: bytes) -> Sequence[bytes] | None:
    """Return the names of the columns; None if no header of nvidia-smi is in the first lines."""
    if b".gpu" not in head[:4096] and b"clocks" not in head[:4096] and b"memory." not in head[:4096]:
        return None  # nearly all files
    return next(filter(None, map(_read_header, head_lines(head)[: MAX_LINES_ABOVE + 1])), None)


def find_queried_columns(head: bytes) -> Sequence[bytes] | None:
    """Return the columns that the typed commands in the head request; None if there are none, or if they differ."""
    queries = set(_find_queries(head)) if b"--query-gpu" in head else set()
    columns = [column for query in queries for column in query.split(b",")]
    return columns if len(queries) == 1 and len(columns) >= MIN_COLUMNS and all(map(_is_column, columns)) else None


def _read_header(line: bytes) -> Sequence[bytes] | None:
    cells = line.split(b",")
    if len(cells) < MIN_COLUMNS or not all(map(_is_column, cells)) or not any(map(_has_dot, cells)):
        return None
    return [_unit.sub(b"", cell.strip()) for cell in cells]


class GpuTableConverter(LineByLine):
    """A `LineConverter` that puts the column's name before each value. Other lines stay unchanged."""

    name = "gpu-table"

    def __init__(self, columns: Sequence[bytes]) -> None:
        self._columns = columns

    def convert_line(self, line: bytes) -> bytes:
        cells = line.rstrip(b"\r").split(b",")
        if len(cells) != len(self._columns) or cells[0].strip() == self._columns[0]:  # the header, perhaps again
            return line
        values = [(name, cell.strip()) for name, cell in zip(self._columns, cells, strict=True)]
        if not all(_is_measure(value) for name, value in values if _is_measured(name)):
            return line
        time = b"".join(value + b" " for name, value in values if name == b"timestamp")
        return time + b", ".join(name + b"=" + value for name, value in values if name != b"timestamp")
