"""Tests on captured values: numbers, sizes, versions, patterns."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import regex

from analyzer.signals.compiled_patterns import compile_pattern
from analyzer.signals.types import CaptureTests

PATTERN_TIMEOUT_S = 0.2  # for one test `~ pattern` on one value
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_UNIT_BYTES = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4, "p": 1024**5}
_SIZE = regex.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d{1,3})?)\s*(?:([kmgtp])i?b?|b|bytes)?$", regex.IGNORECASE)
_VERSION = regex.compile(r"v?(\d{1,9}(?:\.\d{1,9})+)")
_VERSION_PARTS = regex.compile(r"v?(\d{1,9}(?:\.\d{1,9})*)")


def read_number(text: str) -> float | tuple[int, ...] | None:
    """Return a number (`1.5`, `2e-7`), a size in bytes (`2GiB`, `512 kB`; powers of 1024), or a dotted version as a
    tuple.

    None if the text is none of these.
    """
    stripped = text.strip()
    if size := _SIZE.fullmatch(stripped):
        return float(size[1]) * _UNIT_BYTES[(size[2] or "").lower()]
    if stripped.lower().startswith("0x"):
        try:
            return float(int(stripped, 16))
        except (ValueError, OverflowError):
            return None
    if version := _VERSION.match(stripped):
        return tuple(int(part) for part in version[1].split("."))
    return None


def _parse_as_versions(left: str, right: str) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return both texts as versions of equal length, or None if one is not a version.

    `2.10` alone reads as a number, but compared with `2.9.3` it is a version; it then equals `2.10.0`.
    """
    matches = [_VERSION_PARTS.match(text.strip()) for text in (left, right)]
    if not all(matches):
        return None
    parts = [[int(part) for part in match[1].split(".")] for match in matches if match]
    length = max(map(len, parts))
    first, second = (tuple(part + [0] * (length - len(part))) for part in parts)
    return first, second


@functools.lru_cache(maxsize=4096)
def value_passes(test: str, value: str) -> bool:
    """Return whether `value` passes `test`: `> 3`, `>= 2GiB`, `~ regex`, `!~ regex`, `!= x`, `== x`, or a plain value.

    Raises SlowPatternError.
    """
    for sign in (">=", "<=", ">", "<"):
        if test.startswith(sign):
            bound_text = test[len(sign) :]
            bound_value, number = read_number(bound_text), read_number(value)
            if bound_value is None or number is None:
                return False
            if isinstance(bound_value, tuple) or isinstance(number, tuple):
                versions = _parse_as_versions(value, bound_text)
                return versions is not None and _OPERATORS[sign](*versions)
            return _OPERATORS[sign](number, bound_value)
    if test.startswith("!~"):
        return not _search_pattern(test[2:].strip(), value)
    if test.startswith("~"):
        return _search_pattern(test[1:].strip(), value)
    if test.startswith("== "):
        return value == test[3:]
    if test.startswith("!="):
        return value != test[2:].strip()
    return value == test


class SlowPatternError(Exception):
    """A test `~ pattern` took too long on a value."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.pattern = pattern


def _search_pattern(pattern: str, value: str) -> bool:
    try:
        return compile_pattern(pattern).search(value, timeout=PATTERN_TIMEOUT_S) is not None
    except TimeoutError:
        raise SlowPatternError(pattern) from None


def may_pass_absent(tests: Sequence[str]) -> bool:
    """Return whether a missing capture passes the alternatives of one test."""
    return all(test.startswith("!") for test in tests)


def captures_pass(where: CaptureTests, captures: Mapping[str, str]) -> bool:
    """Return whether each named capture passes one of its tests. A missing capture passes only `!= x` and `!~ x`.

    Raises SlowPatternError.
    """
    for name, tests in where:
        value = captures.get(name)
        if value is None:
            if not may_pass_absent(tests):
                return False
        elif not any(value_passes(test, value) for test in tests):
            return False
    return True
