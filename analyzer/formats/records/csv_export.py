"""Convert search results that a log service exported as CSV, one record per row, into plain lines.

    _time,host,source,_raw                                                    Splunk
    @timestamp,@message,@logStream                                            CloudWatch Logs Insights
    "@timestamp","kubernetes.pod.name",message                                Kibana
    TimeGenerated,Computer,LogEntry                                           Azure Log Analytics

Other tables with times and messages (`log_tables.py`) are converted too, also with semicolons or tabs. A line feed in a
quoted message becomes a carriage return, so that the line numbers stay those of the file.
"""

from __future__ import annotations

from analyzer.formats.records.json_logger import format_logger_record
from analyzer.formats.records.line_by_line import split_at_line_feeds
from analyzer.formats.records.log_tables import LogTable, read_cells

MAX_ROW_BYTES = 1 << 20  # a longer row is passed on as it is


class CsvConverter:
    """A `LineConverter` of rows; the header is passed on as it is."""

    name = "csv"

    def __init__(self, table: LogTable) -> None:
        self._table = table
        self._row_lines: list[bytes] = []  # of a row with an open quote
        self._row_bytes = self._quotes = 0
        self._header_seen = not table.has_header
        self._unconverted = 0
        self.ends_complete = False

    def convert(self, lines: bytes) -> bytes:
        return b"".join(map(self._add_line, split_at_line_feeds(lines)))

    def finish(self) -> bytes:
        return self._take_row()

    def note(self) -> str:
        return f"{self._unconverted} rows could not be read." if self._unconverted else ""

    def _add_line(self, line: bytes) -> bytes:
        if not self._header_seen:
            self._header_seen = True
            return line
        self._row_lines.append(line)
        self._row_bytes += len(line)
        self._quotes += line.count(b'"')
        if self._quotes % 2 and self._row_bytes < MAX_ROW_BYTES:
            return b""
        self.ends_complete = not self._quotes % 2
        row = self._take_row()
        end = b"\n" * row.count(b"\n")
        text = self._format_row(row.decode("utf-8", "replace").rstrip("\r\n"))
        self._unconverted += not text and bool(row.strip())
        return text.encode("utf-8", "replace") + end if text else row

    def _take_row(self) -> bytes:
        row, self._row_lines, self._row_bytes, self._quotes = b"".join(self._row_lines), [], 0, 0
        return row

    def _format_row(self, row: str) -> str:
        cells = read_cells(row, self._table.delimiter)
        self.ends_complete = self.ends_complete and len(cells) == self._table.width
        record = dict(self._table.to_record(cells))
        line = format_logger_record(record)
        return (line or str(record.get("log", ""))).replace("\r\n", "\r").replace("\n", "\r")
