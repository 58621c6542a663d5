"""Convert the traceback in the fields of a record into text after its message."""

from __future__ import annotations

from analyzer.formats.records.record_fields import Record

EXCEPTION_FIELDS = (
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


def exception_text(record: Record, message: str) -> str:
    """Return a line feed and the record's traceback; an empty text if there is none, or if the message has it."""
    if record.keys().isdisjoint(EXCEPTION_FIELDS):
        return ""
    for key in EXCEPTION_FIELDS:
        text = _format_exception(record.get(key))
        if text and text not in message:
            return "\n" + text
    return ""


def _format_exception(value: object) -> str:
    """Return a traceback as text. It may be a text, a list of lines, or an object of structlog or loguru."""
    if isinstance(value, str):
        return value.strip("\n")
    if isinstance(value, list):
        return "\n".join(filter(None, (_format_exception(frame) for frame in value)))
    if not isinstance(value, dict):
        return ""
    frames = value.get("frames")
    lines = [
        f'  File "{frame.get("filename", "?")}", line {frame.get("lineno", 0)}, in {frame.get("name", "?")}'
        for frame in (frames if isinstance(frames, list) else [])
        if isinstance(frame, dict)
    ]
    kind, text = (
        value.get("exc_type") or value.get("type"),
        value.get("exc_value") or value.get("value") or value.get("message"),
    )
    if not kind:
        return ""
    return "\n".join(["Traceback (most recent call last):", *lines, f"{kind}: {text}"])
