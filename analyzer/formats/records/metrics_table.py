"""Convert tables of metrics by machine, as monitoring exports them, into lines that name each value.

    host,hora,cpu_user,cpu_iowait,cpu_steal,mem_usada_gb
    gx-2,2026-11-19 15:20:55,9.7,0.9,83.6,2.17

becomes `2026-11-19 15:20:55`, written by gx-2: `metrics: cpu_user=9.7, cpu_iowait=0.9, …`, so that a rule can test a
value by its name. The header may be in any language: the time is the column of dates, the machine is the column of
names that recur, and all other columns have numbers. Without such a column, the writers are the tasks whose numbers
stand in a column that is called so: `worker` 3 is worker-3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from analyzer.formats.dates import find_style
from analyzer.formats.records.log_tables import LogTable, read_cells
from analyzer.formats.stamps import read_epoch

MIN_ROWS, MAX_ROWS = 6, 60  # rows that are examined
MIN_METRICS = 3
MAX_COLUMNS = 64
MIN_SHARE = 0.85  # of the rows: some samples are missing
MAX_HEADER_CHARS = 2048
_DELIMITERS = ",;\t"
_is_number = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,9})?(?:[eE][-+]?\d{1,3})? ?%?").fullmatch
_is_name = re.compile(r"[A-Za-z][\w.-]{1,62}").fullmatch
_is_label = re.compile(r"[^\W\d][\w. ()/%-]{0,60}").fullmatch

_names_tasks = re.compile(
    r"(?i)(?:(?P<job>worker|chief|ps)|task|rank|replica|global_rank)(?:[-_ ]?(?:id|index|idx|no|nr))?"
).fullmatch

Column = Sequence[str]


def find_metrics_table(head: bytes) -> LogTable | None:
    """Return how to read the rows of a file with this head; None if it is not a table of metrics."""
    lines = head.decode("utf-8", "replace").split("\n", MAX_ROWS)[:MAX_ROWS]
    header_line = lines[0].strip()
    if len(header_line) > MAX_HEADER_CHARS:
        return None
    for delimiter in _DELIMITERS:
        if header_line.count(delimiter) > MIN_METRICS:
            header = [cell.strip() for cell in read_cells(header_line, delimiter)]
            rows = [read_cells(line.rstrip("\r"), delimiter) for line in lines[1:-1] if line.strip()]
            return _judge_table(delimiter, header, [row for row in rows if len(row) == len(header)], len(rows))
    return None


def _judge_table(
    delimiter: str, header: Sequence[str], rows: Sequence[Sequence[str]], row_count: int
) -> LogTable | None:
    if len(rows) < max(MIN_ROWS, MIN_SHARE * row_count) or len(header) > MAX_COLUMNS or not all(map(_is_label, header)):
        return None
    columns = [[cell.strip() for cell in column] for column in zip(*rows, strict=True)]
    times = [index for index, column in enumerate(columns) if _holds_times(column)]
    names = [index for index, column in enumerate(columns) if _holds_names(column)]
    tasks = [
        index
        for index, column in enumerate(columns)
        if not names and _names_tasks(header[index]) and _holds_tasks(column)
    ]
    metrics = [
        index for index, column in enumerate(columns) if index not in (*times, *tasks) and _holds_numbers(column)
    ]
    if len(tasks) > 1 or len(times) != 1 or len(names) > 1 or len(metrics) < MIN_METRICS:
        return None

    job = (match["job"] or "worker").lower() if tasks and (match := _names_tasks(header[tasks[0]])) else ""

    def name_writer(cells: Sequence[str]) -> str:
        return cells[names[0]].strip() if names else f"{job}-{cells[tasks[0]].strip()}"

    def to_record(cells: Sequence[str]) -> dict[str, object]:
        if len(cells) != len(header):
            return {}
        values = ", ".join(f"{header[index]}={cells[index].strip()}" for index in metrics if cells[index].strip())
        writer = {"host": name_writer(cells)} if names or tasks else {}
        return {"timestamp": cells[times[0]].strip(), **writer, "message": f"metrics: {values}"}

    return LogTable(delimiter, len(header), True, to_record)


def _holds_times(column: Column) -> bool:
    """Return whether the values are dates, or times since the epoch (seconds or finer) that do not decrease."""
    if all(map(_is_number, column)):
        stamps = [stamp.value for cell in column if (stamp := read_epoch(cell)) is not None]
        return len(stamps) == len(column) and stamps == sorted(stamps)
    return find_style(column) is not None


def _holds_names(column: Column) -> bool:
    counts = Counter(column)
    return all(map(_is_name, counts)) and min(counts.values()) > 1


def _holds_tasks(column: Column) -> bool:
    """Return whether the values are whole numbers of several tasks, each of which recurs."""
    counts = Counter(column)
    return len(counts) > 1 and min(counts.values()) > 1 and all(cell.isdecimal() for cell in counts)


def _holds_numbers(column: Column) -> bool:
    return sum(_is_number(cell) is not None for cell in column if cell) >= MIN_SHARE * len(column)
