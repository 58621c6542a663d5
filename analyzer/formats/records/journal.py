"""Convert an entry of the systemd journal, in any storage form, into a line of `journalctl -o short-iso`.

    2026-11-21T05:10:07.123456+00:00 node-3 kernel: <3>NVRM: Xid (PCI:0000:3b:00): 79, pid=77
    2026-11-21T05:10:07.123456+00:00 node-3 sshd[77]: Accepted publickey

A priority of warning or worse is written before the message, as in syslog. `[-]` is an unknown process id.
Fields: systemd.journal-fields(7).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

WARNING_PRIORITY = 4
KERNEL_CLOCK_DRIFT = 2e-4  # seconds per second by which the clock of kernel lines may be wrong


def is_journal_entry(entry: Mapping[str, object]) -> bool:
    """Return whether the record is an entry of the journal."""
    return "__REALTIME_TIMESTAMP" in entry or ("MESSAGE" in entry and "_BOOT_ID" in entry)


def format_journal_entry(entry: Mapping[str, object]) -> str:
    """Return the line of an entry. Values are texts, lists of byte values, lists of those (repeated fields) or None."""
    kernel = _field_text(entry.get("_TRANSPORT")) == "kernel"
    ident = (
        _field_text(entry.get("SYSLOG_IDENTIFIER"))
        or _field_text(entry.get("_COMM"))
        or _field_text(entry.get("_SYSTEMD_UNIT"))
    )
    pid = _field_text(entry.get("_PID")) or _field_text(entry.get("SYSLOG_PID"))
    writer = "kernel" if kernel else f"{_replace_separators(ident)}[{pid if pid.isdecimal() else '-'}]"
    clock = _format_time(entry)
    head = f"{clock} {_replace_separators(_field_text(entry.get('_HOSTNAME')))} {writer}: " if clock else f"{writer}: "
    return head + _format_priority(entry, kernel) + _field_text(entry.get("MESSAGE")).rstrip("\n")


def _format_time(entry: Mapping[str, object]) -> str:
    """Return the time of the entry, as ISO 8601 in UTC; empty if no field has it."""
    written_us = _microseconds(entry, "_SOURCE_REALTIME_TIMESTAMP")
    received_us = _microseconds(entry, "__REALTIME_TIMESTAMP")
    if not written_us and not received_us:
        return ""
    seconds, fraction = divmod(written_us or received_us - _kernel_delay_us(entry), 1_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{fraction:06}+00:00"


def _microseconds(entry: Mapping[str, object], field: str) -> int:
    """Return the field as microseconds since the epoch; 0 if it is not such a number."""
    text = _field_text(entry.get(field))
    return int(text) if text.isdecimal() and 15 <= len(text) <= 16 else 0


def _kernel_delay_us(entry: Mapping[str, object]) -> int:
    """Return the microseconds that a kernel line waited for the journal, which may start late or hang.

    The clock of kernel lines is not synchronized: a difference below KERNEL_CLOCK_DRIFT of the uptime is no delay.
    """
    written_us, received_us = (
        _field_text(entry.get(field)) for field in ("_SOURCE_MONOTONIC_TIMESTAMP", "__MONOTONIC_TIMESTAMP")
    )
    if not (written_us.isdecimal() and received_us.isdecimal() and max(len(written_us), len(received_us)) <= 16):
        return 0
    delay_us = int(received_us) - int(written_us)
    return delay_us if delay_us > max(1_000_000, int(KERNEL_CLOCK_DRIFT * int(received_us))) else 0


def _format_priority(entry: Mapping[str, object], kernel: bool) -> str:
    text = _field_text(entry.get("PRIORITY"))
    if len(text) != 1 or not "0" <= text <= str(WARNING_PRIORITY):
        return ""
    facility = _field_text(entry.get("SYSLOG_FACILITY"))
    number = (
        0 if kernel else int(facility) if facility.isdecimal() and 0 < len(facility) < 3 and int(facility) < 24 else 1
    )
    return f"<{max(number, 0 if kernel else 1) * 8 + int(text)}>"


def _replace_separators(text: str) -> str:
    return "".join("_" if char in " \t\n\r:[]" else char for char in text) or "-"


def _field_text(value: object) -> str:
    """Return a field's value as text. Bytes that are not UTF-8 are a list of numbers; a repeated field is a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        if all(isinstance(byte, int) and 0 <= byte < 256 for byte in value):
            return bytes(value).decode("utf-8", "replace")
        return _field_text(value[0]) if not isinstance(value[0], list) or len(value[0]) else ""
    return str(value) if isinstance(value, int) else ""
