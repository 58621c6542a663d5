"""Convert one JSON object per line into plain lines: Docker's json-file driver, the journal, JSON loggers.

    {"log":"step 1\\n","stream":"stderr","time":"2026-11-21T05:10:06.1Z"}  ->  2026-11-21T05:10:06.1Z stderr F step 1
    {"__REALTIME_TIMESTAMP":"1795231447123456","_HOSTNAME":"n3","SYSLOG_IDENTIFIER":"sshd","_PID":"7","MESSAGE":"x"}
                                                  ->  2026-11-21T05:10:07.123456+00:00 n3 sshd[7]: x
    {"ts":1795226776.5,"level":"error","logger":"train","msg":"x"}  ->  2026-11-21T05:10:06.500000+00:00 ERROR train: x

Other lines are passed on unchanged, because a program may print lines between those of its JSON logger.
Sources: moby `daemon/logger/jsonfilelog`, systemd JOURNAL_EXPORT_FORMATS (JSON), python-json-logger, structlog,
loguru (`serialize=True`), zap, logrus, pino, Google Cloud Logging, fluent-bit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from analyzer.formats.records.cri_partial import CRI_PREFIX
from analyzer.formats.records.docker import format_docker_record, is_docker_record, read_docker_line
from analyzer.formats.records.head_lines import head_lines
from analyzer.formats.records.journal import format_journal_entry, is_journal_entry
from analyzer.formats.records.json_logger import RecordStyle, format_logger_record
from analyzer.formats.records.origin import FLUENTD_TAG

MAX_HEAD_LINES = 400  # of a head, in which the first record must be

# fluentd's out_file: time, tag and record, between tabs.
_FLUENTD = re.compile(
    rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d))\t([\w.*/-]{1,250})\t(?=\{)"
).match
_EVENT_STREAM = re.compile(rb"(?:data: |\x1e)(?=\{)")


def find_json_kind(head: bytes, behind_cri: bool = False) -> str | None:
    """Return the name of the format of the head's first record, or None.

    behind_cri: whether records after the prefix of a container runtime count.
    """
    records: list[dict[str, object]] = []
    for line in head_lines(head)[:MAX_HEAD_LINES]:
        at = _find_object(line) if b"{" in line else -1
        if at < 0 or (at > 0 and not behind_cri and CRI_PREFIX.match(line)):
            continue
        for record in read_object(line, at):
            if kind := record_kind(record):
                return kind
            records.append(record)
    style = (
        RecordStyle.of_head(head) if records else RecordStyle()
    )  # for records without a time that state their writer
    is_learned = style.writer is not None or style.keys
    return "json-logger" if is_learned and any(format_logger_record(record, style) for record in records) else None


class JsonLinesConverter:
    """A `LineConverter` of one record per line, perhaps after a prefix."""

    def __init__(self, name: str, style: RecordStyle | None = None) -> None:
        self.name = name
        self._style = style or RecordStyle()
        self._converted = 0
        self._unconverted = 0
        self.ends_complete = False

    def convert(self, lines: bytes) -> bytes:
        if b"{" not in lines:
            return lines
        return b"\n".join([self._convert_line(line) for line in lines.split(b"\n")])

    def finish(self) -> bytes:
        return b""

    def note(self) -> str:
        if not self._unconverted:
            return ""
        return (
            f"{self._unconverted} lines begin like JSON but are not valid JSON; "
            f"they were read as text ({self._converted} were parsed)."
        )

    def _convert_line(self, line: bytes) -> bytes:
        if text := read_docker_line(line):
            self._converted += 1
            self.ends_complete = True
            return encode_text(text)
        at = _find_object(line)
        if at < 0:
            self.ends_complete = False
            return line
        is_json = self.ends_complete = False
        for record in read_object(line, at):
            is_json = True
            if text := format_record(record, self._style):
                self._converted += 1
                self.ends_complete = True
                prefix = line[:at] if CRI_PREFIX.match(line) else b""
                return prefix + encode_text(text)
        self._unconverted += not is_json
        return line


def encode_text(text: str) -> bytes:
    """Return a text as one line: its line feeds become carriage returns."""
    if "\n" in text:
        text = text.replace("\r\n", "\r").replace("\n", "\r")
    return text.encode("utf-8", "replace")


def _find_object(line: bytes) -> int:
    """Return the start of a JSON object in a line, or -1.

    It may come after `data: ` of an event stream, after a CRI prefix, or after fluentd's time and tag.
    """
    if line.startswith(b"{"):
        return 0
    if prefix := _EVENT_STREAM.match(line) or CRI_PREFIX.match(line) or _FLUENTD(line):
        return prefix.end() if line[prefix.end() : prefix.end() + 1] == b"{" else -1
    return -1


def read_object(line: bytes, at: int) -> Iterator[dict[str, object]]:
    """Yield the object at `at`, if there is one, with the time and the tag that fluentd writes before records."""
    try:
        value = _decode(line[at:])
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict):
        fluentd_prefix = _FLUENTD(line) if at else None
        if not fluentd_prefix:
            yield value
            return
        clock, tag = (text.decode() for text in fluentd_prefix.groups())
        yield {"@timestamp": clock, FLUENTD_TAG: tag, **value}


def _decode(text: bytes) -> object:
    """Return the value of a JSON text. Raises ValueError and RecursionError."""
    try:
        return msgspec.json.decode(text)
    except (
        msgspec.MsgspecError,
        UnicodeDecodeError,
        RecursionError,
    ):  # msgspec is stricter than json: no NaN, no invalid UTF-8
        return json.loads(text.decode("utf-8", "replace"))


def record_kind(record: dict[str, object]) -> str | None:
    """Return the name of the record's format; None if it is not a log record."""
    if is_journal_entry(record):
        return "journal-json"
    if is_docker_record(record):
        return "docker-json"
    return "json-logger" if format_logger_record(record) else None


def format_record(record: dict[str, object], style: RecordStyle) -> str:
    """Return the record as a line; empty if it is not a log record. `style` is that of all records of the file."""
    if is_journal_entry(record):
        return format_journal_entry(record)
    return format_docker_record(record) if is_docker_record(record) else format_logger_record(record, style)
