"""Recognizes lists of quoted texts in a line: names and labels that a program works on, not messages that it wrote.

INFO data: classes ['Loss is NaN', 'Segmentation fault']
"""

from __future__ import annotations

import re

_QUOTED = r"(?:'[^'\n]*+'|\"[^\"\n]*+\")"
_LIST = re.compile(rf"\[{_QUOTED}(?:, ?{_QUOTED})++\]")


def may_hold_quoted_list(text: str) -> bool:
    """Return whether the text may hold such a list; most do not, and this is cheap."""
    return "['" in text or '["' in text


def remove_quoted_lists(text: str) -> str:
    """Return the text without the elements of each list of two or more quoted texts."""
    return _LIST.sub("[]", text) if may_hold_quoted_list(text) else text
