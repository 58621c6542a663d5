"""Widens a pattern, so that a block scanner can run it over whole blocks and never miss a line.

The widened pattern *over-approximates*: it matches in every line that the pattern matches, and it reports as few end
offsets as it can. It differs from the pattern in that
* lookaround, anchors, back references and named groups are removed (they only narrow);
* nothing crosses a line end: negated classes, `\\s`, `\\W`, `\\D` and `.` exclude the line feed;
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

from analyzer.scan.parse_tree import REPEATS, parse_pattern
from analyzer.scan.pattern_memo import remember
from analyzer.scan.required_texts import Texts, find_required_texts, selectivity

_CATEGORY = {
    sre.CATEGORY_DIGIT: "0-9",
    sre.CATEGORY_WORD: "0-9A-Za-z_",
    sre.CATEGORY_SPACE: r" \t\r\f\x0b",  # for Hyperscan, \v is every vertical space, a line feed too
}
_NEGATED = {
    sre.CATEGORY_NOT_DIGIT: "[^0-9\\n]",
    sre.CATEGORY_NOT_WORD: "[^0-9A-Za-z_\\n]",
    sre.CATEGORY_NOT_SPACE: "[^\\s]",
}
WIDEN_VERSION = 7  # raise it with every change here or in `digits.py`: it is a part of the key of cached automata
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
    return WidenedPattern(_emit_all(items), caseless, find_required_texts(tree))


def emit_tree(items: Iterable[Any]) -> str:
    """Return the expression of a parse tree that crosses no line end: the tree of a widened expression, or less."""
    return "".join(map(_emit, items))


def ignorecase_flag() -> int:
    return int(sre.SRE_FLAG_IGNORECASE)


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


def _emit_all(items: list[Any]) -> str:
    return "".join(
        _emit_gap(*arg) if _is_gap(op, arg) and not _has_searchable_text(items[:at]) else _emit((op, arg))
        for at, (op, arg) in enumerate(items)
    )


def _is_gap(op: Any, arg: Any) -> bool:
    return op in REPEATS and MAX_REPEAT < arg[1] <= MAX_KEPT_GAP


def _has_searchable_text(items: list[Any]) -> bool:
    """Whether the items hold a text to search for; else the scanner follows the next item from every byte."""
    return any(min(map(len, texts)) >= MIN_SEARCHABLE_CHARS for texts in find_required_texts(items))


def _emit_gap(low: int, high: int, inner: Any) -> str:
    return f"(?:{''.join(map(_emit, inner))}){{{low},{high}}}"


def _emit(item: tuple[Any, Any]) -> str:
    op, arg = item
    if op is sre.LITERAL:
        return _quote(arg)
    if op is sre.NOT_LITERAL:
        return f"[^{_quote_in_class(arg)}\\n]" if arg < 128 else "[^\\n]"
    if op is sre.ANY:
        return "[^\\n]"
    if op is sre.IN:
        return _emit_class(arg)
    if op in REPEATS:
        low, high, inner = arg
        return _emit_repeat(low, high, "".join(map(_emit, inner)))
    if op is sre.SUBPATTERN:
        _, add, _, inner = arg
        flag = "i" if add & ignorecase_flag() else ""
        return f"(?{flag}:{''.join(map(_emit, inner))})"
    if op is sre.BRANCH:
        return "(?:" + "|".join("".join(map(_emit, branch)) for branch in arg[1]) + ")"
    if op is getattr(sre, "ATOMIC_GROUP", None):
        return f"(?:{''.join(map(_emit, arg))})"
    if op is sre.AT and arg in (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY):
        return "\\b" if arg is sre.AT_BOUNDARY else "\\B"
    if op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
        return ""
    return "[^\\n]*"  # back references, conditionals


def _emit_repeat(low: int, high: Any, inner: str) -> str:
    if not inner:
        return ""
    unbounded = high is sre.MAXREPEAT or int(high) > MAX_REPEAT
    if low == 1 and not unbounded and high == 1:
        return f"(?:{inner})"
    bounds = f"{{{min(low, MAX_REPEAT)},{'' if unbounded else high}}}"
    short = {(0, True): "*", (1, True): "+"}.get((low, unbounded), bounds)
    return f"(?:{inner}){short}"


def _emit_class(parts: list[Any]) -> str:
    negated = bool(parts) and parts[0][0] is sre.NEGATE
    inner = []
    for op, arg in parts[1:] if negated else parts:
        if op is sre.LITERAL:
            inner.append(_quote_in_class(arg))
        elif op is sre.RANGE:
            inner.append(f"{_quote_in_class(arg[0])}-{_quote_in_class(arg[1])}")
        elif op is sre.CATEGORY and arg in _CATEGORY:
            inner.append(_CATEGORY[arg])
        elif op is sre.CATEGORY and not negated and len(parts) == 1:
            return _NEGATED.get(arg, "[^\\n]")
        else:  # a negated category beside others: too rare to be exact
            return "[^\\n]"
    return f"[^{''.join(inner)}\\n]" if negated else f"[{''.join(inner)}]"


def _quote(code: int) -> str:
    char = chr(code)
    if (char.isalnum() and code < 128) or char in " _/-:=,'\"<>@%&!;~`":
        return char
    if code < 128:
        return f"\\x{code:02x}"
    return "".join(f"\\x{byte:02x}" for byte in char.encode())


def _quote_in_class(code: int) -> str:
    return f"\\x{code:02x}" if code < 256 else "\\x80-\\xff"
