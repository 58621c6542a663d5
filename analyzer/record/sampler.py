"""Take the samples in a thread of its own: a file system that hangs stops the samples and nothing else."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from analyzer.record.budget import CpuBudget
from analyzer.record.flight import FlightFile
from analyzer.record.gpu import SampleGpus, open_gpus
from analyzer.record.node import NodeSampler
from analyzer.record.process_tree import ProcessTree

SAMPLING_CORE_SHARE = 0.008  # of one core that sampling may take; beyond it samples become rarer


class SamplerThread(threading.Thread):
    def __init__(self, pid: int, interval: float, file: FlightFile, folders: Sequence[Path]) -> None:
        super().__init__(daemon=True)
        self._interval, self._file = interval, file
        self._stopped = threading.Event()
        self._pid, self._folders = pid, folders
        self._budget, self._gpu_budget = CpuBudget(SAMPLING_CORE_SHARE), CpuBudget(0.002)
        self.count = 0
        self.oom_kills: int | None = None  # memory kills in its control group while it ran; None: not counted

    def stop(self, timeout_s: float) -> None:
        self._stopped.set()
        self.join(timeout_s)

    def run(self) -> None:
        try:
            process_tree, node, gpus = ProcessTree(self._pid), NodeSampler(self._pid, self._folders), open_gpus()
        except (psutil.Error, OSError):
            return  # it has ended, or /proc is hidden
        oom_kills_before = node.sample_cgroup().get("oom_kills")
        self._sample_until_stopped(lambda now: self._sample(now, process_tree, node, gpus))
        oom_kills_after = node.sample_cgroup().get("oom_kills")
        self.oom_kills = (
            None if oom_kills_after is None or oom_kills_before is None else oom_kills_after - oom_kills_before
        )

    def _sample_until_stopped(self, take_sample: Callable[[float], dict[str, object]]) -> None:
        due = time.monotonic()
        while not self._stopped.wait(max(0.0, due - time.monotonic())):
            now = time.monotonic()
            sample = self._budget.run(functools.partial(take_sample, now), now)
            if not sample["processes"]:
                return  # it has ended
            self._file.write_record("sample", sample)
            self.count += 1
            due = max(
                due + self._interval,
                time.monotonic() + self._budget.last_cost_s / SAMPLING_CORE_SHARE - self._budget.last_cost_s,
            )

    def _sample(
        self, now: float, process_tree: ProcessTree, node: NodeSampler, gpus: SampleGpus | None
    ) -> dict[str, object]:
        sample: dict[str, object] = {"processes": process_tree.sample(now)}
        try:
            sample["node"] = node.sample()
        except (OSError, psutil.Error):
            sample["node"] = {}
        if group := node.sample_cgroup():
            sample["cgroup"] = group
        if gpus is not None and self._gpu_budget.is_due(now):
            sample["gpus"] = self._gpu_budget.run(gpus, now)
        return sample
