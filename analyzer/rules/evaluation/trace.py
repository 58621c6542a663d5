"""Trace the evaluation of a condition: which part holds, on which events, and by how much a part misses.

It evaluates each part once more by the ordinary evaluator, so it says what that one decides. It serves a single rule,
not the analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from analyzer.model import Event
from analyzer.rules.condition_words import describe_condition, describe_seconds, describe_tests
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
)
from analyzer.rules.evaluation.captures import capture_value, event_matches, resolve_references
from analyzer.rules.evaluation.conditions import evaluate_condition
from analyzer.rules.evaluation.view import Evidence, NotEvaluatedError, View
from analyzer.signals.value_tests import SlowPatternError

MAX_REFUSED_EVENTS = 3  # events that a note names
MAX_WINDOW_S = 1e9  # a larger distance is no matter of the window
BISECTIONS = 60


@dataclass(frozen=True, slots=True)
class ConditionTrace:
    """The outcome of a condition and of its parts. `holds` is None if a source is missing, or a test takes too long."""

    condition: Condition
    holds: bool | None
    events: Evidence
    notes: tuple[str, ...]
    parts: tuple[ConditionTrace, ...]


def trace_condition(condition: Condition, view: View) -> ConditionTrace:
    """Return the trace of the condition as it is evaluated in the view."""
    parts = tuple(trace_condition(part, view) for part in _parts_of(condition))
    try:
        evidence = evaluate_condition(condition, view)
        notes = () if evidence is not None else tuple(_explain_failure(condition, parts, view))
    except NotEvaluatedError as error:
        return ConditionTrace(
            condition=condition,
            holds=None,
            events=(),
            notes=(f"no source on {view.node} could contain {error.signal}",),
            parts=parts,
        )
    except SlowPatternError as error:
        return ConditionTrace(
            condition=condition,
            holds=None,
            events=(),
            notes=(f"the test {error.pattern!r} takes too long",),
            parts=parts,
        )
    return ConditionTrace(
        condition=condition, holds=evidence is not None, events=evidence or (), notes=notes, parts=parts
    )


def locate_event(event: Event) -> str:
    """Return `file:line` of the event."""
    return f"{event.locus.file}:{event.locus.line}" if event.locus.line else event.locus.file


def _parts_of(condition: Condition) -> tuple[Condition, ...]:
    match condition:
        case AllOf(parts=parts) | AnyOf(parts=parts):
            return parts
        case Sequential(parts=parts, absent_between=between):
            return (*parts, *((Not(between),) if between else ()))
        case Not(part=part) | Count(of=part) | Distinct(of=part):
            return (part,)
        case Unless(part=part, exception=exception):
            return part, exception
        case AbsentSignal(part=part) | FirstNode(part=part) | NodeShare(part=part) | OddNode(part=part):
            return (part,)
        case _:
            return ()


def _explain_failure(condition: Condition, parts: Sequence[ConditionTrace], view: View) -> Iterator[str]:
    """Yield why the condition does not hold, if its parts do not say it."""
    match condition:
        case HasSignal():
            yield from _explain_missing_signal(condition, view)
        case AllOf(within=float() as within) if all(part.holds for part in parts):
            yield from _explain_window(lambda longest: replace(condition, within=longest), within, view)
        case Sequential():
            yield from _explain_sequence(condition, parts, view)
        case Count():
            yield f"there are {_largest(lambda number: replace(condition, at_least=number, at_most=None), view):,}"
        case Distinct(capture=capture):
            number = _largest(lambda number: replace(condition, at_least=number), view)
            yield f"there are {number:,} different values of {capture}"
        case Unless() if parts[0].holds and parts[1].holds:
            yield f"excepted by {', '.join(map(locate_event, parts[1].events[:MAX_REFUSED_EVENTS]))}"
        case FirstNode(part=part) if parts[0].holds:
            times = view.earliest_times(part.signal, resolve_references(part.where, view.anchor_captures))
            others = sorted((time, node) for node, time in times.items() if node != view.node and time is not None)
            yield f"{others[0][1]} has it before, or within the clocks' error" if others else "its times are unknown"
        case NodeShare(part=part):
            nodes = view.nodes_with(part.signal, resolve_references(part.where, view.anchor_captures))
            yield f"it is on {len(nodes)} of {view.node_count()} nodes"
        case OddNode(capture=capture, part=part):
            where = resolve_references(part.where, view.anchor_captures)
            counts = view.odd_values(capture, part.signal, where).counts
            ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_REFUSED_EVENTS]
            stated = ", ".join(f"{value} on {nodes} {'node' if nodes == 1 else 'nodes'}" for value, nodes in ranked)
            yield f"{capture} is {stated}" if stated else f"no node states {capture}"


def _explain_missing_signal(condition: HasSignal, view: View) -> Iterator[str]:
    events = view.events(condition.signal, condition.at)
    where = resolve_references(condition.where, view.anchor_captures)
    for event in islice(events, MAX_REFUSED_EVENTS):
        failed = [test for test in where if not event_matches((test,), event)]
        values = (
            f"{name} is {capture_value(event, name) or 'not captured'}, wanted: {describe_tests(tests)}"
            for name, tests in failed
        )
        yield f"{locate_event(event)}: {'; '.join(values)}"
    if len(events) > MAX_REFUSED_EVENTS:
        yield f"and {len(events) - MAX_REFUSED_EVENTS:,} more lines that fail the tests"
    if not events and (nodes := sorted(node for node in view.nodes_with(condition.signal, ()) if node != view.node)):
        yield f"no line here, but on {', '.join(nodes[:MAX_REFUSED_EVENTS])}{' …' if len(nodes) > 3 else ''}"
    elif not events:
        yield "no line"


def _explain_sequence(condition: Sequential, parts: Sequence[ConditionTrace], view: View) -> Iterator[str]:
    """Yield what keeps the steps from being a sequence: the first of its demands without which it would hold."""
    steps = [part for index, part in enumerate(parts[: len(condition.parts)]) if index not in condition.optional]
    if not all(step.holds for step in steps):
        return
    if condition.absent_between and _holds(replace(condition, absent_between=None), view):
        yield f"{describe_condition(condition.absent_between)} comes between the steps"
    elif (window := condition.window) and _holds(replace(condition, window=replace(window, shortest=0.0)), view):
        yield f"the last step comes less than {describe_seconds(window.shortest)} after the opening"
    elif window and _holds(replace(condition, window=None), view):
        yield from _explain_window(
            lambda longest: replace(condition, window=replace(window, longest=longest)), window.longest, view
        )
    elif condition.certain_order and _holds(replace(condition, certain_order=False), view):
        yield "the order of the steps is not certain: it is within the clocks' error, or a time is unknown"
    else:
        yield "the steps do not come in this order"


def _explain_window(with_window: Callable[[float], Condition], window: float, view: View) -> Iterator[str]:
    """Yield by how much the window is missed: bisect for the smallest window in which the condition holds."""
    if not _holds(with_window(MAX_WINDOW_S), view):
        return
    low, high = window, MAX_WINDOW_S
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if _holds(with_window(middle), view) else (middle, high)
    yield f"it needs a window of {describe_seconds(high)}; the rule has {describe_seconds(window)}"


def _largest(with_number: Callable[[int], Condition], view: View) -> int:
    """Return the largest number for which the condition holds."""
    low, high = 0, 1
    while _holds(with_number(high), view):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _holds(with_number(middle), view) else (low, middle)
    return low


def _holds(condition: Condition, view: View) -> bool:
    return evaluate_condition(condition, view) is not None
