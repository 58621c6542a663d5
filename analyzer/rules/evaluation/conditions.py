"""Evaluate the conditions of rules: one function for each operator, in one table.

Each returns the events that make its condition hold, or None if it does not hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

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
    OddNode,
    Sequential,
    Unless,
)
from analyzer.rules.evaluation.captures import event_matches, resolve_references
from analyzer.rules.evaluation.sequences import ChainSearch, Step, sort_by_time
from analyzer.rules.evaluation.time_windows import (
    densest_window,
    find_within_window,
    fits_after,
    index_by_time,
    is_before,
    most_diverse_window,
)
from analyzer.rules.evaluation.view import Evidence, NotEvaluatedError, View


def evaluate_condition(condition: Condition, view: View) -> Evidence | None:
    """Return the evidence of the condition, or None if it does not hold.

    Raises NotEvaluatedError if the bundle lacks the source that would decide, and SlowPatternError.
    """
    return _EVALUATORS[type(condition)](condition, view)


def _evaluate_signal(condition: HasSignal, view: View) -> Evidence | None:
    where = resolve_references(condition.where, view.anchor_captures)
    events = tuple(event for event in view.events(condition.signal, condition.at) if event_matches(where, event))
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
        case HasSignal(signal=signal, where=where, at="same_node") if not where:
            yield signal
        case AnyOf(parts=parts):
            for part in parts:
                yield from _fully_counted_signals(part)


def _evaluate_distinct(condition: Distinct, view: View) -> Evidence | None:
    events = evaluate_condition(condition.of, view) or ()
    if condition.within is not None:
        events = most_diverse_window(events, condition.capture, condition.within, view)
    values = {event.captures[condition.capture] for event in events if condition.capture in event.captures}
    return events if len(values) >= condition.at_least else None


def _evaluate_sequence(condition: Sequential, view: View) -> Evidence | None:
    steps: list[Step] = []
    for index, part in enumerate(condition.parts):
        evidence, optional = evaluate_condition(part, view), index in condition.optional
        if not evidence and not optional:
            return None
        steps.append(Step(sort_by_time(evidence or (), view), optional))
    excluded = condition.absent_between and evaluate_condition(condition.absent_between, view)
    return ChainSearch(
        steps=steps, window=condition.window, certain_order=condition.certain_order, excluded=excluded or (), view=view
    ).find_chain()


def _evaluate_unless(condition: Unless, view: View) -> Evidence | None:
    """Return the events that no exception excludes.

    Plain events are judged one by one. A combination is judged as a whole: by its first event in time (`before`), its
    last one (`after`), or any of them.
    """
    events = evaluate_condition(condition.part, view)
    exceptions = None if events is None else evaluate_condition(condition.exception, view)
    if events is None or exceptions is None:
        return events
    if condition.side == "around" and condition.within is None:
        return None
    exclusion = _Exclusion(condition, exceptions, view)
    if _is_plain(condition.part):
        return tuple(event for event in events if not exclusion.covers(event)) or None
    match condition.side:
        case "around":
            judged = events
        case "before":
            judged = (min(events, key=partial(_time_key, view, math.inf)),)
        case "after":
            judged = (max(events, key=partial(_time_key, view, -math.inf)),)
    return None if any(map(exclusion.covers, judged)) else events


def _is_plain(condition: Condition) -> bool:
    """Return whether each event of the condition stands for itself."""
    return isinstance(condition, HasSignal) or (
        isinstance(condition, AnyOf) and all(isinstance(part, HasSignal) for part in condition.parts)
    )


def _time_key(view: View, otherwise: float, event: Event) -> tuple[float, int]:
    time = view.time(event)
    return otherwise if time is None else time, event.locus.line or 0


class _Exclusion:
    """The events of an exception, and whether they exclude an event."""

    def __init__(self, condition: Unless, exceptions: Evidence, view: View) -> None:
        self._condition = condition
        self._exceptions = exceptions
        self._view = view
        self._by_time = index_by_time(exceptions, view)

    def covers(self, event: Event) -> bool:
        """Return whether an exception comes around, before or after the event, as the condition says."""
        if self._condition.side == "around":
            return self._covers_around(event, self._condition.within or 0.0)
        return any(self._is_beside(exception, event) for exception in self._exceptions if exception is not event)

    def _covers_around(self, event: Event, within: float) -> bool:
        time, error = self._view.time(event), self._view.time_error(event)
        if time is None:
            return bool(self._exceptions)
        return self._by_time.find_started_by(time - error - within, time + error + within) is not None

    def _is_beside(self, exception: Event, event: Event) -> bool:
        is_after = self._condition.side == "after"
        if not fits_after(event, event if is_after else None, exception, self._condition.within, self._view):
            return False
        return is_after or not is_before(event, exception, self._view)


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


def _evaluate_odd(condition: OddNode, view: View) -> Evidence | None:
    where = resolve_references(condition.part.where, view.anchor_captures)
    event = view.odd_values(condition.capture, condition.part.signal, where).odd.get(view.node)
    return None if event is None else (event,)


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
    OddNode: _evaluate_odd,
}
