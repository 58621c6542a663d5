"""Whether the scanner can take a pattern at all: one that it cannot would stop all others with it."""

from __future__ import annotations

import re
import re._constants as sre  # type: ignore[import-not-found]

from analyzer.scan.parse_tree import expanded_size, parse_pattern
from analyzer.scan.widen import MAX_REPEAT, widen

MAX_EXPANDED_CHARS = 4000  # characters that counted repeats may be written out to; Hyperscan writes them out
MAX_SAFE_CHARS = 400  # up to here no pattern was ever refused
# What `regex` and `re` both take and understand differently: nothing would ever be found.
_POSIX = re.compile(r"\[:\^?(?:al(?:num|pha)|ascii|blank|cntrl|x?digit|graph|lower|print|punct|space|upper|word):\]")
# How many insertions, deletions, substitutions or errors of any kind, or what they cost.
_FUZZY_ERRORS = r"(?:(?:\d+ *<=? *)?[idse](?: *<=? *\d+)?|\d*[ids](?: *\+ *\d*[ids])+ *<=? *\d+)"
_FUZZY = re.compile(rf"(?<!\\)(?:\\\\)*\{{ *{_FUZZY_ERRORS}(?: *, *{_FUZZY_ERRORS})*(?: *:[^}}]*)? *\}}")


def find_fault(pattern: str) -> str | None:
    """Why the scanner refuses the pattern, in words; None where it takes it."""
    if match := _POSIX.search(pattern):
        return f"{match[0]} is not known here: write \\d, \\s, \\w or a range"
    if match := _FUZZY.search(pattern):
        return f"{match[0].lstrip(chr(92))} asks for inexact matches: write \\{{ for the brace itself"
    try:
        expression = widen(pattern).expression
        if "{" not in expression and len(expression) <= MAX_SAFE_CHARS:
            return None  # nothing in it is written out, so that it is no heavier than long
        weight = expanded_size(parse_pattern(expression), _copies_of_repeat)
    except (re.error, RecursionError, OverflowError) as error:
        return str(error) or type(error).__name__
    if weight > MAX_EXPANDED_CHARS:
        return f"its counted repeats stand for {weight} characters, and at most {MAX_EXPANDED_CHARS} can be looked for"
    return _try_to_compile(expression) if weight > MAX_SAFE_CHARS else None


def _copies_of_repeat(least: int, most: int) -> int:
    return max(1, min(least if most is sre.MAXREPEAT else most, MAX_REPEAT))


def _try_to_compile(expression: str) -> str | None:
    """Compiles it alone, where the engine is there: a fraction of a second at this weight."""
    try:
        import hyperscan
    except ImportError:
        return None
    try:
        hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK).compile(
            expressions=[expression.encode()], ids=[0], elements=1, flags=[hyperscan.HS_FLAG_MULTILINE]
        )
    except hyperscan.error as error:
        return str(error)
    return None
