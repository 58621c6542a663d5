"""Circus on each host: a file of each watcher with time_format set, and circus.log, which does not say how they ended.

Sources: https://circus.readthedocs.io/en/latest/for-ops/configuration/; write_data in circus/stream/file_stream.py and
Redirector in circus/stream/redirector.py, which reads 1,024 bytes at a time and takes each for lines of its own:
https://github.com/circus-tent/circus/tree/0.18.0
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
    tasks_by_host,
    weave,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_READ_BYTES = 1024
_PREFIX = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[\d+\] \| (.*)", re.DOTALL)


def _pieces(text: bytes) -> list[str]:
    line = text + b"\n"
    parts = (line[at : at + _READ_BYTES] for at in range(0, len(line), _READ_BYTES))
    return [part.decode("utf-8", "replace").removesuffix("\n") for part in parts]


def _escape(text: bytes) -> bytes:
    return "\n".join(_pieces(text)).encode()


def _write(run: Run, host: str, pid: int, time_ns: int, text: str) -> Timed:
    when = f"{run.local(host, time_ns):%Y-%m-%d %H:%M:%S}"
    return time_ns, f"{when} circus[{pid}] [INFO] {text}\n".encode()


def _diary(run: Run, identities: Identities, host: str, tasks: list[Process]) -> bytes:
    start = min(task.started_ns for task in tasks)
    pid = max(2, min(task.pid for task in tasks) - identities.number(2, 9, "circus", host))
    words = [_write(run, host, pid, start - SECOND, f"Starting master on pid {pid}")]
    for task in tasks:
        words.append(_write(run, host, pid, task.started_ns, f"{dashed(task.task)} started"))
        if task.ended_ns is not None:
            words.append(_write(run, host, pid, task.ended_ns, f"{dashed(task.task)} stopped"))
    words.append(_write(run, host, pid, start + SECOND // 5, "Arbiter now waiting for commands"))
    return weave((), words)


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    files: dict[str, bytes] = {}
    for host, tasks in tasks_by_host(run).items():
        files[f"{host}/circus/circus.log"] = _diary(run, identities, host, tasks)
        for name in dict.fromkeys(task.task for task in tasks):
            output, stamp = [], clock(run, host, "%Y-%m-%d %H:%M:%S")
            for line in lines_of_all(run, (task for task in tasks if task.task == name)):
                prefix = f"{stamp(line.time_ns)} [{run.by_name[line.process].pid}] | "
                output += [f"{prefix}{piece}\n" for piece in _pieces(line.text)]
            files[f"{host}/circus/{dashed(name)}.log"] = "".join(output).encode()
    return files


def _read(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        name = path.rpartition("/")[2].removesuffix(".log")
        kind, _, index = name.rpartition("-")
        for line in content.decode().split("\n")[:-1]:
            if match := _PREFIX.fullmatch(line):
                yield f"{kind}:{index}", match[1].encode()


COLLECTORS = (Collector("circus", _render, _read, keeps=is_task, group=by_task, escape=_escape),)
