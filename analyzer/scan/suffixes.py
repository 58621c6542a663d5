"""Widens a pattern, so that one search of a line tells that the pattern matches no message that the line may have.

The message of a line is what stands behind its prefixes, so it is the end of the line's text. Where it begins may
depend on digits: 11/30/2026 is a date, and 12/01/2026 may be two. A pattern that begins with `^` matches the one
message and not the other.
"""

from __future__ import annotations

import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable
from typing import Any

from analyzer.scan.byte_expression import emit_tree, ignorecase_flag
from analyzer.scan.byte_tree import to_byte_tree
from analyzer.scan.parse_tree import parse_pattern, parts_of, with_parts
from analyzer.scan.pattern_memo import remember

_BEGINNINGS = (sre.AT_BEGINNING, sre.AT_BEGINNING_LINE, sre.AT_BEGINNING_STRING)
_ENDS = (sre.AT_END, sre.AT_END_STRING)
_CHARACTERS = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)


@remember
def widen_to_suffixes(pattern: str) -> str:
    """Return an expression that matches an ASCII line if the pattern matches some end of it, the whole line included.

    It may match others as well. Raises `re.error` if the pattern is not valid.
    """
    tree = parse_pattern(pattern)
    items = _drop_looks_back(tree)
    end = "$" if items and items[-1][0] is sre.AT and items[-1][1] in _ENDS else ""
    return ("(?i)" if tree.state.flags & ignorecase_flag() else "") + emit_tree(to_byte_tree(items, 1)) + end


def _drop_looks_back(items: Iterable[Any], behind_character: bool = False) -> list[Any]:
    """Return a parse tree without what looks at the text before the first character that it matches.

    `behind_character`: the items stand behind a character of the match. Lookaround is dropped when it is emitted.
    """
    kept = []
    for op, arg in items:
        if op is sre.AT and (arg in _BEGINNINGS or (arg not in _ENDS and not behind_character)):
            continue
        parts = [_drop_looks_back(part, behind_character) for part in parts_of(op, arg)]
        kept.append(with_parts(op, arg, parts) if parts else (op, arg))
        behind_character = behind_character or op in _CHARACTERS
    return kept
