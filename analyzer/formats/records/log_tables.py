"""Find the time, the writer and the message among the columns of a table of log records.

Exports of log services have known column names (`columns.py`). A table that somebody made by hand or in a spreadsheet
has a header in any language, or none. Then the content of the columns decides:

    Lp.;Data;Godzina;Serwer;Komunikat;Uwagi
    1;04.10.2022;20:12:16;wn03.example;systemd: Started Session 46 of user kim.;

The time is a column of dates, or a column of days and a column of clocks. The message is the column with the most
words. The writer is a column of numbered names that recur.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from analyzer.formats import read_line
from analyzer.formats.dates import find_style
from analyzer.formats.records.columns import find_columns, record_of_cells
from analyzer.formats.records.label_cells import read_labels
from analyzer.formats.records.origin import match_writer_name
from analyzer.formats.records.writer_names import find_stated_hosts
from analyzer.formats.severity import read_severity
from analyzer.formats.stamps import read_iso
from analyzer.untrusted.documents import MalformedError, read_csv_row

MAX_PROBED_ROWS = 200
MIN_ROWS = 4
MIN_COLUMNS, MAX_COLUMNS = 3, 64
MIN_SHARE = 0.85  # of the rows: some have a line feed in a cell, or a remark
MIN_MESSAGE_WORDS = 2.5  # average words: a table of numbers or of states has no such column
MAX_HEADER_CHARS = 4096
_DELIMITERS = ";\t|"  # of tables without known names; commas are in too many other lines
_has_digit = re.compile(r"\d").search

_match_tag = re.compile(r"\s?([\w./-]{1,48})(?:\[(\d{1,10})\])?:\s?").fullmatch  # syslog's tag of a program
_BETWEEN = "; "  # between the message and other cells

Cells = Sequence[str]
TimeReader = Callable[[Cells], str]


@dataclass(frozen=True, slots=True)
class LogTable:
    """How to convert the rows of a table into records.

    `to_record` returns the fields of a row, or {} if it is not a row. `width` is the number of cells of a complete row.
    """

    delimiter: str
    width: int
    has_header: bool
    to_record: Callable[[Cells], Mapping[str, object]]


def find_log_table(head: bytes) -> LogTable | None:
    """Return how to read the rows of a file with this head; None if it is not a table of log records."""
    first_line = head.partition(b"\n")[0].decode("utf-8", "replace")
    if named := _find_named_columns(first_line):
        return named
    if not any(first_line.count(delimiter) >= MIN_COLUMNS - 1 for delimiter in _DELIMITERS):
        return None  # faster than to read all lines, and few files have such a line
    return _find_columns_by_content(head.decode("utf-8", "replace").split("\n", MAX_PROBED_ROWS)[:MAX_PROBED_ROWS])


def read_cells(row: str, delimiter: str) -> list[str]:
    """Return the cells of a row; [] if it is malformed."""
    try:
        return read_csv_row(row, delimiter)
    except MalformedError:
        return []


def _find_named_columns(header: str) -> LogTable | None:
    for delimiter in f",{_DELIMITERS}":
        if delimiter in header and len(header) <= MAX_HEADER_CHARS:
            cells = read_cells(header.strip(), delimiter)
            if columns := find_columns(cells):
                return LogTable(delimiter, len(cells), True, lambda row: record_of_cells(columns, row))
    return None


def _find_columns_by_content(lines: Sequence[str]) -> LogTable | None:
    for delimiter in _DELIMITERS:
        if not MIN_COLUMNS <= lines[0].count(delimiter) + 1 <= MAX_COLUMNS or not lines[0].strip():
            continue
        rows = [[cell.strip() for cell in read_cells(line.rstrip("\r"), delimiter)] for line in lines if line.strip()]
        width, count = Counter(map(len, rows)).most_common(1)[0]
        whole_rows = [row for row in rows if len(row) == width]
        if not MIN_COLUMNS <= width <= MAX_COLUMNS or len(whole_rows) < MIN_ROWS or count < MIN_SHARE * len(rows):
            continue
        if not _are_columns_read(lines, delimiter) and (table := judge_columns(delimiter, width, whole_rows)):
            return table
    return None


def _are_columns_read(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether a line format reads all columns, such as loguru's `TIME | LEVEL | ORIGIN - MESSAGE`."""
    read = (line for line in map(read_line, lines) if line.stamps and line.severity is not None)
    return sum(delimiter not in line.message for line in read) >= MIN_SHARE * len(lines)


