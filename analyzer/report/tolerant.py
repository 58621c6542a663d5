"""Read values of an incident that another version or program may have written: missing values are empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

MAX_NUMBER = 1 << 63  # largest number that can be a count or a time


def items(source: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    """Return the objects of the list under `key`; other values are left out."""
    value = source.get(key)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def member(source: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = source.get(key)
    return value if isinstance(value, Mapping) else {}


def text(source: Mapping[str, object], key: str) -> str:
    value = source.get(key)
    return "" if value is None else str(value)


def texts(source: Mapping[str, object], key: str) -> list[str]:
    """Return the strings under `key`, which may be a list or a single string."""
    value = source.get(key)
    if isinstance(value, str):
        return [value] if value else []
    return [str(one) for one in value if one is not None] if isinstance(value, list | tuple) else []


def number(source: Mapping[str, object], key: str) -> float | None:
    value = source.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -MAX_NUMBER < value < MAX_NUMBER:
        return None
    return float(value)


def whole_number(source: Mapping[str, object], key: str, default: int = 0) -> int:
    value = number(source, key)
    return default if value is None else int(value)


def parse_time(value: object) -> float | None:
    """Return seconds since the epoch for an RFC 3339 string; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    if not 1 < parsed.year < 9999:  # in another zone, or rounded, it would exceed the range of dates
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def points(progress: Mapping[str, object]) -> Iterator[tuple[float, float]]:
    """Return the (time, step) pairs of one `timeline.progress` entry."""
    found = progress.get("points")
    for pair in found if isinstance(found, list | tuple) else ():
        if isinstance(pair, list | tuple) and len(pair) == 2:
            time, step = parse_time(pair[0]), pair[1]
            if time is not None and isinstance(step, int | float):
                yield time, float(step)
