"""Sample the resources of the whole node: memory, /dev/shm, disks, network, the process's control group."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import psutil

from analyzer.collect.cgroup import MemoryCgroup, find_memory_cgroups, read_usage, tightest_limit
from analyzer.collect.timeouts import call_with_timeout
from analyzer.record.writable_folders import one_folder_per_file_system

MOUNTS_TIMEOUT_S = 3.0  # seconds


class NodeSampler:
    """Sample the node. `folders`: where the program may write; each file system is sampled once."""

    def __init__(self, pid: int, folders: Sequence[Path]) -> None:
        self._cgroup: MemoryCgroup | None = tightest_limit(find_memory_cgroups(pid))
        try:
            self._mounts = call_with_timeout(lambda: one_folder_per_file_system(folders), MOUNTS_TIMEOUT_S)
        except TimeoutError:  # a file server that is dead
            self._mounts = {}

    def sample(self) -> dict[str, object]:
        """Return the sample in bytes; `disk` by mount point. `rx` and `tx` count since boot; `load` is the one-minute
        load.
        """
        memory, swap, net = psutil.virtual_memory(), psutil.swap_memory(), psutil.net_io_counters()
        sample: dict[str, object] = {
            "memory_used": memory.total - memory.available,
            "memory_total": memory.total,
            "swap_used": swap.used,
            "swap_total": swap.total,
            "load": round(psutil.getloadavg()[0], 2),
            "disk": {name: usage for name, path in self._mounts.items() if (usage := _disk_usage(path)) is not None},
        }
        if net is not None:
            sample["rx"], sample["tx"] = net.bytes_recv, net.bytes_sent
        return sample

    def sample_cgroup(self) -> dict[str, int]:
        return read_usage(self._cgroup) if self._cgroup else {}


def _disk_usage(path: Path) -> list[int] | None:
    """Return [used, total] in bytes, without the blocks that are reserved for root."""
    try:
        usage = psutil.disk_usage(str(path))
    except OSError:
        return None
    return [usage.used, usage.used + usage.free]
