"""The texts that a line must hold if a pattern matches it: sets of texts, of each of which one is in the line.

The parse tree of Python's `re` is followed as the prefilter of RE2 follows its own (Cox, "Regular Expression Matching
with a Trigram Index", 2012): parts with finitely many matches are multiplied out, other parts separate the sets.
"""

from __future__ import annotations

import math
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from analyzer.scan.parse_tree import REPEATS
from analyzer.scan.text_frequency import GRAM_SIZES, text_frequency

Texts = frozenset[str]  # lower case; a character stands for a byte, as `text_of_char` makes it
MAX_SET_TEXTS = 48
FREQUENCY_COST = 3  # of each ordinary line in 10,000 that holds a text, counted in texts
MAX_USEFUL_CHARS = 8  # longer texts are no more selective
MAX_CLASS_CHARS = 4  # a character class with more is not multiplied out
_EMPTY_TEXT: Texts = frozenset({""})


class _PartTexts(NamedTuple):
    """What a part of a pattern may match.

    all_texts: all texts that it matches; None if they are not finite.
    sets: each match holds one text of each set.
    heads, tails: each match begins with one of `heads` and ends with one of `tails`.
    """

    all_texts: Texts | None
    sets: tuple[Texts, ...] = ()
    heads: Texts = _EMPTY_TEXT
    tails: Texts = _EMPTY_TEXT


def find_required_texts(items: Iterable[tuple[Any, Any]]) -> tuple[Texts, ...]:
    """Return sets of texts, none of them empty; without a set, nothing is certain."""
    return _texts_of_sequence(items).sets


def _texts_of_sequence(items: Iterable[tuple[Any, Any]]) -> _PartTexts:
    required: list[Texts] = []
    current, heads = _EMPTY_TEXT, None
    for op, arg in items:
        part = _texts_of_node(op, arg)
        required += part.sets
        if part.all_texts is not None and (longer := _concatenate(current, part.all_texts)):
            current = longer
            continue
        required.append(_concatenate(current, part.heads) or current)
        heads = required[-1] if heads is None else heads
        current = part.all_texts or part.tails
    required.append(current)
    sets = tuple(dict.fromkeys(_drop_longer_texts(texts) for texts in reversed(required) if all(texts)))
    return _PartTexts(current, sets, current, current) if heads is None else _PartTexts(None, sets, heads, current)


def _concatenate(before: Texts, after: Texts) -> Texts | None:
    """Return each text of the one set followed by each of the other; None if these are too many."""
    if len(before) * len(after) > MAX_SET_TEXTS:
        return None
    return frozenset(first + second for first in before for second in after)


def _drop_longer_texts(texts: Texts) -> Texts:
    """Return the texts that hold no other text of the set."""
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
    """Return the UTF-8 of a character, each byte as the character with its number.

    None for a character outside ASCII that has two cases, because these have different bytes. The search itself ignores
    the case of ASCII, and many scripts have none.
    """
    if char.isascii():
        return frozenset({char.lower()})
    return None if char.lower() != char.upper() else frozenset({char.encode().decode("latin-1")})


def _texts_of_class(parts: Sequence[tuple[Any, Any]]) -> Texts | None:
    """Return the characters of a class; None if they are many."""
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
    if high == 1 and part.all_texts is not None:
        return part if low else _PartTexts(part.all_texts | _EMPTY_TEXT)
    return part._replace(all_texts=None) if low else _PartTexts(None)


def _texts_of_branches(branches: Sequence[_PartTexts]) -> _PartTexts:
    """Unite the most selective set of each branch: any match holds one of those texts."""
    branch_texts = [branch.all_texts for branch in branches if branch.all_texts is not None]
    joined_texts = frozenset[str]().union(*branch_texts)
    if len(branch_texts) == len(branches) and len(joined_texts) <= MAX_SET_TEXTS:
        return _PartTexts(joined_texts, (_drop_longer_texts(joined_texts),) if all(joined_texts) else ())
    heads = frozenset[str]().union(*(branch.heads for branch in branches))
    tails = frozenset[str]().union(*(branch.tails for branch in branches))
    sets: tuple[Texts, ...] = ()
    if all(branch.sets for branch in branches):
        sets = (
            _drop_longer_texts(frozenset[str]().union(*(max(branch.sets, key=selectivity) for branch in branches))),
        )
    return _PartTexts(None, sets, heads, tails)


def selectivity(texts: Texts) -> tuple[float, int]:
    """Return a sort key: greater for rare texts and for few of them; of equals, for long ones."""
    shortest = min(map(len, texts))
    price = (
        sum(1 + FREQUENCY_COST * text_frequency(text) for text in texts) if shortest >= min(GRAM_SIZES) else math.inf
    )
    return -price, min(shortest, MAX_USEFUL_CHARS)
