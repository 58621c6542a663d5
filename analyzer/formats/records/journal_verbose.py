"""Convert the output of `journalctl -o verbose` into plain lines.

    Wed 2026-11-25 17:34:47.120312 UTC [s=7c1e09;i=1000;b=0d2f4c;m=3e8;t=64f1c2a9d3f10;x=91]
        PRIORITY=6
        _HOSTNAME=node-3
        MESSAGE=text

The plain line of an entry is where the entry begins; its other lines become empty. `t` in the cursor is the time
in microseconds, in hexadecimal digits; without it, the time before the brackets counts. Further lines of a value have
no name. Source: `output_verbose` in systemd's `src/shared/logs-show.c`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from analyzer.formats.records.journal import format_journal_entry
from analyzer.formats.records.line_by_line import split_at_line_feeds

MAX_ENTRY_BYTES = 1 << 20  # a longer entry is passed on as it is
MAX_HEAD_LINES = 8  # in which the first entry must begin, perhaps after `-- Boot …`
_match_header = re.compile(
    rb"(?:[^\s\d]{1,12} )?(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?) (\S{1,6}) "
    rb"\[s=[0-9a-f]{1,32};([^\]\n]{0,300})\]\s*$"
).match
_match_field = re.compile(rb"\s{4}([A-Z_][A-Z0-9_]{0,63})=(.*)", re.DOTALL).match
_find_cursor_time = re.compile(rb"(?:^|;)t=([0-9a-f]{12,14})(?:;|$)").search


def is_journal_verbose(head: bytes) -> bool:
    """Return whether the file begins with an entry in this form."""
    if b"[s=" not in head[:4096]:
        return False
    lines = head.split(b"\n", MAX_HEAD_LINES)[:MAX_HEAD_LINES]
    return any(_match_header(line) and _match_field(behind) for line, behind in pairwise(lines))


class JournalVerboseConverter:
    """A `LineConverter` of entries as `journalctl -o verbose` prints them."""

    name = "journal-verbose"

    def __init__(self) -> None:
        self._entry: list[bytes] = []  # the lines of the entry that is being read
        self._entry_bytes = 0
        self._unconverted = 0

    def convert(self, lines: bytes) -> bytes:
        return b"".join(map(self._add_line, split_at_line_feeds(lines)))

    def finish(self) -> bytes:
        return self._take_entry()

    def note(self) -> str:
        return f"{self._unconverted} journal entries could not be read." if self._unconverted else ""

    def _add_line(self, line: bytes) -> bytes:
        entry = b""
        if _match_header(line):
            entry = self._take_entry()
        elif not self._entry:
            return line
        self._entry.append(line)
        self._entry_bytes += len(line)
        if self._entry_bytes > MAX_ENTRY_BYTES:
            self._unconverted += 1
            entry, self._entry, self._entry_bytes = b"".join(self._entry), [], 0
        return entry

    def _take_entry(self) -> bytes:
        lines, self._entry, self._entry_bytes = self._entry, [], 0
        if not lines:
            return b""
        fields = _read_fields(lines)
        if "MESSAGE" not in fields:
            self._unconverted += 1
            return b"".join(lines)
        time = (
            "" if "__REALTIME_TIMESTAMP" in fields or "_SOURCE_REALTIME_TIMESTAMP" in fields else _read_time(lines[0])
        )
        text = format_journal_entry(fields)
        if time:
            text = f"{time} {fields.get('_HOSTNAME', '-')} {text}"
        text = text.replace("\r\n", "\r").replace("\n", "\r")
        return text.encode("utf-8", "replace") + b"\n" * sum(line.endswith(b"\n") for line in lines)


def _read_fields(lines: list[bytes]) -> dict[str, object]:
    """Return the fields of an entry as texts; the time of its cursor is `__REALTIME_TIMESTAMP`."""
    fields: dict[str, list[bytes]] = {}
    values: list[bytes] = []
    for line in lines[1:]:
        if match := _match_field(line.rstrip(b"\r\n")):
            values = fields.setdefault(match[1].decode(), [])
            values.append(match[2])
        elif values:
            values.append(line.strip())
    header = _match_header(lines[0])
    cursor_time = _find_cursor_time(header[4]) if header else None
    texts: dict[str, object] = {name: b"\n".join(parts).decode("utf-8", "replace") for name, parts in fields.items()}
    if cursor_time:
        texts["__REALTIME_TIMESTAMP"] = str(int(cursor_time[1], 16))
    return texts


def _read_time(header_line: bytes) -> str:
    """Return the time before the brackets as ISO 8601: in UTC if the line says so, otherwise without a zone."""
    header = _match_header(header_line)
    if header is None:
        return ""
    day, clock, zone = (part.decode("utf-8", "replace") for part in header.groups()[:3])
    return f"{day}T{clock}{'+00:00' if zone in ('UTC', 'GMT') else ''}"
