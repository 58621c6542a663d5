"""Convert lines of key=value pairs that name their writer into plain lines, in the same form as JSON records.

t=2026-11-24T10:33:12Z host=gx-7 rank=1 msg="step 3 loss 0.5"                   logfmt
time:2026-11-24T10:33:12Z   host:gx-7   ident:kernel   message:oom-kill: …       LTSV (ltsv.org), between tabs
"""

from __future__ import annotations

import json
import re
from itertools import filterfalse, islice

from analyzer.formats.records.head_lines import whole_lines
from analyzer.formats.records.json_logger import RecordStyle, format_logger_record
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.record_fields import MESSAGE_FIELDS, first_filled_key
from analyzer.untrusted.documents import MalformedError, read_json

MIN_LINES = 12
MIN_TABBED_LINES = 2  # few, because no other format looks like LTSV
MIN_SHARE = 0.9  # of the lines
MAX_HEAD_LINES = 400
MAX_LINE_CHARS = 1 << 16
MIN_PAIRS = 3
_is_tabbed = re.compile(rb"(?:[A-Za-z_][\w.-]{0,40}:[^\t]{0,200}\t){2}[A-Za-z_][\w.-]{0,40}:").match
_begins_with_pairs = re.compile(rb"[A-Za-z_][\w.@-]{0,40}=\S{0,200} [A-Za-z_][\w.@-]{0,40}=").match
_find_pairs = re.compile(r'([A-Za-z_][\w.@-]{0,40})=(?:"((?:[^"\\]|\\.)*+)"|(\S*+))').finditer


def find_logfmt_style(head: bytes) -> RecordStyle | None:
    """Return the style of a file's records; None if its lines are not records, or do not name their writers."""
    lines = whole_lines(head)[:MAX_HEAD_LINES]
    are_tabbed = bool(lines) and _is_tabbed(lines[0]) is not None
    least = max(MIN_TABBED_LINES if are_tabbed else MIN_LINES, MIN_SHARE * len(lines))
    if len(lines) < least:
        return None
    others = filterfalse(_is_record, lines)
    if next(islice(others, int(len(lines) - least), None), None) is not None:
        return None  # nearly all files, after a few lines
    records = list(filter(_is_record, lines))
    as_json = "\n".join(json.dumps(_read_pairs(line)) for line in records)
    style = RecordStyle.of_head(as_json.encode())
    style.is_named = are_tabbed
    named = sum(_format(line, style).startswith("[") or b"\tident:" in line for line in records)
    return style if named >= MIN_SHARE * len(records) else None


def _is_record(line: bytes) -> bool:
    return (_is_tabbed(line) or _begins_with_pairs(line)) is not None


def _read_pairs(line: bytes) -> dict[str, object]:
    text = line[:MAX_LINE_CHARS].decode("utf-8", "replace")
    if _is_tabbed(line):
        pairs = (pair.partition(":") for pair in text.rstrip("\r").split("\t"))
        return {key: value for key, colon, value in pairs if colon}
    return {match[1]: match[3] if match[2] is None else _unescape(match[2]) for match in _find_pairs(text)}


def _format(line: bytes, style: RecordStyle) -> str:
    record = _read_pairs(line)
    has_message = len(record) >= MIN_PAIRS and first_filled_key(record, MESSAGE_FIELDS)
    return format_logger_record(record, style) if has_message else ""


def _unescape(text: str) -> str:
    try:
        return str(read_json(f'"{text}"'))
    except MalformedError:
        return text


class LogfmtConverter(LineByLine):
    """A `LineConverter` of one record per line."""

    name = "logfmt"

    def __init__(self, style: RecordStyle) -> None:
        self._style = style

    def convert_line(self, line: bytes) -> bytes:
        if not _is_record(line) or len(line) > MAX_LINE_CHARS:
            return line
        text = _format(line, self._style)
        return text.replace("\r\n", "\r").replace("\n", "\r").encode("utf-8", "replace") if text else line
