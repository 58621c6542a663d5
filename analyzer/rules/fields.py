"""Single values of a pack's YAML, checked:

words of a vocabulary, patterns, lists. What is wrong is collected, not raised.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import TypeVar

import regex

from analyzer.rules.compiled import compile_pattern
from analyzer.rules.places import At, Place, Problem
from analyzer.scan import find_fault

T = TypeVar("T")
FEW = 24  # names that a problem lists
ESCAPE = "a bracket or a sign of its own is written \\( \\[ \\+, and `contains` takes plain text"
NAMES = "`tf-postmortem rules list` and docs/rules.md name them all"
SHORTEN = "make its counted repeats shorter, or write what `re` of Python knows as well"


class Fields:
    """Reads values of one file; `problems` grows with what is wrong.

    The patterns of a trusted pack were checked before it was shipped.
    """

    def __init__(self, file: str, problems: list[Problem], trusted: bool = False) -> None:
        self.file = file
        self.problems = problems
        self.trusted = trusted

    def complain(self, at: At, text: str, advice: str) -> None:
        self.problems.append(Problem(self.file, at, text if len(text) < 600 else text[:600] + "…", advice))

    def check_keys(self, body: Place, known: frozenset[str], what: str) -> None:
        for key in body:
            if key not in known:
                self.complain(
                    body.key_at(key),
                    f"{what}: unknown key {key[:80]!r}",
                    nearest(key, known, "docs/rules.md names all keys"),
                )

    def patterns(self, body: Place, key: str, name: str) -> tuple[str, ...]:
        where, within, raw = body, key, body.get(key)
        if key == "match" and isinstance(raw, Place):
            self.check_keys(raw, frozenset({"any"}), f"{name}: match")
            where, within, raw = raw, "any", raw.get("any")
        return tuple(
            pattern
            for number, pattern in enumerate(strings(raw))
            if self.trusted or self.check_pattern(pattern, where.at(within, number), name, scanned=key == "match")
        )

    def check_pattern(self, pattern: str, at: At, name: str, scanned: bool = False) -> bool:
        """Whether `regex` compiles it and, for a pattern that is looked for in all lines, the scanner can
        take it too.
        """
        shown = f"'{pattern[:200]}'"  # as it was written, its backslashes not doubled
        try:
            compiled = compile_pattern(pattern)
        except (regex.error, RecursionError, OverflowError, MemoryError) as error:
            self.complain(at, f"{name}: the pattern {shown} is not valid: {error}", ESCAPE)
            return False
        if scanned and (fault := find_fault(pattern)):
            self.complain(at, f"{name}: the scanner cannot take {shown}: {fault}", SHORTEN)
            return False
        if scanned and compiled.match(""):
            advice = "add words that must stand there, or it would fire everywhere"
            self.complain(at, f"{name}: the pattern {shown} matches an empty line", advice)
            return False
        return True

    def word(self, body: Place, key: str, known: Mapping[str, T]) -> T | None:
        raw = body.get(key)
        if raw is None:
            return None
        if str(raw) not in known:
            self.complain(body.at(key), f"{key}: {raw!r} is not known", nearest(str(raw), known))
            return None
        return known[str(raw)]

    def words(self, body: Place, key: str, known: frozenset[str]) -> tuple[str, ...]:
        good = []
        for number, word in enumerate(strings(body.get(key))):
            if word in known:
                good.append(word)
            else:
                self.complain(body.at(key, number), f"{key}: {word!r} is not known", nearest(word, known))
        return tuple(good)

    def list(self, body: Place, key: str) -> list[object]:
        raw = body.get(key)
        if raw is None:
            return []
        if not isinstance(raw, list):
            self.complain(body.at(key), f"{key} is no list", f"write `{key}:` and each item behind a dash of its own")
            return []
        return raw


def nearest(word: str, known: Collection[str], all_of_them: str = NAMES) -> str:
    """The nearest right name, else all of them if they are few, else where they stand."""
    if near := difflib.get_close_matches(word[:40], list(known), 1):
        return f"did you mean {near[0]!r}?"
    if len(known) <= FEW:
        return f"known are {', '.join(sorted(known)) or 'none'}"
    return f"no name is near it: {all_of_them}"


def strings(raw: object) -> tuple[str, ...]:
    if raw is None:
        return ()
    return tuple(map(str, raw)) if isinstance(raw, list) else (str(raw),)


def texts(raw: object) -> Mapping[str, str]:
    return {key: str(value) for key, value in raw.items()} if isinstance(raw, Mapping) else {}
