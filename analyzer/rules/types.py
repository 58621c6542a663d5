"""Typed signals, rules and packs, as the loader builds them from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.incident import Cause
from analyzer.model import Role
from analyzer.rules.conditions import Condition
from analyzer.rules.parsing.yaml_values import PackProblem
from analyzer.signals.types import Signal, SourcePositions, Tables
from analyzer.wording import join_names

MAX_NAMES_IN_CHANGE = 20  # names that a sentence about changed rules lists


@dataclass(frozen=True, slots=True)
class Rule:
    """`cause` and `severity` may be templates over captures.

    `aliases` says under which captures a name of `by` is looked for; `shifts` what the presence of a signal or a
    rule on the node adds to `confidence`.
    """

    id: str
    pack: str
    when: Condition
    role: Role
    severity: str
    cause: str | None
    confidence: float
    by: tuple[str, ...]
    explains: tuple[str, ...]
    silences: tuple[str, ...]
    title: str
    summary: str
    remediation: tuple[str, ...]
    references: tuple[str, ...]
    tests: tuple[Mapping[str, object], ...]
    file: str
    line: int
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    explained_by: tuple[str, ...] = ()
    explains_within_s: Mapping[str, float] = field(
        default_factory=dict
    )  # seconds within which an edge of `explains` holds
    confidence_shifts: tuple[tuple[str, float], ...] = ()
    why: tuple[str, ...] = ()
    replay: Mapping[str, str] = field(default_factory=dict)
    override: bool = False
    extends: str | None = None
    positions: SourcePositions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pack:
    name: str
    version: str
    file: str
    signals: tuple[Signal, ...] = ()
    rules: tuple[Rule, ...] = ()
    disable: tuple[str, ...] = ()  # ids or globs of earlier rules
    positions: SourcePositions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PackChange:
    """What one file did to the packs before it: ids of rules that it switched off, and of what it replaced.

    `replaced` holds ids of rules, and `signal NAME`, `cause NAME` and `table NAME`.
    """

    file: str
    disabled: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = (("switches off", self.disabled), ("replaces", self.replaced))
        done = [f"{verb} {join_names(names, MAX_NAMES_IN_CHANGE)}" for verb, names in parts if names]
        return f"{self.file} {' and '.join(done)}"


@dataclass(frozen=True, slots=True)
class Packs:
    """All that is loaded: signals and rules by name, tables by name and key, causes with their blame."""

    packs: tuple[Pack, ...]
    signals: Mapping[str, Signal]
    rules: Mapping[str, Rule]
    tables: Tables
    causes: Mapping[str, Cause]
    problems: tuple[PackProblem, ...] = ()
    disabled_names: frozenset[str] = frozenset()  # ids, causes and signals of rules that were switched off
    changes: tuple[PackChange, ...] = ()  # of what earlier packs say, in the order in which the files were read
