"""Single values of a pack's YAML, checked:

words of a vocabulary, patterns, lists. What is wrong is collected, not raised.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TypeVar

import regex

from analyzer.rules.compiled import compile_pattern
from analyzer.rules.places import Place, Problem
from analyzer.scan import find_fault

T = TypeVar("T")


class Fields:
    """Reads values of one file; `problems` grows with what is wrong.

    The patterns of a trusted pack were checked before it was shipped.
    """

    def __init__(self, file: str, problems: list[Problem], trusted: bool = False) -> None:
        self.file = file
        self.problems = problems
        self.trusted = trusted

    def complain(self, line: int, text: str) -> None:
        self.problems.append(Problem(self.file, line, 1, text if len(text) < 600 else text[:600] + "…"))

    def check_keys(self, body: Place, known: frozenset[str], what: str) -> None:
        for key in body:
            if key not in known:
                near = difflib.get_close_matches(key[:40], known, 1)
                self.complain(
                    body.at(key), f"{what}: unknown key {key[:80]!r}" + (f"; did you mean {near[0]!r}?" if near else "")
                )

    def patterns(self, body: Place, key: str, name: str) -> tuple[str, ...]:
        raw = body.get(key)
        if key == "match" and isinstance(raw, Place):
            self.check_keys(raw, frozenset({"any"}), f"{name}: match")
            raw = raw.get("any")
        return tuple(
            pattern
            for pattern in strings(raw)
            if self.trusted or self.check_pattern(pattern, body.at(key), name, scanned=key == "match")
        )

    def check_pattern(self, pattern: str, line: int, name: str, scanned: bool = False) -> bool:
        """Whether `regex` compiles it and, for a pattern that is looked for in all lines, the scanner can
        take it too.
        """
        try:
            compiled = compile_pattern(pattern)
        except (regex.error, RecursionError, OverflowError, MemoryError) as error:
            self.complain(line, f"{name}: the pattern {pattern[:200]!r} is not valid: {error}")
            return False
        if scanned and (fault := find_fault(pattern)):
            self.complain(line, f"{name}: the scanner cannot take {pattern[:200]!r}: {fault}")
            return False
        if scanned and compiled.match(""):
            self.complain(line, f"{name}: the pattern {pattern[:200]!r} matches an empty line")
            return False
        return True

    def word(self, body: Place, key: str, known: Mapping[str, T]) -> T | None:
        raw = body.get(key)
        if raw is None:
            return None
        if str(raw) not in known:
            self.complain(body.at(key), f"{key}: {raw!r} is none of {', '.join(known)}")
            return None
        return known[str(raw)]

    def words(self, body: Place, key: str, known: frozenset[str]) -> tuple[str, ...]:
        good = []
        for word in strings(body.get(key)):
            if word in known:
                good.append(word)
            else:
                self.complain(body.at(key), f"{key}: {word!r} is none of {', '.join(sorted(known))}")
        return tuple(good)

    def list(self, body: Place, key: str) -> list[object]:
        raw = body.get(key)
        if raw is None:
            return []
        if not isinstance(raw, list):
            self.complain(body.at(key), f"{key} is a list")
            return []
        return raw


def strings(raw: object) -> tuple[str, ...]:
    if raw is None:
        return ()
    return tuple(map(str, raw)) if isinstance(raw, list) else (str(raw),)


def texts(raw: object) -> Mapping[str, str]:
    return {key: str(value) for key, value in raw.items()} if isinstance(raw, Mapping) else {}
