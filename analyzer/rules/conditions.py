"""What a rule's `when` may say: each operator is a frozen dataclass. `holds` judges them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


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
    known: bool = False  # each certainly behind the one before it


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
