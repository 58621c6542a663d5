"""Typed signals, rules and packs, as the loader builds them from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.model import Kind, Role, Severity
from analyzer.rules.conditions import Condition
from analyzer.rules.places import At, Problem

Tables = Mapping[str, Mapping[str, Mapping[str, str]]]  # table → key → column → value
Spots = Mapping[str, At]  # each key with the place of its value; the empty key with that of the whole
MAX_NAMED = 20  # names that a sentence about changed rules lists


@dataclass(frozen=True, slots=True)
class Block:
    """Continuation lines that belong to a hit: at most `lines`, ending behind one that matches `until`."""

    lines: int
    until: str | None = None
    prefixed: bool = False  # also lines that have a prefix of their own (kernel reports)


@dataclass(frozen=True, slots=True)
class Lookup:
    """Adds the row of `table` whose key is the value of the capture `key`, as captures."""

    table: str
    key: str


@dataclass(frozen=True, slots=True)
class Bits:
    """Bits `high` to `low` of the hexadecimal capture `of`, counted from the lowest."""

    of: str
    high: int
    low: int

    def read(self, word: str) -> str | None:
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
    block: Block | None = None
    also: tuple[str, ...] = ()
    set: Mapping[str, str] = field(default_factory=dict)
    bits: Mapping[str, Bits] = field(default_factory=dict)
    lookup: tuple[Lookup, ...] = ()
    feeds: frozenset[str] = frozenset()
    noise: bool = False
    contains: tuple[str, ...] = ()  # texts that must all stand in the line or its block
    override: bool = False
    spots: Spots = field(default_factory=dict)


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
    reach: Mapping[str, float] = field(default_factory=dict)  # seconds within which an edge of `explains` holds
    shifts: tuple[tuple[str, float], ...] = ()
    why: tuple[str, ...] = ()
    replay: Mapping[str, str] = field(default_factory=dict)
    override: bool = False
    extends: str | None = None
    spots: Spots = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pack:
    name: str
    version: str
    file: str
    signals: tuple[Signal, ...] = ()
    rules: tuple[Rule, ...] = ()
    disable: tuple[str, ...] = ()  # ids or globs of earlier rules
    spots: Spots = field(default_factory=dict)


def _listed(names: tuple[str, ...]) -> str:
    rest = f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + rest


@dataclass(frozen=True, slots=True)
class Change:
    """What one file did to the packs before it: ids of rules that it switched off, and of what it replaced.

    `replaced` holds ids of rules, and `signal NAME`, `cause NAME` and `table NAME`.
    """

    file: str
    off: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = (("switches off", self.off), ("replaces", self.replaced))
        return f"{self.file} {' and '.join(f'{verb} {_listed(names)}' for verb, names in parts if names)}"


@dataclass(frozen=True, slots=True)
class Packs:
    """All that is loaded: signals and rules by name, tables by name and key, causes with their blame."""

    packs: tuple[Pack, ...]
    signals: Mapping[str, Signal]
    rules: Mapping[str, Rule]
    tables: Tables
    causes: Mapping[str, Mapping[str, str]]
    problems: tuple[Problem, ...] = ()
    off: frozenset[str] = frozenset()  # ids, causes and signals of rules that were switched off
    changes: tuple[Change, ...] = ()  # of what earlier packs say, in the order in which the files were read
