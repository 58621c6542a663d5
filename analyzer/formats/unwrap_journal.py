"""One entry of the systemd journal as a line of `journalctl -o short-iso`, whatever it was stored as.

    2026-11-21T05:10:07.123456+00:00 node-3 kernel: <3>NVRM: Xid (PCI:0000:3b:00): 79, pid=77
    2026-11-21T05:10:07.123456+00:00 node-3 sshd[77]: Accepted publickey

A priority of warning or worse is kept, as syslog writes it. `[-]` stands for a process id that is not known.
Fields: systemd.journal-fields(7).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

WARNING = 4


def is_journal(entry: Mapping[str, object]) -> bool:
    return "__REALTIME_TIMESTAMP" in entry or ("MESSAGE" in entry and "_BOOT_ID" in entry)


def write_journal(entry: Mapping[str, object]) -> str:
    """The line of an entry; values are strings, lists of byte values, lists of those (repeated fields) or None."""
    kernel = _text(entry.get("_TRANSPORT")) == "kernel"
    ident = _text(entry.get("SYSLOG_IDENTIFIER")) or _text(entry.get("_COMM")) or _text(entry.get("_SYSTEMD_UNIT"))
    pid = _text(entry.get("_PID")) or _text(entry.get("SYSLOG_PID"))
    speaker = "kernel" if kernel else f"{_squeeze(ident)}[{pid if pid.isdecimal() else '-'}]"
    clock = _clock(entry.get("_SOURCE_REALTIME_TIMESTAMP")) or _clock(entry.get("__REALTIME_TIMESTAMP"))
    head = f"{clock} {_squeeze(_text(entry.get('_HOSTNAME')))} {speaker}: " if clock else f"{speaker}: "
    return head + _priority(entry, kernel) + _text(entry.get("MESSAGE")).rstrip("\n")


def _clock(value: object) -> str:
    """Microseconds since the epoch as ISO 8601 in UTC; '' if it is no such number."""
    text = _text(value)
    if not text.isdecimal() or not 15 <= len(text) <= 16:
        return ""
    whole, fraction = divmod(int(text), 1_000_000)
    return f"{datetime.fromtimestamp(whole, UTC):%Y-%m-%dT%H:%M:%S}.{fraction:06}+00:00"


def _priority(entry: Mapping[str, object], kernel: bool) -> str:
    text = _text(entry.get("PRIORITY"))
    if len(text) != 1 or not "0" <= text <= str(WARNING):
        return ""
    facility = _text(entry.get("SYSLOG_FACILITY"))
    number = (
        0 if kernel else int(facility) if facility.isdecimal() and 0 < len(facility) < 3 and int(facility) < 24 else 1
    )
    return f"<{max(number, 0 if kernel else 1) * 8 + int(text)}>"


def _squeeze(text: str) -> str:
    return "".join("_" if each in " \t\n\r:[]" else each for each in text) or "-"


def _text(value: object) -> str:
    """A field's value as text. Bytes that were no UTF-8 are a list of numbers, a repeated field is a list of values."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        if all(isinstance(each, int) and 0 <= each < 256 for each in value):
            return bytes(value).decode("utf-8", "replace")
        return _text(value[0]) if not isinstance(value[0], list) or len(value[0]) else ""
    return str(value) if isinstance(value, int) else ""
