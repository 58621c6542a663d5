"""journald, one file a host: `journalctl -o short`, short-precise, short-iso-precise, json and export.

Modes: https://www.freedesktop.org/software/systemd/man/latest/journalctl.html. The first is without `--all`: it strips
colours, widens tabs and shows what it cannot print as `[45B blob data]`:
https://github.com/systemd/systemd/blob/main/src/shared/logs-show.c. JSON and export:
https://github.com/systemd/systemd/blob/main/docs/JOURNAL_EXPORT_FORMATS.md.
`LineMax=` is raised on these hosts, so that long lines stay in one piece.
"""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Callable, Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import split_lines
from accuracy.collectors._host_log import (
    DAEMON,
    Entry,
    entries_by_host,
    group_on_host,
    has_unit,
    is_foreign,
    leave_out_empty,
    name_group,
)
from accuracy.collectors._stamps import local_iso
from accuracy.collectors._utf8 import dump_plain
from accuracy.identities import Identities
from accuracy.runs import Run

_RECORD = re.compile(rb"(?:\w{3} \d\d [\d:.]+|\S+) (\S+) ([^\s\[:]+)(?:\[(\d+)\])?: (.*)", re.DOTALL)
_ANSI = re.compile(r"\x1b\[[0-9;:<=>?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_UNPRINTABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")

Show = Callable[[bytes], bytes]


def show_printable(text: bytes) -> bytes:
    """As without --all."""
    try:
        plain = _ANSI.sub("", text.decode()).replace("\t", " " * 8)
    except UnicodeDecodeError:
        return _blob(_ANSI.sub("", text.decode("latin-1")).replace("\t", " " * 8).encode("latin-1"))
    return _blob(plain.encode()) if _UNPRINTABLE.search(plain) else plain.encode()


def _blob(text: bytes) -> bytes:
    size = len(text)
    return (
        b"[%dB blob data]" % size if size < 1024 else f"[{size // 1024}.{size % 1024 * 10 // 1024}K blob data]".encode()
    )


def show_all(text: bytes) -> bytes:
    return text


def escape_printable(text: bytes) -> bytes | None:
    return show_printable(text) if text else None


def short(run: Run, entry: Entry) -> str:
    return f"{run.local(entry.host, entry.time_ns):%b %d %H:%M:%S}"


def short_precise(run: Run, entry: Entry) -> str:
    return f"{run.local(entry.host, entry.time_ns):%b %d %H:%M:%S.%f}"


def short_iso_precise(run: Run, entry: Entry) -> str:
    return local_iso(run, entry.host, entry.time_ns, 6)


def _render_text(stamp: Callable[[Run, Entry], str], show: Show) -> Callable[..., Files]:
    def render(run: Run, identities: Identities, chance: random.Random) -> Files:
        files = {}
        for host, entries in entries_by_host(run).items():
            parts = []
            for entry in entries:
                pid = f"[{entry.pid}]" if entry.pid else ""
                parts.append(
                    f"{stamp(run, entry)} {host} {entry.identifier}{pid}: ".encode() + show(entry.text) + b"\n"
                )
            files[f"{host}/journal.txt"] = b"".join(parts)
        return files

    return render


