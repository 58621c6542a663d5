"""What a host's log daemon has of a run: the lines of units, of the kernel, and systemd's words on how units ended.

systemd's words: https://github.com/systemd/systemd/blob/main/src/core/service.c and unit.c; those of systemd-coredump:
https://github.com/systemd/systemd/blob/main/src/coredump/coredump.c. journald drops empty lines of a stream:
https://github.com/systemd/systemd/blob/main/src/journal/journald-stream.c.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass

from accuracy.collectors._containers import was_oom_killed
from accuracy.runs import Process, Run

INFO, NOTICE, WARNING, ERROR = 6, 5, 4, 3
DAEMON = 3  # facility
_STATUSES = ("SUCCESS", "FAILURE", "INVALIDARGUMENT", "NOTIMPLEMENTED", "NOPERMISSION", "NOTINSTALLED", "NOTCONFIGURED")
_SERIOUS = re.compile(rb"Out of memory|Killed process|I/O error|Hardware Error|segfault at|Link is Down")


@dataclass(frozen=True, slots=True)
class Entry:
    time_ns: int
    host: str
    identifier: str  # syslog's tag
    pid: int  # 0: none is stated
    priority: int
    unit: str
    transport: str  # kernel, stdout or journal
    text: bytes


def identify(process: Process) -> str:
    """systemd takes the name of the program."""
    if process.role == "kernel":
        return "kernel"
    word = next(iter(process.command.split()), "")
    return word.rpartition("/")[2] or {"task": "python3", "launcher": "bash"}.get(process.role, process.name)


def group_on_host(run: Run, process: Process) -> str:
    return name_group(process.host, identify(process), 0 if process.role == "kernel" else process.pid)


def name_group(host: str, identifier: str, pid: int) -> str:
    return f"{host} {identifier}[{pid}]" if pid else f"{host} {identifier}"


def is_foreign(identifier: str, pid: int) -> bool:
    """Of systemd itself, not of the run."""
    return (identifier, pid) == ("systemd", 1) or identifier == "systemd-coredump"


def has_unit(run: Run, process: Process) -> bool:
    """Those whose ends systemd tells of."""
    return process.role in ("task", "launcher")


def leave_out_empty(text: bytes) -> bytes | None:
    return text or None


def name_unit(process: Process) -> str:
    if process.role == "kernel":
        return ""
    return f"train-{process.task.replace(':', '-') if process.task else process.role}.service"


def entries(run: Run) -> list[Entry]:
    """Of all hosts, in the order of their times."""
    all_entries = [*_line_entries(run), *(entry for process in run.processes for entry in _of_systemd(run, process))]
    return sorted(all_entries, key=lambda entry: entry.time_ns)


def entries_by_host(run: Run) -> dict[str, list[Entry]]:
    by_host: dict[str, list[Entry]] = {}
    for entry in entries(run):
        by_host.setdefault(entry.host, []).append(entry)
    return by_host


def _line_entries(run: Run) -> Iterator[Entry]:
    for line in run.lines:
        process = run.by_name[line.process]
        if process.role == "kernel":
            priority = ERROR if _SERIOUS.search(line.text) else INFO
            yield Entry(line.time_ns, process.host, "kernel", 0, priority, "", "kernel", line.text)
        elif line.text:
            identifier, unit = identify(process), name_unit(process)
            yield Entry(line.time_ns, process.host, identifier, process.pid, INFO, unit, "stdout", line.text)


def _of_systemd(run: Run, process: Process) -> Iterator[Entry]:
    if not has_unit(run, process):
        return
    unit = name_unit(process)

    def say(time_ns: int, text: str, priority: int = INFO) -> Entry:
        return Entry(time_ns, process.host, "systemd", 1, priority, unit, "journal", text.encode())

    what = f"TensorFlow training, {process.task or process.role}"
    yield say(process.started_ns - 1_000_000, f"Started {unit} - {what}.")
    if process.ended_ns is None:
        return
    late = process.ended_ns + 3_000_000
    if process.core:
        text = f"Process {process.pid} ({identify(process)}) of user 1000 dumped core."
        yield Entry(late, process.host, "systemd-coredump", process.pid + 7, 2, "", "journal", text.encode())
    if process.signal is None and not process.status:
        yield say(late, f"{unit}: Deactivated successfully.")
        return
    oom = was_oom_killed(run, process)
    if oom:
        yield say(late, f"{unit}: A process of this unit has been killed by the OOM killer.", NOTICE)
    code, status, result = _how(process)
    yield say(late + 1_000_000, f"{unit}: Main process exited, code={code}, status={status}", NOTICE)
    yield say(late + 2_000_000, f"{unit}: Failed with result '{'oom-kill' if oom else result}'.", WARNING)


def _how(process: Process) -> tuple[str, str, str]:
    if process.signal is None:
        status = process.status or 0
        return "exited", f"{status}/{_STATUSES[status] if status < len(_STATUSES) else 'n/a'}", "exit-code"
    name = signal.Signals(process.signal).name.removeprefix("SIG")
    if process.core:
        return "dumped", f"{process.signal}/{name}", "core-dump"
    return "killed", f"{process.signal}/{name}", "signal"
