"""Convert a JSON document with log records, such as a log service's answer to a search, into plain lines.

    [{"timestamp": "2026-11-21T05:10:06Z", "textPayload": "step 1", "resource": {..}}, ..]   gcloud logging read
    {"events": [{"timestamp": 1795237806000, "message": "step 1", ..}, ..], ..}              aws logs get-log-events
    {"apiVersion": "v1", "items": [{"kind": "Event", ..}, ..], ..}                           kubectl get events -o json
    {"took": 5, .., "hits": {"total": {..}, "hits": [{"_source": {..}}, ..]}}                a search of Elasticsearch
    {"status": "success", "data": {"result": [{"stream": {..}, "values": [[..], ..]}, ..]}}  a query of Loki
    {"tables": [{"columns": [..], "rows": [[..], ..]}]}                                      Azure Log Analytics

Records are found by their shape (`json_shapes`), at any place. Arrays and objects around them are streamed and not held
in memory. A record may have many lines, or the whole document may be one line: the plain line of a record is where the
record begins. Other elements of arrays are passed on unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from analyzer.formats.records.json_lines import format_record, record_kind
from analyzer.formats.records.json_logger import RecordStyle
from analyzer.formats.records.json_shapes import MAX_DEPTH, Surroundings, holds_records, record_of_list
from analyzer.untrusted.documents import make_json_decoder

MAX_RECORD_CHARS = 1 << 20  # a longer record is passed on as it is
MAX_FIELD_CHARS = 1 << 16  # of a field of an object that is not a record; a longer one is streamed
MAX_KEY_CHARS = 4096
MAX_FIELDS = 1000  # of an object that are kept as labels
_SEPARATOR = re.compile(r"[\s,]*")
_KEY = re.compile(r'"((?:[^"\\]|\\.){0,300})"\s{0,1000}:\s{0,1000}', re.DOTALL)
_DECODER = make_json_decoder()


def is_json_document(head: bytes) -> bool:
    """Return whether the file is a document with log records, or has records of several lines each."""
    if head.lstrip()[:1] not in (b"{", b"["):
        return False
    return JsonDocumentConverter(max_wait_chars=0).has_only_documents(head)


def has_labelled_streams(head: bytes) -> bool:
    """Return whether the document lists the records of each stream separately, beside the labels of the stream."""
    converter = JsonDocumentConverter(max_wait_chars=0)
    converter.convert(head)
    return converter.has_labels


@dataclass(slots=True)
class _Container:
    """An array or object that is being streamed.

    `fields` are the fields of an object that were read so far. `around` are the fields of the objects around an array.
    """

    is_array: bool
    fields: dict[str, object] = field(default_factory=dict)
    around: Surroundings = field(default_factory=Surroundings)


class JsonDocumentConverter:
    """A `LineConverter` of consecutive documents. Text that is not JSON is passed on unchanged."""

    name = "json-document"

    def __init__(self, style: RecordStyle | None = None, max_wait_chars: int = MAX_RECORD_CHARS) -> None:
        """Make a converter. It streams a value if its first `max_wait_chars` characters do not contain its end."""
        self.record_count = 0
        self.has_record_lines = False  # records outside any array, one per line
        self.has_labels = False  # beside the records of a stream
        self._style = style or RecordStyle()
        self._style.needs_time = True
        self._max_wait_chars = max_wait_chars
        self._unread_text = ""
        self._open: list[_Container] = []
        self._is_broken = False
        self._is_line_begun = False
        self._unconverted = 0

    def convert(self, lines: bytes) -> bytes:
        """Return the records of these lines, one per line. An unfinished record waits for the next call."""
        output: list[str] = []
        self._unread_text = self._convert_text(self._unread_text + lines.decode("utf-8", "replace"), output)
        return "".join(output).encode("utf-8", "replace")

    def has_only_documents(self, head: bytes) -> bool:
        """Return whether these bytes have records and none of them is on a separate line."""
        text, output = head.decode("utf-8", "replace"), list[str]()
        at: int | None = 0
        while at is not None and at < len(text) and not self.has_record_lines:
            at = self._convert_next(text, at, output)
        return self.record_count > 0 and not self.has_record_lines

    def finish(self) -> bytes:
        """Return the records of a document that ends too early, and the remaining text unchanged."""
        output: list[str] = []
        self._max_wait_chars = 0
        self._unread_text = self._convert_text(self._unread_text, output)
        self._emit(self._unread_text, output)
        return "".join(output).encode("utf-8", "replace")

    def _convert_text(self, text: str, output: list[str]) -> str:
        """Convert the complete part, and return the rest."""
        at = 0
        while at < len(text):
            end = self._convert_next(text, at, output)
            if end is None:
                return text[at:]
            at = end
        return ""

    @property
    def ends_complete(self) -> bool:
        """Whether the document is complete."""
        return not (self._open or self._unread_text or self._is_broken)

    def note(self) -> str:
        return (
            f"{self._unconverted} elements of the array are not log records; they were read as text."
            if self._unconverted
            else ""
        )

    def _convert_next(self, text: str, at: int, output: list[str]) -> int | None:
        """Convert the value at `at` and return its end; None if the value is not complete in the text."""
        if self._is_broken:
            self._emit(text[at:], output)
            return len(text)
        gap = _SEPARATOR.match(text, at)
        begin = gap.end() if gap else at
        self._skip(text, at, begin, output)
        if begin > at:
            return begin
        char = text[begin]
        if self._open and char == ("]" if self._open[-1].is_array else "}"):
            self._open.pop()
            return begin + 1
        if not self._open or self._open[-1].is_array:
            return self._convert_element(text, begin, output)
        return self._convert_field(text, begin, output)

    def _convert_element(self, text: str, begin: int, output: list[str]) -> int | None:
        """Convert a document, or an element of an array."""
        value, end = _decode(text, begin)
        if end - begin > (MAX_RECORD_CHARS if self._open else MAX_FIELD_CHARS):
            return self._enter(text, begin, output)
        if not end:
            return self._enter_or_wait(text, begin, output)
        around = self._open[-1].around if self._open else Surroundings()
        if line := self._format_element(value, around):
            self.record_count += 1
            self.has_record_lines |= not self._open and "\n" not in text[begin:end]
            self._emit(line.replace("\r\n", "\r").replace("\n", "\r"), output)
            self._skip(text, begin, end, output)
        elif holds_records(value, around) or (not self._open and text[begin] in "{["):
            return self._enter(text, begin, output)
        else:
            self._unconverted += 1
            self._emit(text[begin:end], output)
        return end

    def _format_element(self, value: object, around: Surroundings) -> str:
        """Return a record as a line; empty if the value is not a record."""
        if isinstance(value, dict):
            if not self._open and record_kind(value) is None:
                return ""
            return format_record({**around.origin, **value} if around.origin else value, self._style)
        record = record_of_list(value, around) if isinstance(value, list) else None
        self.has_labels |= record is not None and "labels" in record
        return format_record(record, self._style) if record else ""

    def _convert_field(self, text: str, begin: int, output: list[str]) -> int | None:
        """Convert a member of an object: stream its value, or keep it for the records after it."""
        key = _KEY.match(text, begin)
        if key is None:
            return None if len(text) - begin < MAX_KEY_CHARS else self._give_up(text, begin, output)
        fields = self._open[-1].fields
        value, end = _decode(text, key.end())
        if not end or (end == len(text) and not isinstance(value, dict | list | str)):  # more digits may follow
            entered = self._enter_or_wait(text, key.end(), output)
        elif end - begin > MAX_FIELD_CHARS or holds_records(value, Surroundings.of_objects([fields])):
            entered = self._enter(text, key.end(), output)
        else:
            if len(fields) < MAX_FIELDS:
                fields[key[1]] = value
            if self.record_count and not isinstance(value, dict | list):
                self._emit(text[begin:end], output)
            else:
                self._skip(text, begin, end, output)
            return end
        if entered is not None:
            self._skip(text, begin, key.end(), output)
        return entered

    def _enter_or_wait(self, text: str, begin: int, output: list[str]) -> int | None:
        """Stream a value whose end is not in the text, or return None to wait for more of a short one."""
        limit = MAX_RECORD_CHARS if self._open and self._open[-1].is_array else MAX_FIELD_CHARS
        return None if len(text) - begin <= min(limit, self._max_wait_chars) else self._enter(text, begin, output)

    def _enter(self, text: str, begin: int, output: list[str]) -> int:
        if text[begin : begin + 1] not in ("{", "[") or len(self._open) >= MAX_DEPTH:
            return self._give_up(text, begin, output)
        is_array = text[begin] == "["
        around = [container.fields for container in self._open if not container.is_array] if is_array else []
        self._open.append(_Container(is_array, around=Surroundings.of_objects(around)))
        return begin + 1

    def _give_up(self, text: str, begin: int, output: list[str]) -> int:
        self._is_broken = True
        self._unconverted += 1
        self._emit(text[begin:], output)
        return len(text)

    def _emit(self, text: str, output: list[str]) -> None:
        """Append text to the output. On a line that has text already, it becomes a new segment."""
        if text:
            output.append("\r" + text if self._is_line_begun else text)
            self._is_line_begun = not text.endswith("\n")

    def _skip(self, text: str, begin: int, end: int, output: list[str]) -> None:
        """Append only the line feeds of a text that is dropped."""
        if line_feeds := text.count("\n", begin, end):
            output.append("\n" * line_feeds)
            self._is_line_begun = False


def _decode(text: str, at: int) -> tuple[object, int]:
    """Return the value at `at` and its end; (None, 0) for an incomplete or invalid value."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, 0
