"""Parse trees of patterns, made by the parser of Python's `re` (CPython's Lib/re/_parser.py); each is parsed once."""

from __future__ import annotations

import functools
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import warnings
from collections.abc import Callable, Iterable
from typing import Any

REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, getattr(sre, "POSSESSIVE_REPEAT", sre.MAX_REPEAT))
ATOMIC_GROUP = getattr(sre, "ATOMIC_GROUP", None)
_NAMED_GROUP = re.compile(r"\(\?P<\w+>")


@functools.lru_cache(maxsize=65536)
def parse_pattern(pattern: str) -> Any:
    """Return a `SubPattern`. Raises re.error, RecursionError or OverflowError for a pattern that `re` refuses."""
    with warnings.catch_warnings(
        action="ignore", category=FutureWarning
    ):  # for `[[`, which `re` and `regex` both read as it is
        try:
            return parser.parse(pattern)
        except re.error:
            return parser.parse(_NAMED_GROUP.sub("(", pattern))  # `regex` allows a group name twice, `re` does not


def parts_of(op: Any, arg: Any) -> Iterable[Any]:
    """Return the parse trees within a node."""
    if op in REPEATS:
        return (arg[2],)
    if op is sre.SUBPATTERN:
        return (arg[3],)
    if op is sre.BRANCH:
        return tuple(arg[1])
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return (arg[1],)
    return (arg,) if op is ATOMIC_GROUP else ()


def with_parts(op: Any, arg: Any, parts: list[Any]) -> tuple[Any, Any]:
    """Return a node with other parse trees within."""
    if op in REPEATS:
        return op, (arg[0], arg[1], parts[0])
    if op is sre.SUBPATTERN:
        return op, (*arg[:3], parts[0])
    if op is sre.BRANCH:
        return op, (None, parts)
    return op, parts[0] if op is ATOMIC_GROUP else arg


def expanded_size(items: Iterable[Any], copies: Callable[[int, int], int]) -> int:
    """Return how many single characters a tree has if `copies(least, most)` of each counted repeat are written out."""
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
    if op is ATOMIC_GROUP:
        return expanded_size(arg, copies)
    return 1
