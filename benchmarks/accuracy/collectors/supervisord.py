"""Supervisor on each host: a log of each program with redirect_stderr=true, and supervisord.log.

Sources: https://supervisord.org/logging.html; texts in supervisor/process.py, options.py and http.py of
https://github.com/Supervisor/supervisor/tree/4.2.5
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    SECOND,
    Timed,
    by_task,
    dashed,
    is_task,
    join_lines,
    lines_of_all,
    signal_name,
    split_lines,
    tasks_by_host,
    weave,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_FOLDER = "var/log/supervisor"


def _write(run: Run, host: str, time_ns: int, level: str, text: str) -> Timed:
    when = f"{run.local(host, time_ns):%Y-%m-%d %H:%M:%S},{time_ns % SECOND // 10**6:03d}"
    return time_ns, f"{when} {level} {text}\n".encode()


def _diary(run: Run, identities: Identities, host: str, tasks: list[Process]) -> bytes:
    start = min(task.started_ns for task in tasks) - SECOND
    pid = max(2, min(task.pid for task in tasks) - identities.number(2, 9, "supervisord", host))
    http = "Server 'unix_http_server' running without any HTTP authentication checking"
    words = [
        _write(run, host, start, "INFO", "RPC interface 'supervisor' initialized"),
        _write(run, host, start, "CRIT", http),
        _write(run, host, start + 10**6, "INFO", f"supervisord started with pid {pid}"),
    ]
    for task in tasks:
        words += _life(run, task)
    return weave((), words)


def _life(run: Run, task: Process) -> Iterator[Timed]:
    name, host = dashed(task.task), task.host
    yield _write(run, host, task.started_ns, "INFO", f"spawned: '{name}' with pid {task.pid}")
    if task.ended_ns is None or task.ended_ns - task.started_ns > SECOND:
        text = f"{name} entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)"
        yield _write(run, host, task.started_ns + SECOND + 4 * 10**6, "INFO", f"success: {text}")
    if task.ended_ns is not None:
        level, expected = ("WARN", "not expected") if task.shell_status else ("INFO", "expected")
        how = f"exit status {task.status or 0}"
        if task.signal:
            how = f"terminated by {signal_name(task.signal)}" + (" (core dumped)" if task.core else "")
        yield _write(run, host, task.ended_ns, level, f"exited: {name} ({how}; {expected})")


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    files: dict[str, bytes] = {}
    for host, tasks in tasks_by_host(run).items():
        files[f"{host}/{_FOLDER}/supervisord.log"] = _diary(run, identities, host, tasks)
        for task in dict.fromkeys(attempt.task for attempt in tasks):
            lines = lines_of_all(run, (attempt for attempt in tasks if attempt.task == task))
            files[f"{host}/{_FOLDER}/{dashed(task)}.log"] = join_lines(lines)
    return files


def _read(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        name = path.rpartition("/")[2].removesuffix(".log")
        if name != "supervisord":
            kind, _, index = name.rpartition("-")
            yield from ((f"{kind}:{index}", text) for text in split_lines(content))


COLLECTORS = (
    Collector("supervisord", _render, _read, frozenset({"lines", "exit"}), keeps=is_task, group=by_task, stamps=False),
)
