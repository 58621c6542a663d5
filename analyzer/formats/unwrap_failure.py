"""The traceback that a record carries, as text behind its message."""

from __future__ import annotations

from analyzer.formats.unwrap_record import Record

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


def failure_of(record: Record, message: str) -> str:
    """The first that is given and that the message does not hold already, behind a line break."""
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
