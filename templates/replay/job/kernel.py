"""Kernel log lines about some processes, as `dmesg --time-format iso` prints them, if reading is permitted."""

from __future__ import annotations

import ctypes
import re
import time
from datetime import datetime, timezone

_LINE = re.compile(r"<\d+>\[ *(\d+\.\d+)\] (.*)")
_READ_ALL, _SIZE = 3, 10  # of syslog(2)


def read_kernel_log(since: float, pids: set) -> str:
    """Return lines since `since` (seconds of the monotonic clock) that name one of the pids; empty if reading is
    forbidden.
    """
    libc = ctypes.CDLL(None)
    size = libc.klogctl(_SIZE, None, 0)
    if size <= 0:
        return ""
    buffer = ctypes.create_string_buffer(size)
    if libc.klogctl(_READ_ALL, buffer, size) < 0:
        return ""
    booted = time.time() - time.monotonic()
    lines = []
    for line in buffer.value.decode("utf-8", "replace").splitlines():
        match = _LINE.match(line)
        if (
            match
            and float(match[1]) >= since
            and pids & {int(number) for number in re.findall(r"\b\d{1,9}\b", match[2])}
        ):
            lines.append(f"{_iso(booted + float(match[1]))} {match[2]}\n")
    return "".join(lines)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="microseconds").replace(".", ",")
