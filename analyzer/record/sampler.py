"""The thread that takes the samples: a file system that hangs stops the samples and nothing else."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from analyzer.record.budget import Budget
from analyzer.record.flight import FlightFile
from analyzer.record.gpu import Gpus, open_gpus
from analyzer.record.node import NodeView
from analyzer.record.tree import Tree

SHARE = 0.008  # of one core that sampling may take; beyond it samples become rarer


class Sampler(threading.Thread):
    def __init__(self, pid: int, interval: float, file: FlightFile, places: Sequence[Path]) -> None:
        super().__init__(daemon=True)
        self._interval, self._file = interval, file
        self._stopped = threading.Event()
        self._pid, self._places = pid, places
        self._budget, self._gpu_budget = Budget(SHARE), Budget(0.002)
        self.count = 0
        self.oom_kills: int | None = None  # for memory in its control group while it ran; None: nobody counts them

    def stop(self, patience: float) -> None:
        self._stopped.set()
        self.join(patience)

    def run(self) -> None:
        try:
            tree, node, gpus = Tree(self._pid), NodeView(self._pid, self._places), open_gpus()
        except (psutil.Error, OSError):
            return  # it has ended, or /proc is hidden
        before = node.sample_group().get("oom_kills")
        self._repeat(lambda now: self._sample(now, tree, node, gpus))
        after = node.sample_group().get("oom_kills")
        self.oom_kills = None if after is None or before is None else after - before

    def _repeat(self, take: Callable[[float], dict[str, object]]) -> None:
        due = time.monotonic()
        while not self._stopped.wait(max(0.0, due - time.monotonic())):
            now = time.monotonic()
            sample = self._budget.run(functools.partial(take, now), now)
            if not sample["processes"]:
                return  # it has ended
            self._file.write("sample", sample)
            self.count += 1
            due = max(due + self._interval, time.monotonic() + self._budget.cost / SHARE - self._budget.cost)

    def _sample(self, now: float, tree: Tree, node: NodeView, gpus: Gpus | None) -> dict[str, object]:
        sample: dict[str, object] = {"processes": tree.sample(now)}
        try:
            sample["node"] = node.sample()
        except (OSError, psutil.Error):
            sample["node"] = {}
        if group := node.sample_group():
            sample["cgroup"] = group
        if gpus is not None and self._gpu_budget.is_due(now):
            sample["gpus"] = self._gpu_budget.run(gpus, now)
        return sample
