"""Reading an incident that another version, or another hand, may have written: what is missing is empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

MAX_NUMBER = 1 << 63  # of numbers: beyond, they are neither counts nor times


def items(source: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    """The objects of the list under `key`; anything else there is left out."""
    value = source.get(key)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def member(source: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = source.get(key)
    return value if isinstance(value, Mapping) else {}


def text(source: Mapping[str, object], key: str) -> str:
    value = source.get(key)
    return "" if value is None else str(value)


def texts(source: Mapping[str, object], key: str) -> list[str]:
    """The strings under `key`: a list, or one string alone."""
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


def points(progress: Mapping[str, object]) -> Iterator[tuple[float, float]]:
    """The (time, step) pairs of one `timeline.progress` entry."""
    found = progress.get("points")
    for pair in found if isinstance(found, list | tuple) else ():
        if isinstance(pair, list | tuple) and len(pair) == 2:
            from analyzer.report.formatting import parse_time

            time, step = parse_time(pair[0]), pair[1]
            if time is not None and isinstance(step, int | float):
                yield time, float(step)
