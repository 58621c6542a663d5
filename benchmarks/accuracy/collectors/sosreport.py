"""A sosreport of each host, and the tasks' logs in a folder beside it.

Source: https://github.com/sosreport/sos (plugins host, kernel, logs, process, memory and date of sos/report/plugins);
rsyslog's RSYSLOG_TraditionalFileFormat, https://www.rsyslog.com/doc/configuration/templates.html; journalctl's short
format, https://www.freedesktop.org/software/systemd/man/latest/journalctl.html
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._dmesg import read_dmesg, render_dmesg
from accuracy.collectors._processes import SECOND, collected_ns, join_lines, lines_of_all, split_lines
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_SYSLOG = re.compile(rb"\w{3} [ \d]\d \d\d:\d\d:\d\d \S+ ([^\s:\[]+)(?:\[\d+\])?: (.*)", re.DOTALL)


def _keeps(run: Run, process: Process) -> bool:
    return process.role in ("task", "kernel", "system")


def _tag(process: Process) -> str:
    """As syslog has it: the name of the program."""
    command = process.command or process.name.partition("@")[0]
    return "kernel" if process.role == "kernel" else command.split()[0].rpartition("/")[2]


def _group(run: Run, process: Process) -> str:
    return process.name if process.role == "task" else f"{process.host} {_tag(process)}"


def _folder(run: Run, identities: Identities, host: str) -> str:
    when = f"{run.local(host, collected_ns(identities)):%Y-%m-%d}"
    word = "".join(chr(97 + int(digit, 16)) for digit in identities.digest("sos", host, length=7))
    return f"sosreport-{host.partition('.')[0]}-{when}-{word}"


def _messages(run: Run, host: str, day: str) -> bytes:
    """`day` in the traditional format of syslog, or in the journal's."""
    local = [process for process in run.processes if process.host == host and process.role in ("kernel", "system")]
    rows = []
    for line in lines_of_all(run, local):
        process = run.by_name[line.process]
        pid = f"[{process.pid}]" if process.pid else ""
        when = run.local(host, line.time_ns)
        rows.append(f"{when:{day} %H:%M:%S} {host} {_tag(process)}{pid}: ".encode() + line.text + b"\n")
    return b"".join(rows)


def _report(run: Run, identities: Identities, host: str) -> Files:
    gathered = collected_ns(identities)
    now = run.local(host, gathered)
    days = (gathered - identities.booted_ns(host)) // (86_400 * SECOND)
    messages = _messages(run, host, "%b %e")
    first = next((line.time_ns for line in run.lines), gathered)
    begin, end = (f"{run.local(host, moment):%a %Y-%m-%d %H:%M:%S %Z}" for moment in (first, gathered))
    journal = f"-- Logs begin at {begin}, end at {end}. --\n".encode() if messages else b""
    files = {
        "hostname": f"{host}\n".encode(),
        "date": f"{now:%a %b %e %H:%M:%S %Z %Y}\n".encode(),
        "uptime": f" {now:%H:%M:%S} up {days} days,  3:12,  1 user,  load average: 0.08, 0.31, 0.64\n".encode(),
        "version.txt": b"sosreport: 4.5.6\n",
        "sos_commands/host/hostname": f"{host}\n".encode(),
        "sos_commands/kernel/dmesg": render_dmesg(run, identities, host, "dmesg"),
        "sos_commands/kernel/dmesg_-T": render_dmesg(run, identities, host, "dmesg -T"),
        "sos_commands/logs/journalctl_--no-pager_--boot": journal + _messages(run, host, "%b %d"),
        "var/log/messages": messages,
    }
    return {f"{_folder(run, identities, host)}/{name}": content for name, content in files.items() if content}


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    files: dict[str, bytes] = {}
    for host in run.hosts:
        files |= _report(run, identities, host.name)
    for process in run.tasks:
        files[f"train-logs/{process.name}.log"] = join_lines(run.lines_of(process.name))
    return files


def _read(files: Files) -> Iterator[GroupLine]:
    hosts = {path.partition("/")[0]: content for path, content in files.items() if path.endswith("/hostname")}
    for path, content in files.items():
        folder, _, name = path.partition("/")
        host = hosts.get(folder, b"").decode().strip()
        if folder == "train-logs":
            yield from ((name.removesuffix(".log"), text) for text in split_lines(content))
        elif name == "sos_commands/kernel/dmesg":
            yield from ((f"{host} kernel", text) for text in read_dmesg(content))
        elif name == "var/log/messages":
            for line in content.split(b"\n"):
                if (match := _SYSLOG.fullmatch(line)) and match[1] != b"kernel":
                    yield f"{host} {match[1].decode()}", match[2]


COLLECTORS = (
    Collector("sosreport", _render, _read, frozenset({"lines", "kernel"}), keeps=_keeps, group=_group, stamps=False),
)
