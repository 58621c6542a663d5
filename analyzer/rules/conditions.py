"""What a rule's `when` may say: each operator is a frozen dataclass, one parser and one evaluator in a table.

An evaluator gives the events that make the condition hold, or None where it does not hold. Windows are in
corrected time and widen by the clocks' error bars; events without a time fall inside every window, because
nothing is known that would exclude them.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from analyzer.model import Event
from analyzer.rules.captures import matches, resolve

Found = tuple[Event, ...]


class View(Protocol):
    """The timeline as one node sees it while a rule is judged there; `said` holds what the anchor's events capture."""

    node: str
    said: Mapping[str, tuple[str, ...]]

    def events(self, signal: str, scope: str) -> Sequence[Event]: ...
    def time(self, event: Event) -> float | None: ...
    def error(self, event: Event) -> float: ...
    def nodes_with(self, signal: str, where: Mapping[str, tuple[str, ...]]) -> Mapping[str, Sequence[Event]]: ...
    def earliest(self, signal: str, where: Mapping[str, tuple[str, ...]]) -> Mapping[str, float | None]: ...
    def node_count(self) -> int: ...
    def covers(self, signal: str) -> bool: ...
    def dropped(self, signal: str) -> int: ...


class NotEvaluatedError(Exception):
    """A source that the rule needs is not in the bundle; `signal` names what could not be judged."""

    def __init__(self, signal: str) -> None:
        super().__init__(signal)
        self.signal = signal


@dataclass(frozen=True, slots=True)
class Has:
    signal: str
    where: Mapping[str, tuple[str, ...]]
    on: str = "same_node"


@dataclass(frozen=True, slots=True)
class All:
    parts: tuple[Condition, ...]
    within: float | None = None


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Condition


@dataclass(frozen=True, slots=True)
class Count:
    of: Condition
    least: int
    most: int | None
    within: float | None


@dataclass(frozen=True, slots=True)
class Distinct:
    capture: str
    of: Condition
    least: int


@dataclass(frozen=True, slots=True)
class Sequential:
    parts: tuple[Condition, ...]
    within: float | None
    optional: frozenset[int] = frozenset()  # places in `parts` that may be missing


@dataclass(frozen=True, slots=True)
class Unless:
    """`part`, where no `other` stands before or after it."""

    part: Condition
    other: Condition
    after: bool
    within: float | None


@dataclass(frozen=True, slots=True)
class Absent:
    part: Has


@dataclass(frozen=True, slots=True)
class First:
    part: Has


@dataclass(frozen=True, slots=True)
class Share:
    part: Has
    exactly: int | None
    least: float | None  # share of nodes, 0..1


Condition = Has | All | AnyOf | Not | Count | Distinct | Sequential | Unless | Absent | First | Share


def signals_of(condition: Condition) -> Iterator[str]:
    """Every signal that the condition mentions."""
    match condition:
        case Has(signal=signal):
            yield signal
        case All(parts=parts) | AnyOf(parts=parts) | Sequential(parts=parts):
            for part in parts:
                yield from signals_of(part)
        case Not(part=inner) | Count(of=inner) | Distinct(of=inner):
            yield from signals_of(inner)
        case Unless(part=inner, other=other):
            yield from signals_of(inner)
            yield from signals_of(other)
        case Absent(part=inner) | First(part=inner) | Share(part=inner):
            yield inner.signal


def anchors_of(condition: Condition) -> frozenset[str]:
    """The signals on whose node a finding is placed: those of the first part that must be there."""
    match condition:
        case Has(signal=signal, on="same_node"):
            return frozenset({signal})
        case AnyOf(parts=parts):
            return frozenset().union(*map(anchors_of, parts))
        case Sequential(parts=parts, optional=optional):
            return anchors_of(All(tuple(part for place, part in enumerate(parts) if place not in optional)))
        case All(parts=parts):
            return next((anchors for part in parts if (anchors := anchors_of(part))), frozenset())
        case Count(of=inner) | Distinct(of=inner) | Unless(part=inner):
            return anchors_of(inner)
        case First(part=inner) | Share(part=inner):
            return frozenset({inner.signal})
        case _:
            return frozenset()


