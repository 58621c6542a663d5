"""A record of a JSON logger, or of a container's log driver, as a plain line.

    2026-11-21T05:10:06.500000+00:00 ERROR train: step failed step=12 rank=3

Fields that have no place in a line follow the message as key=value; a traceback follows behind line breaks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from analyzer.formats import read_line
from analyzer.formats.severity import WORDS
from analyzer.formats.stamps import ISO, read_epoch, read_iso

Record = Mapping[str, object]

TIMES = (
    "ts",
    "time",
    "timestamp",
    "asctime",
    "@timestamp",
    "datetime",
    "date",
    "eventTime",
    "receiveTimestamp",
    "t",
    "_time",
)
LEVELS = ("level", "levelname", "severity", "lvl", "log.level", "level_name", "levelno", "log_level")
LOGGERS = ("logger", "name", "logger_name", "log.logger", "component", "module", "logName")
MESSAGES = ("msg", "message", "event", "textPayload", "log", "MESSAGE", "text", "line", "_raw")
FAILURES = (
    "exc_info",
    "exception",
    "exc_text",
    "stack",
    "stack_trace",
    "stacktrace",
    "stack_info",
    "traceback",
    "error.stack_trace",
)
# What says where in the code a line was written, or repeats another field: nothing that a line needs.
DULL = {
    "insertId", "labels", "resource", "caller", "filename", "pathname", "lineno", "funcName", "func", "function",
    "file", "line", "process", "processName", "thread", "threadName", "thread_name", "msecs", "relativeCreated",
    "created", "args", "v", "taskName", "stream", "levelno", "level", "logName", "receiveTimestamp", "@version",
    "source_location", "color_message", "_p", "flags",
}  # fmt: skip
COLLECTED = ("log", "textPayload", "line", "_raw")  # where collectors put a line as they read it
# What shippers put beside a line that they pass on.
SHIPPING = {
    "host", "hostname", "host_name", "node_name", "agent", "source", "sourcetype", "source_type", "tag", "offset",
    "index", "input", "container", "container_id", "container_name", "pod", "pod_name", "namespace", "cluster", "ecs",
    "_index", "_id", "type",
}  # fmt: skip
FOUND = ("_source", "result", "attributes")  # records of Elasticsearch, Splunk and Datadog, in what a search exports
PLACES = ("pod_name", "task_name", "pod", "host", "hostname", "nodename", "node_name", "instance")  # labels of a line
EVENT_TIMES = ("lastTimestamp", "eventTime", "deprecatedLastTimestamp", "firstTimestamp")  # of Kubernetes' events
MOST_EXTRAS = 16
LONGEST_EXTRA = 200

PINO = {10: "TRACE", 20: "DEBUG", 30: "INFO", 40: "WARNING", 50: "ERROR", 60: "FATAL"}
PYTHON = {10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}

DULL.update(FAILURES)

_ISO_TIME = re.compile(ISO).fullmatch
_ZONED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)").fullmatch
_NAME = re.compile(r"[A-Za-z_][\w.<>$/@-]{0,119}").fullmatch


def is_docker(record: Record) -> bool:
    return "log" in record and "time" in record and "stream" in record and "kubernetes" not in record


def write_docker(record: Record) -> str:
    """Docker's json-file as a CRI line, and of which machine a shipper says that it is; a record without a line feed at
    its end is a piece of a longer line.
    """
    log = str(record["log"])
    whole = log.endswith("\n") or len(log) < 16000  # dockerd cuts at 16 KiB; a program's last line may lack its end
    clock = str(record["time"]).strip().replace("\n", " ")
    stream = "stdout" if record["stream"] == "stdout" else "stderr"
    return (
        _host(record)
        + f"{clock} {stream} {'F' if whole else 'P'} {log.rstrip(chr(10)).rstrip(chr(13)) if whole else log}"
    )


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
    record = _flatten(record)
    message_key = _first(record, MESSAGES)
    text = record.get(message_key)
    if not isinstance(text, str):
        return ""
    clock, clock_key = _clock(record)
    level, level_key = _level(record)
    if not clock and not level:
        return ""
    message, pod = text.rstrip("\n"), _pod(record) or _host(record)
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
    head = f"{clock} " if clock else ""
    if level:
        logger_key = _first(record, LOGGERS)
        logger = record.get(logger_key)
        if isinstance(logger, str) and _NAME(logger):
            used.add(logger_key)
            head += f"{level} {logger}: " if clock else f"{level}:{logger}:"
        else:
            head += f"{level} - " if clock else f"{level}: "
    return pod + head + message + _extras(record, used) + _failure(record, message)


def _flatten(record: Record) -> Record:
    """loguru's `record`, Cloud Logging's `jsonPayload` and a search's records hold the fields; ECS writes `log.level`
    as an object, too.
    """
    inner = record.get("record")
    if isinstance(inner, dict) and "message" in inner and isinstance(record.get("text"), str):
        time, level, text = inner.get("time"), inner.get("level"), str(record["text"])
        begin = text.find("Traceback (most recent call last)")
        return {
            "ts": time.get("timestamp") if isinstance(time, dict) else None,
            "level": level.get("name") if isinstance(level, dict) else None,
            "name": inner.get("name"),
            "message": inner["message"],
            "exception": text[begin:] if begin >= 0 else None,
        }
    if isinstance(who := record.get("involvedObject", record.get("regarding")), dict):
        return _tell_event(record, who)
    for key in FOUND:
        if isinstance(source := record.get(key), dict) and _first(source, MESSAGES):
            return _flatten(source)
    payload = record.get("jsonPayload")
    if isinstance(payload, dict):
        return {**payload, **{key: value for key, value in record.items() if key != "jsonPayload"}}
    nested = record.get("log")
    if isinstance(nested, dict):
        return {
            **{key: value for key, value in record.items() if key != "log"},
            **{f"log.{key}": nested[key] for key in nested},
        }
    return record


def _tell_event(record: Record, who: Record) -> Record:
    """One of Kubernetes' events as `kubectl get events` prints it."""
    clock = next((record[key] for key in EVENT_TIMES if record.get(key)), None)
    said = record.get("message", record.get("note"))
    named = f"{str(who.get('kind', '')).lower()}/{who.get('name', '')}"
    return {"time": clock, "line": f"{record.get('type', '')}   {record.get('reason', '')}   {named}   {said}"}


