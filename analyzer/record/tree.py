"""Resource samples of a process and its descendants."""

from __future__ import annotations

import contextlib
from typing import Union

import psutil

from analyzer.record.budget import Budget

KEPT = 32  # processes of one sample, the largest first; the others are summed up


Row = dict[str, Union[int, float, str]]


class Tree:
    """Knows the processes between samples: psutil objects keep what never changes."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._family = {pid: self._root}
        self._walk = Budget(0.002)  # a walk reads /proc/*/stat of the whole node …
        self._pss = Budget(0.001)  # … and PSS the page tables of a process

    def sample(self, now: float) -> list[Row]:
        """One row a process: pid, name, rss, pss (bytes), cpu (seconds so far), threads, fds, read, write (bytes)."""
        if self._walk.is_due(now):
            self._walk.run(self._find_family, now)
        with_pss = self._pss.is_due(now)
        rows = self._pss.run(lambda: self._rows(True), now) if with_pss else self._rows(False)
        rows.sort(key=lambda row: -int(row["rss"]))
        return rows[:KEPT] + ([_sum(rows[KEPT:])] if len(rows) > KEPT else [])

    def _find_family(self) -> None:
        try:
            found = {self._root.pid: self._root, **{each.pid: each for each in self._root.children(recursive=True)}}
        except psutil.Error:
            return
        self._family = {pid: self._family.get(pid, each) for pid, each in found.items()}

    def _rows(self, with_pss: bool) -> list[Row]:
        rows = []
        for pid, process in list(self._family.items()):
            try:
                rows.append(_row(process, with_pss))
            except psutil.Error:
                self._family.pop(pid)  # it left
        return rows


def _row(process: psutil.Process, with_pss: bool) -> Row:
    with process.oneshot():
        cpu = process.cpu_times()
        row: Row = {
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


def _sum(rows: list[Row]) -> Row:
    total: Row = {"pid": 0, "name": f"{len(rows)} smaller processes"}
    for key in ("rss", "threads", "fds"):
        total[key] = sum(int(row.get(key, 0)) for row in rows)
    return total
