"""An array of records, as JSON loggers and log services of clouds write it, made into plain lines.

    [{"timestamp": "2026-11-21T05:10:06Z", "textPayload": "step 1", "resource": {..}}, ..]   gcloud logging read
    {"events": [{"timestamp": 1795237806000, "message": "step 1", ..}, ..], ..}              aws logs get-log-events
    {"apiVersion": "v1", "items": [{"kind": "Event", ..}, ..], ..}                           kubectl get events -o json
    {"took": 5, .., "hits": {"total": {..}, "hits": [{"_source": {..}}, ..]}}                a search of Elasticsearch

These tools may print a record over many lines; its plain line stands where the record begins.
"""

from __future__ import annotations

import json
import re

from analyzer.formats.records.json_lines import format_record, record_kind
from analyzer.formats.records.json_logger import RecordStyle

MAX_RECORD_CHARS = 1 << 20  # a longer record is passed on as it is
_ARRAY_START = re.compile(
    r'\s*(?:\{\s*(?:"(?:apiVersion|kind)":\s*"\w{1,40}",\s*){0,2}"(?:events|entries|items|results|logs|records|data)":\s*'
    r'|\{[^\[\]]{0,1000}?"hits":\s*\{[^\[\]]{0,500}?"hits":\s*)?\[\s*(?=\{)'
)
_SEPARATOR = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


def is_json_array(head: bytes) -> bool:
    """Whether the file is an array whose first element is a log record."""
    text = head.decode("utf-8", "replace")
    array_start = _ARRAY_START.match(text)
    record = _read_object(text, array_start.end())[0] if array_start else None
    return record is not None and record_kind(record) is not None


class JsonArrayConverter:
    """A `LineConverter` of one array of records; what follows the array is passed on as it is."""

    name = "json-array"

    def __init__(self, style: RecordStyle | None = None) -> None:
        self._unread_text = ""
        self._style = style or RecordStyle()
        self._in_array = self._array_ended = self._ended_without_line_feed = False
        self._unconverted = 0

    def convert(self, lines: bytes) -> bytes:
        """Return the records of these lines, one a line; an unfinished record waits for the next call."""
        if self._array_ended:
            return lines.decode("utf-8", "replace").encode("utf-8")  # the same replacement as within the array
        text, self._unread_text, at = self._unread_text + lines.decode("utf-8", "replace"), "", 0
        output: list[str] = []
        if not self._in_array:
            if (array_start := _ARRAY_START.match(text)) is None:  # the beginning of the array is not complete
                self._unread_text = text
                return b""
            at, self._in_array = array_start.end(), True
            output.append("\n" * text.count("\n", 0, at))
        while at < len(text):
            if (end := self._convert_next_record(text, at, output)) is None:
                self._unread_text = text[at:]
                break
            at = end
        return "".join(output).encode("utf-8", "replace")

    def _convert_next_record(self, text: str, at: int, output: list[str]) -> int | None:
        """Append what stands before the next record, and the record. Return where it ends; None if it is incomplete."""
        gap = _SEPARATOR.match(text, at)
        begin = gap.end() if gap else at
        record, end = _read_object(text, begin)
        if record is None and text[begin : begin + 1] in ("{", "") and len(text) - at < MAX_RECORD_CHARS:
            return None
        line_break = "\r" if self._ended_without_line_feed and "\n" not in text[at:begin] else ""
        output.append("\n" * text.count("\n", at, begin) or line_break)
        if record is None:  # the end of the array, or something else than an object
            self._array_ended = text[begin] != "{"
            self._unconverted += not self._array_ended
            output.append(text[begin:])
            return len(text)
        line = format_record(record, self._style).replace("\r\n", "\r").replace("\n", "\r")
        self._unconverted += not line
        self._ended_without_line_feed = "\n" not in text[begin:end]
        output.append(line + "\n" * text.count("\n", begin, end) if line else text[begin:end])
        return end

    def finish(self) -> bytes:
        rest, self._unread_text = self._unread_text, ""
        return rest.encode("utf-8", "replace")

    def note(self) -> str:
        return (
            f"{self._unconverted} elements of the array are not log records; they were read as text."
            if self._unconverted
            else ""
        )


def _read_object(text: str, at: int) -> tuple[dict[str, object] | None, int]:
    """Return the object that begins at `at` and where it ends; (None, 0) for an incomplete or broken one."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, 0
    return (value, end) if isinstance(value, dict) else (None, 0)
