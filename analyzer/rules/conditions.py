"""The operators of a rule's `when`: each is a frozen dataclass.

`parsing/condition.py` builds them from YAML, `evaluation/conditions.py` evaluates them. docs/rules.md describes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from analyzer.signals.types import CaptureTests

ExceptionSide = Literal["around", "before", "after"]


@dataclass(frozen=True, slots=True)
class HasSignal:
    """The node has an event of `signal` whose captures pass the tests in `where`; `at` selects the node."""

    signal: str
    where: CaptureTests = ()
    at: str = "same_node"


@dataclass(frozen=True, slots=True)
class AllOf:
    """All parts hold; with `within` (seconds), their events lie in one time window."""

    parts: tuple[Condition, ...]
    within: float | None = None


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


@dataclass(frozen=True, slots=True)
class Count:
    """The number of events of `of` lies between the bounds, in the whole run or in a window of `within` seconds."""

    of: Condition
    at_least: int
    at_most: int | None
    within: float | None


@dataclass(frozen=True, slots=True)
class Distinct:
    """The events of `of` have `at_least` different values of `capture`; with `within` (seconds), in one window."""

    capture: str
    of: Condition
    at_least: int
    within: float | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The last step comes at least `shortest` and at most `longest` seconds after the step at which the window opens.

    `opens_at` is the index of that step. The steps in between lie in the window too.
    """

    longest: float
    shortest: float = 0.0
    opens_at: int = 0


@dataclass(frozen=True, slots=True)
class Sequential:
    """The parts occur in this order, in corrected time and on different lines; with `window`, inside it."""

    parts: tuple[Condition, ...]
    window: Window | None
    optional: frozenset[int] = frozenset()  # indices of the parts that may be missing
    certain_order: bool = False  # True: each part must certainly come after the previous one
    absent_between: Condition | None = None  # no event of it lies between the first and the last step


@dataclass(frozen=True, slots=True)
class Unless:
    """`part` holds, and `exception` does not come around, before or after it, within `within` seconds."""

    part: Condition
    exception: Condition
    side: ExceptionSide
    within: float | None


@dataclass(frozen=True, slots=True)
class AbsentSignal:
    """The node has a source that could contain the signal, and none does."""

    part: HasSignal


@dataclass(frozen=True, slots=True)
class FirstNode:
    """The node has the event before all other nodes, by more than the clocks' error."""

    part: HasSignal


@dataclass(frozen=True, slots=True)
class NodeShare:
    """Exactly this number of nodes, or at least this share of all nodes, have the event."""

    part: HasSignal
    exactly: int | None
    at_least: float | None  # share of all nodes, 0..1


@dataclass(frozen=True, slots=True)
class OddNode:
    """The last value of `capture` on the node differs from the one that at least twice as many nodes have."""

    capture: str
    part: HasSignal


Condition = (
    HasSignal
    | AllOf
    | AnyOf
    | Not
    | Count
    | Distinct
    | Sequential
    | Unless
    | AbsentSignal
    | FirstNode
    | NodeShare
    | OddNode
)


def signals_of(condition: Condition) -> Iterator[str]:
    """Yield the name of each signal that the condition mentions."""
    match condition:
        case HasSignal(signal=signal):
            yield signal
        case AllOf(parts=parts) | AnyOf(parts=parts):
            for part in parts:
                yield from signals_of(part)
        case Sequential(parts=parts, absent_between=between):
            for part in (*parts, *((between,) if between else ())):
                yield from signals_of(part)
        case Not(part=inner) | Count(of=inner) | Distinct(of=inner):
            yield from signals_of(inner)
        case Unless(part=inner, exception=other):
            yield from signals_of(inner)
            yield from signals_of(other)
        case AbsentSignal(part=inner) | FirstNode(part=inner) | NodeShare(part=inner) | OddNode(part=inner):
            yield inner.signal


def counted_signals_of(condition: Condition) -> Iterator[str]:
    """Yield the name of each signal of which the condition requires a number."""
    match condition:
        case Count(of=inner):
            yield from signals_of(inner)
        case AllOf(parts=parts) | AnyOf(parts=parts):
            for part in parts:
                yield from counted_signals_of(part)
        case Sequential(parts=parts, absent_between=between):
            for part in (*parts, *((between,) if between else ())):
                yield from counted_signals_of(part)
        case Not(part=inner) | Distinct(of=inner):
            yield from counted_signals_of(inner)
        case Unless(part=inner, exception=other):
            yield from counted_signals_of(inner)
            yield from counted_signals_of(other)


def anchors_of(condition: Condition) -> frozenset[str]:
    """Return the signals of the condition's anchor: the first part that must be present.

    A finding is placed on the node of these signals.
    """
    match condition:
        case HasSignal(signal=signal, at="same_node"):
            return frozenset({signal})
        case AnyOf(parts=parts):
            return frozenset().union(*map(anchors_of, parts))
        case Sequential(parts=parts, optional=optional):
            return anchors_of(AllOf(tuple(part for index, part in enumerate(parts) if index not in optional)))
        case AllOf(parts=parts):
            return next((anchors for part in parts if (anchors := anchors_of(part))), frozenset())
        case Count(of=inner) | Distinct(of=inner) | Unless(part=inner):
            return anchors_of(inner)
        case FirstNode(part=inner) | NodeShare(part=inner) | OddNode(part=inner):
            return frozenset({inner.signal})
        case _:
            return frozenset()


def compares_nodes(condition: Condition) -> bool:
    """Return whether the condition compares nodes; it then states something about all of them."""
    match condition:
        case FirstNode() | NodeShare() | OddNode():
            return True
        case AllOf(parts=parts):
            return any(map(compares_nodes, parts))
        case _:
            return False
