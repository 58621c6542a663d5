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
DRIFT = 2e-4


def is_journal(entry: Mapping[str, object]) -> bool:
    return "__REALTIME_TIMESTAMP" in entry or ("MESSAGE" in entry and "_BOOT_ID" in entry)


def write_journal(entry: Mapping[str, object]) -> str:
    """The line of an entry; values are strings, lists of byte values, lists of those (repeated fields) or None."""
    kernel = _text(entry.get("_TRANSPORT")) == "kernel"
    ident = _text(entry.get("SYSLOG_IDENTIFIER")) or _text(entry.get("_COMM")) or _text(entry.get("_SYSTEMD_UNIT"))
    pid = _text(entry.get("_PID")) or _text(entry.get("SYSLOG_PID"))
    speaker = "kernel" if kernel else f"{_squeeze(ident)}[{pid if pid.isdecimal() else '-'}]"
    clock = _clock(entry)
    head = f"{clock} {_squeeze(_text(entry.get('_HOSTNAME')))} {speaker}: " if clock else f"{speaker}: "
    return head + _priority(entry, kernel) + _text(entry.get("MESSAGE")).rstrip("\n")


def _clock(entry: Mapping[str, object]) -> str:
    """When it was said, as ISO 8601 in UTC; '' if no field tells."""
    said = _microseconds(entry, "_SOURCE_REALTIME_TIMESTAMP")
    heard = _microseconds(entry, "__REALTIME_TIMESTAMP")
    if not said and not heard:
        return ""
    whole, fraction = divmod(said or heard - _delay(entry), 1_000_000)
    return f"{datetime.fromtimestamp(whole, UTC):%Y-%m-%dT%H:%M:%S}.{fraction:06}+00:00"


def _microseconds(entry: Mapping[str, object], field: str) -> int:
    """Since the epoch; 0 if it is no such number."""
    text = _text(entry.get(field))
    return int(text) if text.isdecimal() and 15 <= len(text) <= 16 else 0


def _delay(entry: Mapping[str, object]) -> int:
    """Microseconds that a line of the kernel waited for the journal, which may begin long after boot or have hung.

    The kernel's clock of lines is not disciplined and goes astray by DRIFT of the uptime: less than that is no delay.
    """
    said, heard = (_text(entry.get(field)) for field in ("_SOURCE_MONOTONIC_TIMESTAMP", "__MONOTONIC_TIMESTAMP"))
    if not (said.isdecimal() and heard.isdecimal() and max(len(said), len(heard)) <= 16):
        return 0
    waited = int(heard) - int(said)
    return waited if waited > max(1_000_000, int(DRIFT * int(heard))) else 0


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
