"""Patterns that are compiled on first use: most runs need few of them, and compiling all takes some 10 ms."""

from __future__ import annotations

import re
from typing import Any, cast

_ATTRIBUTES = ("search", "match", "fullmatch", "finditer", "sub", "pattern", "flags")


def compile_on_use(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what has the attributes of the compiled pattern, and compiles it when the first of them is read."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    def __init__(self, source: str, flags: int) -> None:
        self._source, self._source_flags = source, flags

    def __getattr__(self, name: str) -> Any:  # only called until the value is an attribute of this object
        if name not in _ATTRIBUTES:
            raise AttributeError(name)
        compiled = re.compile(self._source, self._source_flags)
        for attribute in _ATTRIBUTES:
            setattr(self, attribute, getattr(compiled, attribute))
        return getattr(compiled, name)
