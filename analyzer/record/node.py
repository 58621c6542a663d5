"""Resource samples of the whole node: memory, /dev/shm, disks, network, the process's control group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil

from analyzer.collect.cgroup import Group, find_groups, read_usage, tightest


class NodeView:
    """`folders`: where the program writes; each file system is sampled once."""

    def __init__(self, pid: int, folders: list[Path]) -> None:
        self._group: Group | None = tightest(find_groups(pid))
        self._mounts = dict(_file_systems(folders))

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


def _file_systems(folders: list[Path]) -> Iterator[tuple[str, Path]]:
    seen = set()
    for folder in folders:
        try:
            device = folder.stat().st_dev
        except OSError:
            continue
        if device not in seen:
            seen.add(device)
            yield str(folder), folder


def _usage(path: Path) -> list[int] | None:
    """[used, total]: what root keeps for itself does not count as free."""
    try:
        usage = psutil.disk_usage(str(path))
    except OSError:
        return None
    return [usage.used, usage.used + usage.free]
