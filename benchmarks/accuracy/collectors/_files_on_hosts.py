"""Log files on hosts as a store's forwarder finds them: one for each task, one of the launcher, and the kernel's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from accuracy.runs import Process, ReceivedLine, Run


@dataclass(frozen=True, slots=True)
class HostFileLine:
    line: ReceivedLine
    host: str
    path: str
    text: bytes  # with what the file has before the line's own text


def is_on_host(run: Run, process: Process) -> bool:
    return process.role in ("task", "launcher", "kernel")


def path_of(process: Process) -> str:
    if process.role == "kernel":
        return "/var/log/kern.log"
    return f"/var/log/training/{process.task.replace(':', '-') or 'launcher'}.log"


def group_file(run: Run, process: Process) -> str:
    return f"{process.host}:{path_of(process)}"


def rows(run: Run) -> Iterator[HostFileLine]:
    """In the order in which they were received."""
    for line in run.lines:
        process = run.by_name[line.process]
        if is_on_host(run, process):
            yield HostFileLine(line, process.host, path_of(process), head_of(run, process, line) + line.text)


def head_of(run: Run, process: Process, line: ReceivedLine) -> bytes:
    """rsyslog's, of the kernel's lines."""
    if process.role != "kernel":
        return b""
    local = run.local(process.host, line.time_ns)
    return f"{local:%b} {local.day:2d} {local:%H:%M:%S} {process.host} kernel: ".encode()


def strip_head(path: str, text: bytes) -> bytes:
    return text.partition(b" kernel: ")[2] if path.endswith("kern.log") else text
