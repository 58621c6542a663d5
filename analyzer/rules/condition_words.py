"""Say a rule's condition in words."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.rules.conditions import (
    AbsentSignal,
    AllOf,
    AnyOf,
    Condition,
    Count,
    Distinct,
    FirstNode,
    HasSignal,
    NodeShare,
    Not,
    OddNode,
    Sequential,
    Unless,
    Window,
)
from analyzer.signals.types import CaptureTests

_NODES = {
    "same_node": "",
    "other_node": " on another node",
    "any_node": " on any node",
    "accused_node": " on the node that the line names",
}
_COMPARISONS = (
    ("!~", "does not match"),
    ("~", "matches"),
    ("!=", "is not"),
    ("==", "is"),
    (">=", "is at least"),
    ("<=", "is at most"),
    (">", "is more than"),
    ("<", "is less than"),
)
_PRESENCE = {"~ .": "is known", "!~ .": "is not known"}


def describe_condition(condition: Condition) -> str:
    """Return the condition as a phrase: `retry, then lost at most 60 s later, and no finished between them`."""
    match condition:
        case HasSignal(signal=signal, where=where, at=at):
            return f"{signal}{_describe_tests(where)}{_NODES[at]}"
        case AllOf(parts=parts, within=within):
            return f"{_join(parts, ' and ')}{f', all within {describe_seconds(within)}' if within is not None else ''}"
        case AnyOf(parts=parts):
            return _join(parts, " or ")
        case Not(part=part):
            return f"not {_describe_part(part)}"
        case AbsentSignal(part=part):
            return f"no {describe_condition(part)} in a source that could have it"
        case Count(of=part):
            return f"{_describe_bounds(condition)} {_describe_part(part)}{_describe_within(condition.within)}"
        case Distinct(capture=capture, of=part, at_least=at_least, within=within):
            return f"at least {at_least} different {capture} in {_describe_part(part)}{_describe_within(within)}"
        case Sequential():
            return _describe_sequence(condition)
        case Unless(part=part, exception=exception):
            return f"{_describe_part(part)}, unless {_describe_part(exception)} {_describe_side(condition)}"
        case FirstNode(part=part):
            return f"{describe_condition(part)}, before all other nodes"
        case NodeShare(part=part, exactly=exactly, at_least=share):
            nodes = f"exactly {exactly}" if exactly is not None else f"at least {(share or 0) * 100:g} % of the"
            return f"{describe_condition(part)}, on {nodes} nodes"
        case OddNode(capture=capture, part=part):
            return f"{describe_condition(part)}, with another {capture} than at least twice as many nodes have"


def describe_head(condition: Condition) -> str:
    """Return what the condition demands of its parts, for a tree that shows each part on a line of its own."""
    match condition:
        case AllOf(within=within):
            return f"all of these{_describe_within(within)}"
        case AnyOf():
            return "any of these"
        case Not():
            return "not this"
        case Count():
            return f"{_describe_bounds(condition)} of this{_describe_within(condition.within)}"
        case Distinct(capture=capture, at_least=at_least, within=within):
            return f"at least {at_least} different {capture} in this{_describe_within(within)}"
        case Sequential():
            return f"these, in this order{_describe_window(condition.window)}"
        case Unless():
            return f"the first of these, unless the second is {_describe_side(condition)}"
        case _:
            return describe_condition(condition)


def describe_seconds(seconds: float) -> str:
    """Return a duration: `90 s`, `15 min`, `2 h`, `1 d`."""
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length and seconds % length == 0:
            return f"{seconds / length:g} {unit}"
    return f"{round(seconds, 3):g} s"


def _describe_part(part: Condition) -> str:
    """Return the words of a part, in brackets if it has parts itself."""
    words = describe_condition(part)
    return words if isinstance(part, HasSignal | AbsentSignal) else f"({words})"


def _join(parts: Sequence[Condition], word: str) -> str:
    return word.join(map(_describe_part, parts))


def _describe_within(within: float | None) -> str:
    return "" if within is None else f" within {describe_seconds(within)}"


def _describe_bounds(condition: Count) -> str:
    least, most = condition.at_least, condition.at_most
    if most is None:
        return f"at least {least:,}"
    if least == most:
        return f"exactly {least:,}"
    return f"{least:,} to {most:,}" if least else f"at most {most:,}"


def _describe_sequence(condition: Sequential) -> str:
    steps = [
        f"{_describe_part(part)}{' (if any)' if index in condition.optional else ''}"
        for index, part in enumerate(condition.parts)
    ]
    order = " in a certain order" if condition.certain_order else ""
    between = condition.absent_between
    without = f", and no {_describe_part(between)} between them" if between else ""
    return f"{', then '.join(steps)}{order}{_describe_window(condition.window)}{without}"


def _describe_window(window: Window | None) -> str:
    if window is None:
        return ""
    opening = "the first" if not window.opens_at else f"step {window.opens_at + 1}"
    least = f"at least {describe_seconds(window.shortest)} and " if window.shortest else ""
    return f", the last {least}at most {describe_seconds(window.longest)} after {opening}"


def _describe_side(condition: Unless) -> str:
    span = "" if condition.within is None else f"within {describe_seconds(condition.within)} "
    if condition.side == "around":
        return f"{span}of it" if span else "there too"
    return f"{span}{condition.side} it"


def _describe_tests(where: CaptureTests) -> str:
    tests = [f"{name} {describe_tests(alternatives)}" for name, alternatives in where]
    return f" where {' and '.join(tests)}" if tests else ""


def describe_tests(alternatives: Sequence[str]) -> str:
    """Return the alternatives of one test: `is 5 or 7`, `matches ^a`."""
    words: dict[str, list[str]] = {}
    for test in alternatives:
        if test in _PRESENCE:
            words[_PRESENCE[test]] = []
            continue
        sign, verb = next(((sign, verb) for sign, verb in _COMPARISONS if test.startswith(sign)), ("", "is"))
        words.setdefault(verb, []).append(test.removeprefix(sign).strip() or "''")
    return " or ".join(f"{verb} {' or '.join(values)}".rstrip() for verb, values in words.items())
