"""What several disturbances ask of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from accuracy.disturbances import Case
from accuracy.runs import ReceivedLine, Run


def find_span(run: Run) -> tuple[int, int]:
    """From the start of the first task to the last that is known of any."""
    names = {task.name for task in run.tasks}
    ends = [line.time_ns for line in run.lines if line.process in names]
    ends += [task.ended_ns for task in run.tasks if task.ended_ns is not None]
    start = min(task.started_ns for task in run.tasks)
    return start, max(ends, default=start)


def find_culprit_hosts(run: Run) -> list[str]:
    """In the order of the run's hosts; empty where no single task is to blame."""
    hosts = {task.host for task in run.tasks if task.task in run.truth.culprits}
    return [host.name for host in run.hosts if host.name in hosts]


def find_innocent_hosts(run: Run) -> list[str]:
    """Hosts of tasks none of which is to blame."""
    hosts = {task.host for task in run.tasks} - set(find_culprit_hosts(run))
    return [host.name for host in run.hosts if host.name in hosts]


def move_times(case: Case, host: str, lead: Callable[[int], int], text: Callable[[bytes, int, int], bytes]) -> Case:
    """The host's clock is ahead of the true one by `lead(true time)`. `text` gets a text, its time and the lead."""
    run = case.run
    own_processes = {process.name for process in run.processes if process.host == host}

    def move(line: ReceivedLine) -> ReceivedLine:
        delta = lead(line.time_ns)
        return line._replace(time_ns=line.time_ns + delta, text=text(line.text, line.time_ns, delta))

    processes = []
    for process in run.processes:
        if process.name in own_processes:
            started = process.started_ns + (lead(process.started_ns) if process.started_ns else 0)
            ended = None if process.ended_ns is None else max(started, process.ended_ns + lead(process.ended_ns))
            process = dataclasses.replace(process, started_ns=started, ended_ns=ended)
        processes.append(process)
    lines = tuple(move(line) if line.process in own_processes else line for line in run.lines)
    return dataclasses.replace(case, run=run.replace(processes=tuple(processes), lines=lines))


def edit_texts(case: Case, edit: Callable[[ReceivedLine], bytes], of: Iterable[str]) -> Case:
    """`of`: names of processes."""
    names = set(of)
    lines = tuple(line._replace(text=edit(line)) if line.process in names else line for line in case.run.lines)
    return dataclasses.replace(case, run=case.run.replace(lines=lines))


def merge_lines(old: Iterable[ReceivedLine], new: Iterable[ReceivedLine]) -> tuple[ReceivedLine, ...]:
    """`new`, sorted by time, among `old`, whose order stays whatever its times are."""
    waiting = sorted(new, key=lambda line: line.time_ns)
    merged: list[ReceivedLine] = []
    for line in old:
        while waiting and waiting[0].time_ns < line.time_ns:
            merged.append(waiting.pop(0))
        merged.append(line)
    return (*merged, *waiting)
