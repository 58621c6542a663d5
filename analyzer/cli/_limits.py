"""`--limit NAME=NUMBER`: a limit that the user sets. Values that are too large for this machine are refused."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress

from analyzer.bundle import LIMIT_RANGES, BundleLimits
from analyzer.errors import UsageError
from analyzer.report.formatting import format_bytes

BYTES_BY_UNIT = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SETTING = re.compile(r"(\w+)=([0-9]{1,20})([KMGT]?)(?:i?B)?", re.ASCII)  # no limit has more digits


def read_limits(settings: Sequence[str]) -> BundleLimits:
    """Return the limits with the user's settings applied. Raises UsageError for a setting that is not valid."""
    return BundleLimits(**dict(map(_read_limit, settings)))


def _read_limit(text: str) -> tuple[str, int]:
    match = _SETTING.fullmatch(text)
    if not match:
        raise UsageError(f"--limit {text[:100]} is not NAME=NUMBER", "as in --limit members=500000 or window=2G")
    if match[1] not in LIMIT_RANGES:
        raise UsageError(f"--limit {match[1][:100]} is not a known limit", f"choose one of {', '.join(LIMIT_RANGES)}")
    name, unit = match[1], match[3]
    limit_range, number = LIMIT_RANGES[name], int(match[2]) * BYTES_BY_UNIT[unit]
    if unit and not limit_range.in_bytes:
        raise UsageError(f"--limit {text}: {name} is not in bytes", f"leave out the unit {unit}")
    if not limit_range.minimum <= number <= limit_range.maximum:
        raise UsageError(
            f"--limit {text} is out of range",
            f"choose a number between {limit_range.minimum:,} and {limit_range.maximum:,}",
        )
    if limit_range.in_memory and number > (memory := _memory_bytes()):
        raise UsageError(
            f"--limit {text}: this machine has {format_bytes(memory)} of memory",
            "choose a smaller limit, or use a larger machine",
        )
    return name, number


def _memory_bytes() -> int:
    """Return the memory of this machine in bytes, or the largest allowed limit if the system does not say."""
    with suppress(OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return LIMIT_RANGES["window"].maximum
