"""PM2 on each host: the two logs of each application with --time, and pm2.log.

Sources: https://pm2.keymetrics.io/docs/usage/log-management/; prefixLogWithDate in lib/God/ForkMode.js, handleExit in
lib/God.js and overrideConsole in lib/Utility.js of https://github.com/Unitech/pm2. Node.js decodes output as UTF-8.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    SECOND,
    Timed,
    by_task,
    clock,
    dashed,
    is_task,
    lines_of_all,
    replace_runs,
    signal_name,
    tasks_by_host,
    weave,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_ENDS = {"out": "out", "err": "error"}


def _stamp(run: Run, host: str, time_ns: int) -> str:
    return f"{run.local(host, time_ns):%Y-%m-%dT%H:%M:%S}: "


def _diary(run: Run, host: str, tasks: list[Process]) -> bytes:
    """pm2.log, in which an exit by itself is `via signal [SIGINT]`, and one by a signal has code 0."""
    numbers = {task: number for number, task in enumerate(dict.fromkeys(attempt.task for attempt in tasks))}
    start = min(task.started_ns for task in tasks) - 2 * SECOND
    words: list[Timed] = []

    def write(time_ns: int, text: str) -> None:
        words.append((time_ns, f"{_stamp(run, host, time_ns)}PM2 log: {text}\n".encode()))

    for text in _banner(run, host, start):
        write(start, text)
    for task in tasks:
        app = f"App [{dashed(task.task)}:{numbers[task.task]}]"
        write(task.started_ns, f"{app} starting in -fork mode-")
        write(task.started_ns, f"{app} online")
        if task.ended_ns is not None:
            name = signal_name(task.signal) if task.signal else "SIGINT"
            write(task.ended_ns, f"{app} exited with code [{task.status or 0}] via signal [{name}]")
    return weave((), words)


def _banner(run: Run, host: str, time_ns: int) -> list[str]:
    """What the daemon says at its start."""
    fields = {
        "Time": f"{run.local(host, time_ns):%a %b %d %Y %H:%M:%S GMT%z (%Z)}",
        "PM2 version": "5.3.0",
        "Node.js version": "18.17.0",
        "Current arch": "x64",
        "PM2 home": "/root/.pm2",
        "PM2 PID file": "/root/.pm2/pm2.pid",
        "RPC socket file": "/root/.pm2/rpc.sock",
        "BUS socket file": "/root/.pm2/pub.sock",
        "Application log path": "/root/.pm2/logs",
        "Worker Interval": "30000",
        "Process dump file": "/root/.pm2/dump.pm2",
        "Concurrent actions": "2",
        "SIGTERM timeout": "1600",
    }
    rule = "=" * 79
    rows = [f"{key:<20} : {value}" for key, value in fields.items()]
    return [rule, "--- New PM2 Daemon started " + "-" * 52, *rows, rule]


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    files: dict[str, bytes] = {}
    for host, tasks in tasks_by_host(run).items():
        files[f"{host}/.pm2/pm2.log"] = _diary(run, host, tasks)
        for name in dict.fromkeys(task.task for task in tasks):
            lines = lines_of_all(run, (task for task in tasks if task.task == name))
            stamp = clock(run, host, "%Y-%m-%dT%H:%M:%S")
            for stream, end in _ENDS.items():
                files[f"{host}/.pm2/logs/{dashed(name)}-{end}.log"] = b"".join(
                    f"{stamp(line.time_ns)}: ".encode() + replace_runs(line.text) + b"\n"
                    for line in lines
                    if line.stream == stream
                )
    return files


def _read(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := re.search(r"/logs/(.+)-(\d+)-(?:out|error)\.log$", path):
            texts = (line.split(b": ", 1)[1] for line in content.split(b"\n")[:-1])
            yield from ((f"{match[1]}:{match[2]}", text) for text in texts)


COLLECTORS = (
    Collector(
        "pm2",
        _render,
        _read,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_task,
        escape=replace_runs,
        ordered=False,
    ),
)
