"""Extract the fields of a record from the objects in which loggers and services put them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping

from analyzer.formats.stamps import read_epoch, read_iso

Record = Mapping[str, object]

MESSAGE_FIELDS = (
    "msg", "message", "event", "textPayload", "log", "MESSAGE", "text", "line", "_raw",
    "@message", "LogEntry", "LogMessage",
)  # fmt: skip
# Fields with the record in a search result of Elasticsearch, Splunk, Datadog or Graylog.
SEARCH_RESULT_FIELDS = ("_source", "result", "attributes", "message")
TAG_FIELDS = {"pod_name": "pod_name", "kube_node": "node_name", "container_name": "containerName"}  # Datadog's → ours
MAX_TAGS = 200
RECORD_TIME_FIELDS = ("@timestamp", "timestamp", "time", "ts", "_time")
MAX_READINGS = 24  # of a record: the record itself and the objects in it, one of which has the message
# Other names of fields, in lower case and without separators → the usual name.
OTHER_NAMES = {
    **dict.fromkeys(
        ("body", "m", "content", "shortmessage", "fullmessage", "messagetext", "logmessage", "note", "message", "msg",
         "text", "line", "log", "txt", "logline", "rawlog", "data", "output"), "message",
    ),
    **dict.fromkeys(
        ("timestamp", "time", "datetime", "dt", "t", "when", "at", "tsms", "tsns", "epoch", "epochms", "timeunixnano",
         "timestampms", "timestampns", "eventtime", "logtime", "createdat", "loggedat", "observedtimestamp",
         "observedtimeunixnano"), "timestamp",
    ),
    **dict.fromkeys(
        ("level", "severity", "severitytext", "loglevel", "levelname", "sev", "lvl", "priority"), "level",
    ),
}  # fmt: skip
_TYPED_VALUE = ("stringValue", "string_value")  # of OpenTelemetry: {"body": {"stringValue": "step 1"}}
drop_separators = re.compile(r"[-_.@ ]").sub
# When a record was written: create_at of Mattermost, createdDateTime of Teams, origin_server_ts of Matrix.
# Its value must be an absolute time.
_is_time_of_writing = re.compile(
    r"(?i)(?:creat|post|sent|send|origin|writ|log|emit|publish|message|msg|rec)\w{0,20}?(?:time|date|stamp|ts|at)"
).fullmatch
EVENT_TIME_FIELDS = ("lastTimestamp", "eventTime", "deprecatedLastTimestamp", "firstTimestamp")  # of Kubernetes' events


def flatten_record(record: Record) -> Record:
    """Return the record with all fields on one level.

    loguru puts them in `record`, Cloud Logging in `jsonPayload`, and an exported search in a separate object. ECS
    may write `log.level` as an object `log`. An event of Kubernetes becomes its line of `kubectl get events`.
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
    if isinstance(event_object := record.get("involvedObject", record.get("regarding")), dict):
        return _flatten_kubernetes_event(record, event_object)
    for key in SEARCH_RESULT_FIELDS:
        source = record.get(key)
        if isinstance(source, dict) and not source.keys().isdisjoint(MESSAGE_FIELDS):
            times = {name: record[name] for name in RECORD_TIME_FIELDS if name in record}
            return flatten_record({**times, **_read_tags(source.get("tags")), **source})
    if isinstance(fields := record.get("fields"), dict) and "_index" in record:  # each field is a list of values
        return flatten_record({key: value[0] for key, value in fields.items() if isinstance(value, list) and value})
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


def other_readings(record: Record) -> Iterator[Record]:
    """Yield the record with the usual field names, then each object in it together with the fields around it.

    Custom loggers, exporters and shippers use many names for time and message, and for the objects around them. Outer
    objects come first. At most MAX_READINGS are tried, because the data may not be a log.
    """
    waiting = deque([record])
    for _ in range(MAX_READINGS):
        if not waiting:
            return
        renamed = _rename_fields(waiting.popleft())
        yield renamed
        objects = [(key, value) for key, value in renamed.items() if isinstance(value, dict) and value]
        for key, value in objects[: MAX_READINGS - len(waiting)]:
            around = {name: field for name, field in renamed.items() if name != key and name not in MESSAGE_FIELDS}
            waiting.append({**around, **value})


def _rename_fields(record: Record) -> Record:
    """Return the record with the usual field names; the same object if it has no others."""
    renamed: dict[str, object] = {}
    kept: dict[str, object] = {}
    for key, value in record.items():
        name = OTHER_NAMES.get(drop_separators("", key.lower()))
        typed = (
            next((value[kind] for kind in _TYPED_VALUE if kind in value), value) if isinstance(value, dict) else value
        )
        if name and name not in record and name not in renamed and isinstance(typed, str | int | float):
            renamed[name] = typed
        else:
            kept[key] = value
    if "timestamp" not in renamed and (key := _find_time_key(kept)):
        renamed["timestamp"] = kept.pop(key)
    return {**kept, **renamed} if renamed else record


def _find_time_key(record: Record) -> str:
    """Return the first key that says when the record was written, unless a usual key of times is there."""
    if not record.keys().isdisjoint(RECORD_TIME_FIELDS):
        return ""
    return next((key for key, value in record.items() if _is_time_of_writing(key) and _is_absolute_time(value)), "")


def _is_absolute_time(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return False
    return read_epoch(value) is not None or (isinstance(value, str) and read_iso(value) is not None)


def _read_tags(tags: object) -> dict[str, str]:
    """Return the facts about the writer in tags such as `pod_name:w-0`."""
    texts = [text for text in tags if isinstance(text, str)] if isinstance(tags, list) else []
    pairs = (text.partition(":") for text in texts[:MAX_TAGS])
    return {TAG_FIELDS[key]: value for key, _, value in pairs if key in TAG_FIELDS}


def _flatten_kubernetes_event(record: Record, event_object: Record) -> Record:
    """Return a Kubernetes event as `kubectl get events` prints it, with its own time, or else the record's."""
    clock = next((record[key] for key in EVENT_TIME_FIELDS if record.get(key)), None)
    around = {} if clock else {key: record[key] for key in RECORD_TIME_FIELDS if key in record}
    message = record.get("message", record.get("note"))
    object_name = f"{str(event_object.get('kind', '')).lower()}/{event_object.get('name', '')}"
    return {
        **around,
        "time": clock,
        "line": f"{record.get('type', '')}   {record.get('reason', '')}   {object_name}   {message}",
    }


def first_filled_key(record: Record, keys: tuple[str, ...]) -> str:
    """Return the first of the keys that has a value in the record; empty if none has."""
    for key in keys:
        if key in record and record[key] not in (None, ""):
            return key
    return ""
