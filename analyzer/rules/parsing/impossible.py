"""Refuse conditions that can never hold, and conditions that hold without any line."""

from __future__ import annotations

from analyzer.rules.conditions import (
    AbsentSignal,
    AllOf,
    AnyOf,
    Condition,
    Count,
    Distinct,
    Not,
    Unless,
    anchors_of,
)
from analyzer.rules.parsing.condition_errors import ConditionError


def check_rule_condition(condition: Condition) -> None:
    """Raise ConditionError if the whole condition of a rule gives no finding, whatever the bundle holds."""
    if not brings_event(condition):
        advice = "a finding needs a line that proves it: write {all: [a_signal, {not: x}]}"
        raise ConditionError("the condition names only what must not be there, so it never gives a finding", advice)
    if not anchors_of(condition):
        advice = "name a signal of the node itself too: {all: [a_signal, {signal: x, at: other_node}]}"
        raise ConditionError("the condition names nothing on the node itself, so it never gives a finding", advice)
    if isinstance(condition, AnyOf) and not all(map(brings_event, condition.parts)):
        advice = "a finding needs a line that proves it: put the negation into {all: [a_signal, {not: x}]}"
        raise ConditionError("a part of `any` names only what must not be there, so it never gives a finding", advice)


def check_all_parts(parts: tuple[Condition, ...]) -> None:
    """Raise ConditionError if one part of an `all` excludes another."""
    excluded = {part.part for part in parts if isinstance(part, Not | AbsentSignal)}
    if any(part in excluded for part in parts):
        text = "the condition needs and excludes the same thing, so it never holds"
        raise ConditionError(text, "remove one of the two")


def check_exception(condition: Unless) -> None:
    """Raise ConditionError if the exception always applies, or can never do so."""
    if condition.part == condition.exception and condition.side == "around":
        raise ConditionError("the condition is its own exception, so it never holds", "name another signal in `unless`")
    if not brings_event(condition.exception) and (condition.side != "around" or condition.within is not None):
        advice = "name a signal; a negation has no time at which it happens"
        raise ConditionError("the exception names only what must not be there, so it has no time", advice)


def check_step(step: Condition) -> None:
    """Raise ConditionError if the step of a sequence can have no event."""
    if not brings_event(step):
        advice = "write unless: {before: x}, {after: x} or {between: x} beside the sequence"
        raise ConditionError(
            "a step of a sequence must be an event; this one names only what must not be there", advice
        )


def brings_event(condition: Condition) -> bool:
    """Return whether the condition can hold because of an event, and not only because events are missing."""
    match condition:
        case Not() | AbsentSignal():
            return False
        case AllOf(parts=parts) | AnyOf(parts=parts):
            return any(map(brings_event, parts))
        case Count(of=inner, at_most=at_most):
            return at_most != 0 and brings_event(inner)
        case Distinct(of=inner) | Unless(part=inner):
            return brings_event(inner)
        case _:
            return True
