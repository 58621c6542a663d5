"""Resource samples of the whole node: memory, /dev/shm, disks, network, the process's control group."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import psutil

from analyzer.collect.cgroup import Group, find_groups, read_usage, tightest
from analyzer.collect.patience import wait_for
from analyzer.record.places import file_systems

PATIENCE = 3.0  # seconds


class NodeView:
    """`places`: where the program may write; each file system is sampled once."""

    def __init__(self, pid: int, places: Sequence[Path]) -> None:
        self._group: Group | None = tightest(find_groups(pid))
        try:
            self._mounts = wait_for(lambda: file_systems(places), PATIENCE)
        except TimeoutError:  # a file server that is dead
            self._mounts = {}

    def sample(self) -> dict[str, object]:
        """Bytes; `disk` by mount point. Counters since boot are `rx`, `tx`; `load` is the one-minute load."""
        memory, swap, net = psutil.virtual_memory(), psutil.swap_memory(), psutil.net_io_counters()
        found: dict[str, object] = {
            "memory_used": memory.total - memory.available,
            "memory_total": memory.total,
            "swap_used": swap.used,
            "swap_total": swap.total,
            "load": round(psutil.getloadavg()[0], 2),
            "disk": {name: usage for name, path in self._mounts.items() if (usage := _usage(path)) is not None},
        }
        if net is not None:
            found["rx"], found["tx"] = net.bytes_recv, net.bytes_sent
        return found

    def sample_group(self) -> dict[str, int]:
        return read_usage(self._group) if self._group else {}


def _usage(path: Path) -> list[int] | None:
    """[used, total]: what root keeps for itself does not count as free."""
    try:
        usage = psutil.disk_usage(str(path))
    except OSError:
        return None
    return [usage.used, usage.used + usage.free]
