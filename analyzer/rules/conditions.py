"""What a rule's `when` may say: each operator is a frozen dataclass. `holds` judges them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HasSignal:
    signal: str
    where: Mapping[str, tuple[str, ...]]
    on: str = "same_node"


@dataclass(frozen=True, slots=True)
class AllOf:
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
    at_least: int
    at_most: int | None
    within: float | None


@dataclass(frozen=True, slots=True)
class Distinct:
    capture: str
    of: Condition
    at_least: int


@dataclass(frozen=True, slots=True)
class Sequential:
    parts: tuple[Condition, ...]
    within: float | None
    optional: frozenset[int] = frozenset()  # places in `parts` that may be missing
    certain_order: bool = False  # each certainly behind the one before it


@dataclass(frozen=True, slots=True)
class Unless:
    """`part`, where no `other` stands before or after it."""

    part: Condition
    exception: Condition
    is_after: bool
    within: float | None


@dataclass(frozen=True, slots=True)
class AbsentSignal:
    part: HasSignal


@dataclass(frozen=True, slots=True)
class FirstNode:
    part: HasSignal


@dataclass(frozen=True, slots=True)
class NodeShare:
    part: HasSignal
    exactly: int | None
    at_least: float | None  # share of nodes, 0..1


Condition = (
    HasSignal | AllOf | AnyOf | Not | Count | Distinct | Sequential | Unless | AbsentSignal | FirstNode | NodeShare
)


def signals_of(condition: Condition) -> Iterator[str]:
    """Every signal that the condition mentions."""
    match condition:
        case HasSignal(signal=signal):
            yield signal
        case AllOf(parts=parts) | AnyOf(parts=parts) | Sequential(parts=parts):
            for part in parts:
                yield from signals_of(part)
        case Not(part=inner) | Count(of=inner) | Distinct(of=inner):
            yield from signals_of(inner)
        case Unless(part=inner, exception=other):
            yield from signals_of(inner)
            yield from signals_of(other)
        case AbsentSignal(part=inner) | FirstNode(part=inner) | NodeShare(part=inner):
            yield inner.signal


def anchors_of(condition: Condition) -> frozenset[str]:
    """The signals on whose node a finding is placed: those of the first part that must be there."""
    match condition:
        case HasSignal(signal=signal, on="same_node"):
            return frozenset({signal})
        case AnyOf(parts=parts):
            return frozenset().union(*map(anchors_of, parts))
        case Sequential(parts=parts, optional=optional):
            return anchors_of(AllOf(tuple(part for index, part in enumerate(parts) if index not in optional)))
        case AllOf(parts=parts):
            return next((anchors for part in parts if (anchors := anchors_of(part))), frozenset())
        case Count(of=inner) | Distinct(of=inner) | Unless(part=inner):
            return anchors_of(inner)
        case FirstNode(part=inner) | NodeShare(part=inner):
            return frozenset({inner.signal})
        case _:
            return frozenset()


def compares_nodes(condition: Condition) -> bool:
    """Whether it compares the nodes: what holds then is a statement about all of them."""
    match condition:
        case FirstNode() | NodeShare():
            return True
        case AllOf(parts=parts):
            return any(map(compares_nodes, parts))
        case _:
            return False
