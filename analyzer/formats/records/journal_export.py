"""Convert the journal's export format (`journalctl -o export`) into plain lines.

    __REALTIME_TIMESTAMP=1795231447123456
    _HOSTNAME=node-3
    MESSAGE=text

An empty line ends an entry. A field with a line feed in its value is written as its name alone, 8 bytes of length
(little endian), and the value. The line of an entry is where the entry begins; its other lines become empty.
Source: systemd JOURNAL_EXPORT_FORMATS.
"""

from __future__ import annotations

from analyzer.formats.records.journal import format_journal_entry

MAX_ENTRY_BYTES = 1 << 20  # a longer entry is passed on as it is


def is_journal_export(head: bytes) -> bool:
    """Return whether the file begins with an entry in the export format."""
    return head.startswith((b"__CURSOR=", b"__REALTIME_TIMESTAMP=")) and b"\n__MONOTONIC_TIMESTAMP=" in head[:4096]


class JournalExportConverter:
    """A `LineConverter` of entries in the export format."""

    name = "journal-export"

    def __init__(self) -> None:
        self._unread = b""
        self._unconverted = 0

    def convert(self, lines: bytes) -> bytes:
        text, self._unread, at = self._unread + lines, b"", 0
        result = []
        while at < len(text):
            fields: dict[str, object] = {}
            end = _read_entry(text, at, fields)
            if end < 0:
                self._unread = text[at:]
                break
            result.append(self._format_entry(text[at:end], fields))
            at = end
        if len(self._unread) > MAX_ENTRY_BYTES:
            self._unconverted += 1
            result.append(self._unread)
            self._unread = b""
        return b"".join(result)

    def finish(self) -> bytes:
        fields: dict[str, object] = {}
        unread, self._unread = self._unread, b""
        _read_entry(unread + b"\n\n", 0, fields)
        return self._format_entry(unread, fields) if unread else b""

    def note(self) -> str:
        return f"{self._unconverted} journal entries could not be read." if self._unconverted else ""

    def _format_entry(self, entry: bytes, fields: dict[str, object]) -> bytes:
        if not entry.strip():
            return entry
        if "MESSAGE" not in fields:
            self._unconverted += 1
            return entry
        line = format_journal_entry(fields).replace("\r\n", "\r").replace("\n", "\r").encode("utf-8", "replace")
        return line + b"\n" * entry.count(b"\n")


def _read_entry(text: bytes, at: int, fields: dict[str, object]) -> int:
    """Read the fields of the entry at offset `at` into `fields`.

    Returns the offset after the empty line that ends the entry, or -1 if the entry is incomplete.
    """
    while True:
        end = text.find(b"\n", at)
        if end < 0:
            return -1
        line = text[at:end]
        if not line:
            return end + 1
        name, equals, value = line.partition(b"=")
        if not equals:
            length = int.from_bytes(text[end + 1 : end + 9], "little")
            if len(text) < end + 10 + length:
                return -1
            value, end = text[end + 9 : end + 9 + length], end + 9 + length
        fields.setdefault(name.decode("utf-8", "replace"), value.decode("utf-8", "replace"))
        at = end + 1
