"""HTCondor: output and errors of each process of a cluster of jobs, and the job event log.

Sources: https://htcondor.readthedocs.io/en/latest/codes-other-values/job-event-log-codes.html, and formatBody of the
events in https://github.com/htcondor/htcondor/blob/main/src/condor_utils/condor_event.cpp
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    SECOND,
    Timed,
    attempts,
    by_rank,
    front_host,
    is_last_attempt,
    is_task,
    join_lines,
    lines_of_all,
    split_lines,
    utc,
    weave,
)
from accuracy.identities import Identities
from accuracy.runs import Process, Run


def _event(run: Run, identities: Identities, code: int, number: int, time_ns: int, text: str) -> Timed:
    when = f"{run.local(front_host(run), time_ns):%Y-%m-%d %H:%M:%S}"
    return time_ns, f"{code:03d} ({identities.job_number:03d}.{number:03d}.000) {when} {text}\n...\n".encode()


def _events(run: Run, identities: Identities, number: int, tasks: list[Process]) -> list[Timed]:
    first, last = tasks[0], tasks[-1]
    chance = identities.chance("condor", first.task)
    memory = chance.randrange(900, 4000)
    size = memory * 1024 - chance.randrange(1000)
    submitted = f"Job submitted from host: {_address(run, front_host(run), 'submit', identities, 'schedd')}"
    image = f"Image size of job updated: {size}\n\t{memory}  -  MemoryUsage of job (MB)\n"
    events = [_event(run, identities, 0, number, first.started_ns - 9 * SECOND, submitted)]
    for task in tasks:
        address = _address(run, task.host, task.host, identities, "startd")
        text = f"Job executing on host: {address}\n\tSlotName: slot1_{number + 1}@{task.host}"
        events.append(_event(run, identities, 1, number, task.started_ns, text))
    if last.ended_ns is None or last.ended_ns - first.started_ns > 6 * SECOND:
        moment = first.started_ns + 6 * SECOND
        text = f"{image}\t{size}  -  ResidentSetSize of job (KB)"
        events.append(_event(run, identities, 6, number, moment, text))
    if last.ended_ns is not None:
        text = _terminated(identities, last, last.ended_ns - first.started_ns, memory)
        events.append(_event(run, identities, 5, number, last.ended_ns, text))
    return events


def _address(run: Run, host: str, alias: str, identities: Identities, daemon: str) -> str:
    address = next(candidate.address for candidate in run.hosts if candidate.name == host)
    socket = f"{daemon}_{identities.number(1000, 30000, daemon, host)}_{identities.digest(daemon, host, length=4)}"
    return f"<{address}:9618?addrs={address.replace('.', '-')}-9618&alias={alias}&noUDP&sock={socket}>"


def _terminated(identities: Identities, process: Process, spent_ns: int, memory: int) -> str:
    if process.signal is None:
        end = f"\t(1) Normal termination (return value {process.status or 0})\n"
    else:
        core = f"(1) Corefile in: core.{process.pid}" if process.core else "(0) No core file"
        end = f"\t(0) Abnormal termination (signal {process.signal})\n\t{core}\n"
    remote, local = _usage(int(spent_ns * 1.6) // SECOND), _usage(0)
    times = {"Run Remote": remote, "Run Local": local, "Total Remote": remote, "Total Local": local}
    usage = "".join(f"\t\t{value}  -  {key} Usage\n" for key, value in times.items())
    kinds = ("Run Bytes Sent", "Run Bytes Received", "Total Bytes Sent", "Total Bytes Received")
    sent = "".join(f"\t0  -  {kind} By Job\n" for kind in kinds)
    disk = identities.number(20, 400, "disk", process.task)
    table = (
        "\tPartitionable Resources :    Usage  Request Allocated \n"
        f"\t   Cpus                 :     {1.6:4.2f}        8         8 \n"
        f"\t   Disk (KB)            : {disk:8d} {disk:8d} {20_480_000:9d} \n"
        f"\t   Memory (MB)          : {memory:8d} {8192:8d} {8192:9d} \n"
    )
    code = f"exit-code {process.status or 0}" if process.signal is None else f"signal {process.signal}"
    last = f"\tJob terminated of its own accord at {utc((process.ended_ns or 0) // SECOND)}Z with {code}."
    return f"Job terminated.\n{end}{usage}{sent}{table}\n{last}"


def _usage(seconds: int) -> str:
    clock = f"0 {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"Usr {clock}, Sys 0 00:00:00"


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    number = identities.job_number
    files: dict[str, bytes] = {}
    events: list[Timed] = []
    for tasks in attempts(run).values():
        index, lines = identities.rank(tasks[0]), lines_of_all(run, tasks)
        stem = f"{identities.job}.{number}.{index}"
        files[f"{stem}.out"] = join_lines([line for line in lines if line.stream == "out"])
        files[f"{stem}.err"] = join_lines([line for line in lines if line.stream == "err"])
        events += _events(run, identities, index, tasks)
    files[f"{identities.job}.{number}.log"] = weave((), events)
    return files


def _read(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := re.search(r"\.(\d+)\.(?:out|err)$", path):
            yield from ((match[1], text) for text in split_lines(content))


COLLECTORS = (
    Collector(
        "htcondor",
        _render,
        _read,
        frozenset({"lines", "exit"}),
        keeps=is_task,
        group=by_rank,
        ends=is_last_attempt,
        stamps=False,
        ordered=False,
    ),
)
