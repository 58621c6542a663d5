"""Going through every string of a JSON object, keys included."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")

RECENT = 4096  # strings whose change is known
# Their values are words of our own or of the packs, never of the bundle.
OURS = frozenset(
    """
    schema_version tool verdict rule pack cause role severity status kind method signature signal blame
    references explains explained_by finding id causes how stop time corrected first_time last_time
    silent_since start end points
    """.split()  # noqa: SIM905
)


def walk(value: object) -> Iterator[str]:
    """Every string that the bundle may have brought in."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            if key not in OURS:
                yield str(key)
                yield from walk(inside)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            yield from walk(inside)


def replace(value: T, change: Callable[[str], str]) -> T:
    """The same object with every such string changed."""
    change = functools.lru_cache(RECENT)(change)  # the same few names stand in ten thousand objects
    return _replace(value, change)  # type: ignore[return-value]


def _replace(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [_replace(inside, change) for inside in value]
    if isinstance(value, Mapping):
        return {
            key if key in OURS else change(str(key)): inside if key in OURS else _replace(inside, change)
            for key, inside in value.items()
        }
    return value
