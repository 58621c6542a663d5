"""A record of a JSON logger, or of a container's log driver, as a plain line.

    2026-11-21T05:10:06.500000+00:00 ERROR train: step failed step=12 rank=3

Fields that have no place in a line follow the message as key=value; a traceback follows behind line breaks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from analyzer.formats import read_line
from analyzer.formats.unwrap_failure import FAILURES, failure_of
from analyzer.formats.unwrap_moment import clock_of, level_of
from analyzer.formats.unwrap_place import NAME, STREAMS, host_of, pod_of
from analyzer.formats.unwrap_record import MESSAGES, Record, first_of, flatten

LOGGERS = ("logger", "name", "logger_name", "log.logger", "component", "module", "logName")
# What says where in the code a line was written, or repeats another field: nothing that a line needs.
DULL = {
    "insertId", "labels", "resource", "caller", "filename", "pathname", "lineno", "funcName", "func", "function",
    "file", "line", "process", "processName", "thread", "threadName", "thread_name", "msecs", "relativeCreated",
    "created", "args", "v", "taskName", "stream", "levelno", "level", "logName", "receiveTimestamp", "@version",
    "source_location", "color_message", "_p", "flags", "ingestionTime", "eventId", "logGroupName", "logGroup", *STREAMS,
}  # fmt: skip
COLLECTED = ("log", "textPayload", "line", "_raw")  # where collectors put a line as they read it
# What shippers put beside a line that they pass on.
SHIPPING = {
    "host", "hostname", "host_name", "node_name", "agent", "source", "sourcetype", "source_type", "tag", "offset",
    "index", "input", "container", "container_id", "container_name", "pod", "pod_name", "namespace", "cluster", "ecs",
    "_index", "_id", "type",
}  # fmt: skip
MOST_EXTRAS = 16
LONGEST_EXTRA = 200

DULL.update(FAILURES)

_ZONED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)").fullmatch


@dataclass(slots=True)
class Habit:
    """How a file's records are made. What splits a program's output at line feeds and makes a record of each line (GKE,
    Vertex AI) gives all of them one level, and a record that is the head of a traceback alone."""

    levels: set[str] = field(default_factory=set)
    split: bool = False

    def passes_on(self, level: str, message: str) -> bool:
        """Whether the record is a line that was passed on, of which its level says nothing."""
        if len(self.levels) < 2:
            self.levels.add(level)
        self.split = self.split or message == "Traceback (most recent call last):"
        return self.split and len(self.levels) == 1


def write_record(record: Record, habit: Habit | None = None) -> str:
    """The record as a line; '' if without a message, or without both time and level: other data that is JSON."""
    record = flatten(record)
    message_key = first_of(record, MESSAGES)
    text = record.get(message_key)
    if not isinstance(text, str):
        return ""
    clock, clock_key = clock_of(record)
    level, level_key = level_of(record)
    if not clock and not level:
        return ""
    message, pod = text.rstrip("\n"), pod_of(record) or host_of(record)
    split = habit is not None and habit.passes_on(level, message)
    if split or message_key in COLLECTED or (message[:1] in "0123456789IWEF[" and read_line(message).formats):
        # Somebody else's line as a collector passed it on: its level says at most that it came from stderr.
        level = ""
    used = {clock_key, level_key, message_key}
    if not level:
        # A line that only passed through may continue the one before it (a traceback), so it must not look like a
        # record of its own: a container runtime's prefix is known to say nothing but the time.
        used |= SHIPPING
        clock = f"{clock} stderr F" if _ZONED(clock) else clock
    head, named = _head(record, clock, level)
    return pod + head + message + _extras(record, used | named) + failure_of(record, message)


def _head(record: Record, clock: str, level: str) -> tuple[str, set[str]]:
    """Time, level and logger as Python's logging writes them, and the field that named the logger."""
    head = f"{clock} " if clock else ""
    if not level:
        return head, set()
    key = first_of(record, LOGGERS)
    logger = record.get(key)
    if isinstance(logger, str) and NAME(logger):
        return head + (f"{level} {logger}: " if clock else f"{level}:{logger}:"), {key}
    return head + (f"{level} - " if clock else f"{level}: "), set()


def _extras(record: Record, used: set[str]) -> str:
    said: list[str] = []
    for key, value in record.items():
        if len(said) == MOST_EXTRAS:
            break
        if key not in used and key not in DULL and value not in (None, "") and not isinstance(value, dict | list):
            said.append(f" {key}={str(value)[:LONGEST_EXTRA]}")
    return "".join(said)
