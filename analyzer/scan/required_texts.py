"""Which texts must stand in every line that a pattern matches: sets, one text of each of which does.

Follows the parse tree of Python's own `re` parser, as the prefilter of RE2 follows its own (Cox, "Regular Expression
Matching with a Trigram Index", 2012): what is finite is multiplied out, what is not parts one set from the next.
"""

from __future__ import annotations

import math
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from analyzer.scan.parse_tree import REPEATS
from analyzer.scan.text_frequency import GRAM_SIZES, text_frequency

Texts = frozenset[str]  # lower case; a character stands for a byte: `spell`
MAX_SET_TEXTS = 48  # texts of a set
FREQUENCY_COST = 3  # what each ordinary line in 10,000 that holds a text costs, in texts
MAX_USEFUL_CHARS = 8  # characters of a text; longer ones tell no more
MAX_CLASS_CHARS = 4  # characters of a class that is multiplied out
_EMPTY_TEXT: Texts = frozenset({""})


class _PartTexts(NamedTuple):
    """What a part of a pattern may match: `whole` is all of it, None if that is not finite; one text of each of `sets`
    stands in it, one of `heads` at its beginning and one of `tails` at its end.
    """

    whole: Texts | None
    sets: tuple[Texts, ...] = ()
    heads: Texts = _EMPTY_TEXT
    tails: Texts = _EMPTY_TEXT


def find_required_texts(items: Iterable[tuple[Any, Any]]) -> tuple[Texts, ...]:
    """Sets of texts, none empty; without one nothing is certain."""
    return _texts_of_sequence(items).sets


def _texts_of_sequence(items: Iterable[tuple[Any, Any]]) -> _PartTexts:
    required: list[Texts] = []
    current, heads = _EMPTY_TEXT, None
    for op, arg in items:
        part = _texts_of_node(op, arg)
        required += part.sets
        if part.whole is not None and (longer := _concatenate(current, part.whole)):
            current = longer
            continue
        required.append(_concatenate(current, part.heads) or current)
        heads = required[-1] if heads is None else heads
        current = part.whole or part.tails
    required.append(current)
    sets = tuple(dict.fromkeys(_drop_longer_texts(texts) for texts in reversed(required) if all(texts)))
    return _PartTexts(current, sets, current, current) if heads is None else _PartTexts(None, sets, heads, current)


def _concatenate(before: Texts, after: Texts) -> Texts | None:
    """Each text of the one followed by each of the other, if they are not too many."""
    if len(before) * len(after) > MAX_SET_TEXTS:
        return None
    return frozenset(first + second for first in before for second in after)


def _drop_longer_texts(texts: Texts) -> Texts:
    """Without those that hold another one."""
    kept: list[str] = []
    for text in sorted(texts, key=lambda text: (len(text), text)):
        if not any(shorter in text for shorter in kept):
            kept.append(text)
    return frozenset(kept)


def _texts_of_node(op: Any, arg: Any) -> _PartTexts:
    if op is sre.LITERAL:
        return _PartTexts(text_of_char(chr(arg)))
    if op is sre.IN:
        return _PartTexts(_texts_of_class(arg))
    if op is sre.SUBPATTERN:
        return _texts_of_sequence(arg[3])
    if op is getattr(sre, "ATOMIC_GROUP", None):
        return _texts_of_sequence(arg)
    if op is sre.BRANCH:
        return _texts_of_branches([_texts_of_sequence(branch) for branch in arg[1]])
    if op in REPEATS:
        return _texts_of_repeat(*arg)
    if op is sre.ASSERT:
        return _PartTexts(_EMPTY_TEXT, _texts_of_sequence(arg[1]).sets)
    if op in (sre.AT, sre.ASSERT_NOT):
        return _PartTexts(_EMPTY_TEXT)
    return _PartTexts(None)


def text_of_char(char: str) -> Texts | None:
    """The UTF-8 of a character, each byte as the character of its number; None where it has a case, which stands in
    other bytes. That of ASCII is folded by who looks for it, and many scripts know none.
    """
    if char.isascii():
        return frozenset({char.lower()})
    return None if char.lower() != char.upper() else frozenset({char.encode().decode("latin-1")})


def _texts_of_class(parts: Sequence[tuple[Any, Any]]) -> Texts | None:
    """The characters of a class, if they are few."""
    codes: set[int] = set()
    for op, arg in parts:
        if op is sre.LITERAL:
            codes.add(arg)
        elif op is sre.RANGE and arg[1] - arg[0] < 2 * MAX_CLASS_CHARS:
            codes.update(range(arg[0], arg[1] + 1))
        else:
            return None
    chars = frozenset(chr(code).lower() for code in codes)
    return chars if max(codes, default=128) < 128 and len(chars) <= MAX_CLASS_CHARS else None


def _texts_of_repeat(low: int, high: Any, inner: Iterable[tuple[Any, Any]]) -> _PartTexts:
    part = _texts_of_sequence(inner)
    if high == 1 and part.whole is not None:
        return part if low else _PartTexts(part.whole | _EMPTY_TEXT)
    return part._replace(whole=None) if low else _PartTexts(None)


def _texts_of_branches(branches: Sequence[_PartTexts]) -> _PartTexts:
    """Of each branch the set that tells most: one of those texts stands in whatever matches."""
    wholes = [branch.whole for branch in branches if branch.whole is not None]
    all_wholes = frozenset[str]().union(*wholes)
    if len(wholes) == len(branches) and len(all_wholes) <= MAX_SET_TEXTS:
        return _PartTexts(all_wholes, (_drop_longer_texts(all_wholes),) if all(all_wholes) else ())
    heads = frozenset[str]().union(*(branch.heads for branch in branches))
    tails = frozenset[str]().union(*(branch.tails for branch in branches))
    sets: tuple[Texts, ...] = ()
    if all(branch.sets for branch in branches):
        sets = (
            _drop_longer_texts(frozenset[str]().union(*(max(branch.sets, key=selectivity) for branch in branches))),
        )
    return _PartTexts(None, sets, heads, tails)


def selectivity(texts: Texts) -> tuple[float, int]:
    """More for rare texts, and for few of them; of equals for long ones."""
    shortest = min(map(len, texts))
    price = (
        sum(1 + FREQUENCY_COST * text_frequency(text) for text in texts) if shortest >= min(GRAM_SIZES) else math.inf
    )
    return -price, min(shortest, MAX_USEFUL_CHARS)
