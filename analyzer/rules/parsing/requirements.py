"""The `requires` of a pack: the versions of this program with which it works."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from analyzer import __version__

_CLAUSE = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d{1,6}(?:\.\d{1,6})*)\s*")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


def unmet_requirement(requires: object, version: str = __version__) -> str | None:
    """Return why the program's version does not suit `requires` (`>=0.2, <1`); None if it does."""
    if requires is None:
        return None
    clauses = [_CLAUSE.fullmatch(part) for part in str(requires).split(",")]
    for clause in clauses:
        if clause is None:
            return f"requires {requires!r}, which is no condition on a version such as '>=0.2, <1'"
        if not _COMPARE[clause[1]](_release(version), _release(clause[2])):
            return f"requires tf-postmortem {requires}; this is {version}"
    return None


def _release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version without zeros at the end, so that 1.0 equals 1."""
    numbers = [int(part) for part in re.findall(r"\d+", re.split(r"[^\d.]", version)[0])]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
