"""How much memory a process may still take, by the kernel and its control groups."""

from __future__ import annotations

import os
import re
from pathlib import Path

_find_available = re.compile(r"^MemAvailable:\s+(\d{1,18}) kB$", re.M).search


def read_free_memory() -> int | None:
    """Return the bytes that this process may still take; None if neither the kernel nor a control group reports it.

    In a batch job the kernel kills a process that exceeds the limit of its control group. Memory that can be freed
    (page cache) counts as free.
    """
    from analyzer.collect.cgroup import find_memory_cgroups, memory_left_bytes  # only some runs need it

    in_groups = memory_left_bytes(find_memory_cgroups(os.getpid()))
    limits = [limit for limit in (in_groups, _read_available_memory()) if limit is not None]
    return min(limits) if limits else None


def _read_available_memory() -> int | None:
    try:
        match = _find_available(Path("/proc/meminfo").read_text())
    except OSError:
        return None
    return int(match[1]) << 10 if match else None
