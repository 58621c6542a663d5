"""Numbers as lines write them: a log may have `99…9` five thousand digits long, `²` or `--5` where a number is
expected.
"""

from __future__ import annotations

import re

_WHOLE_NUMBER = re.compile(r"\s*-?[0-9]{1,18}\s*", re.ASCII)
_DECIMAL_NUMBER = re.compile(r"\s*[0-9]{1,15}(?:\.[0-9]{1,15})?\s*", re.ASCII)


def read_whole(text: object) -> int | None:
    """Return a whole number of at most 18 digits, else None."""
    if text is None:
        return None
    return int(str(text)) if not isinstance(text, bool) and _WHOLE_NUMBER.fullmatch(str(text)) else None


def read_decimal(text: str) -> float | None:
    """Return a number without a sign or an exponent, else None."""
    return float(text) if text and _DECIMAL_NUMBER.fullmatch(text) else None
