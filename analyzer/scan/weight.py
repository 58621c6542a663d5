"""Whether the scanner can take a pattern at all: one that it cannot would stop all others with it."""

from __future__ import annotations

import re
import re._constants as sre  # type: ignore[import-not-found]

from analyzer.scan.tree import parse_pattern, write_out
from analyzer.scan.widen import _MAX_REPEAT, widen

HEAVY = 4000  # characters that counted repeats may be written out to; Hyperscan writes them out
LIGHT = 400  # up to here no pattern was ever refused
# What `regex` and `re` both take and understand differently: nothing would ever be found.
_POSIX = re.compile(r"\[:\^?(?:al(?:num|pha)|ascii|blank|cntrl|x?digit|graph|lower|print|punct|space|upper|word):\]")
# How many insertions, deletions, substitutions or errors of any kind, or what they cost.
_ERRORS = r"(?:(?:\d+ *<=? *)?[idse](?: *<=? *\d+)?|\d*[ids](?: *\+ *\d*[ids])+ *<=? *\d+)"
_FUZZY = re.compile(rf"(?<!\\)(?:\\\\)*\{{ *{_ERRORS}(?: *, *{_ERRORS})*(?: *:[^}}]*)? *\}}")


def find_fault(pattern: str) -> str | None:
    """Why the scanner refuses the pattern, in words; None where it takes it."""
    if found := _POSIX.search(pattern):
        return f"{found[0]} is not known here: write \\d, \\s, \\w or a range"
    if found := _FUZZY.search(pattern):
        return f"{found[0].lstrip(chr(92))} asks for inexact matches: write \\{{ for the brace itself"
    try:
        expression = widen(pattern).expression
        if "{" not in expression and len(expression) <= LIGHT:
            return None  # nothing in it is written out, so that it is no heavier than long
        weight = write_out(parse_pattern(expression), _copies)
    except (re.error, RecursionError, OverflowError) as error:
        return str(error) or type(error).__name__
    if weight > HEAVY:
        return f"its counted repeats stand for {weight} characters, and at most {HEAVY} can be looked for"
    return _try(expression) if weight > LIGHT else None


def _copies(least: int, most: int) -> int:
    return max(1, min(least if most is sre.MAXREPEAT else most, _MAX_REPEAT))


def _try(expression: str) -> str | None:
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
