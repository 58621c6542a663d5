"""Checks on packs beyond their syntax: pure functions over one rule, one signal, or all packs.

A fault is an error or a hint. A hint is right in some packs; its author should have written it on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from analyzer.rules.linting.edges import check_edges
from analyzer.rules.linting.faults import FaultLocation, LintFault
from analyzer.rules.linting.fields import check_fields
from analyzer.rules.linting.missing_captures import check_missing_captures
from analyzer.rules.linting.overlap import check_overlap
from analyzer.rules.linting.own_tests import check_tests
from analyzer.rules.linting.patterns import check_patterns
from analyzer.rules.parsing.yaml_spans import SourceSpan, locate
from analyzer.rules.parsing.yaml_values import PackProblem
from analyzer.rules.types import Packs
from analyzer.signals.types import SourcePosition

_CHECKS = (check_fields, check_missing_captures, check_tests, check_edges, check_patterns, check_overlap)


@dataclass(frozen=True, slots=True)
class LintResult:
    """A fault with its position. `str()` is a line that editors can jump to."""

    problem: PackProblem
    hint: bool

    def __str__(self) -> str:
        prefix, _, text = str(self.problem).partition(": ")
        return f"{prefix}: hint: {text}" if self.hint else f"{prefix}: {text}"

    @property
    def sort_key(self) -> tuple[str, SourcePosition, str]:
        return self.problem.file, self.problem.position, self.problem.text


def lint_packs(packs: Packs, files: frozenset[str] | None = None) -> list[LintResult]:
    """Return errors and hints in the order of the files. With `files`, only those of the packs in these files."""
    positions = _FaultPositions()
    results = [
        LintResult(positions.to_problem(fault), fault.hint)
        for check in _CHECKS
        for fault in check(packs, files)
        if files is None or fault.location.file in files
    ]
    return sorted(set(results), key=lambda result: result.sort_key)


def load_problems(packs: Packs, files: frozenset[str] | None = None) -> Iterator[LintResult]:
    """Yield the problems that the loader reported."""
    for problem in packs.problems:
        if files is None or problem.file in files:
            yield LintResult(problem, hint=False)


class _FaultPositions:
    """Finds the positions of faults. A pack is read again only if it has faults."""

    def __init__(self) -> None:
        self._spans_by_file: dict[str, Mapping[tuple[str, ...], SourceSpan]] = {}

    def to_problem(self, fault: LintFault) -> PackProblem:
        span = self._find_span(fault.location)
        position = SourcePosition(span.line, span.column) if span else SourcePosition(fault.location.line)
        return PackProblem(fault.location.file, position, fault.text, fault.advice)

    def _find_span(self, location: FaultLocation) -> SourceSpan | None:
        if location.file not in self._spans_by_file:
            try:
                self._spans_by_file[location.file] = locate(Path(location.file).read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                self._spans_by_file[location.file] = {}
        path = location.path
        while path and path not in self._spans_by_file[location.file]:
            path = path[:-1]  # the part is not written in the file, so the mapping that should contain it is taken
        return self._spans_by_file[location.file].get(path) if path else None
