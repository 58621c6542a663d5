"""Which texts must stand in every line that a pattern matches: sets, one text of each of which does.

Follows the parse tree of Python's own `re` parser, as the prefilter of RE2 follows its own (Cox, "Regular Expression
Matching with a Trigram Index", 2012): what is finite is multiplied out, what is not parts one set from the next.
"""

from __future__ import annotations

import math
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from analyzer.scan.frequency import SIZES, frequency
from analyzer.scan.tree import REPEATS

Texts = frozenset[str]  # lower case; a character stands for a byte: `spell`
MOST = 48  # texts of a set
DEAR = 3  # what each ordinary line in 10,000 that holds a text costs, in texts
ENOUGH = 8  # characters of a text; longer ones tell no more
WIDE = 4  # characters of a class that is multiplied out
_NOTHING: Texts = frozenset({""})


class _Part(NamedTuple):
    """What a part of a pattern may match: `whole` is all of it, None if that is not finite; one text of each of `sets`
    stands in it, one of `heads` at its beginning and one of `tails` at its end.
    """

    whole: Texts | None
    sets: tuple[Texts, ...] = ()
    heads: Texts = _NOTHING
    tails: Texts = _NOTHING


def require(items: Iterable[tuple[Any, Any]]) -> tuple[Texts, ...]:
    """Sets of texts, none empty; without one nothing is certain."""
    return _follow(items).sets


def _follow(items: Iterable[tuple[Any, Any]]) -> _Part:
    found: list[Texts] = []
    run, heads = _NOTHING, None
    for op, arg in items:
        part = _look(op, arg)
        found += part.sets
        if part.whole is not None and (longer := _multiply(run, part.whole)):
            run = longer
            continue
        found.append(_multiply(run, part.heads) or run)
        heads = found[-1] if heads is None else heads
        run = part.whole or part.tails
    found.append(run)
    sets = tuple(dict.fromkeys(_shorten(each) for each in reversed(found) if all(each)))
    return _Part(run, sets, run, run) if heads is None else _Part(None, sets, heads, run)


def _multiply(before: Texts, after: Texts) -> Texts | None:
    """Each text of the one followed by each of the other, if they are not too many."""
    if len(before) * len(after) > MOST:
        return None
    return frozenset(one + other for one in before for other in after)


def _shorten(texts: Texts) -> Texts:
    """Without those that hold another one."""
    kept: list[str] = []
    for text in sorted(texts, key=lambda text: (len(text), text)):
        if not any(other in text for other in kept):
            kept.append(text)
    return frozenset(kept)


def _look(op: Any, arg: Any) -> _Part:
    if op is sre.LITERAL:
        return _Part(spell(chr(arg)))
    if op is sre.IN:
        return _Part(_spell_out(arg))
    if op is sre.SUBPATTERN:
        return _follow(arg[3])
    if op is getattr(sre, "ATOMIC_GROUP", None):
        return _follow(arg)
    if op is sre.BRANCH:
        return _part_ways([_follow(branch) for branch in arg[1]])
    if op in REPEATS:
        return _repeat(*arg)
    if op is sre.ASSERT:
        return _Part(_NOTHING, _follow(arg[1]).sets)
    if op in (sre.AT, sre.ASSERT_NOT):
        return _Part(_NOTHING)
    return _Part(None)


def spell(char: str) -> Texts | None:
    """The UTF-8 of a character, each byte as the character of its number; None where it has a case, which stands in
    other bytes. That of ASCII is folded by who looks for it, and many scripts know none.
    """
    if char.isascii():
        return frozenset({char.lower()})
    return None if char.lower() != char.upper() else frozenset({char.encode().decode("latin-1")})


def _spell_out(parts: Sequence[tuple[Any, Any]]) -> Texts | None:
    """The characters of a class, if they are few."""
    codes: set[int] = set()
    for op, arg in parts:
        if op is sre.LITERAL:
            codes.add(arg)
        elif op is sre.RANGE and arg[1] - arg[0] < 2 * WIDE:
            codes.update(range(arg[0], arg[1] + 1))
        else:
            return None
    chars = frozenset(chr(code).lower() for code in codes)
    return chars if max(codes, default=128) < 128 and len(chars) <= WIDE else None


def _repeat(low: int, high: Any, inner: Iterable[tuple[Any, Any]]) -> _Part:
    part = _follow(inner)
    if high == 1 and part.whole is not None:
        return part if low else _Part(part.whole | _NOTHING)
    return part._replace(whole=None) if low else _Part(None)


def _part_ways(branches: Sequence[_Part]) -> _Part:
    """Of each branch the set that tells most: one of those texts stands in whatever matches."""
    wholes = [branch.whole for branch in branches if branch.whole is not None]
    together = frozenset[str]().union(*wholes)
    if len(wholes) == len(branches) and len(together) <= MOST:
        return _Part(together, (_shorten(together),) if all(together) else ())
    heads = frozenset[str]().union(*(branch.heads for branch in branches))
    tails = frozenset[str]().union(*(branch.tails for branch in branches))
    sets: tuple[Texts, ...] = ()
    if all(branch.sets for branch in branches):
        sets = (_shorten(frozenset[str]().union(*(max(branch.sets, key=worth) for branch in branches))),)
    return _Part(None, sets, heads, tails)


def worth(texts: Texts) -> tuple[float, int]:
    """More for rare texts, and for few of them; of equals for long ones."""
    shortest = min(map(len, texts))
    price = sum(1 + DEAR * frequency(text) for text in texts) if shortest >= min(SIZES) else math.inf
    return -price, min(shortest, ENOUGH)
