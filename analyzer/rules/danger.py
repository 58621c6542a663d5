"""Patterns that can explode: found by their shape, and proved by running them on lines made against them.

Walks the parse tree of Python's own `re` parser (CPython's Lib/re/_parser.py), which the scanner's widening reads too.
"""

from __future__ import annotations

import functools
import re
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from analyzer.rules.compiled import Compiled, compile_pattern
from analyzer.scan.tree import parse_pattern

LIMIT = 1.0  # seconds: an exponential pattern takes years, a sound one a hundredth of this
HURRY = 0.05
ENOUGH = 10  # patterns that exploded
SHORT = 36  # repetitions that an exponential pattern never finishes
LONG = 1000  # characters at which a cubic one does not either; a quadratic one takes some ms
MOST = 8  # repeats of one pattern that are tried
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT)  # possessive ones never give back, so they cannot explode
_MANY = 40
_CATEGORIES = {
    sre.CATEGORY_DIGIT: "7",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_NOT_WORD: " ",
    sre.CATEGORY_NOT_SPACE: "a",
}
Items = list[Any]


def parse_tree(pattern: str) -> Items:
    """Empty for syntax that `regex` knows and `re` does not."""
    try:
        return list(parse_pattern(pattern))
    except (re.error, RecursionError, OverflowError):
        return []


def matches_nothing(pattern: str) -> bool:
    """Whether it is satisfied by no character at all, so that every line would match. Raises regex.error."""
    try:
        least = int(parse_pattern(pattern).getwidth()[0])
    except (re.error, RecursionError, OverflowError):
        least = 0
    return least == 0 and compile_pattern(pattern).search("") is not None


def find_nested(pattern: str) -> bool:
    """A repeat inside a repeat that can share out the same characters in many ways: `(a+)+`, `(\\w+,?)*`, `(.*,)*`."""
    return any(_is_ambiguous(inner) for _, inner in repeats_of(pattern))


@dataclass(slots=True, eq=False)
class Haste:
    """How long a pattern is tried: less, once many exploded. A pack of ten thousand such patterns is told of too."""

    found: int = 0

    @property
    def limit(self) -> float:
        return LIMIT if self.found < ENOUGH else HURRY


def find_explosion(pattern: str, haste: Haste | None = None) -> str | None:
    """The beginning of a line on which the pattern takes too long, else None."""
    haste = haste or Haste()
    compiled: Compiled | None = None
    for line in adversarial_lines(pattern):
        compiled = compiled or compile_pattern(pattern)
        try:
            compiled.search(line, timeout=haste.limit)
        except TimeoutError:
            haste.found += 1
            return line[:60]
    return None


