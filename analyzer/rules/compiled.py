"""Patterns of packs, compiled once a run: checking, linting, reading and testing ask for the same ones.

`regex` keeps 500 by itself, and the packs have thousands: it would compile each anew whenever it is asked for.
"""

from __future__ import annotations

import functools

import regex

Compiled = regex.Pattern[str]


@functools.lru_cache(maxsize=65536)
def compile_pattern(pattern: str) -> Compiled:
    """Raises regex.error, and RecursionError or MemoryError for what is nested or repeated beyond reason."""
    return regex.compile(pattern, cache_pattern=False)
