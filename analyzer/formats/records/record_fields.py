"""The fields of a record, taken out of the objects that loggers and services put them in."""

from __future__ import annotations

from collections.abc import Mapping

Record = Mapping[str, object]

MESSAGE_FIELDS = (
    "msg", "message", "event", "textPayload", "log", "MESSAGE", "text", "line", "_raw",
    "@message", "LogEntry", "LogMessage",
)  # fmt: skip
# These hold the record in a search of Elasticsearch, Splunk, Datadog and Graylog.
SEARCH_RESULT_FIELDS = ("_source", "result", "attributes", "message")
TAG_FIELDS = {"pod_name": "pod_name", "kube_node": "node_name", "container_name": "containerName"}  # Datadog's → ours
MAX_TAGS = 200
EVENT_TIME_FIELDS = ("lastTimestamp", "eventTime", "deprecatedLastTimestamp", "firstTimestamp")  # of Kubernetes' events


def flatten_record(record: Record) -> Record:
    """Return the record with all fields side by side.

    loguru puts them in `record`, Cloud Logging in `jsonPayload`, and an exported search in an object of its own. ECS
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
            return flatten_record({**_read_tags(source.get("tags")), **source})
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


def _read_tags(tags: object) -> dict[str, str]:
    """Return what tags such as `pod_name:w-0` say of the writer."""
    texts = [text for text in tags if isinstance(text, str)] if isinstance(tags, list) else []
    pairs = (text.partition(":") for text in texts[:MAX_TAGS])
    return {TAG_FIELDS[key]: value for key, _, value in pairs if key in TAG_FIELDS}


def _flatten_kubernetes_event(record: Record, event_object: Record) -> Record:
    """Return a Kubernetes event as `kubectl get events` prints it."""
    clock = next((record[key] for key in EVENT_TIME_FIELDS if record.get(key)), None)
    message = record.get("message", record.get("note"))
    object_name = f"{str(event_object.get('kind', '')).lower()}/{event_object.get('name', '')}"
    return {"time": clock, "line": f"{record.get('type', '')}   {record.get('reason', '')}   {object_name}   {message}"}


def first_filled_key(record: Record, keys: tuple[str, ...]) -> str:
    """Return the first of the keys that has a value in the record; empty if none has."""
    for key in keys:
        if key in record and record[key] not in (None, ""):
            return key
    return ""
