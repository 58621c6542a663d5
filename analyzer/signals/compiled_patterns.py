"""Compile the patterns of packs, each once per run.

Loading, linting, reading and testing ask for the same patterns. `regex` caches only 500 by itself, and the packs have
thousands: without this cache it would compile a pattern again each time it is asked for. It takes up to a millisecond
for each, so that those of an analysis are stored from one run to the next.
"""

from __future__ import annotations

import functools
import hashlib
import math
import pickle
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

import regex

from analyzer.paths import read_cache, write_cache
from analyzer.scan.parse_tree import expanded_size, parse_pattern
from analyzer.scan.step_bound import find_clockless_chars

MAX_PATTERN_CHARS = 16 * 1024  # compiling these takes up to 0.4 s, longer ones quadratic time
PARSE_ABOVE_REPEATS = 10_000  # product of the counted repeats above which a pattern is parsed to measure its size
STORED_FORMAT = 2  # of the file with compiled patterns
MAX_EXPANDED_CHARS = 20_000  # `regex` needs about 300 bytes for each expanded character
_find_repeat_minimums = re.compile(r"\{(\d{1,18})").findall

CompiledPattern = regex.Pattern[str]
_stored_patterns: dict[str, bytes] = {}  # pattern → pickle of its compiled form
_stored_lengths: dict[str, int] = {}  # pattern → what `clockless_chars` says of it


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
    if stored := _stored_patterns.get(pattern):
        compiled: CompiledPattern = pickle.loads(stored)  # of our own file: see `read_cache`
        return compiled
    return regex.compile(pattern, cache_pattern=False)


@functools.lru_cache(maxsize=65536)
def clockless_chars(pattern: CompiledPattern) -> int:
    """Return the length of the texts in which the pattern is searched fast for certain: no clock need watch it."""
    text = pattern.pattern
    length = _stored_lengths.get(text)
    return find_clockless_chars(text) if length is None else length


def keep_compiled(patterns: Collection[str], folder: Path) -> None:
    """Let `compile_pattern` know what an earlier run made of patterns; if none did, compile and store all of them.

    The file in `folder`, the cache, fits one set of patterns, one `regex` and one Python. Patterns that are not valid
    are left out. If nothing can be written there, nothing is compiled.
    """
    digest = hashlib.sha256(f"{sys.version} {regex.__version__} {STORED_FORMAT}".encode())
    for pattern in patterns:
        digest.update(f"{len(pattern)}:{pattern}".encode())
    file = folder / f"{digest.hexdigest()[:32]}.regexes"
    if data := read_cache(file):
        compiled, lengths = pickle.loads(data)
        _stored_patterns.update(compiled)
        _stored_lengths.update(lengths)
        return
    write_cache(file, b"")
    if read_cache(file) == b"":
        compiled = dict(_compile_all(patterns))
        lengths = {pattern: find_clockless_chars(pattern) for pattern in compiled}
        write_cache(file, pickle.dumps((compiled, lengths)))
        if not read_cache(file):  # there was no room for it
            with suppress(OSError):
                file.unlink()


def _compile_all(patterns: Collection[str]) -> Iterator[tuple[str, bytes]]:
    for pattern in patterns:
        with suppress(regex.error, RecursionError, MemoryError):
            yield pattern, pickle.dumps(compile_pattern(pattern))


def _expanded_chars(pattern: str) -> int:
    """Return how many characters the pattern has when each counted repeat is written out with its minimum."""
    try:
        return expanded_size(parse_pattern(pattern), lambda least, _: max(1, least))
    except re.error as error:
        raise regex.error(str(error)) from error
