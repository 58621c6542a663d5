"""Records of a JSON logger or a cloud's log service in one array, as plain lines, each where its record begins.

    [{"timestamp": "2026-11-21T05:10:06Z", "textPayload": "step 1", "resource": {..}}, ..]   gcloud logging read
    {"events": [{"timestamp": 1795237806000, "message": "step 1", ..}, ..], ..}              aws logs get-log-events
    {"apiVersion": "v1", "items": [{"kind": "Event", ..}, ..], ..}                           kubectl get events -o json
    {"took": 5, .., "hits": {"total": {..}, "hits": [{"_source": {..}}, ..]}}                a search of Elasticsearch

A record may be spread over many lines, as these tools print it.
"""

from __future__ import annotations

import json
import re

from analyzer.formats.unwrap_json import record_kind, write_any
from analyzer.formats.unwrap_logger import Habit

LONGEST_RECORD = 1 << 20  # characters; a longer one goes through as it is
_OPENS = re.compile(
    r'\s*(?:\{\s*(?:"(?:apiVersion|kind)":\s*"\w{1,40}",\s*){0,2}"(?:events|entries|items|results|logs|records|data)":\s*'
    r'|\{[^\[\]]{0,1000}?"hits":\s*\{[^\[\]]{0,500}?"hits":\s*)?\[\s*(?=\{)'
)
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


def looks_like_array(head: bytes) -> bool:
    """Whether the file is an array whose first element is a log's record."""
    text = head.decode("utf-8", "replace")
    opens = _OPENS.match(text)
    record = _load(text, opens.end())[0] if opens else None
    return record is not None and record_kind(record) is not None


class ArrayReader:
    """A converter; see `unwrap.Converter`."""

    name = "json-array"

    def __init__(self) -> None:
        self._rest = ""
        self._habit = Habit()
        self._begun = self._over = self._said = False
        self._raw = 0

    def convert(self, lines: bytes) -> bytes:
        if self._over:
            return lines.decode("utf-8", "replace").encode("utf-8")  # as what stands beside the array's end
        text, self._rest, at = self._rest + lines.decode("utf-8", "replace"), "", 0
        made: list[str] = []
        if not self._begun:
            if (opens := _OPENS.match(text)) is None:  # its first lines alone
                self._rest = text
                return b""
            at, self._begun = opens.end(), True
            made.append("\n" * text.count("\n", 0, at))
        while at < len(text):
            if (end := self._take(text, at, made)) is None:
                self._rest = text[at:]
                break
            at = end
        return "".join(made).encode("utf-8", "replace")

    def _take(self, text: str, at: int, made: list[str]) -> int | None:
        """Writes what stands before the next record, and the record; where it ends, or None where it is cut."""
        gap = _BETWEEN.match(text, at)
        begin = gap.end() if gap else at
        record, end = _load(text, begin)
        if record is None and text[begin : begin + 1] in ("{", "") and len(text) - at < LONGEST_RECORD:
            return None
        glued = "\r" if self._said and "\n" not in text[at:begin] else ""
        made.append("\n" * text.count("\n", at, begin) or glued)
        if record is None:  # the end of the array, or what is none
            self._over = text[begin] != "{"
            self._raw += not self._over
            made.append(text[begin:])
            return len(text)
        said = write_any(record, self._habit).replace("\r\n", "\r").replace("\n", "\r")
        self._raw += not said
        self._said = "\n" not in text[begin:end]
        made.append(said + "\n" * text.count("\n", begin, end) if said else text[begin:end])
        return end

    def finish(self) -> bytes:
        rest, self._rest = self._rest, ""
        return rest.encode("utf-8", "replace")

    def note(self) -> str:
        return (
            f"{self._raw} elements of the array are no records of a log; they were taken as text." if self._raw else ""
        )


def _load(text: str, at: int) -> tuple[dict[str, object] | None, int]:
    """The object that begins there and where it ends; (None, 0) for one that is cut or broken."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, 0
    return (value, end) if isinstance(value, dict) else (None, 0)
