"""How many processes the memory has room for: in a batch job a control group's limit ends whoever goes beyond it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from analyzer.collect.cgroup import find_memory_cgroups, memory_left_bytes

READER_MEMORY_BYTES = 100 << 20  # bytes that a reading process takes, of which it shares nothing with others
_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d{1,18}) kB$", re.M)


def max_processes_by_memory() -> int | None:
    """Processes beside this one; None where neither the kernel nor a control group says what there is."""
    in_groups = memory_left_bytes(find_memory_cgroups(os.getpid()))  # what can be dropped (page cache) is left, too
    free = [one for one in (in_groups, _available_memory()) if one is not None]
    return min(free) // READER_MEMORY_BYTES if free else None


def _available_memory() -> int | None:
    try:
        found = _AVAILABLE.search(Path("/proc/meminfo").read_text())
    except OSError:
        return None
    return int(found[1]) << 10 if found else None
