"""How many processes the memory has room for: in a batch job a control group's limit ends whoever goes beyond it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from analyzer.collect.cgroup import find_groups, read_usage, tightest

EACH = 100 << 20  # bytes that a reading process takes, of which it shares nothing with others
_AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.M)


def count_fitting(pid: int | None = None) -> int | None:
    """Processes beside this one; None where neither the kernel nor a control group says what there is."""
    free = [one for one in (_left_in_group(pid or os.getpid()), _left_in_machine()) if one is not None]
    return max(0, min(free)) // EACH if free else None


def _left_in_group(pid: int) -> int | None:
    """Bytes. What can be dropped (page cache) is not counted as used."""
    group = tightest(find_groups(pid))
    usage = read_usage(group) if group else {}
    return usage["memory_max"] - usage.get("anon", 0) if "memory_max" in usage else None


def _left_in_machine() -> int | None:
    try:
        found = _AVAILABLE.search(Path("/proc/meminfo").read_text())
    except OSError:
        return None
    return int(found[1]) << 10 if found else None
