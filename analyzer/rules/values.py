"""Comparisons on captured values: numbers, sizes, versions, patterns."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

import regex

from analyzer.rules.compiled import compile_pattern

PATIENCE = 0.2  # seconds that one test `~ pattern` may take
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4, "p": 1024**5}
_SIZE = regex.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d{1,3})?)\s*(?:([kmgtp])i?b?|b|bytes)?$", regex.IGNORECASE)
_VERSION = regex.compile(r"v?(\d{1,9}(?:\.\d{1,9})+)")
_PARTS = regex.compile(r"v?(\d{1,9}(?:\.\d{1,9})*)")


def read_number(text: str) -> float | tuple[int, ...] | None:
    """A number (`1.5`, `2e-7`), a size (`2GiB`, `512 kB`; powers of 1024) in bytes, or a dotted version as a tuple."""
    stripped = text.strip()
    if size := _SIZE.fullmatch(stripped):
        return float(size[1]) * _UNITS[(size[2] or "").lower()]
    if stripped.lower().startswith("0x"):
        try:
            return float(int(stripped, 16))
        except (ValueError, OverflowError):
            return None
    if version := _VERSION.match(stripped):
        return tuple(int(part) for part in version[1].split("."))
    return None


def _as_versions(one: str, other: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Both as versions of one length:

    beside `2.9.3`, `2.10` is one too (alone it reads as a number), and `2.10` is `2.10.0`.
    """
    found = [_PARTS.match(text.strip()) for text in (one, other)]
    if not all(found):
        return None
    parts = [[int(part) for part in hit[1].split(".")] for hit in found if hit]
    length = max(map(len, parts))
    first, second = (tuple(part + [0] * (length - len(part))) for part in parts)
    return first, second


@functools.lru_cache(maxsize=4096)
def holds(test: str, value: str) -> bool:
    """Whether `value` passes `test`: `> 3`, `>= 2GiB`, `~ regex`, `!~ regex`, `!= x`, `== x`, or a plain value.

    Raises SlowPatternError.
    """
    for sign in (">=", "<=", ">", "<"):
        if test.startswith(sign):
            bound = test[len(sign) :]
            wanted, got = read_number(bound), read_number(value)
            if wanted is None or got is None:
                return False
            if isinstance(wanted, tuple) or isinstance(got, tuple):
                versions = _as_versions(value, bound)
                return versions is not None and _COMPARE[sign](*versions)
            return _COMPARE[sign](got, wanted)
    if test.startswith("!~"):
        return not _search(test[2:].strip(), value)
    if test.startswith("~"):
        return _search(test[1:].strip(), value)
    if test.startswith("== "):
        return value == test[3:]
    if test.startswith("!="):
        return value != test[2:].strip()
    return value == test


class SlowPatternError(Exception):
    """A test `~ pattern` took too long on a value; `pattern` says which."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.pattern = pattern


def _search(pattern: str, value: str) -> bool:
    try:
        return compile_pattern(pattern).search(value, timeout=PATIENCE) is not None
    except TimeoutError:
        raise SlowPatternError(pattern) from None


def where_holds(where: Mapping[str, tuple[str, ...]], captures: Mapping[str, str]) -> bool:
    """All named captures pass one of their tests; a capture that is missing passes none but `!= x` and `!~ x`.

    Raises SlowPatternError.
    """
    for name, tests in where.items():
        value = captures.get(name)
        if value is None:
            if not all(test.startswith("!") for test in tests):
                return False
        elif not any(holds(test, value) for test in tests):
            return False
    return True
