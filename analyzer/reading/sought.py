"""Patterns that are mostly searched for in vain, as those of `also` and `not_match` are: no scanner says where.

One that was not found a few times is searched for only in lines that hold a text which it needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from analyzer.rules.compiled import Compiled, compile_pattern
from analyzer.scan.widen import widen

_LINE_FEED = re.compile(r"(?<!\\)(?:\\\\)*\\n")  # `\\n` is a backslash and an n
VAIN = 64  # searches in vain after which it pays to ask what a pattern needs


@dataclass(slots=True)
class Sought:
    pattern: Compiled
    spans_lines: bool  # it asks for a line feed
    vain: int = 0
    needed: tuple[str, ...] = ()  # lower case: one of them stands in each ASCII text that it matches

    def may_be_in(self, text: str) -> bool:
        """False only where the pattern is certain not to match."""
        if not self.needed or not text.isascii():  # beyond ASCII a letter may match without its case
            return True
        return any(map(text.lower().__contains__, self.needed))

    def miss(self) -> None:
        """It was searched for in vain."""
        self.vain += 1
        if self.vain == VAIN:
            self.needed = _needs(self.pattern.pattern)


def seek(pattern: str) -> Sought:
    return Sought(compile_pattern(pattern), _LINE_FEED.search(pattern) is not None)


def _needs(pattern: str) -> tuple[str, ...]:
    try:
        return max(map(tuple, widen(pattern).required), key=_tells, default=())
    except (re.error, RecursionError, OverflowError):  # what only `regex` knows
        return ()


def _tells(texts: tuple[str, ...]) -> tuple[int, int]:
    """More for long texts, and for few of them."""
    return min(map(len, texts)), -len(texts)
