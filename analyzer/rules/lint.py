"""Checks on packs beyond their syntax: small pure functions over one rule, one signal, or all packs; all at once.

A fault is an error, or a hint: something that is right in some packs, and that its author should have meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from analyzer.rules.join import GIVEN
from analyzer.rules.lint_edges import check_edges
from analyzer.rules.lint_fields import check_fields
from analyzer.rules.lint_overlap import check_overlap
from analyzer.rules.lint_patterns import check_patterns
from analyzer.rules.lint_tests import check_tests
from analyzer.rules.lint_types import Fault, Spot, near
from analyzer.rules.places import Problem
from analyzer.rules.positions import Position, locate
from analyzer.rules.types import Packs

_CHECKS = (check_fields, check_tests, check_edges, check_patterns, check_overlap)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A fault at its place; `str()` is the line that editors jump to."""

    problem: Problem
    hint: bool

    def __str__(self) -> str:
        where = f"{self.problem.file}:{self.problem.line}:{self.problem.column}"
        return f"{where}: {'hint: ' if self.hint else ''}{self.problem.text}"


def lint(packs: Packs, files: frozenset[str] | None = None) -> list[Verdict]:
    """Errors and hints in the order of the files; with `files` only those of the packs in them."""
    places = _Places()
    found = [
        Verdict(places.place(fault), fault.hint)
        for check in _CHECKS
        for fault in check(packs, files)
        if files is None or fault.spot.file in files
    ]
    return sorted(
        set(found), key=lambda one: (one.problem.file, one.problem.line, one.problem.column, one.problem.text)
    )


def lint_packs(packs: Packs) -> Iterator[Problem]:
    """The errors alone."""
    yield from (verdict.problem for verdict in lint(packs) if not verdict.hint)


def read_problems(packs: Packs, files: frozenset[str] | None = None) -> Iterator[Verdict]:
    """What the loader complained of, with the column where the line begins and the nearest right name."""
    texts: dict[str, list[str]] = {}
    for text in packs.problems:
        found = _PROBLEM.fullmatch(text)
        file = found["file"] if found else ""
        if files is not None and file not in files:
            continue
        line, column, said = (int(found["line"]), int(found["column"]), found["text"]) if found else (1, 1, text)
        if column == 1:
            lines = texts.setdefault(file, _read_lines(file))
            body = lines[line - 1] if line <= len(lines) else ""
            column = len(body) - len(body.lstrip(" -")) + 1 if body.strip() else 1
        yield Verdict(Problem(file, line, column, said + _right_name(said, packs)), hint=False)


_PROBLEM = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): (?P<text>.*)", re.S)
_NONE_OF = re.compile(r".*'(?P<name>[^']+)' is none of (?P<known>.+)", re.S)
_UNKNOWN = re.compile(r".*unknown (?P<what>signal|cause) (?P<name>[\w.-]+)$", re.S)


def _right_name(said: str, packs: Packs) -> str:
    if "did you mean" in said:
        return ""
    if found := _NONE_OF.fullmatch(said):
        return near(found["name"], found["known"].split(", "))
    if not (found := _UNKNOWN.fullmatch(said)):
        return ""
    return near(found["name"], {*packs.signals, *GIVEN} if found["what"] == "signal" else packs.causes)


def _read_lines(file: str) -> list[str]:
    try:
        return Path(file).read_bytes().decode("utf-8", "replace").split("\n")
    except OSError:
        return []


class _Places:
    """Positions of the parts of a pack, read again only for files that have faults."""

    def __init__(self) -> None:
        self._known: dict[str, Mapping[tuple[str, ...], Position]] = {}

    def place(self, fault: Fault) -> Problem:
        at = self._find(fault.spot)
        return Problem(fault.spot.file, at.line if at else fault.spot.line, at.column if at else 1, fault.text)

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
