"""Patterns that are mostly searched for in vain, as those of `also` and `not_match` are: no scanner says where.

One that was not found a few times is searched for only in lines that hold a text which it needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from analyzer.rules.compiled import Compiled, compile_pattern
from analyzer.scan.widen import widen

_LINE_FEED = re.compile(r"(?<!\\)(?:\\\\)*\\n")  # `\\n` is a backslash and an n
VAIN = 64  # searches in vain after which it pays to ask what a pattern needs


@dataclass(slots=True)
class Sought:
    pattern: Compiled
    spans_lines: bool  # it asks for a line feed
    vain: int = 0
    needed: list[tuple[str, ...]] = field(
        default_factory=list
    )  # lower case: one of each stands in ASCII that it matches

    def may_be_in(self, text: str) -> bool:
        """False only where the pattern is certain not to match."""
        if not self.needed or not text.isascii():  # beyond ASCII a letter may match without its case
            return True
        holds = text.lower().__contains__
        for place, texts in enumerate(self.needed):
            if not any(map(holds, texts)):
                if place:  # what this line lacks the next one lacks too: that is asked first
                    self.needed.insert(0, self.needed.pop(place))
                return False
        return True

    def miss(self) -> None:
        """It was searched for in vain."""
        self.vain += 1
        if self.vain == VAIN:
            self.needed = _needs(self.pattern.pattern)


def seek(pattern: str) -> Sought:
    return Sought(compile_pattern(pattern), _LINE_FEED.search(pattern) is not None)


def _needs(pattern: str) -> list[tuple[str, ...]]:
    try:
        return sorted(map(tuple, widen(pattern).required), key=len)
    except (re.error, RecursionError, OverflowError):  # what only `regex` knows
        return []
