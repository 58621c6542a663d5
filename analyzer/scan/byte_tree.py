"""Turns the parse tree of a pattern over characters into one over the bytes of UTF-8.

A block scanner searches bytes, and a character has up to four. The tree of bytes *over-approximates*: where the
characters of a text match, its bytes do. A bound on characters becomes four times as many bytes, a class that has
characters outside ASCII takes their bytes too, and a word boundary stays only beside an ASCII letter, where bytes know
it. Two things are left out, since they would make most patterns dear: digits are those of ASCII, and an ASCII letter
has no case outside ASCII (U+017F is a small s, U+212A a capital K).

Nothing in the tree crosses a line end, looks around or captures. It works on the parse tree of Python's `re` (CPython's
Lib/re/_parser.py).
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable, Sequence
from typing import Any

from analyzer.scan.parse_tree import ATOMIC_GROUP, REPEATS

Tree = list[tuple[Any, Any]]
UTF8_BYTES = 4  # of a character, at most
MAX_LISTED_CHARS = 8  # outside ASCII; a class with more takes all their bytes
_ASCII_END = 128
_HIGH_BYTES = (sre.RANGE, (_ASCII_END, 255))
_CONTINUATION = (sre.IN, [(sre.RANGE, (0x80, 0xBF))])
# A character outside ASCII, cut off or not. Bytes that continue none match only in repeats and at the ends of a
# pattern: if they were characters here, a run of n characters could be read in 2^n ways.
_LONG_CHAR: Tree = [
    (sre.IN, [(sre.RANGE, (0xC0, 0xFF))]),
    (sre.MAX_REPEAT, (0, UTF8_BYTES - 1, [_CONTINUATION])),
]
_LONG_SPACES: list[Tree] = [  # U+0085, U+00A0; U+1680, U+2000 to U+202F, U+205F, U+3000 and some more
    [(sre.LITERAL, 0xC2), (sre.IN, [(sre.LITERAL, 0x85), (sre.LITERAL, 0xA0)])],
    [
        (sre.IN, [(sre.RANGE, (0xE1, 0xE3))]),
        (sre.IN, [(sre.LITERAL, 0x80), (sre.LITERAL, 0x81), (sre.LITERAL, 0x9A)]),
        (sre.IN, [(sre.RANGE, (0x80, 0xAF))]),
    ],
]
_LINE_FEED = (sre.LITERAL, 10)
_NO_LINE_FEED: Tree = [(sre.IN, [(sre.NEGATE, None), _LINE_FEED])]
_ANYTHING = (sre.MAX_REPEAT, (0, sre.MAXREPEAT, _NO_LINE_FEED))
_CLASSES = (sre.NOT_LITERAL, sre.ANY, sre.IN)
_OPPOSITES = {
    sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
    sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
    sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
}
_WORD_CHARS = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


def to_byte_tree(items: Iterable[Any], width: int = UTF8_BYTES, *, first: bool = True, last: bool = True) -> Tree:
    """Return the tree over bytes. `width`: of a character in the texts searched, in bytes; 1 if they are all ASCII.

    `first`, `last`: the tree begins or ends the pattern. There one byte of a character is enough.
    """
    kept = _drop_unsure_boundaries(list(items)) if width > 1 else list(items)
    tree: Tree = []
    for at, (op, arg) in enumerate(kept):
        tree += _node_over_bytes(op, arg, width, first and at == 0, last and at == len(kept) - 1)
    return tree


def _node_over_bytes(op: Any, arg: Any, width: int, first: bool, last: bool) -> Tree:
    if op is sre.LITERAL or op in _CLASSES:
        return _char_over_bytes(op, arg, width, first or last)
    if op in REPEATS:
        return _repeat_over_bytes(arg, width, first or last)
    if op is sre.SUBPATTERN:
        group, add, drop, inner = arg
        return [(op, (group, add, drop, to_byte_tree(inner, width, first=first, last=last)))]
    if op is sre.BRANCH:
        return [(op, (None, [to_byte_tree(branch, width, first=first, last=last) for branch in arg[1]]))]
    if op is ATOMIC_GROUP:
        return [(sre.SUBPATTERN, (None, 0, 0, to_byte_tree(arg, width, first=first, last=last)))]
    if op is sre.AT and arg in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY):
        return [(op, arg)]
    return [] if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT) else [_ANYTHING]  # back references, conditionals


def _char_over_bytes(op: Any, arg: Any, width: int, at_edge: bool) -> Tree:
    if op is sre.LITERAL:
        return _any_of([_utf8(char) for char in _cases(arg)])
    single, longer = _class_of_bytes(op, arg)
    if longer is not None:
        return _any_of([[single]] * bool(single[1]) + list(longer) * (width > 1))
    if at_edge or width == 1:
        return [single]
    ascii_class = _without_high_bytes(*single)
    return _any_of([[ascii_class]] * bool(ascii_class[1]) + [_LONG_CHAR])


def _repeat_over_bytes(arg: Any, width: int, at_edge: bool) -> Tree:
    """Return a repeat of characters as one of their bytes; of longer parts, of what they are in bytes."""
    low, high, inner = arg
    parts = list(inner)
    if width > 1 and len(parts) == 1 and parts[0][0] in _CLASSES:
        single, longer = _class_of_bytes(*parts[0])
        if longer is None:
            most = high if high is sre.MAXREPEAT or (at_edge and low == high) else high * width
            return [(sre.MAX_REPEAT, (low, most, [single]))]
    return [(sre.MAX_REPEAT, (low, high, to_byte_tree(parts, width, first=False, last=False)))]


def _class_of_bytes(op: Any, arg: Any) -> tuple[tuple[Any, Any], Sequence[Tree] | None]:
    """Return a class of single bytes, and the longer characters; None if these are many: their bytes are in the class.

    The class of a negation has all bytes outside ASCII anyhow.
    """
    if op is sre.ANY:
        return _NO_LINE_FEED[0], None
    if op is sre.NOT_LITERAL:
        return _negate([(sre.LITERAL, arg)]), None
    parts = list(arg)
    if parts and parts[0][0] is sre.NEGATE:
        return _negate(parts[1:]), None
    if len(parts) == 1 and parts[0][1] in _OPPOSITES:
        return _negate([(sre.CATEGORY, _OPPOSITES[parts[0][1]])]), None
    if any(op is sre.CATEGORY and category in _OPPOSITES for op, category in parts):
        return _NO_LINE_FEED[0], None  # beside others: too rare to be exact
    longer = _longer_characters(parts)
    single = _within_ascii(parts)
    return (sre.IN, single if longer is not None else [*single, _HIGH_BYTES]), longer


def _without_high_bytes(op: Any, parts: Tree) -> tuple[Any, Any]:
    return op, [*parts, _HIGH_BYTES] if parts[0][0] is sre.NEGATE else [part for part in parts if part != _HIGH_BYTES]


def _negate(parts: Tree) -> tuple[Any, Any]:
    if any(category in _OPPOSITES for op, category in parts if op is sre.CATEGORY):
        return _NO_LINE_FEED[0]
    return sre.IN, [(sre.NEGATE, None), *_within_ascii(parts), _LINE_FEED]


def _within_ascii(parts: Tree) -> Tree:
    kept: Tree = []
    for op, arg in parts:
        if op is sre.RANGE and arg[0] < _ASCII_END:
            kept.append((op, (arg[0], min(arg[1], _ASCII_END - 1))))
        elif op is sre.CATEGORY or (op is sre.LITERAL and arg < _ASCII_END):
            kept.append((op, arg))
    return kept


def _longer_characters(parts: Tree) -> list[Tree] | None:
    """Return the characters outside ASCII, in all their cases; None if they are many."""
    codes: set[int] = set()
    spaces: list[Tree] = []
    for op, arg in parts:
        if op is sre.LITERAL and arg >= _ASCII_END:
            codes.update(_cases(arg))
        elif op is sre.CATEGORY and arg is sre.CATEGORY_SPACE:
            spaces = _LONG_SPACES
        elif (op is sre.RANGE and arg[1] >= _ASCII_END) or (op is sre.CATEGORY and arg is sre.CATEGORY_WORD):
            return None
    return [*map(_utf8, sorted(codes)), *spaces] if len(codes) <= MAX_LISTED_CHARS else None


def _cases(code: int) -> list[int]:
    """Return a character and, outside ASCII, its other cases: a scanner of bytes folds only ASCII."""
    if code < _ASCII_END:
        return [code]
    cases = {chr(code)}
    for _ in range(2):  # a final sigma has its small letter by way of the capital
        cases |= {case for char in cases for case in (char.lower(), char.upper()) if len(case) == 1}
    return sorted(map(ord, cases))


def _utf8(code: int) -> Tree:
    """Return the bytes of a character; a lone surrogate, which no decoded line holds, is any character."""
    if code < _ASCII_END:
        return [(sre.LITERAL, code)]
    try:
        return [(sre.LITERAL, byte) for byte in chr(code).encode()]
    except UnicodeEncodeError:
        return _LONG_CHAR


def _any_of(branches: Sequence[Tree]) -> Tree:
    return branches[0] if len(branches) == 1 else [(sre.BRANCH, (None, list(branches)))]


def _drop_unsure_boundaries(items: Tree) -> Tree:
    """Drop each word boundary that stands beside no ASCII letter or digit: a letter outside ASCII is none in bytes."""
    if sre.AT not in [op for op, _ in items]:
        return items
    kept: Tree = []
    for at, (op, arg) in enumerate(items):
        boundary = op is sre.AT and arg in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY)
        if boundary and (
            arg is sre.AT_NON_BOUNDARY
            or not (_borders_on_word(items[at + 1 :]) or _borders_on_word(items[:at], backwards=True))
        ):
            continue
        kept.append((op, arg))
    return kept


def _borders_on_word(items: Sequence[Any], backwards: bool = False) -> bool:
    """Whether each text that the items match begins (`backwards`: ends) with an ASCII letter, digit or underscore."""
    for op, arg in reversed(items) if backwards else items:
        if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            continue
        if op is sre.LITERAL:
            return arg in _WORD_CHARS
        if op is sre.IN:
            return all(map(_is_ascii_word, arg))
        if op is sre.SUBPATTERN:
            return _borders_on_word(list(arg[3]), backwards)
        if op is sre.BRANCH:
            return all(_borders_on_word(list(branch), backwards) for branch in arg[1])
        if op not in REPEATS or not _borders_on_word(list(arg[2]), backwards):
            return False
        if arg[0] > 0:
            return True
    return False


def _is_ascii_word(part: tuple[Any, Any]) -> bool:
    op, arg = part
    if op is sre.RANGE:
        return arg[0] in _WORD_CHARS and arg[1] in _WORD_CHARS and arg[1] - arg[0] < 26
    return arg in _WORD_CHARS if op is sre.LITERAL else arg is sre.CATEGORY_DIGIT