def adversarial_lines(pattern: str) -> Iterator[str]:
    """For each open repeat: what leads to it, its body many times, and an end that fits nothing."""
    tree = parse_tree(pattern)
    repeats = repeats_of(pattern)
    end = "\x01" + sample(tree)  # `regex` looks first whether the literals that it needs are there at all
    for lead, inner in repeats[:MOST]:
        body = sample(inner) or "a"
        shares = any(op in _REPEATS or op is sre.BRANCH for op, _ in _flatten(inner))
        if shares:
            yield lead + body * SHORT + end
            # `regex` guards its repeats, so that some exponential patterns are only cubic.
            yield lead + body * (2 * LONG // len(body)) + end
        elif len(repeats) > 2:  # two in a row are quadratic at most, which lines of bounded length forgive
            yield lead + body * (LONG // len(body)) + end


def sample(items: Items) -> str:
    """A text that the items match, for most patterns: classes give a member, alternatives the first one."""
    return "".join(map(_sample_one, items))


def _sample_one(item: tuple[Any, Any]) -> str:
    op, arg = item
    if op is sre.LITERAL:
        return chr(int(arg))
    if op is sre.NOT_LITERAL:
        return "b" if arg == ord("a") else "a"
    if op is sre.ANY:
        return "x"
    if op is sre.IN:
        return _sample_class(arg)
    if op in _REPEATS or op is getattr(sre, "POSSESSIVE_REPEAT", None):
        return sample(list(arg[2])) * min(max(int(arg[0]), 1), 8)
    if op is sre.SUBPATTERN:
        return sample(list(arg[3]))
    if op is sre.BRANCH:
        return sample(list(arg[1][0]))
    if op is getattr(sre, "ATOMIC_GROUP", None):
        return sample(list(arg))
    return ""


def _sample_class(parts: list[Any]) -> str:
    if parts and parts[0][0] is sre.NEGATE:
        excluded = re.compile(f"[{''.join(map(_class_text, parts[1:]))}]")
        return next((str(char) for char in "a7 x=/" if not excluded.match(char)), "\x02")
    op, arg = parts[0]
    if op is sre.CATEGORY:
        return str(_CATEGORIES.get(arg, "a"))
    return chr(arg[0] if op is sre.RANGE else arg)


def _class_text(part: tuple[Any, Any]) -> str:
    op, arg = part
    if op is sre.LITERAL:
        return re.escape(chr(arg))
    if op is sre.RANGE:
        return f"{re.escape(chr(arg[0]))}-{re.escape(chr(arg[1]))}"
    return {
        sre.CATEGORY_DIGIT: r"\d",
        sre.CATEGORY_WORD: r"\w",
        sre.CATEGORY_SPACE: r"\s",
        sre.CATEGORY_NOT_DIGIT: r"\D",
        sre.CATEGORY_NOT_WORD: r"\W",
        sre.CATEGORY_NOT_SPACE: r"\S",
    }.get(arg, "")


@functools.lru_cache(maxsize=16384)
def repeats_of(pattern: str) -> tuple[tuple[str, Items], ...]:
    """Each open repeat with a text that leads to it and its body, the outer one first."""
    return tuple(_repeats(parse_tree(pattern), ""))


def _repeats(items: Items, lead: str) -> Iterator[tuple[str, Items]]:
    for op, arg in items:
        if op in _REPEATS:
            inner = list(arg[2])
            if arg[1] is sre.MAXREPEAT or arg[1] > _MANY:
                yield lead, inner
            yield from _repeats(inner, lead)
        elif op is sre.SUBPATTERN:
            yield from _repeats(list(arg[3]), lead)
        elif op is sre.BRANCH:
            for branch in arg[1]:
                yield from _repeats(list(branch), lead)
        lead += _sample_one((op, arg))


def _is_ambiguous(body: Items) -> bool:
    """The body has an open repeat, and all else in it may be empty or is a character that the repeat takes as well."""
    flat = list(_flatten(body))
    opens = [arg for op, arg in flat if op in _REPEATS and (arg[1] is sre.MAXREPEAT or arg[1] > _MANY)]
    for repeat in opens:
        rest = [item for item in flat if item[1] is not repeat and not _may_be_empty(item)]
        if all(_takes(list(repeat[2]), _sample_one(item)) for item in rest):
            return True
    return False


def _flatten(items: Items) -> Iterator[tuple[Any, Any]]:
    for op, arg in items:
        if op is sre.SUBPATTERN:
            yield from _flatten(list(arg[3]))
        elif op is sre.BRANCH and len(arg[1]) == 1:
            yield from _flatten(list(arg[1][0]))
        else:
            yield op, arg


def _may_be_empty(item: tuple[Any, Any]) -> bool:
    op, arg = item
    return (op in _REPEATS and arg[0] == 0) or op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT)


def _takes(body: Items, text: str) -> bool:
    """Whether the one-character body of a repeat takes every character of `text`."""
    if len(body) != 1 or not text:
        return not text
    op, arg = body[0]
    if op is sre.ANY:
        return True
    if op is sre.LITERAL:
        return set(text) == {chr(arg)}
    if op is sre.IN:
        negated = bool(arg) and arg[0][0] is sre.NEGATE
        inside = re.compile(f"[{'^' if negated else ''}{''.join(map(_class_text, arg[1:] if negated else arg))}]+")
        return inside.fullmatch(text) is not None
    return False
