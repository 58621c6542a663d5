"""Read the node's clocks at one moment."""

from __future__ import annotations

import time


def read_clocks() -> dict[str, float]:
    """Return `wall` (seconds since the epoch, UTC), `monotonic` (CLOCK_MONOTONIC, the clock of dmesg; it stops in
    suspend), `boot` (CLOCK_BOOTTIME, which does not) and `zone` (seconds east of UTC).
    """
    now = {"wall": time.time(), "monotonic": time.monotonic(), "zone": float(time.localtime().tm_gmtoff or 0)}
    if hasattr(time, "CLOCK_BOOTTIME"):
        now["boot"] = time.clock_gettime(time.CLOCK_BOOTTIME)
    return {name: round(value, 6) for name, value in now.items()}
