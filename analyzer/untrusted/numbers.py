"""Numbers as lines write them: a log may have `99…9` five thousand digits long, `²` or `--5` where a number is
expected.
"""

from __future__ import annotations

import re

_WHOLE_NUMBER = re.compile(r"\s*-?[0-9]{1,18}\s*", re.ASCII)
_GROUPED_NUMBER = re.compile(r"[0-9]{1,3}(?:([,_'])[0-9]{3})(?:\1[0-9]{3}){0,4}", re.ASCII)
_DECIMAL_NUMBER = re.compile(r"\s*[0-9]{1,15}(?:\.[0-9]{1,15})?\s*", re.ASCII)


def read_whole(text: object) -> int | None:
    """Return a whole number of at most 18 digits, else None. Its thousands may be grouped: 12,000 or 12_000."""
    if text is None or isinstance(text, bool):
        return None
    digits = str(text)
    if grouped := _GROUPED_NUMBER.fullmatch(digits):
        digits = digits.replace(grouped[1], "")
    return int(digits) if _WHOLE_NUMBER.fullmatch(digits) else None


def read_decimal(text: str) -> float | None:
    """Return a number without a sign or an exponent, else None."""
    return float(text) if text and _DECIMAL_NUMBER.fullmatch(text) else None
