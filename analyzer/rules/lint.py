"""Checks on packs beyond their syntax: small pure functions over one rule, one signal, or all packs; all at once.

A fault is an error, or a hint: something that is right in some packs, and that its author should have meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from analyzer.rules.lint_edges import check_edges
from analyzer.rules.lint_fields import check_fields
from analyzer.rules.lint_overlap import check_overlap
from analyzer.rules.lint_patterns import check_patterns
from analyzer.rules.lint_tests import check_tests
from analyzer.rules.lint_types import Fault, Spot
from analyzer.rules.places import At, Problem
from analyzer.rules.positions import Position, locate
from analyzer.rules.types import Packs

_CHECKS = (check_fields, check_tests, check_edges, check_patterns, check_overlap)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A fault at its place; `str()` is the line that editors jump to."""

    problem: Problem
    hint: bool

    def __str__(self) -> str:
        place, _, text = str(self.problem).partition(": ")
        return f"{place}: hint: {text}" if self.hint else f"{place}: {text}"

    @property
    def order(self) -> tuple[str, At, str]:
        return self.problem.file, self.problem.at, self.problem.text


def lint(packs: Packs, files: frozenset[str] | None = None) -> list[Verdict]:
    """Errors and hints in the order of the files; with `files` only those of the packs in them."""
    places = _Places()
    found = [
        Verdict(places.place(fault), fault.hint)
        for check in _CHECKS
        for fault in check(packs, files)
        if files is None or fault.spot.file in files
    ]
    return sorted(set(found), key=lambda one: one.order)


def read_problems(packs: Packs, files: frozenset[str] | None = None) -> Iterator[Verdict]:
    """What the loader complained of."""
    for problem in packs.problems:
        if files is None or problem.file in files:
            yield Verdict(problem, hint=False)


class _Places:
    """Positions of the parts of a pack, read again only for files that have faults."""

    def __init__(self) -> None:
        self._known: dict[str, Mapping[tuple[str, ...], Position]] = {}

    def place(self, fault: Fault) -> Problem:
        at = self._find(fault.spot)
        where = At(at.line, at.column) if at else At(fault.spot.line)
        return Problem(fault.spot.file, where, fault.text, fault.advice)

    def _find(self, spot: Spot) -> Position | None:
        if spot.file not in self._known:
            try:
                self._known[spot.file] = locate(Path(spot.file).read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                self._known[spot.file] = {}
        path = spot.path
        while path and path not in self._known[spot.file]:
            path = path[:-1]  # the part is not written: its owner is
        return self._known[spot.file].get(path) if path else None
