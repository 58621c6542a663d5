"""Sample the resources of a run's processes by task, with psutil."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

SAMPLE_INTERVAL_S = 0.25  # seconds between samples
LAUNCHER = "launcher"
GIB = 2**30


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """The sum over a task's processes, `time` seconds after the start of the run. `rss` includes shared pages."""

    time: float
    rss: int
    cpu_seconds: float
    threads: int
    fds: int


TaskCurves = Mapping[str, Sequence[ProcessSample]]


def watch_processes(
    process: subprocess.Popen[bytes], out: Path, max_seconds: float, max_bytes: int
) -> tuple[dict[str, list[ProcessSample]], str | None]:
    """Return the samples by task until `process` (the launcher) ends or hits a limit, and the limit (None: none)."""
    curves: dict[str, list[ProcessSample]] = {}
    began = time.monotonic()
    while True:
        try:
            process.wait(SAMPLE_INTERVAL_S)
            return curves, None
        except subprocess.TimeoutExpired:
            elapsed_s = time.monotonic() - began
        held_bytes = 0
        for task, sample, own_bytes in _sample_tasks(process.pid, out, round(elapsed_s, 3)):
            curves.setdefault(task, []).append(sample)
            held_bytes += own_bytes
        if elapsed_s > max_seconds:
            return curves, f"it ran longer than {max_seconds:.0f} s"
        if held_bytes > max_bytes:
            return curves, f"its processes used more than {max_bytes / GIB:.1f} GiB"


def _sample_tasks(pid: int, out: Path, now: float) -> Iterator[tuple[str, ProcessSample, int]]:
    """Yield (task, its sample, bytes of its private memory)."""
    measured: dict[str, list[tuple[int, float, int, int, int]]] = {}
    for process in _process_tree(pid):
        try:
            with process.oneshot():
                memory = process.memory_info()
                # Count memory that children share with the launcher since the fork once: USS would need a walk of
                # smaps.
                own_bytes = memory.rss if process.pid == pid else max(0, memory.rss - memory.shared)
                measurement = (
                    memory.rss,
                    sum(process.cpu_times()[:2]),
                    process.num_threads(),
                    process.num_fds(),
                    own_bytes,
                )
                measured.setdefault(_task_of_process(process, out), []).append(measurement)
        except psutil.Error:
            continue  # the process has ended since
    for task, measurements in measured.items():
        rss, cpu, threads, fds, own_bytes = (sum(column) for column in zip(*measurements, strict=True))
        yield (
            task,
            ProcessSample(time=now, rss=int(rss), cpu_seconds=round(cpu, 3), threads=int(threads), fds=int(fds)),
            int(own_bytes),
        )


def _process_tree(pid: int) -> list[psutil.Process]:
    try:
        launcher = psutil.Process(pid)
        return [launcher, *launcher.children(recursive=True)]
    except psutil.Error:
        return []


def _task_of_process(process: psutil.Process, out: Path) -> str:
    """Return the task of a process: a task and its children work in the folder that is named like the task."""
    folder = Path(process.cwd())
    return folder.name.replace("-", ":") if folder.parent == out else LAUNCHER
