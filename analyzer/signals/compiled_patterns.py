"""Patterns of packs, compiled once a run: checking, linting, reading and testing ask for the same ones.

`regex` keeps 500 by itself, and the packs have thousands: it would compile each anew whenever it is asked for.
"""

from __future__ import annotations

import functools
import math
import re

import regex

from analyzer.scan.parse_tree import expanded_size, parse_pattern

PARSE_ABOVE_REPEATS = 10_000  # repeats from which on a pattern is parsed to see how many characters they stand for …
MAX_EXPANDED_CHARS = 20_000  # … of which each takes `regex` some 300 bytes
_find_repeat_minimums = re.compile(r"\{(\d{1,18})").findall

CompiledPattern = regex.Pattern[str]


@functools.lru_cache(maxsize=65536)
def compile_pattern(pattern: str) -> CompiledPattern:
    """Raises regex.error, and RecursionError or MemoryError for what is nested or repeated beyond reason."""
    if (
        math.prod(int(minimum) or 1 for minimum in _find_repeat_minimums(pattern)) > PARSE_ABOVE_REPEATS
        and _expanded_chars(pattern) > MAX_EXPANDED_CHARS
    ):
        raise regex.error(
            f"its counted repeats stand for more than {MAX_EXPANDED_CHARS:,} characters and take too much memory"
        )
    return regex.compile(pattern, cache_pattern=False)


def _expanded_chars(pattern: str) -> int:
    """Characters that are left when counted repeats are written out, each as often as it must be there."""
    try:
        return expanded_size(parse_pattern(pattern), lambda least, _: max(1, least))
    except re.error as error:
        raise regex.error(str(error)) from error
