"""The processes of a run as psutil sees them, by task: what each holds while it runs."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

INTERVAL = 0.25  # seconds between samples
LAUNCHER = "launcher"
GIB = 2**30


@dataclass(frozen=True, slots=True)
class Sample:
    """One task's processes together, `time` seconds since the run's start. `rss` counts shared pages too."""

    time: float
    rss: int
    cpu_seconds: float
    threads: int
    fds: int


Curves = Mapping[str, Sequence[Sample]]


def watch(
    process: subprocess.Popen[bytes], out: Path, seconds: float, memory: int
) -> tuple[dict[str, list[Sample]], str | None]:
    """Samples by task until the launcher `process` leaves, or until the limit that is told (seconds, bytes)."""
    curves: dict[str, list[Sample]] = {}
    began = time.monotonic()
    while True:
        try:
            process.wait(INTERVAL)
            return curves, None
        except subprocess.TimeoutExpired:
            now = time.monotonic() - began
        held = 0
        for task, sample, own in _look(process.pid, out, round(now, 3)):
            curves.setdefault(task, []).append(sample)
            held += own
        if now > seconds:
            return curves, f"it ran longer than {seconds:.0f} s"
        if held > memory:
            return curves, f"its processes held more than {memory / GIB:.1f} GiB"


def _look(pid: int, out: Path, now: float) -> Iterator[tuple[str, Sample, int]]:
    """(task, its sample, bytes that it holds alone)."""
    found: dict[str, list[tuple[int, float, int, int, int]]] = {}
    for each in _family(pid):
        try:
            with each.oneshot():
                memory = each.memory_info()
                # What children share with the launcher since the fork is counted once: USS would cost a walk of smaps.
                own = memory.rss if each.pid == pid else max(0, memory.rss - memory.shared)
                seen = (memory.rss, sum(each.cpu_times()[:2]), each.num_threads(), each.num_fds(), own)
                found.setdefault(_task(each, out), []).append(seen)
        except psutil.Error:
            continue  # it left while we looked
    for task, held in found.items():
        rss, cpu, threads, fds, own = (sum(column) for column in zip(*held, strict=True))
        yield task, Sample(now, int(rss), round(cpu, 3), int(threads), int(fds)), int(own)


def _family(pid: int) -> list[psutil.Process]:
    try:
        launcher = psutil.Process(pid)
        return [launcher, *launcher.children(recursive=True)]
    except psutil.Error:
        return []


def _task(process: psutil.Process, out: Path) -> str:
    """A task, and what it starts, works in the folder that has its name."""
    folder = Path(process.cwd())
    return folder.name.replace("-", ":") if folder.parent == out else LAUNCHER
