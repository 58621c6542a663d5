"""Which characters a part of a pattern can begin with: a repeat that ends where the next part begins has one way."""

from __future__ import annotations

import functools
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Sequence
from typing import Any, NamedTuple

from analyzer.scan.parse_tree import REPEATS

_ASCII = frozenset(range(128))
_DIGITS = frozenset(b"0123456789")
_SPACES = frozenset(b" \t\n\r\f\v")
_RARE_SPACES = frozenset(b"\x1c\x1d\x1e\x1f")  # which are spaces for `re` and none for `regex`
_WORD = frozenset(code for code in range(128) if chr(code).isalnum() or code == ord("_"))
# Of each category the characters that surely belong to it; what may belong to it has the rare spaces, too.
_CATEGORIES = {
    sre.CATEGORY_DIGIT: _DIGITS,
    sre.CATEGORY_SPACE: _SPACES,
    sre.CATEGORY_WORD: _WORD,
    sre.CATEGORY_NOT_DIGIT: _ASCII - _DIGITS,
    sre.CATEGORY_NOT_SPACE: _ASCII - _SPACES - _RARE_SPACES,
    sre.CATEGORY_NOT_WORD: _ASCII - _WORD,
}
_FOLDED_FROM_BEYOND = frozenset(b"sSkKiI")  # the long s, the sign of Kelvin and dotted letters are these in other cases


class Characters(NamedTuple):
    """A set that holds at least the characters that are meant, in either case."""

    ascii: frozenset[int]
    beyond: bool  # whether it holds characters beyond ASCII

    def join(self, other: Characters) -> Characters:
        return Characters(self.ascii | other.ascii, self.beyond or other.beyond)

    def is_disjoint(self, other: Characters) -> bool:
        return self.ascii.isdisjoint(other.ascii) and not (self.beyond and other.beyond)


_NONE = Characters(frozenset(), False)
_LINE_FEED = Characters(frozenset(b"\n"), False)
_ENDS = (sre.AT_END, sre.AT_END_STRING)


def characters_of(op: Any, arg: Any) -> Characters | None:
    """Return the characters of a node that matches one of them; None for any other node."""
    if op is sre.LITERAL:
        return _of_codes((arg,))
    if op is sre.NOT_LITERAL or op is sre.ANY:
        return Characters(_ASCII, True)
    if op is not sre.IN:
        return None
    if arg[0][0] is sre.NEGATE:
        surely = frozenset[int]().union(*(_sure_codes(*part) for part in arg[1:]))
        return Characters(_ASCII - surely, True)
    named = _NONE
    for part, value in arg:
        if part is sre.CATEGORY:
            named = named.join(Characters(_CATEGORIES[value] | _RARE_SPACES, True))
        elif part is sre.LITERAL:
            named = named.join(_of_codes((value,)))
        else:
            named = named.join(_of_codes((*range(value[0], min(value[1], 127) + 1), value[1])))
    return named


def _sure_codes(part: Any, value: Any) -> frozenset[int]:
    """Return the ASCII characters that a part of a set holds for certain."""
    if part is sre.CATEGORY:
        return _CATEGORIES[value]
    return _ASCII.intersection((value,) if part is sre.LITERAL else range(value[0], value[1] + 1))


@functools.lru_cache(maxsize=4096)
def _of_codes(codes: tuple[int, ...]) -> Characters:
    both = frozenset(ord(char) for code in codes for char in (chr(code).lower(), chr(code).upper()) if len(char) == 1)
    is_folded = not both.isdisjoint(_FOLDED_FROM_BEYOND)
    if any(code > 127 for code in codes):
        return Characters(both & _ASCII | _FOLDED_FROM_BEYOND, True)
    return Characters(both & _ASCII, is_folded)


def first_characters(items: Sequence[tuple[Any, Any]], behind: Characters | None) -> Characters | None:
    """Return what a match of `items` can begin with, where `behind` follows them; None if that may be anything."""
    begun = _NONE
    for op, arg in items:
        if (characters := characters_of(op, arg)) is not None:
            return begun.join(characters)
        if op in REPEATS:
            inner, is_optional = first_characters(list(arg[2]), None), arg[0] == 0
        elif op is sre.SUBPATTERN:
            inner, is_optional = first_characters(list(arg[3]), None), False
        elif op is sre.BRANCH:
            branches = [first_characters(list(branch), None) for branch in arg[1]]
            inner = _NONE
            for branch in branches:
                inner = None if inner is None or branch is None else inner.join(branch)
            is_optional = False
        elif op is sre.AT and arg in _ENDS:
            return begun.join(_LINE_FEED)
        else:  # another place, a lookaround, a reference: it may be anything
            return None
        if inner is None:  # it may match nothing, or begin with anything
            return None
        begun = begun.join(inner)
        if not is_optional:
            return begun
    return None if behind is None else begun.join(behind)
