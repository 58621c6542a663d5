"""Read the memory control groups of a process: their limits and their usage. Reads files only; both cgroup versions.

Source of the file names: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of Linux 6.x.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

CGROUP_ROOT = Path("/sys/fs/cgroup")
UNLIMITED_BYTES = 1 << 60  # v1 says "no limit" with a number near 2**63


class MemoryCgroup(NamedTuple):
    """A memory control group. `folder` is its own in the v2 tree or in the memory tree of v1."""

    folder: Path
    version: int


def find_memory_cgroups(pid: int, root: Path = CGROUP_ROOT) -> list[MemoryCgroup]:
    """Return the memory groups of a process, from its own to the outermost visible one; empty without cgroups."""
    try:
        text = Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return []
    for line in text.splitlines():
        _, _, after_id = line.partition(":")
        controllers, _, path = after_id.partition(":")
        groups: list[MemoryCgroup] = []
        if controllers == "" and os.path.exists(root / "cgroup.controllers"):  # noqa: PTH110
            groups = [MemoryCgroup(folder, 2) for folder in _folder_and_parents(root, path)]
        elif "memory" in controllers.split(","):
            groups = [MemoryCgroup(folder, 1) for folder in _folder_and_parents(root / "memory", path)]
        if groups:
            return groups
    return []


def _folder_and_parents(root: Path, path: str) -> list[Path]:
    """Return the folder of `path` below `root` and its parents.

    In a container the path may be the host's and not exist here: then the root is the container's own group.
    """
    folder = root / path.lstrip("/")
    chain = [folder, *folder.parents]
    chain = chain[: chain.index(root) + 1] if root in chain else [root]
    return [folder_or_parent for folder_or_parent in chain if os.path.isdir(folder_or_parent)]  # noqa: PTH112  (pathlib raises where it may not look)


def tightest_limit(groups: list[MemoryCgroup]) -> MemoryCgroup | None:
    """Return the group with the lowest memory limit; the process's own if none is limited; None without groups."""
    limited = [(limit, place) for place, group in enumerate(groups) if (limit := memory_limit_bytes(group)) is not None]
    return groups[min(limited)[1]] if limited else groups[0] if groups else None


def memory_left_bytes(groups: list[MemoryCgroup]) -> int | None:
    """Return the bytes until the first group is full or reaches `memory.high`, where v2 throttles its processes.

    An outer group may be closer to its limit than the one with the lowest limit, because others share it. None if no
    group is limited.
    """
    left_bytes = [
        limit - read_usage(group).get("anon", 0)
        for group in groups
        for limit in (memory_limit_bytes(group), _throttle_bytes(group))
        if limit is not None
    ]
    return max(0, min(left_bytes)) if left_bytes else None


def _throttle_bytes(group: MemoryCgroup) -> int | None:
    """Return `memory.high` in bytes; None in v1, whose soft limit throttles nothing."""
    return read_number(group.folder / "memory.high") if group.version == 2 else None


def memory_limit_bytes(group: MemoryCgroup) -> int | None:
    """Return the memory limit of the group in bytes; None if it has none."""
    value = read_number(group.folder / ("memory.max" if group.version == 2 else "memory.limit_in_bytes"))
    return value if value is not None and value < UNLIMITED_BYTES else None


def read_usage(group: MemoryCgroup) -> dict[str, int]:
    """Return `memory` (bytes, with page cache), `anon` (bytes that cannot be dropped: anonymous and shared memory),
    `memory_max`, `oom_kills`, `pids`, `pids_max`. What cannot be read is left out.
    """
    is_v2 = group.version == 2
    stat = read_table(group.folder / "memory.stat")
    anon = [stat[key] for key in (("anon", "shmem") if is_v2 else ("total_rss", "total_shmem")) if key in stat]
    events = read_table(group.folder / ("memory.events" if is_v2 else "memory.oom_control"))
    usage = {
        "memory": read_number(group.folder / ("memory.current" if is_v2 else "memory.usage_in_bytes")),
        "anon": sum(anon) if anon else None,
        "memory_max": memory_limit_bytes(group),
        "oom_kills": events.get("oom_kill"),
        "pids": read_number(group.folder / "pids.current"),
        "pids_max": read_number(group.folder / "pids.max"),
    }
    return {name: value for name, value in usage.items() if value is not None}


def read_number(path: Path) -> int | None:
    """Return the number in a file; None for "max" and for a file that cannot be read."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None  # "max", or not there


def read_table(path: Path) -> dict[str, int]:
    """Return the `name number` lines of a file."""
    try:
        pairs = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].lstrip("-").isdecimal()}
