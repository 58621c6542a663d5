"""Makes a recorded run of what a job left: its lines with the kernel's, its processes, its truth."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from accuracy.record.job import Job, Started, find_core
from accuracy.record.reuse import kernel_log_since
from accuracy.record.truth import UnseenError, tell_truth
from accuracy.runs import Host, Process, ReceivedLine, Run

_KILLED = re.compile(r"Killed process (\d+) ")
_STAMPED = re.compile(r"\[ *(\d+)\.(\d+)\] (.*)")


def make_run(job: Job, began: float) -> Run:
    """`began`: seconds of the monotonic clock. Raises UnseenError where the fault did not show."""
    row = job.row
    stopped = job.ended_ns
    lines = [line for line in job.lines if line.time_ns <= stopped]
    lines = sorted((*lines, *kernel_lines(job, began)), key=lambda line: line.time_ns)
    truth = tell_truth(job, lines)
    interpreter = job.pythons[row.tf]
    cores = slim_cores(job)
    launcher_host = row.names[0]
    processes = [
        Process(
            "launcher", "launcher", launcher_host, os.getpid(), started_ns=job.began_ns,
            ended_ns=None if job.status is None else stopped, status=job.status,
        ),
        *(describe(process, process.name in cores) for process in job.started),
        *(Process(f"kernel@{host}", "kernel", host) for host in row.names),
    ]  # fmt: skip
    return Run(
        name=row.name,
        program=row.program,
        fault=row.fault,
        variation=row.fill(row.variation),
        tensorflow=interpreter.version.split()[-1],
        python=interpreter.version.split()[1].rstrip(",").rpartition(".")[0],
        hosts=tuple(Host(name, row.address(name), row.zone) for name in row.names),
        processes=tuple(processes),
        truth=truth,
        lines=tuple(lines),
        cores=cores,
        environment=dict(row.env),
        samples=tuple(job.samples),
    )


def describe(process: Started, core: bool) -> Process:
    return Process(
        process.name,
        "task" if process.task else "system",
        process.host,
        process.pid,
        process.task,
        process.attempt,
        process.began,
        process.ended,
        process.code if process.code is not None and process.code >= 0 else None,
        -process.code if process.code is not None and process.code < 0 else None,
        core,
        process.command,
        process.environment,
    )


def kernel_lines(job: Job, began: float) -> list[ReceivedLine]:
    """Of each host, about its own processes: the kernel is this machine's, and has more to tell than that."""
    booted = time.time_ns() - time.monotonic_ns()
    unique_lines: dict[tuple[int, str, str], ReceivedLine] = {}
    for process in job.started:
        own = job.named if process.task == job.row.culprit else set()
        for text in select(kernel_log_since(began, "raw", process.pid).splitlines(), process.pid, own):
            if match := _STAMPED.match(text):
                now = booted + int(match[1]) * 10**9 + int(match[2]) * 1000
                line = ReceivedLine(max(now, job.began_ns), f"kernel@{process.host}", "out", match[3].encode())
                unique_lines[now, process.host, match[3]] = line
    return list(unique_lines.values())


def select(lines: Iterable[str], pid: int, names: set[str]) -> Iterator[str]:
    """Lines that name the process, its cgroup or disk, the reports of its memory, and the code at which it crashed."""
    report: list[str] | None = None
    named = False
    for line in lines:
        if "invoked oom-killer" in line:
            report = []
        if report is not None:
            report.append(line)
            if match := _KILLED.search(line):
                if int(match[1]) == pid:
                    yield from report
                report = None
            continue
        code = "Code: " in line and named
        named = bool(re.search(rf"(?:\[|pid: |process ){pid}\b", line))
        if named or code or any(name in line for name in names):
            yield line


def slim_cores(job: Job) -> dict[str, bytes]:
    """Stacks and notes alone, without modules; under the name of the process that left it."""
    culprit = job.row.culprit
    if not job.row.core:
        return {}
    from analyzer.cores.elf.binaries import BinaryLocator
    from analyzer.cores.slim.core import slim_core

    path = find_core(job.scratch, culprit)
    if path is None:
        raise UnseenError("no core")
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "core"
        path.rename(full) if path.stat().st_dev == Path(folder).stat().st_dev else full.write_bytes(path.read_bytes())
        slim = slim_core(full, BinaryLocator())
        if isinstance(slim, str):
            raise UnseenError(slim)
        core = next(file for file in slim.files if file.name == "core")
        name = next(process.name for process in job.started if process.task == culprit)
        data = bytearray(core.size)
        for offset, content in core.pieces:
            data[offset : offset + len(content)] = content
        return {name: bytes(data)}
