"""Patterns that are mostly searched for in vain, as those of `also` and `not_match` are: no scanner says where.

One that was not found a few times is searched for only in lines that hold a text which it needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from analyzer.scan.widen import widen
from analyzer.signals.compiled_patterns import CompiledPattern, compile_pattern

_LINE_FEED = re.compile(r"(?<!\\)(?:\\\\)*\\n")  # `\\n` is a backslash and an n
PREFILTER_AFTER_MISSES = 64  # searches in vain after which it pays to ask what a pattern needs


@dataclass(slots=True)
class PrefilteredPattern:
    pattern: CompiledPattern
    spans_lines: bool  # it asks for a line feed
    misses: int = 0
    required_texts: list[tuple[str, ...]] = field(
        default_factory=list
    )  # lower case: one of each stands in ASCII that it matches

    def may_match(self, text: str) -> bool:
        """False only where the pattern is certain not to match."""
        if not self.required_texts or not text.isascii():  # beyond ASCII a letter may match without its case
            return True
        is_in_text = text.lower().__contains__
        for position, texts in enumerate(self.required_texts):
            if not any(map(is_in_text, texts)):
                if position:  # what this line lacks the next one lacks too: that is asked first
                    self.required_texts.insert(0, self.required_texts.pop(position))
                return False
        return True

    def note_miss(self) -> None:
        """It was searched for in vain."""
        self.misses += 1
        if self.misses == PREFILTER_AFTER_MISSES:
            self.required_texts = _required_texts(self.pattern.pattern)


def compile_prefiltered(pattern: str) -> PrefilteredPattern:
    return PrefilteredPattern(compile_pattern(pattern), _LINE_FEED.search(pattern) is not None)


def _required_texts(pattern: str) -> list[tuple[str, ...]]:
    try:
        return sorted(map(tuple, widen(pattern).required), key=len)
    except (re.error, RecursionError, OverflowError):  # what only `regex` knows
        return []
