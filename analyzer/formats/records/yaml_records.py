"""Convert log records as YAML documents, as `gcloud logging read` prints them, into plain lines.

    ---
    resource:
      labels: {pod_name: bert-worker-1}
    textPayload: step 1 loss 0.5
    timestamp: '2026-11-24T10:33:12.345Z'

The plain line of a record is where its document begins. Other documents are passed on unchanged.
"""

from __future__ import annotations

import re

from analyzer.formats.records.json_logger import RecordStyle, format_logger_record
from analyzer.formats.records.line_by_line import split_at_line_feeds
from analyzer.untrusted.documents import MalformedError, read_yaml

MIN_DOCUMENTS = 3
MAX_DOCUMENT_LINES = 2000  # a longer one is passed on as it is
_find_separators = re.compile(rb"^---\s*$", re.M).findall
_has_message = re.compile(rb"^(?:textPayload|jsonPayload|message|msg|log|line|text):", re.M).search
_has_time = re.compile(rb"^(?:timestamp|time|ts|receiveTimestamp|'@timestamp'|\"@timestamp\"):", re.M).search
_is_separator = re.compile(rb"---\s*$").match


def has_yaml_records(head: bytes) -> bool:
    """Return whether a file's head shows several documents with a message and a time each."""
    if head.count(b"---") < MIN_DOCUMENTS:  # faster than the patterns, and few files have so many
        return False
    return (
        len(_find_separators(head)) >= MIN_DOCUMENTS
        and _has_message(head) is not None
        and _has_time(head) is not None
        and not head.lstrip().startswith(b"apiVersion")
    )


class YamlRecordsConverter:
    """A `LineConverter` of a stream of documents."""

    name = "yaml-records"

    def __init__(self, style: RecordStyle) -> None:
        self._style = style
        self._lines: list[bytes] = []  # of the current document, the separator first

    def convert(self, lines: bytes) -> bytes:
        return b"".join(map(self._add_line, split_at_line_feeds(lines)))

    def finish(self) -> bytes:
        return self._take_document()

    def note(self) -> str:
        return ""

    def _add_line(self, line: bytes) -> bytes:
        document = b""
        if _is_separator(line) or len(self._lines) >= MAX_DOCUMENT_LINES:
            document = self._take_document()
        self._lines.append(line)
        return document

    def _take_document(self) -> bytes:
        """Return the document as one line with empty lines after it, if it is a record."""
        text, self._lines = b"".join(self._lines), []
        try:
            documents = list(read_yaml(text.decode("utf-8", "replace")))
        except MalformedError:
            return text
        record = documents[0] if len(documents) == 1 else None
        line = format_logger_record(record, self._style) if isinstance(record, dict) else ""
        if not line:
            return text
        ends = text.count(b"\n")
        return line.replace("\r", "").replace("\n", "\r").encode("utf-8", "replace") + b"\n" * ends
