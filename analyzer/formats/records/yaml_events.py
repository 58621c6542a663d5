"""Convert events of Kubernetes in YAML into the plain lines of `kubectl get events`.

    apiVersion: v1                                  - apiVersion: v1
    items:                                            involvedObject: {kind: Pod, name: w-0}
    - involvedObject: {kind: Pod, name: w-0} ..       reason: Evicted ..

The plain line of an event is where the event begins. Other objects of the list are passed on unchanged.
"""

from __future__ import annotations

import re

from analyzer.formats.records.head_lines import head_lines
from analyzer.formats.records.json_logger import format_logger_record
from analyzer.formats.records.line_by_line import split_at_line_feeds
from analyzer.untrusted.documents import MalformedError, read_yaml

MAX_HEAD_LINES = 400
MAX_EVENT_LINES = 2000  # a longer object is passed on as it is
_ITEM_START = re.compile(rb"( {0,4})- \S")
_OBJECT_KEY = re.compile(rb" {0,6}(?:- )?(?:involvedObject|regarding):\s{0,8}(?:\{|$)", re.M)
_KIND_LINE = re.compile(rb" {0,6}(?:- )?kind: Event(?:List)?\s*$", re.M)


def find_event_indent(head: bytes) -> int | None:
    """Return the indentation of the items in a list of events; None if the file is not such a list."""
    if b"involvedObject" not in head and b"regarding" not in head:  # faster than the pattern, and few files have them
        return None
    if not (_OBJECT_KEY.search(head) and _KIND_LINE.search(head)):
        return None
    starts = (_ITEM_START.match(line) for line in head_lines(head)[:MAX_HEAD_LINES])
    return next((len(start[1]) for start in starts if start), None)


class YamlEventsConverter:
    """A `LineConverter` of the items of a list."""

    name = "kubernetes-events"

    def __init__(self, indent: int) -> None:
        self._item_start = b" " * indent + b"- "
        self._inner = b" " * (indent + 1)
        self._item: list[bytes] = []  # the lines of the item that is being read

    def convert(self, lines: bytes) -> bytes:
        return b"".join(map(self._add_line, split_at_line_feeds(lines)))

    def finish(self) -> bytes:
        return self._take_item()

    def note(self) -> str:
        return ""

    def _add_line(self, line: bytes) -> bytes:
        if line.startswith(self._item_start):
            item = self._take_item()
            self._item.append(line)
            return item
        is_inner = line.startswith(self._inner) or not line.strip()
        if self._item and is_inner and len(self._item) < MAX_EVENT_LINES:
            self._item.append(line)
            return b""
        return self._take_item() + line

    def _take_item(self) -> bytes:
        """Return the item as a line of `kubectl get events` with blank lines after it, if it is an event."""
        item, self._item = b"".join(self._item), []
        if not _OBJECT_KEY.search(item):
            return item
        try:
            [[event]] = ([*value] for value in read_yaml(item.decode("utf-8", "replace")) if isinstance(value, list))
        except (MalformedError, ValueError):
            return item
        line = format_logger_record(event) if isinstance(event, dict) else ""
        return line.replace("\r", "").replace("\n", "\r").encode() + b"\n" * item.count(b"\n") if line else item
