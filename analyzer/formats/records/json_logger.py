"""Convert a record of a JSON logger or of a log collector into a plain line.

    2026-11-21T05:10:06.500000+00:00 ERROR train: step failed step=12 rank=3

Other fields follow the message as key=value; a traceback follows after line feeds.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from analyzer.formats import read_line
from analyzer.formats.records.exception import EXCEPTION_FIELDS, exception_text
from analyzer.formats.records.learned_keys import learn_keys
from analyzer.formats.records.origin import (
    CLOUDWATCH_STREAM_FIELDS,
    FLUENTD_TAG,
    ORIGIN_COLUMNS,
    match_plain_name,
    origin_prefix,
)
from analyzer.formats.records.record_fields import (
    MESSAGE_FIELDS,
    Record,
    first_filled_key,
    flatten_record,
    other_readings,
)
from analyzer.formats.records.time_and_level import find_level, find_time
from analyzer.formats.records.writer_field import WriterField, find_writer_field

LOGGER_FIELDS = ("logger", "name", "logger_name", "log.logger", "component", "module", "logName")
# Fields that a line omits: they state the place in the code, or repeat another field.
OMITTED_FIELDS = {
    "insertId", "labels", "resource", "caller", "filename", "pathname", "lineno", "funcName", "func", "function",
    "file", "line", "process", "processName", "thread", "threadName", "thread_name", "msecs", "relativeCreated",
    "created", "args", "v", "taskName", "stream", "levelno", "level", "logName", "receiveTimestamp", "@version",
    "source_location", "color_message", "_p", "flags", "ingestionTime", "eventId", "logGroupName", "logGroup",
    *CLOUDWATCH_STREAM_FIELDS,
}  # fmt: skip
RAW_LINE_FIELDS = ("log", "textPayload", "line", "_raw")  # in which collectors put an unchanged line
# Fields that shippers add to a line that they pass on.
SHIPPER_FIELDS = {
    "host", "hostname", "host_name", "node_name", "agent", "source", "sourcetype", "source_type", "tag", "offset",
    "index", "input", "container", "container_id", "container_name", "pod", "pod_name", "namespace", "cluster", "ecs",
    "_index", "_id", "type", FLUENTD_TAG,
}  # fmt: skip
MAX_EXTRA_FIELDS = 16
MAX_EXTRA_CHARS = 200

OMITTED_FIELDS.update(EXCEPTION_FIELDS)
SHIPPER_FIELDS.update(ORIGIN_COLUMNS.values())

_find_split_traceback = re.compile(
    rb'"(?:\w{2,12}|@message)": ?"'
    rb'(?:Traceback \(most recent call last\):|  File \\"[^"\\]{0,1000}\\", line \d+[^"\\]{0,200})(?:\\n)?"'
).search
_NEEDS_QUOTES = re.compile(r"[\s\"]").search
_ZONED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)").fullmatch


@dataclass(slots=True)
class RecordStyle:
    """The common properties of a file's records: the levels so far, and whether records are single lines of output.

    Platforms such as GKE and Vertex AI split a program's output at line feeds and make a record of each line. All these
    records have the same level, and one of them may be only the first line of a traceback.
    """

    levels: set[str] = field(default_factory=set)
    is_split: bool = False
    writer: WriterField | None = None  # if records name their writer in an unusual field
    is_named: bool = False  # all records name their writers, so they need no time
    keys: Mapping[str, str] = field(default_factory=dict)  # as `learn_keys` returns them
    is_labelled: bool = False  # the text before each record names its writer
    needs_time: bool = False  # a level is not enough for a record: documents have other data

    @classmethod
    def of_head(cls, head: bytes) -> RecordStyle:
        """Return the style that the beginning of the file shows. The newest record may come first."""
        is_split, writer, keys = _read_style(head)
        return cls(is_split=is_split, writer=writer, keys=keys)

    def is_relayed_line(self, level: str, message: str) -> bool:
        """Whether the record is a single line of output, so that its level says nothing about the line."""
        if len(self.levels) < 2:
            self.levels.add(level)
        self.is_split = self.is_split or message == "Traceback (most recent call last):"
        return self.is_split and len(self.levels) == 1


@functools.lru_cache(2)  # cached, because stages are made several times for one head
def _read_style(head: bytes) -> tuple[bool, WriterField | None, Mapping[str, str]]:
    return _find_split_traceback(head) is not None, find_writer_field(head), learn_keys(head)


def format_logger_record(record: Record, style: RecordStyle | None = None) -> str:
    """Return the record as a line; empty for other JSON data (no message, or neither time nor level)."""
    if style and style.keys:
        record = {name: value for key, value in record.items() if (name := style.keys.get(key, key))}
    readings = chain((record,), other_readings(record))
    return next((line for reading in readings if (line := _format_reading(reading, style))), "")


def _format_syslog(record: Record, clock: str, message: str) -> str:
    """Return a line of syslog that fluentd has split into fields: `ident` is the program, `host` the machine."""
    host, ident, pid = (record.get(key) for key in ("host", "ident", "pid"))
    if not (clock and isinstance(host, str) and isinstance(ident, str) and match_plain_name(ident)):
        return ""
    return f"{clock} {host} {ident}{f'[{pid}]' if pid else ''}: {message}"


def _format_reading(record: Record, style: RecordStyle | None) -> str:
    record = flatten_record(record)
    writer = style.writer if style else None
    message_key = first_filled_key(record, MESSAGE_FIELDS) or next((key for key in MESSAGE_FIELDS if key in record), "")
    if not message_key and writer and writer.key in record:
        message_key = writer.text_key
    text = record.get(message_key)
    if text is None and message_key:
        text = ""
    if not isinstance(text, str):
        return ""
    clock, clock_key = find_time(record)
    level, level_key = find_level(record)
    message, origin = text.rstrip("\n"), ""
    if not (style is not None and style.is_labelled):
        origin = origin_prefix(record) or (writer.prefix_of(record) if writer else "")
    has_level = bool(level) and not (style is not None and style.needs_time)
    is_of_writer = bool(origin) and style is not None and (style.is_named or writer is not None)
    if not clock and not has_level and not is_of_writer:
        return ""
    if line := _format_syslog(record, clock, message):
        return line
    is_relayed = style is not None and style.is_relayed_line(level, message)
    is_raw = message_key in RAW_LINE_FIELDS
    if is_relayed or is_raw or (message[:1] in "0123456789IWEF[" and read_line(message).formats):
        # A collector passed on another program's line: the level says at most that the line came from stderr.
        level = ""
    used_keys = {clock_key, level_key, message_key, writer.key if writer else ""}
    if not level:
        # A relayed line may continue the one before it (a traceback), so it must not look like a record of its own. The
        # prefix of a container runtime states nothing but the time.
        used_keys |= SHIPPER_FIELDS
        clock = f"{clock} stderr F" if _ZONED(clock) else clock
    head, head_keys = _format_head(record, clock, level)
    extra_fields = "" if is_relayed or is_raw else _format_extra_fields(record, used_keys | head_keys)
    return origin + head + message + extra_fields + exception_text(record, message)


def _format_head(record: Record, clock: str, level: str) -> tuple[str, set[str]]:
    """Return time, level and logger as Python's logging writes them, and the keys of the fields used."""
    head = f"{clock} " if clock else ""
    if not level:
        return head, set()
    key = first_filled_key(record, LOGGER_FIELDS)
    logger = record.get(key)
    if isinstance(logger, str) and match_plain_name(logger):
        return head + (f"{level} {logger}: " if clock else f"{level}:{logger}:"), {key}
    return head + (f"{level} - " if clock else f"{level}: "), set()


def _format_extra_fields(record: Record, used_keys: set[str]) -> str:
    extras: list[str] = []
    for key, value in record.items():
        if len(extras) == MAX_EXTRA_FIELDS:
            break
        if (
            key not in used_keys
            and key not in OMITTED_FIELDS
            and not key.startswith("gl2_")
            and value not in (None, "")
            and not isinstance(value, dict | list)
        ):
            extras.append(f" {key}={_quote(str(value)[:MAX_EXTRA_CHARS])}")
    return "".join(extras)


def _quote(value: str) -> str:
    """Return a value in logfmt: in quotes if it has blanks or quotes. A text of several lines stays unchanged."""
    if "\n" in value or not _NEEDS_QUOTES(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
