"""Numbers as lines write them: a log may say `99…9` five thousand times, `²` or `--5` where a number is meant."""

from __future__ import annotations

import re

_WHOLE_NUMBER = re.compile(r"\s*-?[0-9]{1,18}\s*", re.ASCII)
_DECIMAL_NUMBER = re.compile(r"\s*[0-9]{1,15}(?:\.[0-9]{1,15})?\s*", re.ASCII)


def read_whole(text: object) -> int | None:
    """A whole number of at most 18 digits, else None."""
    if text is None:
        return None
    return int(str(text)) if not isinstance(text, bool) and _WHOLE_NUMBER.fullmatch(str(text)) else None


def read_decimal(text: str) -> float | None:
    """A number without a sign or an exponent, else None."""
    return float(text) if text and _DECIMAL_NUMBER.fullmatch(text) else None
