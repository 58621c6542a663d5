"""What collectors of containers ask of a run: one container for each task, restarted for each further attempt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

IMAGES = "tensorflow/tensorflow"
_COMMAND = ("python3", "/workspace/train.py")


@dataclass(frozen=True, slots=True)
class Container:
    """`attempts` in their order."""

    host: str
    name: str
    attempts: tuple[Process, ...]

    @property
    def last(self) -> Process:
        return self.attempts[-1]


def is_task(run: Run, process: Process) -> bool:
    return process.role == "task"


def name_container(run: Run, process: Process, alone: str = "tensorflow") -> str:
    """`alone` unless the host has other tasks too."""
    shared = any(other.host == process.host and other.task != process.task for other in run.tasks)
    return process.task.replace(":", "-") if shared else alone


def containers(run: Run, alone: str = "tensorflow") -> list[Container]:
    """In the order of their start."""
    by_task: dict[tuple[str, str], list[Process]] = {}
    for process in run.tasks:
        by_task.setdefault((process.host, process.task), []).append(process)
    return [Container(host, name_container(run, some[0], alone), tuple(some)) for (host, _), some in by_task.items()]


def count_restarts(run: Run, process: Process) -> int:
    """How often its container was restarted before it."""
    return attempts_of(run, process).index(process)


def attempts_of(run: Run, process: Process) -> list[Process]:
    return [other for other in run.tasks if (other.host, other.task) == (process.host, process.task)]


def name_image(run: Run) -> str:
    return f"{IMAGES}:{run.tensorflow}"


def command_of(process: Process) -> list[str]:
    return process.command.split() or list(_COMMAND)


def environment_of(run: Run, process: Process) -> Mapping[str, str]:
    """As a container's description states it. HOSTNAME is no part of it: the runtime sets it."""
    stated = {**run.environment, **process.environment}
    return {name: value for name, value in stated.items() if name != "HOSTNAME"}


def was_oom_killed(run: Run, process: Process) -> bool:
    """As container runtimes learn it from the cgroup: the kernel's OOM killer took the process."""
    if process.signal != 9:
        return False
    killed = re.compile(rb"Killed process %d\b|oom_reaper: reaped process %d\b" % (process.pid, process.pid))
    kernels = [other.name for other in run.processes if other.role == "kernel" and other.host == process.host]
    return any(killed.search(line.text) for name in kernels for line in run.lines_of(name))


def join_lines(lines: Iterable[ReceivedLine]) -> bytes:
    """As a file holds them: the last has no line feed where its process ended in the middle of it."""
    kept = list(lines)
    text = b"".join(line.text + b"\n" for line in kept)
    return text if not kept or kept[-1].is_complete else text[:-1]


def split_lines(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def name_places(identities: Identities, process: Process) -> frozenset[str]:
    """In a cluster: the pod, the node it runs on, and its container."""
    return frozenset((identities.pod(process), identities.machine(process), identities.container(process)[:12]))