def read_text(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        for record in split_lines(content):
            match = _RECORD.fullmatch(record)
            if not match:
                raise ValueError(f"no line of journalctl: {record[:80]!r}")
            identifier, pid = match[2].decode(), int(match[3] or 0)
            if not is_foreign(identifier, pid):
                yield name_group(match[1].decode(), identifier, pid), match[4]


def _fields(run: Run, identities: Identities, number: int, entry: Entry) -> dict[str, bytes]:
    """In the order in which journald keeps them."""
    boot, machine = identities.boot_id(entry.host), identities.digest("machine id", entry.host, length=32)
    sequence = identities.digest("seqnum id", entry.host, length=32)
    micros, since = entry.time_ns // 1000, (entry.time_ns - identities.booted_ns(entry.host)) // 1000
    index = identities.number(100_000, 900_000, "first entry", entry.host) + number
    hashed = identities.digest("entry", entry.host, str(number), length=16)
    text = {
        "__CURSOR": f"s={sequence};i={index:x};b={boot};m={since:x};t={micros:x};x={hashed}",
        "__REALTIME_TIMESTAMP": str(micros),
        "__MONOTONIC_TIMESTAMP": str(since),
        "_BOOT_ID": boot,
        "_TRANSPORT": entry.transport,
        "PRIORITY": str(entry.priority),
        "SYSLOG_IDENTIFIER": entry.identifier,
        "_HOSTNAME": entry.host,
        "_MACHINE_ID": machine,
    }
    if entry.transport == "kernel":
        text |= {"SYSLOG_FACILITY": "0", "_SOURCE_MONOTONIC_TIMESTAMP": str(since)}
    else:
        text |= {"SYSLOG_FACILITY": str(DAEMON), "_PID": str(entry.pid), "_COMM": entry.identifier[:15]}
    if entry.transport == "stdout":
        text |= {
            "_UID": "1000",
            "_GID": "1000",
            "_STREAM_ID": identities.digest("stream", entry.host, str(entry.pid), length=32),
            "_SYSTEMD_CGROUP": f"/system.slice/{entry.unit}",
            "_SYSTEMD_SLICE": "system.slice",
            "_SYSTEMD_UNIT": entry.unit,
        }
    elif entry.unit:
        text |= {"UNIT": entry.unit, "CODE_FILE": "src/core/unit.c", "_SYSTEMD_UNIT": "init.scope"}
    return {**{key: value.encode() for key, value in text.items()}, "MESSAGE": entry.text}


def _to_json(value: bytes) -> str | list[int]:
    """What cannot be printed becomes a list of bytes."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return list(value)
    return list(value) if _UNPRINTABLE.search(text) else text


def render_json(run: Run, identities: Identities, chance: random.Random) -> Files:
    """journalctl --all -o json"""
    files = {}
    for host, entries in entries_by_host(run).items():
        rows = (_fields(run, identities, number, entry) for number, entry in enumerate(entries))
        plain = (
            {key: _to_json(value) if key == "MESSAGE" else value.decode() for key, value in row.items()} for row in rows
        )
        files[f"{host}/journal.json"] = b"".join(dump_plain(row) + b"\n" for row in plain)
    return files


def read_json(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        for row in map(json.loads, split_lines(content)):
            message = row["MESSAGE"]
            text = message.encode() if isinstance(message, str) else bytes(message)
            yield from _of_the_run(row["_HOSTNAME"], row["SYSLOG_IDENTIFIER"], int(row.get("_PID", 0)), text)


def _of_the_run(host: str, identifier: str, pid: int, text: bytes) -> Iterator[GroupLine]:
    if not is_foreign(identifier, pid):
        yield name_group(host, identifier, pid), text


def _export(name: str, value: bytes) -> bytes:
    """A field with control characters or bytes that are no UTF-8 is preceded by its length."""
    try:
        plain = not re.search("[\x00-\x08\x0a-\x1f]", value.decode())
    except UnicodeDecodeError:
        plain = False
    if plain:
        return name.encode() + b"=" + value + b"\n"
    return name.encode() + b"\n" + struct.pack("<Q", len(value)) + value + b"\n"


def render_export(run: Run, identities: Identities, chance: random.Random) -> Files:
    """journalctl -o export"""
    files = {}
    for host, entries in entries_by_host(run).items():
        rows = (_fields(run, identities, number, entry) for number, entry in enumerate(entries))
        files[f"{host}.export"] = b"".join(
            b"".join(_export(name, value) for name, value in row.items()) + b"\n" for row in rows
        )
    return files


def read_export(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        at, row = 0, dict[str, bytes]()
        while at < len(content):
            end = content.index(b"\n", at)
            name, equals, value = content[at:end].partition(b"=")
            at = end + 1
            if not name:
                pid = int(row.get("_PID", b"0"))
                yield from _of_the_run(
                    row["_HOSTNAME"].decode(), row["SYSLOG_IDENTIFIER"].decode(), pid, row["MESSAGE"]
                )
                row = {}
                continue
            if not equals:
                (size,) = struct.unpack_from("<Q", content, at)
                value = content[at + 8 : at + 8 + size]
                at += 8 + size + 1
            row[name.decode()] = value


COLLECTORS = tuple(
    Collector(
        name,
        render,
        read,
        carries=frozenset({"lines", "exit", "kernel", "launcher"}),
        group=group_on_host,
        ends=has_unit,
        escape=escape,
    )
    for name, render, read, escape in (
        ("journald-short", _render_text(short, show_printable), read_text, escape_printable),
        ("journald-short-precise", _render_text(short_precise, show_all), read_text, leave_out_empty),
        ("journald-short-iso-precise", _render_text(short_iso_precise, show_all), read_text, leave_out_empty),
        ("journald-json", render_json, read_json, leave_out_empty),
        ("journald-export", render_export, read_export, leave_out_empty),
    )
)
