"""One JSON object a line, made into plain lines: Docker's json-file, the journal, JSON loggers.

    {"log":"step 1\\n","stream":"stderr","time":"2026-11-21T05:10:06.1Z"}  ->  2026-11-21T05:10:06.1Z stderr F step 1
    {"__REALTIME_TIMESTAMP":"1795231447123456","_HOSTNAME":"n3","SYSLOG_IDENTIFIER":"sshd","_PID":"7","MESSAGE":"x"}
                                                  ->  2026-11-21T05:10:07.123456+00:00 n3 sshd[7]: x
    {"ts":1795226776.5,"level":"error","logger":"train","msg":"x"}  ->  2026-11-21T05:10:06.500000+00:00 ERROR train: x

Lines that are not such objects go through untouched: a program's own lines stand between its JSON logger's.
Sources: moby `daemon/logger/jsonfilelog`, systemd JOURNAL_EXPORT_FORMATS (JSON), python-json-logger, structlog,
loguru (`serialize=True`), zap, logrus, pino, Google Cloud Logging, fluent-bit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from analyzer.formats.unwrap_cri import CRI
from analyzer.formats.unwrap_docker import is_docker, write_docker
from analyzer.formats.unwrap_journal import is_journal, write_journal
from analyzer.formats.unwrap_logger import Habit, write_record

LOOKED_AT = 400  # lines of a head that are looked at

# fluentd's out_file: time, tag and record, between tabs.
_FLUENTD = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d))\t[\w.*/-]{1,250}\t(?=\{)"
).match
_SSE = re.compile(rb"(?:data: |\x1e)(?=\{)")


def recognize_json(head: bytes, inside: bool = False) -> str | None:
    """Name of the record format of the first record in the head, or None. `inside`: look behind CRI prefixes too."""
    for line in head.split(b"\n", LOOKED_AT)[:LOOKED_AT]:
        at = _begin(line) if b"{" in line else -1
        if at < 0 or (at > 0 and not inside and CRI.match(line)):
            continue
        for record in _load(line, at):
            if kind := record_kind(record):
                return kind
    return None


class JsonReader:
    """A converter; see `unwrap.Converter`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._habit = Habit()
        self._read = 0
        self._unread = 0

    def convert(self, lines: bytes) -> bytes:
        if b"{" not in lines:
            return lines
        return b"\n".join([self._convert_line(line) for line in lines.split(b"\n")])

    def finish(self) -> bytes:
        return b""

    def note(self) -> str:
        if not self._unread:
            return ""
        return f"{self._unread} lines begin like JSON and are not; they were taken as text ({self._read} were read)."

    def _convert_line(self, line: bytes) -> bytes:
        at = _begin(line)
        if at < 0:
            return line
        found = False
        for record in _load(line, at):
            found = True
            if text := write_any(record, self._habit):
                self._read += 1
                prefix = line[:at] if CRI.match(line) else b""
                return prefix + text.replace("\r\n", "\r").replace("\n", "\r").encode("utf-8", "replace")
        self._unread += not found
        return line


def _begin(line: bytes) -> int:
    """Where a JSON object begins on a line: at once, behind `data: ` of an event stream, a CRI prefix or fluentd's time
    and tag; or -1."""
    if line.startswith(b"{"):
        return 0
    if found := _SSE.match(line) or CRI.match(line) or _FLUENTD(line):
        return found.end() if line[found.end() : found.end() + 1] == b"{" else -1
    return -1


def _load(line: bytes, at: int) -> Iterator[dict[str, object]]:
    """The object there, if it is one; with fluentd's time, which its records lack."""
    try:
        value = json.loads(line[at:].decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict):
        found = _FLUENTD(line) if at else None
        yield {"@timestamp": found[1].decode(), **value} if found else value


def record_kind(record: dict[str, object]) -> str | None:
    if is_journal(record):
        return "journal-json"
    if is_docker(record):
        return "docker-json"
    return "json-logger" if write_record(record) else None


def write_any(record: dict[str, object], habit: Habit) -> str:
    """The line of a record; '' if it is none. `habit` is what the file's records have in common."""
    if is_journal(record):
        return write_journal(record)
    return write_docker(record) if is_docker(record) else write_record(record, habit)
