"""Patterns of packs, compiled once a run: checking, linting, reading and testing ask for the same ones.

`regex` keeps 500 by itself, and the packs have thousands: it would compile each anew whenever it is asked for.
"""

from __future__ import annotations

import functools
import math
import re

import regex

from analyzer.scan.tree import parse_pattern

MANY = 10_000  # repeats from which on a pattern is parsed to see how long it must be
WIDEST = 20_000  # characters that a pattern may ask for; `regex` takes some 300 bytes for each
_LEAST = re.compile(r"\{(\d{1,18})").findall

Compiled = regex.Pattern[str]


@functools.lru_cache(maxsize=65536)
def compile_pattern(pattern: str) -> Compiled:
    """Raises regex.error, and RecursionError or MemoryError for what is nested or repeated beyond reason."""
    if math.prod(int(low) or 1 for low in _LEAST(pattern)) > MANY and _width(pattern) > WIDEST:
        raise regex.error(f"it matches nothing of fewer than {WIDEST:,} characters: its repeats take too much memory")
    return regex.compile(pattern, cache_pattern=False)


def _width(pattern: str) -> int:
    """Characters of the shortest text that matches."""
    try:
        return int(parse_pattern(pattern).getwidth()[0])
    except re.error as error:
        raise regex.error(str(error)) from error
