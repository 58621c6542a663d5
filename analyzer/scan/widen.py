"""Widens a pattern, so that a block scanner can run it over whole blocks and never miss a line.

The widened pattern *over-approximates*: it matches in every line that the pattern matches, and it reports as few end
offsets as it can. It differs from the pattern in that
* lookaround, anchors, back references and named groups are removed (they only narrow);
* it is over the bytes of UTF-8 (`byte_tree.py`), and nothing crosses a line end;
* open tails are cut (`\\d+` becomes `\\d`, a trailing `.*` is removed): the scanner reports every end offset;
* open heads are cut likewise: they decide nothing, and the scanner would follow them at every byte;
* optional parts behind a gap of any length are cut: the gap covers them.

It works on the parse tree of Python's `re` (CPython's Lib/re/_parser.py).
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from analyzer.scan.byte_expression import emit_tree, ignorecase_flag
from analyzer.scan.byte_tree import to_byte_tree
from analyzer.scan.parse_tree import REPEATS, parse_pattern, parts_of, with_parts
from analyzer.scan.pattern_memo import remember
from analyzer.scan.required_texts import Texts, find_required_texts, selectivity

WIDEN_VERSION = 8  # part of the key of cached automata: raise it with what `widen`, `byte_tree` or `digits` return
MAX_REPEAT = 32  # greater bounds are dropped: they cost compile time, and each line is confirmed anyway …
MAX_KEPT_GAP = 128  # … but up to here they are kept if no text to search for stands before them …
MIN_SEARCHABLE_CHARS = 4  # … which must have so many characters


@dataclass(frozen=True, slots=True)
class WidenedPattern:
    """`expression`: for a block scanner. `required`: of each of these sets, one text is in every matching line."""

    expression: str
    caseless: bool
    required: tuple[Texts, ...]

    @property
    def literals(self) -> Texts:
        """The most selective of the required sets; empty if there is none."""
        return max(self.required, key=selectivity, default=frozenset())


@remember  # the loader of rules calls it, then lint or the scanner
def widen(pattern: str) -> WidenedPattern:
    """Return the widened pattern. Raises `re.error` if the pattern is not valid."""
    tree = parse_pattern(pattern)
    caseless = bool(tree.state.flags & ignorecase_flag())
    items = _trim_behind_gaps(_trim_head(_trim_tail(list(tree))))
    return WidenedPattern(emit_tree(to_byte_tree(_bound_repeats(items))), caseless, find_required_texts(tree))


def _trim_tail(items: list[Any]) -> list[Any]:
    """Cut optional items off the end and shorten a repeat there."""
    while items:
        op, arg = items[-1]
        if op is sre.AT or op in (sre.ASSERT, sre.ASSERT_NOT):
            items = items[:-1]
        elif op in REPEATS:
            low, _, inner = arg
            if low == 0:
                items = items[:-1]
                continue
            return [*items[:-1], (sre.MAX_REPEAT, (low, low, _trim_tail(list(inner)) if low == 1 else inner))]
        elif op is sre.SUBPATTERN:
            group, add, drop, inner = arg
            cut = _trim_tail(list(inner))
            if not cut:
                items = items[:-1]
                continue
            return [*items[:-1], (op, (group, add, drop, cut))]
        elif op is sre.BRANCH:
            return [*items[:-1], (op, (None, [_trim_tail(list(branch)) for branch in arg[1]]))]
        else:
            return items
    return items


def _trim_head(items: list[Any]) -> list[Any]:
    """Cut optional items off the beginning and shorten a repeat there, with a word boundary before it."""
    while items:
        op, arg = items[0]
        if _begins_optional(items):
            items = items[1:]
        elif op in REPEATS:
            low, _, inner = arg
            return [(sre.MAX_REPEAT, (low, low, _trim_head(list(inner)) if low == 1 else inner)), *items[1:]]
        elif op is sre.SUBPATTERN:
            group, add, drop, inner = arg
            if cut := _trim_head(list(inner)):
                return [(op, (group, add, drop, cut)), *items[1:]]
            items = items[1:]
        elif op is sre.BRANCH:
            branches = [_trim_head(list(branch)) for branch in arg[1]]
            if all(branches):
                return [(op, (None, branches)), *items[1:]]
            items = items[1:]
        else:
            return items
    return items


def _begins_optional(items: list[Any]) -> bool:
    """Whether the first item may match the empty text at the beginning of a pattern."""
    op, arg = items[0]
    if op is sre.AT:
        return arg is not sre.AT_BOUNDARY or _begins_with_repeat(items[1:])
    return op in (sre.ASSERT, sre.ASSERT_NOT) or (op in REPEATS and arg[0] == 0)


def _trim_behind_gaps(items: list[Any]) -> list[Any]:
    for at in range(len(items)):
        if _is_wide_gap(items, at):
            return [*items[: at + 1], *_trim_behind_gaps(_cut_short_text(items[at + 1 :]))]
    return items


def _is_wide_gap(items: list[Any], at: int) -> bool:
    """Whether the item becomes a gap of any length, which covers what is cut behind it."""
    op, arg = items[at]
    wide = op in REPEATS and arg[1] > MAX_REPEAT and list(arg[2]) == [(sre.ANY, None)]
    return wide and (not _is_gap(op, arg) or _has_searchable_text(items[:at]))


def _cut_short_text(items: list[Any]) -> list[Any]:
    """Cut an optional item and the short text before it, for which the scanner would search otherwise.

    In ` - (?:val_)?loss: ` this is ` - `, which is in every other line.
    """
    short = next((number for number, (op, _) in enumerate(items) if op is not sre.LITERAL), len(items))
    if (
        short < MIN_SEARCHABLE_CHARS
        and items[short:]
        and _begins_optional(items[short:])
        and _has_searchable_text(items[short + 1 :])
    ):
        return _cut_short_text(items[short + 1 :])
    return items


def _begins_with_repeat(items: list[Any]) -> bool:
    """Whether the items begin with a repeat."""
    if not items:
        return False
    op, arg = items[0]
    return op in REPEATS or (op is sre.SUBPATTERN and _begins_with_repeat(list(arg[3])))


def _bound_repeats(items: Iterable[Any]) -> list[Any]:
    """Drop the great bounds of repeats, but of gaps before which no text to search for stands."""
    parts = list(items)
    return [
        (op, arg) if _is_gap(op, arg) and not _has_searchable_text(parts[:at]) else _with_small_bounds(op, arg)
        for at, (op, arg) in enumerate(parts)
    ]


def _with_small_bounds(op: Any, arg: Any) -> tuple[Any, Any]:
    parts = [[_with_small_bounds(*item) for item in part] for part in parts_of(op, arg)]
    op, arg = with_parts(op, arg, parts) if parts else (op, arg)
    if op not in REPEATS:
        return op, arg
    low, high, inner = arg
    return op, (min(low, MAX_REPEAT), high if high <= MAX_REPEAT else sre.MAXREPEAT, inner)


def _is_gap(op: Any, arg: Any) -> bool:
    return op in REPEATS and MAX_REPEAT < arg[1] <= MAX_KEPT_GAP


def _has_searchable_text(items: list[Any]) -> bool:
    """Whether the items hold a text to search for; else the scanner follows the next item from every byte."""
    return any(min(map(len, texts)) >= MIN_SEARCHABLE_CHARS for texts in find_required_texts(items))
