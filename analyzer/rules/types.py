"""Typed rules and packs, as the loader builds them from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.incident import Cause
from analyzer.model import Role
from analyzer.rules.conditions import Condition, counted_signals_of
from analyzer.rules.parsing.yaml_values import PackProblem
from analyzer.signals.types import Signal, SourcePositions, Tables
from analyzer.wording import join_names

MAX_NAMES_IN_CHANGE = 20  # names that the sentence about changed rules lists


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule; docs/rules.md describes each key.

    `cause` and `severity` may be templates over captures. `aliases` maps a name of `by` to the captures that it stands
    for. `confidence_shifts` pairs the name of a signal or rule with what its presence on the node adds to
    `confidence`.
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
    explains_within_s: Mapping[str, float] = field(default_factory=dict)  # edge of `explains` → its time limit
    confidence_shifts: tuple[tuple[str, float], ...] = ()
    why: tuple[str, ...] = ()
    replay: Mapping[str, str] = field(default_factory=dict)
    override: bool = False
    extends: str | None = None
    status: str = "stable"
    former_ids: tuple[str, ...] = ()  # `aliases`
    blame: str | None = None  # who must act first, where the rule knows better than its cause
    quiet: bool = False  # a job can have this fault and still end well, although its cause mostly stops a job
    positions: SourcePositions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pack:
    """One file of signals and rules."""

    name: str
    version: str
    file: str
    signals: tuple[Signal, ...] = ()
    rules: tuple[Rule, ...] = ()
    disable: tuple[str, ...] = ()  # ids or globs of earlier rules
    broken_rules: tuple[Rule, ...] = ()  # those whose condition or pattern could not be read
    broken_signals: frozenset[str] = frozenset()  # names of signals that could not be read
    positions: SourcePositions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PackChange:
    """What one file changed in the packs that were read before it.

    `disabled` holds ids of rules. `replaced` holds ids of rules, and `signal NAME`, `cause NAME` and `table NAME`.
    """

    file: str
    disabled: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = (("switches off", self.disabled), ("replaces", self.replaced))
        changes = [f"{verb} {join_names(names, MAX_NAMES_IN_CHANGE)}" for verb, names in parts if names]
        return f"{self.file} {' and '.join(changes)}"


@dataclass(frozen=True, slots=True)
class Packs:
    """Everything that was loaded: signals, rules, tables and causes by name.

    `problems` lists what is wrong in any of the packs; a broken part never stops the loading of the others.
    """

    packs: tuple[Pack, ...]
    signals: Mapping[str, Signal]
    rules: Mapping[str, Rule]
    tables: Tables
    causes: Mapping[str, Cause]
    problems: tuple[PackProblem, ...] = ()
    disabled_names: frozenset[str] = frozenset()  # ids, causes and signals of disabled rules
    broken_rules: tuple[Rule, ...] = ()  # rules that cannot be evaluated; lint checks their other keys
    changes: tuple[PackChange, ...] = ()  # one for each file that changed earlier packs, in the order of the files

    @property
    def counted_signals(self) -> frozenset[str]:
        """The names of signals whose number decides whether a rule holds."""
        return frozenset(signal for rule in self.rules.values() for signal in counted_signals_of(rule.when))

    def find_rule(self, name: str) -> Rule | None:
        """Return the rule with this id, or with this former id; None if there is none."""
        return self.rules.get(name) or next((rule for rule in self.rules.values() if name in rule.former_ids), None)
