"""Compile the patterns of packs, each once per run.

Loading, linting, reading and testing ask for the same patterns. `regex` caches only 500 by itself, and the packs have
thousands: without this cache it would compile a pattern again each time it is asked for.
"""

from __future__ import annotations

import functools
import math
import re

import regex

from analyzer.scan.parse_tree import expanded_size, parse_pattern

MAX_PATTERN_CHARS = 16 * 1024  # compiling these takes up to 0.4 s, longer ones quadratic time
PARSE_ABOVE_REPEATS = 10_000  # product of the counted repeats above which a pattern is parsed to measure its size
MAX_EXPANDED_CHARS = 20_000  # `regex` needs about 300 bytes for each expanded character
_find_repeat_minimums = re.compile(r"\{(\d{1,18})").findall

CompiledPattern = regex.Pattern[str]


@functools.lru_cache(maxsize=65536)
def compile_pattern(pattern: str) -> CompiledPattern:
    """Return the compiled pattern.

    Raises regex.error for a pattern that is not valid, too long or whose counted repeats need too much memory, and
    RecursionError or MemoryError for a pattern that is nested too deeply.
    """
    if len(pattern) > MAX_PATTERN_CHARS:
        raise regex.error(f"it has {len(pattern):,} characters, more than {MAX_PATTERN_CHARS:,}")
    if (
        math.prod(int(minimum) or 1 for minimum in _find_repeat_minimums(pattern)) > PARSE_ABOVE_REPEATS
        and _expanded_chars(pattern) > MAX_EXPANDED_CHARS
    ):
        raise regex.error(
            f"its counted repeats expand to more than {MAX_EXPANDED_CHARS:,} characters and take too much memory"
        )
    return regex.compile(pattern, cache_pattern=False)


def _expanded_chars(pattern: str) -> int:
    """Return how many characters the pattern has when each counted repeat is written out with its minimum."""
    try:
        return expanded_size(parse_pattern(pattern), lambda least, _: max(1, least))
    except re.error as error:
        raise regex.error(str(error)) from error
