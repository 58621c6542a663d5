"""Patterns as the parse trees of Python's own `re` parser (CPython's Lib/re/_parser.py), each parsed once."""

from __future__ import annotations

import functools
import re
import re._parser as parser  # type: ignore[import-not-found]
from typing import Any

_NAMED_GROUP = re.compile(r"\(\?P<\w+>")


@functools.lru_cache(maxsize=65536)
def parse_pattern(pattern: str) -> Any:
    """A `SubPattern`. Raises re.error, RecursionError or OverflowError for what `re` does not know."""
    try:
        return parser.parse(pattern)
    except re.error:
        return parser.parse(_NAMED_GROUP.sub("(", pattern))  # `regex` lets a name stand twice, `re` does not
