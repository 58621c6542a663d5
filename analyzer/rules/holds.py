"""Whether a rule's condition holds: one function for each operator, in one table.

Each gives the events that make its condition hold, or None where it does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from analyzer.model import Event
from analyzer.rules.captures import matches, resolve
from analyzer.rules.conditions import (
    Absent,
    All,
    AnyOf,
    Condition,
    Count,
    Distinct,
    First,
    Has,
    Not,
    Sequential,
    Share,
    Unless,
)
from analyzer.rules.view import Found, NotEvaluatedError, View
from analyzer.rules.windows import densest, fits, is_before, together


def evaluate(condition: Condition, view: View) -> Found | None:
    """The evidence, or None. Raises NotEvaluatedError where the bundle lacks the source that would decide."""
    return _EVALUATORS[type(condition)](condition, view)


def _has(condition: Has, view: View) -> Found | None:
    where = resolve(condition.where, view.said)
    found = tuple(event for event in view.events(condition.signal, condition.on) if matches(where, event))
    return found or None


def _all(condition: All, view: View) -> Found | None:
    found: list[Found] = []
    lack: NotEvaluatedError | None = None
    for part in condition.parts:
        try:
            evidence = evaluate(part, view)
        except NotEvaluatedError as missing:  # another part may still say no, whatever the missing source holds
            lack = missing
            continue
        if evidence is None:
            return None
        found.append(evidence)
    if lack is not None:
        raise lack
    if condition.within is None:
        return tuple(event for evidence in found for event in evidence)
    return together([evidence for evidence in found if evidence], condition.within, view)


def _any(condition: AnyOf, view: View) -> Found | None:
    found: list[Found] = []
    lack: NotEvaluatedError | None = None
    for part in condition.parts:
        try:
            evidence = evaluate(part, view)
        except NotEvaluatedError as missing:  # another part may still hold
            lack = missing
            continue
        if evidence is not None:
            found.append(evidence)
    if lack is not None and not found:
        raise lack
    return tuple(event for evidence in found for event in evidence) if found else None


def _not(condition: Not, view: View) -> Found | None:
    return () if evaluate(condition.part, view) is None else None


def _count(condition: Count, view: View) -> Found | None:
    found = evaluate(condition.of, view) or ()
    everything = len(found)
    if condition.within is not None:
        found = densest(found, condition.within, view)
    total = sum(event.count for event in found)
    if len(found) == everything:  # what was dropped lies between the first and the last that were kept
        total += sum(view.dropped(signal) for signal in _plain(condition.of))
    if total < condition.least or (condition.most is not None and total > condition.most):
        return None
    return found


def _plain(condition: Condition) -> Iterator[str]:
    """Signals of which every event counts, so that those count too that were not kept."""
    match condition:
        case Has(signal=signal, where=where, on="same_node") if not where:
            yield signal
        case AnyOf(parts=parts):
            for part in parts:
                yield from _plain(part)


def _distinct(condition: Distinct, view: View) -> Found | None:
    found = evaluate(condition.of, view) or ()
    values = {event.captures[condition.capture] for event in found if condition.capture in event.captures}
    return found if len(values) >= condition.least else None


def _sequence(condition: Sequential, view: View) -> Found | None:
    steps: list[tuple[Found, bool]] = []
    for place, part in enumerate(condition.parts):
        evidence, optional = evaluate(part, view), place in condition.optional
        if not evidence and not optional:
            return None
        steps.append((evidence or (), optional))
    for first, (starts, optional) in enumerate(steps):
        for start in starts:
            if chain := _follow((start,), steps[first + 1 :], condition, view):
                return chain
        if not optional:
            break
    return None


def _follow(chain: Found, steps: Sequence[tuple[Found, bool]], rule: Sequential, view: View) -> Found | None:
    """The chain with one event for each further step, each inside the window and behind the last; optional ones
    if they can be had.
    """
    if not steps:
        return chain
    candidates, optional = steps[0]
    behind = (e for e in candidates if fits(chain[0], chain[-1], e, rule.within, view))
    event = next((e for e in behind if not rule.known or view.is_surely_before(chain[-1], e)), None)
    if event is not None and (longer := _follow((*chain, event), steps[1:], rule, view)):
        return longer
    return _follow(chain, steps[1:], rule, view) if optional else None


def _unless(condition: Unless, view: View) -> Found | None:
    """Of plain events those that stand; a combination stands or falls as a whole, by its first or its last event."""
    found = evaluate(condition.part, view)
    if not found:
        return found
    others = evaluate(condition.other, view) or ()
    if isinstance(condition.part, Has | AnyOf):
        return tuple(event for event in found if not _is_void(condition, event, others, view)) or None
    edge = found[-1] if condition.after else found[0]
    return None if _is_void(condition, edge, others, view) else found


def _is_void(condition: Unless, event: Event, others: Found, view: View) -> bool:
    for other in others:
        if other is event or not fits(event, event if condition.after else None, other, condition.within, view):
            continue
        if condition.after or not is_before(event, other, view):
            return True
    return False


def _absent(condition: Absent, view: View) -> Found | None:
    if not view.covers(condition.part.signal):
        raise NotEvaluatedError(condition.part.signal)
    return () if _has(condition.part, view) is None else None


def _first(condition: First, view: View) -> Found | None:
    mine = _has(condition.part, view)
    if mine is None:
        return None
    own = min((time for event in mine if (time := view.time(event)) is not None), default=None)
    where = resolve(condition.part.where, view.said)
    others = view.nodes_with(condition.part.signal, where)
    for node, earliest in view.earliest(condition.part.signal, where).items():
        if node != view.node and (own is None or earliest is None or earliest - view.error(others[node][0]) <= own):
            return None
    return mine


def _share(condition: Share, view: View) -> Found | None:
    nodes = view.nodes_with(condition.part.signal, resolve(condition.part.where, view.said))
    if view.node not in nodes:
        return None
    if condition.exactly is not None and len(nodes) != condition.exactly:
        return None
    if condition.least is not None and len(nodes) < condition.least * view.node_count():
        return None
    return tuple(nodes[view.node])


_EVALUATORS: dict[type, Callable[..., Found | None]] = {
    Has: _has,
    All: _all,
    AnyOf: _any,
    Not: _not,
    Count: _count,
    Distinct: _distinct,
    Sequential: _sequence,
    Unless: _unless,
    Absent: _absent,
    First: _first,
    Share: _share,
}
