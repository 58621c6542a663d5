"""Writes a parse tree over bytes as an expression that Hyperscan, `regex` and `re` understand alike.

Such a tree holds what `byte_tree` makes of a pattern, and what the parser of `re` makes of the expression again.
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable
from typing import Any

from analyzer.scan.parse_tree import REPEATS

_CATEGORY = {
    sre.CATEGORY_DIGIT: "0-9",
    sre.CATEGORY_WORD: "0-9A-Za-z_",
    sre.CATEGORY_SPACE: r" \t\r\f\x0b",  # for Hyperscan, \v is every vertical space, a line feed too
}
_REPEATS = {(0, sre.MAXREPEAT): "*", (1, sre.MAXREPEAT): "+"}


def emit_tree(items: Iterable[Any]) -> str:
    """Return the expression. Raises KeyError for a node that no tree over bytes holds."""
    return "".join(map(_emit, items))


def ignorecase_flag() -> int:
    return int(sre.SRE_FLAG_IGNORECASE)


def _emit(item: tuple[Any, Any]) -> str:
    op, arg = item
    if op is sre.LITERAL:
        return _quote(arg)
    if op is sre.NOT_LITERAL:
        return f"[^{_quote_in_class(arg)}]"
    if op is sre.ANY:
        return "[^\\n]"
    if op is sre.IN:
        return _emit_class(arg)
    if op in REPEATS:
        low, high, inner = arg
        return _emit_repeat(low, high, emit_tree(inner))
    if op is sre.SUBPATTERN:
        flag = "i" if arg[1] & ignorecase_flag() else ""
        return f"(?{flag}:{emit_tree(arg[3])})"
    if op is sre.BRANCH:
        return "(?:" + "|".join(map(emit_tree, arg[1])) + ")"
    return {sre.AT_BOUNDARY: "\\b", sre.AT_NON_BOUNDARY: "\\B"}[arg]


def _emit_repeat(low: int, high: Any, inner: str) -> str:
    if not inner:
        return ""
    if low == high == 1:
        return f"(?:{inner})"
    bounds = f"{{{low},{'' if high is sre.MAXREPEAT else high}}}"
    return f"(?:{inner}){_REPEATS.get((low, high), bounds)}"


def _emit_class(parts: list[Any]) -> str:
    texts = []
    for op, arg in parts:
        if op is sre.NEGATE:
            texts.append("^")
        elif op is sre.LITERAL:
            texts.append(_quote_in_class(arg))
        elif op is sre.RANGE:
            texts.append(f"{_quote_in_class(arg[0])}-{_quote_in_class(arg[1])}")
        else:
            texts.append(_CATEGORY[arg])
    return f"[{''.join(texts)}]"


def _quote(code: int) -> str:
    char = chr(code)
    return char if (char.isalnum() and code < 128) or char in " _/-:=,'\"<>@%&!;~`" else _quote_in_class(code)


def _quote_in_class(code: int) -> str:
    return "\\n" if code == 10 else f"\\x{code:02x}"
