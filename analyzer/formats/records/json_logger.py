"""A record of a JSON logger, or of a container's log driver, as a plain line.

    2026-11-21T05:10:06.500000+00:00 ERROR train: step failed step=12 rank=3

Fields that have no place in a line follow the message as key=value; a traceback follows behind line breaks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from analyzer.formats import read_line
from analyzer.formats.records.exception import EXCEPTION_FIELDS, exception_text
from analyzer.formats.records.origin import CLOUDWATCH_STREAM_FIELDS, host_prefix, match_plain_name, pod_prefix
from analyzer.formats.records.record_fields import MESSAGE_FIELDS, Record, first_filled_key, flatten_record
from analyzer.formats.records.time_and_level import find_level, find_time

LOGGER_FIELDS = ("logger", "name", "logger_name", "log.logger", "component", "module", "logName")
# What says where in the code a line was written, or repeats another field: nothing that a line needs.
OMITTED_FIELDS = {
    "insertId", "labels", "resource", "caller", "filename", "pathname", "lineno", "funcName", "func", "function",
    "file", "line", "process", "processName", "thread", "threadName", "thread_name", "msecs", "relativeCreated",
    "created", "args", "v", "taskName", "stream", "levelno", "level", "logName", "receiveTimestamp", "@version",
    "source_location", "color_message", "_p", "flags", "ingestionTime", "eventId", "logGroupName", "logGroup", *CLOUDWATCH_STREAM_FIELDS,
}  # fmt: skip
RAW_LINE_FIELDS = ("log", "textPayload", "line", "_raw")  # where collectors put a line as they read it
# What shippers put beside a line that they pass on.
SHIPPER_FIELDS = {
    "host", "hostname", "host_name", "node_name", "agent", "source", "sourcetype", "source_type", "tag", "offset",
    "index", "input", "container", "container_id", "container_name", "pod", "pod_name", "namespace", "cluster", "ecs",
    "_index", "_id", "type",
}  # fmt: skip
MAX_EXTRA_FIELDS = 16
MAX_EXTRA_CHARS = 200

OMITTED_FIELDS.update(EXCEPTION_FIELDS)

_ZONED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)").fullmatch


@dataclass(slots=True)
class RecordStyle:
    """How a file's records are made. What splits a program's output at line feeds and makes a record of each line (GKE,
    Vertex AI) gives all of them one level, and a record that is the head of a traceback alone."""

    levels: set[str] = field(default_factory=set)
    is_split: bool = False

    def is_relayed_line(self, level: str, message: str) -> bool:
        """Whether the record is a line that was passed on, of which its level says nothing."""
        if len(self.levels) < 2:
            self.levels.add(level)
        self.is_split = self.is_split or message == "Traceback (most recent call last):"
        return self.is_split and len(self.levels) == 1


def format_logger_record(record: Record, style: RecordStyle | None = None) -> str:
    """The record as a line; '' if without a message, or without both time and level: other data that is JSON."""
    record = flatten_record(record)
    message_key = first_filled_key(record, MESSAGE_FIELDS)
    text = record.get(message_key)
    if not isinstance(text, str):
        return ""
    clock, clock_key = find_time(record)
    level, level_key = find_level(record)
    if not clock and not level:
        return ""
    message, origin = text.rstrip("\n"), pod_prefix(record) or host_prefix(record)
    is_relayed = style is not None and style.is_relayed_line(level, message)
    if (
        is_relayed
        or message_key in RAW_LINE_FIELDS
        or (message[:1] in "0123456789IWEF[" and read_line(message).formats)
    ):
        # Somebody else's line as a collector passed it on: its level says at most that it came from stderr.
        level = ""
    used_keys = {clock_key, level_key, message_key}
    if not level:
        # A line that only passed through may continue the one before it (a traceback), so it must not look like a
        # record of its own: a container runtime's prefix is known to say nothing but the time.
        used_keys |= SHIPPER_FIELDS
        clock = f"{clock} stderr F" if _ZONED(clock) else clock
    head, head_keys = _format_head(record, clock, level)
    return (
        origin + head + message + _format_extra_fields(record, used_keys | head_keys) + exception_text(record, message)
    )


def _format_head(record: Record, clock: str, level: str) -> tuple[str, set[str]]:
    """Time, level and logger as Python's logging writes them, and the field that named the logger."""
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
            and value not in (None, "")
            and not isinstance(value, dict | list)
        ):
            extras.append(f" {key}={str(value)[:MAX_EXTRA_CHARS]}")
    return "".join(extras)
