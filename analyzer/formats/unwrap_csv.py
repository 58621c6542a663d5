"""Search results that a log service saved as CSV, one record a row, made into plain lines.

    _time,host,source,_raw                                                    Splunk
    @timestamp,@message,@logStream                                            CloudWatch Logs Insights
    "@timestamp","kubernetes.pod.name",message                                Kibana
    TimeGenerated,Computer,LogEntry                                           Azure Log Analytics

A line feed in a quoted message becomes CR; line numbers stay those of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from analyzer.formats.unwrap_logger import write_record
from analyzer.formats.unwrap_place import read_stream
from analyzer.untrusted.documents import MalformedError, read_csv_row

LONGEST_ROW = 1 << 20  # bytes; a longer one goes through as it is
_MESSAGES = ("_raw", "@message", "message", "logentry", "logmessage", "log", "textpayload", "line", "msg")
_TIMES = ("_time", "@timestamp", "timestamp", "timegenerated", "timegenerated [utc]", "time", "datetime", "date")
_HOSTS = (
    "kubernetes.pod.name", "kubernetes.pod_name", "pod", "podname", "pod_name", "host", "hostname", "host.name",
    "computer", "resource.labels.pod_name", "resource.labels.task_name", "@logstream", "logstream", "instance", "node",
)  # fmt: skip
_KIBANA = "%b %d, %Y @ %H:%M:%S.%f"


def read_header(head: bytes) -> Mapping[str, int] | None:
    """Columns of message, time and host; None where the first line is no such header."""
    line = head.partition(b"\n")[0].strip()
    if b"," not in line or len(line) > 4096:
        return None
    names = [name.strip().lower() for name in _cells(line.decode("utf-8", "replace"))]
    wanted = {"log": _MESSAGES, "timestamp": _TIMES, "host": _HOSTS}
    found = {key: next((names.index(each) for each in each_of if each in names), -1) for key, each_of in wanted.items()}
    return found if found["log"] >= 0 and found["timestamp"] >= 0 else None


def _cells(row: str) -> list[str]:
    try:
        return read_csv_row(row)
    except MalformedError:
        return []


class CsvReader:
    """A converter; see `unwrap.Converter`."""

    name = "csv"

    def __init__(self, columns: Mapping[str, int]) -> None:
        self._columns = columns
        self._rest: list[bytes] = []  # lines of a row whose quotes are still open
        self._held = self._quotes = 0
        self._begun = False
        self._raw = 0

    def convert(self, lines: bytes) -> bytes:
        *whole, last = lines.split(b"\n")
        return b"".join([*(self._take(line + b"\n") for line in whole), self._take(last) if last else b""])

    def finish(self) -> bytes:
        return self._whole()

    def note(self) -> str:
        return f"{self._raw} rows could not be read." if self._raw else ""

    def _take(self, line: bytes) -> bytes:
        if not self._begun:
            self._begun = True
            return line
        self._rest.append(line)
        self._held += len(line)
        self._quotes += line.count(b'"')
        if self._quotes % 2 and self._held < LONGEST_ROW:
            return b""
        row = self._whole()
        end = b"\n" * row.count(b"\n")
        said = self._write(row.decode("utf-8", "replace").rstrip("\r\n"))
        self._raw += not said and bool(row.strip())
        return said.encode("utf-8", "replace") + end if said else row

    def _whole(self) -> bytes:
        row, self._rest, self._held, self._quotes = b"".join(self._rest), [], 0, 0
        return row

    def _write(self, row: str) -> str:
        cells = _cells(row)
        record = {key: cells[at] for key, at in self._columns.items() if 0 <= at < len(cells)}
        message = record.get("log", "")
        record["timestamp"] = _read_kibana(record.get("timestamp", "").strip())
        record["host"] = read_stream(record.get("host", ""))
        said = write_record(record) if message else ""
        return (said or message).replace("\r\n", "\r").replace("\n", "\r")


def _read_kibana(text: str) -> str:
    """`Mar 1, 2026 @ 12:00:00.123`, which Kibana writes in the reader's zone; all else as it stands."""
    if "@" not in text:
        return text
    try:
        return datetime.strptime(text, _KIBANA).isoformat(timespec="milliseconds")
    except ValueError:
        return text
