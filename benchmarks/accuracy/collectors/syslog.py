"""rsyslog: /var/log/messages of each host (RFC 3164), and the file of a central server (RFC 5424).

Lines: https://www.rfc-editor.org/rfc/rfc3164#section-4.1, https://www.rfc-editor.org/rfc/rfc5424#section-6, by the
templates RSYSLOG_TraditionalFileFormat and RSYSLOG_SyslogProtocol23Format of
https://www.rsyslog.com/doc/configuration/templates.html. rsyslog reads the journal (imjournal) and writes control
characters as `#` and three octal digits: https://www.rsyslog.com/doc/rainerscript/global.html.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import split_lines
from accuracy.collectors._host_log import (
    DAEMON,
    Entry,
    entries,
    entries_by_host,
    group_on_host,
    has_unit,
    is_foreign,
    name_group,
)
from accuracy.collectors._stamps import local_iso
from accuracy.identities import Identities
from accuracy.runs import Run

_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_TRADITIONAL = re.compile(rb"\w{3} [ \d]\d \d\d:\d\d:\d\d (\S+) ([^\s\[:]+)(?:\[(\d+)\])?: (.*)", re.DOTALL)
_PROTOCOL = re.compile(rb"<\d+>1 \S+ (\S+) (\S+) (\S+) - - (.*)", re.DOTALL)


def escape_control(text: bytes) -> bytes:
    return _CONTROL.sub(lambda match: b"#%03o" % match[0][0], text)


def _escape(text: bytes) -> bytes | None:
    return escape_control(text) if text else None


def _traditional(run: Run, entry: Entry) -> bytes:
    local = run.local(entry.host, entry.time_ns)
    tag = f"{entry.identifier}[{entry.pid}]" if entry.pid else entry.identifier
    head = f"{local:%b} {local.day:2d} {local:%H:%M:%S} {entry.host} {tag}: "
    return head.encode() + escape_control(entry.text) + b"\n"


def render_messages(run: Run, identities: Identities, chance: random.Random) -> Files:
    return {
        f"{host}/var/log/messages": b"".join(_traditional(run, entry) for entry in host_entries)
        for host, host_entries in entries_by_host(run).items()
    }


def read_messages(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        for record in split_lines(content):
            match = _TRADITIONAL.fullmatch(record)
            if not match:
                raise ValueError(f"no line of RFC 3164: {record[:80]!r}")
            yield from _of_the_run(match[1], match[2], match[3] or b"0", match[4])


def _of_the_run(host: bytes, identifier: bytes, pid: bytes, text: bytes) -> Iterator[GroupLine]:
    number = int(pid) if pid.isdigit() else 0
    if not is_foreign(identifier.decode(), number):
        yield name_group(host.decode(), identifier.decode(), number), text


def _protocol(run: Run, entry: Entry) -> bytes:
    facility = 0 if entry.transport == "kernel" else DAEMON
    stamp = local_iso(run, entry.host, entry.time_ns, 6)
    head = f"<{facility * 8 + entry.priority}>1 {stamp} {entry.host} {entry.identifier} {entry.pid or '-'} - - "
    return head.encode() + escape_control(entry.text) + b"\n"


def render_central(run: Run, identities: Identities, chance: random.Random) -> Files:
    return {"var/log/remote/training.log": b"".join(_protocol(run, entry) for entry in entries(run))}


def read_central(files: Files) -> Iterator[GroupLine]:
    for record in split_lines(files["var/log/remote/training.log"]):
        match = _PROTOCOL.fullmatch(record)
        if not match:
            raise ValueError(f"no line of RFC 5424: {record[:80]!r}")
        yield from _of_the_run(match[1], match[2], match[3], match[4])


COLLECTORS = (
    Collector(
        "syslog-rfc3164",
        render_messages,
        read_messages,
        carries=frozenset({"lines", "exit", "kernel", "launcher"}),
        group=group_on_host,
        ends=has_unit,
        escape=_escape,
    ),
    Collector(
        "syslog-rfc5424",
        render_central,
        read_central,
        carries=frozenset({"lines", "exit", "kernel", "launcher"}),
        group=group_on_host,
        ends=has_unit,
        escape=_escape,
    ),
)
