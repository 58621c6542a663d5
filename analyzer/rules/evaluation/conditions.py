"""Evaluate the conditions of rules: one function for each operator, in one table.

Each returns the events that make its condition hold, or None if it does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from analyzer.model import Event
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
    Sequential,
    Unless,
)
from analyzer.rules.evaluation.captures import event_matches, resolve_references
from analyzer.rules.evaluation.time_windows import densest_window, find_within_window, fits_after, is_before
from analyzer.rules.evaluation.view import Evidence, NotEvaluatedError, View


def evaluate_condition(condition: Condition, view: View) -> Evidence | None:
    """Return the evidence of the condition, or None if it does not hold.

    Raises NotEvaluatedError if the bundle lacks the source that would decide, and SlowPatternError.
    """
    return _EVALUATORS[type(condition)](condition, view)


def _evaluate_signal(condition: HasSignal, view: View) -> Evidence | None:
    where = resolve_references(condition.where, view.anchor_captures)
    events = tuple(event for event in view.events(condition.signal, condition.on) if event_matches(where, event))
    return events or None


def _evaluate_all(condition: AllOf, view: View) -> Evidence | None:
    evidence_of_parts: list[Evidence] = []
    not_evaluated: NotEvaluatedError | None = None
    for part in condition.parts:
        try:
            evidence = evaluate_condition(part, view)
        except NotEvaluatedError as error:  # another part may still fail, regardless of the missing source
            not_evaluated = error
            continue
        if evidence is None:
            return None
        evidence_of_parts.append(evidence)
    if not_evaluated is not None:
        raise not_evaluated
    if condition.within is None:
        return tuple(event for evidence in evidence_of_parts for event in evidence)
    return find_within_window([evidence for evidence in evidence_of_parts if evidence], condition.within, view)


def _evaluate_any(condition: AnyOf, view: View) -> Evidence | None:
    evidence_of_parts: list[Evidence] = []
    not_evaluated: NotEvaluatedError | None = None
    for part in condition.parts:
        try:
            evidence = evaluate_condition(part, view)
        except NotEvaluatedError as error:  # another part may still hold
            not_evaluated = error
            continue
        if evidence is not None:
            evidence_of_parts.append(evidence)
    if not_evaluated is not None and not evidence_of_parts:
        raise not_evaluated
    return tuple(event for evidence in evidence_of_parts for event in evidence) if evidence_of_parts else None


def _evaluate_not(condition: Not, view: View) -> Evidence | None:
    return () if evaluate_condition(condition.part, view) is None else None


def _evaluate_count(condition: Count, view: View) -> Evidence | None:
    events = evaluate_condition(condition.of, view) or ()
    event_count = len(events)
    if condition.within is not None:
        events = densest_window(events, condition.within, view)
    total = sum(event.count for event in events)
    if len(events) == event_count:  # no kept event is outside the window, so neither are the dropped ones between them
        total += sum(view.dropped_count(signal) for signal in _fully_counted_signals(condition.of))
    if total < condition.at_least or (condition.at_most is not None and total > condition.at_most):
        return None
    return events


def _fully_counted_signals(condition: Condition) -> Iterator[str]:
    """Yield the signals whose events all count, so that events that were dropped can be added."""
    match condition:
        case HasSignal(signal=signal, where=where, on="same_node") if not where:
            yield signal
        case AnyOf(parts=parts):
            for part in parts:
                yield from _fully_counted_signals(part)


def _evaluate_distinct(condition: Distinct, view: View) -> Evidence | None:
    events = evaluate_condition(condition.of, view) or ()
    values = {event.captures[condition.capture] for event in events if condition.capture in event.captures}
    return events if len(values) >= condition.at_least else None


def _evaluate_sequence(condition: Sequential, view: View) -> Evidence | None:
    steps: list[tuple[Evidence, bool]] = []
    for index, part in enumerate(condition.parts):
        evidence, optional = evaluate_condition(part, view), index in condition.optional
        if not evidence and not optional:
            return None
        steps.append((evidence or (), optional))
    for first, (starts, optional) in enumerate(steps):
        for start in starts:
            if chain := _extend_chain((start,), steps[first + 1 :], condition, view):
                return chain
        if not optional:
            break
    return None


def _extend_chain(
    chain: Evidence, steps: Sequence[tuple[Evidence, bool]], condition: Sequential, view: View
) -> Evidence | None:
    """Return the chain with one event for each further step, or None if a required step has no event that fits.

    Each event lies inside the time window and after the previous one. Optional steps are included if they fit.
    """
    if not steps:
        return chain
    candidates, optional = steps[0]
    in_order = (
        candidate for candidate in candidates if fits_after(chain[0], chain[-1], candidate, condition.within, view)
    )
    next_event = next(
        (
            candidate
            for candidate in in_order
            if not condition.certain_order or view.is_surely_before(chain[-1], candidate)
        ),
        None,
    )
    if next_event is not None and (longer := _extend_chain((*chain, next_event), steps[1:], condition, view)):
        return longer
    return _extend_chain(chain, steps[1:], condition, view) if optional else None


def _evaluate_unless(condition: Unless, view: View) -> Evidence | None:
    """Return the events that no exception excludes.

    Plain events are judged one by one. A combination is judged as a whole, by its first or its last event.
    """
    events = evaluate_condition(condition.part, view)
    if not events:
        return events
    exceptions = evaluate_condition(condition.exception, view) or ()
    if isinstance(condition.part, HasSignal | AnyOf):
        return tuple(event for event in events if not _is_excepted(condition, event, exceptions, view)) or None
    edge = events[-1] if condition.is_after else events[0]
    return None if _is_excepted(condition, edge, exceptions, view) else events


def _is_excepted(condition: Unless, event: Event, exceptions: Evidence, view: View) -> bool:
    for exception in exceptions:
        if exception is event or not fits_after(
            event, event if condition.is_after else None, exception, condition.within, view
        ):
            continue
        if condition.is_after or not is_before(event, exception, view):
            return True
    return False


def _evaluate_absent(condition: AbsentSignal, view: View) -> Evidence | None:
    if not view.has_sources_for(condition.part.signal):
        raise NotEvaluatedError(condition.part.signal)
    return () if _evaluate_signal(condition.part, view) is None else None


def _evaluate_first(condition: FirstNode, view: View) -> Evidence | None:
    own_events = _evaluate_signal(condition.part, view)
    if own_events is None:
        return None
    own_time = min((time for event in own_events if (time := view.time(event)) is not None), default=None)
    where = resolve_references(condition.part.where, view.anchor_captures)
    others = view.nodes_with(condition.part.signal, where)
    for node, earliest_time in view.earliest_times(condition.part.signal, where).items():
        if node != view.node and (
            own_time is None or earliest_time is None or earliest_time - view.time_error(others[node][0]) <= own_time
        ):
            return None
    return own_events


def _evaluate_share(condition: NodeShare, view: View) -> Evidence | None:
    nodes = view.nodes_with(condition.part.signal, resolve_references(condition.part.where, view.anchor_captures))
    if view.node not in nodes:
        return None
    if condition.exactly is not None and len(nodes) != condition.exactly:
        return None
    if condition.at_least is not None and len(nodes) < condition.at_least * view.node_count():
        return None
    return tuple(nodes[view.node])


_EVALUATORS: dict[type, Callable[..., Evidence | None]] = {
    HasSignal: _evaluate_signal,
    AllOf: _evaluate_all,
    AnyOf: _evaluate_any,
    Not: _evaluate_not,
    Count: _evaluate_count,
    Distinct: _evaluate_distinct,
    Sequential: _evaluate_sequence,
    Unless: _evaluate_unless,
    AbsentSignal: _evaluate_absent,
    FirstNode: _evaluate_first,
    NodeShare: _evaluate_share,
}
