"""Sample the resources of a process and its descendants."""

from __future__ import annotations

import contextlib
from typing import Union

import psutil

from analyzer.record.budget import CpuBudget

MAX_PROCESSES = 32  # processes of one sample, the largest first; the others are summed up


ProcessRow = dict[str, Union[int, float, str]]


class ProcessTree:
    """The processes, kept between samples because psutil's objects cache what never changes."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._processes = {pid: self._root}
        self._walk_budget = CpuBudget(0.002)  # a walk reads /proc/*/stat of the whole node …
        self._pss_budget = CpuBudget(0.001)  # … and PSS the page tables of a process

    def sample(self, now: float) -> list[ProcessRow]:
        """Return one row for each process: pid, name, rss, pss (bytes), cpu (seconds so far), threads, fds, read, write
        (bytes).
        """
        if self._walk_budget.is_due(now):
            self._walk_budget.run(self._find_processes, now)
        with_pss = self._pss_budget.is_due(now)
        rows = self._pss_budget.run(lambda: self._rows(True), now) if with_pss else self._rows(False)
        rows.sort(key=lambda row: -int(row["rss"]))
        return rows[:MAX_PROCESSES] + ([_sum_rows(rows[MAX_PROCESSES:])] if len(rows) > MAX_PROCESSES else [])

    def _find_processes(self) -> None:
        try:
            processes = {
                self._root.pid: self._root,
                **{process.pid: process for process in self._root.children(recursive=True)},
            }
        except psutil.Error:
            return
        self._processes = {pid: self._processes.get(pid, process) for pid, process in processes.items()}

    def _rows(self, with_pss: bool) -> list[ProcessRow]:
        rows = []
        for pid, process in list(self._processes.items()):
            try:
                rows.append(_process_row(process, with_pss))
            except psutil.Error:
                self._processes.pop(pid)  # it left
        return rows


def _process_row(process: psutil.Process, with_pss: bool) -> ProcessRow:
    with process.oneshot():
        cpu = process.cpu_times()
        row: ProcessRow = {
            "pid": process.pid,
            "name": process.name(),
            "rss": process.memory_info().rss,
            "cpu": round(cpu.user + cpu.system, 2),
            "threads": process.num_threads(),
        }
        with contextlib.suppress(psutil.AccessDenied):  # a process that changed its user
            row["fds"] = process.num_fds()
            counters = process.io_counters()
            row["read"], row["write"] = counters.read_bytes, counters.write_bytes
            if with_pss:
                row["pss"] = process.memory_full_info().pss
    return row


def _sum_rows(rows: list[ProcessRow]) -> ProcessRow:
    total: ProcessRow = {"pid": 0, "name": f"{len(rows)} smaller processes"}
    for key in ("rss", "threads", "fds"):
        total[key] = sum(int(row.get(key, 0)) for row in rows)
    return total