def judge_columns(delimiter: str, width: int, rows: Sequence[Cells]) -> LogTable | None:
    """Return how to read rows of `width` cells by the content of their columns; None if they are not log records.

    The first row may be a header. Columns other than time, machine, level and message are added to the message.
    """
    body = rows[1:]
    time = _find_time(body, width)
    if time is None:
        return None
    time_columns, read_time = time
    columns = {at: [row[at] for row in body] for at in range(width) if at not in time_columns}
    message = max(columns, key=lambda at: _mean_words(columns[at]), default=None)
    if message is None or _mean_words(columns[message]) < MIN_MESSAGE_WORDS:
        return None
    stated = find_stated_hosts(columns.pop(message))
    labels = next((at for at, cells in columns.items() if all(map(read_labels, cells))), None)
    host = (
        next((at for at, cells in columns.items() if _names_writers(cells, stated)), None) if labels is None else None
    )
    level = next((at for at, cells in columns.items() if at != host and all(map(read_severity, cells))), None)
    tag = next((at for at, cells in columns.items() if host is not None and all(map(_match_tag, cells))), None)
    others = [at for at in columns if at not in (host, level, tag, labels) and _says_something(columns[at])]

    def join_message(row: Cells) -> str:
        before = [row[at].strip() for at in others if at < message and row[at].strip()]
        behind = [row[at].strip() for at in others if at > message and row[at].strip()]
        return _BETWEEN.join((*before, row[message], *behind))

    is_prefixed = 2 * sum(bool(read_line(row[message].lstrip()).formats) for row in body) > len(body)
    read_message = (lambda row: row[message]) if is_prefixed or not others else join_message

    def to_record(row: Cells) -> Mapping[str, object]:
        clock = read_time(row) if len(row) == width else ""
        if not clock:
            return {}
        named = {"host": host, "level": level}
        fields = {name: row[at].strip() for name, at in named.items() if at is not None}
        if labels is not None:  # labels of Loki, as its dashboards copy them
            return {"timestamp": clock, "line": row[message], "labels": read_labels(row[labels]) or {}}
        if tag is not None and (program := _match_tag(row[tag])):
            fields = {**fields, "ident": program[1], "pid": program[2] or ""}
            return {"timestamp": clock, "message": row[message].strip(), **fields}
        return {"timestamp": clock, "log" if level is None else "message": read_message(row), **fields}

    return LogTable(delimiter, width, not to_record(rows[0]), to_record)


def _find_time(rows: Sequence[Cells], width: int) -> tuple[tuple[int, ...], TimeReader] | None:
    """Return the one or two columns of the time, and a reader for it; None if there are none."""
    alone = [(at,) for at in range(width)]
    for columns in (*alone, *pairwise(range(width))):
        read = _make_time_reader(rows, columns)
        if read and sum(bool(read(row)) for row in rows) >= MIN_SHARE * len(rows):
            return columns, read
    return None


def _make_time_reader(rows: Sequence[Cells], columns: tuple[int, ...]) -> TimeReader | None:
    def join(row: Cells) -> str:
        return " ".join(row[at].strip() for at in columns)

    texts = [join(row) for row in rows]
    if sum(read_iso(text) is not None for text in texts) >= MIN_SHARE * len(texts):
        return lambda row: text if read_iso(text := join(row)) is not None else ""
    style = find_style(texts)
    if style is None:
        return None

    def read(row: Cells) -> str:
        text = join(row)
        date = style.match_iso(text)
        return date[1] if date and date[0] == len(text) else ""

    return read


def _says_something(cells: Sequence[str]) -> bool:
    """Return whether a column has words: neither only numbers, nor times, nor one value everywhere."""
    words = {cell for cell in cells if cell and not cell.replace(".", "").isdecimal() and read_iso(cell) is None}
    return len(words) > 1


def _mean_words(cells: Sequence[str]) -> float:
    return sum(len(cell.split()) for cell in cells) / len(cells)


def _names_writers(cells: Sequence[str], stated: Collection[str]) -> bool:
    """Return whether a column has names of machines, with fewer distinct names than rows.

    Most names have a number, or the messages state several of them as hosts (`stated`).
    """
    names = [cell for cell in cells if cell]
    distinct = set(names)
    are_names = all(match_writer_name(name) and read_severity(name) is None for name in distinct)
    numbered = sum(map(bool, map(_has_digit, distinct)))
    is_filled = len(names) >= MIN_SHARE * len(cells) and len(distinct) <= len(names) // 2
    are_numbered = 2 * numbered >= len(distinct) and numbered > 0
    return is_filled and are_names and (are_numbered or len(distinct.intersection(stated)) > 1)
