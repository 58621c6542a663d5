"""Words that sentences of all packages share: lists of names, and their order."""

from __future__ import annotations

import re
from collections.abc import Sequence


def join_names(names: Sequence[str], limit: int = 4) -> str:
    """Return the names separated by commas: at most `limit`, then how many more there are; never "and 1 more".

    Empty names are left out.
    """
    names = [name for name in names if name]
    if len(names) <= limit + 1:
        return ", ".join(names)
    return f"{', '.join(names[:limit])} and {len(names) - limit:,} more"


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts `n2` before `n10`.

    Digits are read in groups of at most 18, because no line bounds the length of a number and Python refuses to
    convert very long ones.
    """
    parts = re.split(r"(\d{1,18})", name)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]
