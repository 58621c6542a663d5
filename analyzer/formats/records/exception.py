"""The traceback that a record carries, as text behind its message."""

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
    """The first that is given and that the message does not hold already, behind a line break."""
    for key in EXCEPTION_FIELDS:
        text = _format_exception(record.get(key))
        if text and text not in message:
            return "\n" + text
    return ""


def _format_exception(value: object) -> str:
    """A traceback as text: given so, as a list of lines, or as structlog's and loguru's objects."""
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