def compares(condition: Condition) -> bool:
    """Whether it compares the nodes: what holds then is a statement about all of them."""
    match condition:
        case First() | Share():
            return True
        case All(parts=parts):
            return any(map(compares, parts))
        case _:
            return False


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
    return _together([evidence for evidence in found if evidence], condition.within, view)


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
        found = _densest(found, condition.within, view)
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
            if chain := _follow((start,), steps[first + 1 :], condition.within, view):
                return chain
        if not optional:
            break
    return None


def _follow(chain: Found, steps: Sequence[tuple[Found, bool]], within: float | None, view: View) -> Found | None:
    """The chain with one event for each further step, each inside the window and behind the last; optional ones
    if they can be had.
    """
    if not steps:
        return chain
    candidates, optional = steps[0]
    event = next((e for e in candidates if _fits(chain[0], chain[-1], e, within, view)), None)
    if event is not None and (longer := _follow((*chain, event), steps[1:], within, view)):
        return longer
    return _follow(chain, steps[1:], within, view) if optional else None


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
        if other is event or not _fits(event, event if condition.after else None, other, condition.within, view):
            continue
        if condition.after or not _is_before(event, other, view):
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


def _together(parts: Sequence[Found], within: float, view: View) -> Found | None:
    """One event of each part, all inside one window, the earliest that there is; without a time it fits everywhere.

    Clocks err: no event may begin at the earliest more than `within` after another was over at the latest.
    """
    tables = [_tabulate(part, view) for part in parts]
    starts = sorted(
        (end, number, event)
        for number, table in enumerate(tables)
        for end, event in zip(table.ends, table.own, strict=True)
    )
    for end, number, place in starts:
        chain = [
            tables[number].events[place] if other == number else table.find(end, end + within)
            for other, table in enumerate(tables)
        ]
        if all(event is not None for event in chain):
            return tuple(event for event in chain if event is not None)
    untimed = tuple(table.untimed for table in tables if table.untimed is not None)
    return untimed if len(untimed) == len(tables) else None


@dataclass(frozen=True, slots=True)
class _Table:
    """Timed events by when they ended at the latest; `first[i]` may have begun first of those from i on."""

    events: Found
    untimed: Event | None
    ends: list[float]
    own: list[int]  # place of each in `events`
    first: list[tuple[float, int]]

    def find(self, end: float, latest: float) -> Event | None:
        at = bisect.bisect_left(self.ends, end)
        if at < len(self.ends) and self.first[at][0] <= latest:
            return self.events[self.first[at][1]]
        return self.untimed


def _tabulate(events: Found, view: View) -> _Table:
    timed = sorted(
        (time + view.error(e), time - view.error(e), place)
        for place, e in enumerate(events)
        if (time := view.time(e)) is not None
    )
    first = list(accumulate(((begin, place) for _, begin, place in reversed(timed)), min))[::-1]
    untimed = next((event for event in events if view.time(event) is None), None)
    return _Table(events, untimed, [end for end, _, _ in timed], [place for _, _, place in timed], first)


def _fits(start: Event, after: Event | None, event: Event, within: float | None, view: View) -> bool:
    begun, time = view.time(start), view.time(event)
    slack = view.error(start) + view.error(event)
    if within is not None and begun is not None and time is not None and abs(time - begun) > within + slack:
        return False
    return after is None or not _is_before(event, after, view)


def _is_before(event: Event, other: Event, view: View) -> bool:
    if event.locus.file == other.locus.file and event.locus.line and other.locus.line:
        return event.locus.line < other.locus.line
    time, reference = view.time(event), view.time(other)
    if time is None or reference is None:
        return False
    return time + view.error(event) < reference - view.error(other)


def _densest(events: Found, within: float, view: View) -> Found:
    timed = sorted(((time, i) for i, e in enumerate(events) if (time := view.time(e)) is not None))
    best: list[int] = []
    start = 0
    for end, (time, _) in enumerate(timed):
        while timed[start][0] < time - within:
            start += 1
        if end - start + 1 > len(best):
            best = [index for _, index in timed[start : end + 1]]
    untimed = tuple(event for event in events if view.time(event) is None)
    return (*(events[index] for index in best), *untimed)


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
