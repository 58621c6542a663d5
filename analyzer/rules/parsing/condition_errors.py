"""Errors in the `when` of a rule. One rule can have several; all are reported at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from analyzer.signals.types import SourcePosition

T = TypeVar("T")


class ConditionError(ValueError):
    """What is wrong with a condition, what to write instead, and the position if it is known.

    `others` are further errors of the same condition.
    """

    def __init__(self, text: str, advice: str, position: SourcePosition | None = None) -> None:
        super().__init__(text)
        self.advice = advice
        self.position = position
        self.others: tuple[ConditionError, ...] = ()

    def all_errors(self) -> tuple[ConditionError, ...]:
        return (self, *self.others)


def collect_results(parsers: Iterable[Callable[[], T]]) -> list[T]:
    """Return the results of all parsers. If any of them fail, raise one ConditionError that holds all their errors."""
    results: list[T] = []
    errors: list[ConditionError] = []
    for parse in parsers:
        try:
            results.append(parse())
        except ConditionError as error:
            errors += error.all_errors()
    if errors:
        errors[0].others = tuple(errors[1:])
        raise errors[0]
    return results
