"""`--limit NAME=NUMBER`: a bound that a user sets, refused where no machine, or not this one, can keep it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress

from analyzer.bundle import RANGES, Limits
from analyzer.errors import UsageError
from analyzer.report.wording import size

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SETTING = re.compile(r"(\w+)=([0-9]{1,20})([KMGT]?)(?:i?B)?", re.ASCII)  # more digits than any limit has are no number


def read_limits(given: Sequence[str]) -> Limits:
    """Raises UsageError."""
    return Limits(**dict(map(_read, given)))


def _read(text: str) -> tuple[str, int]:
    match = _SETTING.fullmatch(text)
    if not match or match[1] not in RANGES:
        names = ", ".join(RANGES)
        raise UsageError(f"--limit {text[:100]}: it is NAME=NUMBER", f"the names are {names}; 2G is 2 GiB")
    name, unit = match[1], match[3]
    allowed, number = RANGES[name], int(match[2]) * UNITS[unit]
    if unit and not allowed.in_bytes:
        raise UsageError(f"--limit {text}: {name} has no unit", f"{name} counts no bytes")
    if not allowed.least <= number <= allowed.most:
        raise UsageError(f"--limit {text}: {name} is between {allowed.least:,} and {allowed.most:,}")
    if allowed.in_memory and number > (memory := _memory()):
        raise UsageError(
            f"--limit {text}: this machine has {size(memory)} of memory", "give less, or use a larger machine"
        )
    return name, number


def _memory() -> int:
    """Bytes that this machine has; the largest number where it does not say."""
    with suppress(OSError, ValueError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return RANGES["window"].most
