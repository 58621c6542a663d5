"""Typed signals, rules and packs, as the loader builds them from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.model import Kind, Role, Severity
from analyzer.rules.conditions import Condition
from analyzer.rules.parsing.yaml_values import PackProblem, SourcePosition

Tables = Mapping[str, Mapping[str, Mapping[str, str]]]  # table → key → column → value
SourcePositions = Mapping[
    str, SourcePosition
]  # each key with the place of its value; the empty key with that of the whole
MAX_NAMES_IN_CHANGE = 20  # names that a sentence about changed rules lists


@dataclass(frozen=True, slots=True)
class ContinuationBlock:
    """Continuation lines that belong to a hit: at most `lines`, ending behind one that matches `until`."""

    lines: int
    until: str | None = None
    prefixed: bool = False  # also lines that have a prefix of their own (kernel reports)


@dataclass(frozen=True, slots=True)
class TableLookup:
    """Adds the row of `table` whose key is the value of the capture `key`, as captures."""

    table: str
    key: str


@dataclass(frozen=True, slots=True)
class BitRange:
    """Bits `high` to `low` of the hexadecimal capture `of`, counted from the lowest."""

    capture: str
    high: int
    low: int

    def extract(self, word: str) -> str | None:
        """As a decimal number; None where the word is none."""
        try:
            return str(int(word, 16) >> self.low & (1 << self.high - self.low + 1) - 1)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Signal:
    name: str
    match: tuple[str, ...]
    kinds: frozenset[Kind] = frozenset()  # empty: any
    not_match: tuple[str, ...] = ()
    severity: Severity | None = None
    block: ContinuationBlock | None = None
    also: tuple[str, ...] = ()
    set: Mapping[str, str] = field(default_factory=dict)
    bits: Mapping[str, BitRange] = field(default_factory=dict)
    lookup: tuple[TableLookup, ...] = ()
    feeds: frozenset[str] = frozenset()
    noise: bool = False
    contains: tuple[str, ...] = ()  # texts that must all stand in the line or its block
    override: bool = False
    positions: SourcePositions = field(default_factory=dict)


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


def join_names(names: tuple[str, ...]) -> str:
    suffix = f" and {len(names) - MAX_NAMES_IN_CHANGE:,} more" if len(names) > MAX_NAMES_IN_CHANGE else ""
    return ", ".join(names[:MAX_NAMES_IN_CHANGE]) + suffix


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
        return f"{self.file} {' and '.join(f'{verb} {join_names(names)}' for verb, names in parts if names)}"


@dataclass(frozen=True, slots=True)
class Packs:
    """All that is loaded: signals and rules by name, tables by name and key, causes with their blame."""

    packs: tuple[Pack, ...]
    signals: Mapping[str, Signal]
    rules: Mapping[str, Rule]
    tables: Tables
    causes: Mapping[str, Mapping[str, str]]
    problems: tuple[PackProblem, ...] = ()
    disabled_names: frozenset[str] = frozenset()  # ids, causes and signals of rules that were switched off
    changes: tuple[PackChange, ...] = ()  # of what earlier packs say, in the order in which the files were read
