"""Convert log records in a database dump into plain lines.

    INSERT INTO `SystemEvents` VALUES (771,'2026-11-24 10:33:12',3,6,'gx-7',' link is down','kernel:'),
    (772,'2026-11-24 10:33:13',3,6,'gx-8',' peer lost','trainer[77]:');

rsyslog, syslog-ng and LogAnalyzer store logs in tables. `mysqldump`, `pg_dump --inserts` and `sqlite3 .dump` write them
in this form, with one row or thousands per line. The content of a column decides what it is (`log_tables.py`). Other
lines are passed on unchanged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from analyzer.formats.records.json_logger import format_logger_record
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.log_tables import MAX_PROBED_ROWS, MIN_ROWS, LogTable, judge_columns

MAX_ROW_LINE_BYTES = 8 << 20  # a longer line is passed on as it is
_INSERT = b"INSERT INTO"
_begins_row = re.compile(
    rb"\s{0,8}(?:\(|(?:INSERT|insert) (?:INTO|into) [^()]{1,200}(?:\([^()]{1,2000}\) ?)?(?:VALUES|values) ?\()"
).match
_find_tokens = re.compile(r"'((?>[^'\\]|\\.|'')*)'?|([(),])|([^'(),]+)", re.DOTALL).finditer
_ESCAPES = {"n": "\r", "r": "\r", "t": "\t", "0": " "}
_find_escape = re.compile(r"\\(.)|''", re.DOTALL)


def find_sql_rows(head: bytes) -> LogTable | None:
    """Return how to read the rows of a dump with this head; None if it has no log records."""
    if _INSERT not in head:
        return None
    rows: list[list[str]] = []
    for line in head.split(b"\n")[:-1]:
        if len(rows) > MAX_PROBED_ROWS:
            break
        rows += _rows_of_line(line)
    if not rows:
        return None
    width, count = Counter(map(len, rows)).most_common(1)[0]
    full_rows = [row for row in rows if len(row) == width]
    return judge_columns(",", width, [full_rows[0], *full_rows]) if count >= MIN_ROWS else None


class SqlConverter(LineByLine):
    """A `LineConverter` of lines with rows. Further rows on a line become its segments."""

    name = "sql"

    def __init__(self, table: LogTable) -> None:
        self._table = table

    def convert_line(self, line: bytes) -> bytes:
        texts = [
            text for row in _rows_of_line(line) if (text := format_logger_record(dict(self._table.to_record(row))))
        ]
        return "\r".join(texts).encode() if texts else line


def _rows_of_line(line: bytes) -> Iterator[list[str]]:
    """Yield the cells of each row on a line, without quotes and escapes; NULL and numbers become texts."""
    if len(line) > MAX_ROW_LINE_BYTES or not (begin := _begins_row(line)):
        return
    cells: list[str] = []
    for token in _find_tokens(line[begin.end() - 1 :].decode("utf-8", "replace")):
        quoted, mark, bare = token.groups()
        if mark == "(":
            cells = [""]
        elif mark == ")":
            yield cells
            cells = []
        elif mark and cells:
            cells.append("")
        elif cells:
            cells[-1] += bare.strip() if bare else _unescape(quoted)


def _unescape(text: str) -> str:
    return _find_escape.sub(lambda match: _ESCAPES.get(match[1], match[1]) if match[1] else "'", text).replace(
        "\n", "\r"
    )
