"""Patterns that can explode: found by their shape, and proved by running them on lines made against them.

Walks the parse tree of Python's own `re` parser (CPython's Lib/re/_parser.py), which the scanner's widening reads too.
"""

from __future__ import annotations

import functools
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterator
from typing import Any

import regex

LIMIT = 1.0  # seconds: an exponential pattern takes years, a sound one a hundredth of this
SHORT = 36  # repetitions that an exponential pattern never finishes
LONG = 1000  # characters at which a cubic one does not either; a quadratic one takes some ms
MOST = 8  # repeats of one pattern that are tried
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT)  # possessive ones never give back, so they cannot explode
_MANY = 40
_NAMED_GROUP = re.compile(r"\(\?P<\w+>")
_CATEGORIES = {
    sre.CATEGORY_DIGIT: "7",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_NOT_WORD: " ",
    sre.CATEGORY_NOT_SPACE: "a",
}
Items = list[Any]


@functools.lru_cache(maxsize=16384)
def parse_pattern(pattern: str) -> tuple[Items, int] | None:
    """The tree, and the fewest characters that it takes; None for syntax that `regex` knows and `re` does not."""
    for text in (pattern, _NAMED_GROUP.sub("(", pattern)):  # `regex` lets a name stand twice
        try:
            tree = parser.parse(text)
            return list(tree), int(tree.getwidth()[0])
        except (re.error, RecursionError, OverflowError):
            continue
    return None


def parse_tree(pattern: str) -> Items:
    """Empty for syntax that `re` does not know."""
    known = parse_pattern(pattern)
    return known[0] if known else []


def matches_nothing(pattern: str) -> bool:
    """Whether it is satisfied by no character at all, so that every line would match. Raises regex.error."""
    known = parse_pattern(pattern)
    return (known is None or known[1] == 0) and regex.compile(pattern).search("") is not None


def find_nested(pattern: str) -> bool:
    """A repeat inside a repeat that can share out the same characters in many ways: `(a+)+`, `(\\w+,?)*`, `(.*,)*`."""
    return any(_is_ambiguous(inner) for _, inner in _repeats(parse_tree(pattern), ""))


def find_explosion(pattern: str, limit: float = LIMIT) -> str | None:
    """The beginning of a line on which the pattern takes longer than `limit` seconds, else None."""
    compiled: regex.Pattern[str] | None = None
    for line in adversarial_lines(pattern):
        compiled = compiled or regex.compile(pattern)
        try:
            compiled.search(line, timeout=limit)
        except TimeoutError:
            return line[:60]
    return None


def adversarial_lines(pattern: str) -> Iterator[str]:
    """For each open repeat: what leads to it, its body many times, and an end that fits nothing."""
    tree = parse_tree(pattern)
    repeats = list(_repeats(tree, ""))
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


def _repeats(items: Items, lead: str) -> Iterator[tuple[str, Items]]:
    """Each open repeat with a text that leads to it and its body, the outer one first."""
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
