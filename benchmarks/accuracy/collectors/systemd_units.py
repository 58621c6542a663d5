"""systemd units on each host that append their output to plain files, and `systemctl status` of them.

Sources: StandardOutput=append: in https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html;
print_status_info in src/systemctl/systemctl-show.c and service_sigchld_event in src/core/service.c of
https://github.com/systemd/systemd/tree/v252
"""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    SECOND,
    by_task,
    collected_ns,
    command_of,
    dashed,
    is_task,
    join_lines,
    lines_of_all,
    signal_name,
    split_lines,
    tasks_by_host,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_CLEAN = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)
_STATUS_NAMES = {0: "SUCCESS", 1: "FAILURE", 2: "INVALIDARGUMENT", 3: "NOTIMPLEMENTED", 4: "NOPERMISSION"}


def _result(task: Process) -> str:
    """Some signals are a clean end to systemd (SuccessExitStatus= in systemd.service(5))."""
    if task.signal in _CLEAN:
        return "success"
    if task.signal is None:
        return "exit-code" if task.status else "success"
    return "core-dump" if task.core else "signal"


def _absolute(command: str) -> str:
    """systemd shows the path it found the program at."""
    return command if command.startswith("/") else f"/usr/bin/{command}"


def _code(task: Process) -> str:
    if task.signal is not None:
        return f"code={'dumped' if task.core else 'killed'}, signal={signal_name(task.signal).removeprefix('SIG')}"
    status = task.status or 0
    return f"code=exited, status={status}" + (f"/{_STATUS_NAMES[status]}" if status in _STATUS_NAMES else "")


def _since(run: Run, identities: Identities, host: str, time_ns: int) -> str:
    ago = (collected_ns(identities) - time_ns) // SECOND
    span = f"{ago // 60}min" if ago < 3600 else f"{ago // 3600}h {ago // 60 % 60}min"
    return f"since {run.local(host, time_ns):%a %Y-%m-%d %H:%M:%S %Z}; {span} ago"


def _status(run: Run, identities: Identities, tasks: list[Process]) -> str:
    """One unit. Of earlier attempts the journal still has the end."""
    last = tasks[-1]
    unit = f"tf-{dashed(last.task)}.service"
    spent = ((last.ended_ns or collected_ns(identities)) - last.started_ns) / SECOND
    processor = f"        CPU: {spent * 1.6:.3f}s"
    if last.ended_ns is None:
        since = _since(run, identities, last.host, last.started_ns)
        rows = [f"     Active: active (running) {since}", f"   Main PID: {last.pid} (python3)", processor]
        mark = "●"
    else:
        state = "inactive (dead)" if _result(last) == "success" else f"failed (Result: {_result(last)})"
        mark = "○" if _result(last) == "success" else "×"
        rows = [
            f"     Active: {state} {_since(run, identities, last.host, last.ended_ns)}",
            f"   Duration: {spent:.3f}s",
            f"    Process: {last.pid} ExecStart={_absolute(command_of(last))} ({_code(last)})",
            f"   Main PID: {last.pid} ({_code(last)})",
            processor,
        ]
    head = [
        f"{mark} {unit} - TensorFlow {last.task}",
        f"     Loaded: loaded (/etc/systemd/system/{unit}; disabled; preset: enabled)",
    ]
    return "\n".join([*head, *rows, "", *_journal(run, unit, tasks), ""])


def _journal(run: Run, unit: str, tasks: list[Process]) -> Iterator[str]:
    for task in tasks:
        yield f"{_stamp(run, task.host, task.started_ns)} Started {unit} - TensorFlow {task.task}."
        if task.ended_ns is None:
            continue
        stamp = f"{_stamp(run, task.host, task.ended_ns)} {unit}:"
        if _result(task) == "success":
            yield f"{stamp} Deactivated successfully."
            continue
        code, _, status = _code(task).partition(", ")
        number = f"status={task.signal}/{status.removeprefix('signal=')}" if task.signal else status
        yield f"{stamp} Main process exited, {code}, {number}"
        yield f"{stamp} Failed with result '{_result(task)}'."


def _stamp(run: Run, host: str, time_ns: int) -> str:
    return f"{run.local(host, time_ns):%b %d %H:%M:%S} {host} systemd[1]:"


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    files: dict[str, bytes] = {}
    for host, tasks in tasks_by_host(run).items():
        units = []
        for name in dict.fromkeys(task.task for task in tasks):
            attempts = [task for task in tasks if task.task == name]
            files[f"{host}/var/log/tf/{dashed(name)}.log"] = join_lines(lines_of_all(run, attempts))
            units.append(_status(run, identities, attempts))
        files[f"{host}/systemctl-status.txt"] = "\n".join(units).encode()
    return files


def _read(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if path.endswith(".log"):
            kind, _, index = path.rpartition("/")[2].removesuffix(".log").rpartition("-")
            yield from ((f"{kind}:{index}", text) for text in split_lines(content))


COLLECTORS = (
    Collector(
        "systemd-units",
        _render,
        _read,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_task,
        stamps=False,
    ),
)
