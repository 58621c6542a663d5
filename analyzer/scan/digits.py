"""Tells which patterns ask for particular digits, and how they match whatever the digits are.

Lines of a log repeat but for their digits: clocks, steps, pids. Two lines that differ in nothing else match the same
patterns, unless a pattern tells digits apart, as `Xid 79` and `exit code [1-9]` do.
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable
from typing import Any

from analyzer.scan.byte_expression import emit_tree
from analyzer.scan.parse_tree import ATOMIC_GROUP, REPEATS, parse_pattern, parts_of, with_parts
from analyzer.scan.pattern_memo import remember

_DIGITS = range(ord("0"), ord("9") + 1)
_ANY_DIGIT = (sre.RANGE, (_DIGITS[0], _DIGITS[-1]))
_LOOKING_BEYOND = (
    sre.ASSERT,
    sre.ASSERT_NOT,
    sre.GROUPREF_EXISTS,
    ATOMIC_GROUP,
    getattr(sre, "POSSESSIVE_REPEAT", None),
)


@remember
def is_digit_blind(pattern: str) -> bool:
    """Return whether texts that differ only in digits all match the pattern, or none does."""
    return _is_blind(parse_pattern(pattern))


@remember
def is_blind_beyond_match(pattern: str) -> bool:
    """Return whether a match that holds no digit stays a match, whatever the digits around it are.

    Text outside a match decides by lookaround, and by parts that give nothing back.
    """
    return _is_blind_beyond(parse_pattern(pattern))


@remember
def split_by_digits(expression: str) -> tuple[str, str | None] | None:
    """Return None for an expression of a widened pattern that is blind to digits.

    For others, return one expression that matches wherever it matches with some digits, and one that matches only
    where it matches with any digits; None for the second if there is no such place.
    """
    tree = parse_pattern(expression)
    if _is_blind(tree):
        return None
    loose, strict = _accept_any_digit(tree), _refuse_some_digits(tree)
    return emit_tree(loose), None if strict is None else emit_tree(strict)


def _is_blind(items: Iterable[Any]) -> bool:
    return all(_is_node_blind(op, arg) for op, arg in items)


def _is_node_blind(op: Any, arg: Any) -> bool:
    if op in (sre.GROUPREF, sre.GROUPREF_EXISTS):
        return False
    if op in (sre.LITERAL, sre.NOT_LITERAL):
        return arg not in _DIGITS
    if op is sre.IN:
        return not _names_some_digits(arg)
    return all(map(_is_blind, parts_of(op, arg)))


def _is_blind_beyond(items: Iterable[Any]) -> bool:
    return all(
        _is_node_blind(op, arg) if op in _LOOKING_BEYOND else all(map(_is_blind_beyond, parts_of(op, arg)))
        for op, arg in items
    )


def _names_some_digits(parts: Iterable[Any]) -> bool:
    """Whether a character class names some digits, but not all."""
    named: set[int] = set()
    for op, arg in parts:
        if op is sre.LITERAL:
            named.add(arg)
        elif op is sre.RANGE:
            named.update(digit for digit in _DIGITS if arg[0] <= digit <= arg[1])
        elif op is sre.CATEGORY and arg in (sre.CATEGORY_DIGIT, sre.CATEGORY_WORD):
            return False
    return 0 < len(named.intersection(_DIGITS)) < len(_DIGITS)


def _accept_any_digit(items: Iterable[Any]) -> list[Any]:
    """Return a parse tree that accepts any digit where `items` accept one."""
    accepted = []
    for op, arg in items:
        parts = list(map(_accept_any_digit, parts_of(op, arg)))
        if parts or _is_node_blind(op, arg):
            accepted.append(with_parts(op, arg, parts))
        elif op is sre.IN and arg[0][0] is not sre.NEGATE:
            accepted.append((sre.IN, [*arg, _ANY_DIGIT]))
        else:
            accepted.append((sre.IN, [_ANY_DIGIT]) if op is sre.LITERAL else (sre.ANY, None))
    return accepted


def _refuse_some_digits(items: Iterable[Any]) -> list[Any] | None:
    """Return a parse tree without what accepts only some digits; None if it can match nothing."""
    kept = []
    for op, arg in items:
        parts = [part for part in map(_refuse_some_digits, parts_of(op, arg)) if part is not None]
        if parts or not parts_of(op, arg):
            if not parts and not _is_node_blind(op, arg):
                return None
            kept.append(with_parts(op, arg, parts))
        elif not (op in REPEATS and arg[0] == 0):
            return None
    return kept
