"""Patterns as the parse trees of Python's own `re` parser (CPython's Lib/re/_parser.py), each parsed once."""

from __future__ import annotations

import functools
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import warnings
from collections.abc import Callable, Iterable
from typing import Any

REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, getattr(sre, "POSSESSIVE_REPEAT", sre.MAX_REPEAT))
_NAMED_GROUP = re.compile(r"\(\?P<\w+>")


@functools.lru_cache(maxsize=65536)
def parse_pattern(pattern: str) -> Any:
    """A `SubPattern`. Raises re.error, RecursionError or OverflowError for what `re` does not know."""
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # of `[[`, which both take as it is
        try:
            return parser.parse(pattern)
        except re.error:
            return parser.parse(_NAMED_GROUP.sub("(", pattern))  # `regex` lets a name stand twice, `re` does not


def expanded_size(items: Iterable[Any], copies: Callable[[int, int], int]) -> int:
    """How many single characters a tree is when `copies(least, most)` of each counted repeat are written out."""
    return sum(_expanded_node_size(op, arg, copies) for op, arg in items)


def _expanded_node_size(op: Any, arg: Any, copies: Callable[[int, int], int]) -> int:
    if op in REPEATS:
        least, most, inner = arg
        return copies(least, most) * expanded_size(inner, copies)
    if op is sre.BRANCH:
        return sum(expanded_size(branch, copies) for branch in arg[1])
    if op is sre.SUBPATTERN:
        return expanded_size(arg[3], copies)
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return expanded_size(arg[1], copies)
    if op is sre.GROUPREF_EXISTS:
        return sum(expanded_size(branch, copies) for branch in arg[1:] if branch)
    if op is getattr(sre, "ATOMIC_GROUP", None):
        return expanded_size(arg, copies)
    return 1