def _first(record: Record, keys: tuple[str, ...]) -> str:
    for key in keys:
        if key in record and record[key] not in (None, ""):
            return key
    return ""


def _clock(record: Record) -> tuple[str, str]:
    """The first of the time fields that is a time, as ISO 8601, and its key."""
    for key in TIMES:
        if key in record and (text := _write_time(record[key])):
            return text, key
    return "", ""


def _write_time(value: object) -> str:
    if isinstance(value, dict) and isinstance(value.get("seconds"), int | str):  # a protobuf Timestamp
        value = value["seconds"]
    if isinstance(value, str) and _ISO_TIME(value.strip()):
        text = value.strip()
        return text if read_iso(text) else ""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return ""
    stamp = read_epoch(value)
    if stamp is None or not math.isfinite(stamp.value):
        return ""
    return datetime.fromtimestamp(stamp.value, UTC).isoformat(timespec="microseconds")


def _level(record: Record) -> tuple[str, str]:
    for key in LEVELS:
        value = record.get(key)
        if isinstance(value, str) and value.lower() in WORDS:
            return WORDS[value.lower()].name.replace("FATAL", "CRITICAL"), key
        if isinstance(value, int) and not isinstance(value, bool):
            table = PINO if "hostname" in record and "pid" in record else PYTHON
            if value in table:
                return table[value], key
    return "", ""


def _pod(record: Record) -> str:
    """kubectl's prefix for the pod that a collector (fluent-bit, Cloud Logging, Loki) says the line is from, or the
    task of a training service (`workerpool1-0` of Vertex AI).
    """
    place = record.get("kubernetes")
    if not isinstance(place, dict):
        resource = record.get("resource")
        place = resource.get("labels") if isinstance(resource, dict) else None
    if not isinstance(place, dict):
        place = record.get("labels") if "line" in record else None  # logcli --output=jsonl
    if not isinstance(place, dict):
        return ""
    pod = next((place[key] for key in PLACES if key in place), None)
    container = place.get("container_name", place.get("container"))
    if not isinstance(pod, str) or not _NAME(pod):
        return ""
    return f"[pod/{pod}/{container if isinstance(container, str) else '-'}] "


def _host(record: Record) -> str:
    """The same prefix for the machine that a shipper (filebeat, vector, CloudWatch's agent) names beside the line, or
    for the container that Docker's fluentd driver does.
    """
    for key in ("host", "hostname", "host_name", "node_name", "agent", "container_name"):
        place = record.get(key)
        name = (place.get("name") or place.get("hostname")) if isinstance(place, dict) else place
        if isinstance(name, str) and _NAME(name := name.removeprefix("/")):
            return f"[pod/{name}/-] "
    return ""


def _extras(record: Record, used: set[str]) -> str:
    said: list[str] = []
    for key, value in record.items():
        if len(said) == MOST_EXTRAS:
            break
        if key not in used and key not in DULL and value not in (None, "") and not isinstance(value, dict | list):
            said.append(f" {key}={str(value)[:LONGEST_EXTRA]}")
    return "".join(said)


def _failure(record: Record, message: str) -> str:
    for key in FAILURES:
        text = _write_failure(record.get(key))
        if text and text not in message:
            return "\n" + text
    return ""


def _write_failure(value: object) -> str:
    """A traceback as text: given so, as a list of lines, or as structlog's and loguru's objects."""
    if isinstance(value, str):
        return value.strip("\n")
    if isinstance(value, list):
        return "\n".join(filter(None, (_write_failure(each) for each in value)))
    if not isinstance(value, dict):
        return ""
    frames = value.get("frames")
    lines = [
        f'  File "{each.get("filename", "?")}", line {each.get("lineno", 0)}, in {each.get("name", "?")}'
        for each in (frames if isinstance(frames, list) else [])
        if isinstance(each, dict)
    ]
    kind, text = (
        value.get("exc_type") or value.get("type"),
        value.get("exc_value") or value.get("value") or value.get("message"),
    )
    if not kind:
        return ""
    return "\n".join(["Traceback (most recent call last):", *lines, f"{kind}: {text}"])
