"""Packs in the order in which they were found, as one: later ones add, override, extend or switch off."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from analyzer.rules.conditions import signals_of
from analyzer.rules.places import Problem
from analyzer.rules.types import Pack, Packs, Rule, Signal

Tables = Mapping[str, Mapping[str, Mapping[str, str]]]

# Signals that no pack defines: what the analyzer concludes from several files, and what files state by being there.
GIVEN = frozenset(
    {
        "derived.vanished",
        "derived.isolated",
        "derived.unreachable",
        "derived.stalled",
        "derived.never_started",
        "derived.never_connected",
        "derived.duplicate_task",
        "derived.cluster_differs",
        "derived.localhost_cluster",
        "derived.address_mismatch",
        "derived.finished_early",
        "derived.version_differs",
        "derived.exited",
        "derived.straggler",
        "derived.absent_peer",
        "derived.odd_member",
        "derived.setting",
        "core.crash",
        "core.signal",
        "core.message",
        "core.frame",
        "core.python_frame",
        "file.exit_code",
        "file.tf_config",
    }
)


def join(
    packs: Sequence[Pack],
    tables: Tables,
    causes: Mapping[str, Mapping[str, str]],
    problems: list[Problem],
    disable: Sequence[str] = (),
) -> Packs:
    """`disable` are ids or globs of rules that the user switched off, whatever pack they are of."""
    signals: dict[str, Signal] = {}
    rules: dict[str, Rule] = {}
    for pack in packs:
        _switch_off(pack.disable, rules, signals, pack.file, problems)
        _add_signals(pack, signals, tables, problems)
        _add_rules(pack, rules, problems)
    _switch_off(disable, rules, signals, "the configuration", problems)
    _check(rules, signals, causes, problems)
    return Packs(tuple(packs), signals, _lead_back(rules), tables, causes, tuple(map(str, problems)))


def _switch_off(
    patterns: Sequence[str], rules: dict[str, Rule], signals: dict[str, Signal], file: str, problems: list[Problem]
) -> None:
    """Takes rules away, and their own signals where nothing else rests on them or learns from them."""
    for pattern in patterns:
        gone = [name for name in rules if fnmatch.fnmatchcase(name, pattern)]
        if not gone:
            problems.append(Problem(file, 1, 1, f"disable: {pattern!r} is no earlier rule"))
        for name in gone:
            del rules[name]
        used = {name for rule in rules.values() for name in signals_of(rule.when)} if gone else set()
        for name in gone:
            if name in signals and name not in used and not signals[name].feeds:
                del signals[name]


def _add_signals(pack: Pack, signals: dict[str, Signal], tables: Tables, problems: list[Problem]) -> None:
    for signal in pack.signals:
        if signal.name in signals and not signal.override:
            problems.append(
                Problem(
                    pack.file,
                    1,
                    1,
                    f"the signal {signal.name} exists already; choose another name, "
                    "or say `override: true` to take its place",
                )
            )
            continue
        signals[signal.name] = signal
        if signal.lookup and signal.lookup.table not in tables:
            problems.append(Problem(pack.file, 1, 1, f"{signal.name}: there is no table {signal.lookup.table}"))


def _add_rules(pack: Pack, rules: dict[str, Rule], problems: list[Problem]) -> None:
    for rule in pack.rules:
        if rule.id in rules and not rule.override:
            problems.append(
                Problem(
                    rule.file,
                    rule.line,
                    1,
                    f"the rule {rule.id} exists already in {rules[rule.id].file}; "
                    "choose another id, or say `override: true` to take its place",
                )
            )
        elif rule.override and rule.id not in rules:
            problems.append(Problem(rule.file, rule.line, 1, f"rule {rule.id} overrides no earlier rule"))
            rules[rule.id] = rule
        else:
            rules[rule.id] = rule


def _check(
    rules: dict[str, Rule],
    signals: Mapping[str, Signal],
    causes: Mapping[str, Mapping[str, str]],
    problems: list[Problem],
) -> None:
    """A rule that names an unknown signal cannot be judged and goes; one with an unknown cause stays."""
    for rule in list(rules.values()):
        if unknown := [name for name in signals_of(rule.when) if name not in signals and name not in GIVEN]:
            problems.append(Problem(rule.file, rule.line, 1, f"rule {rule.id}: unknown signal {', '.join(unknown)}"))
            del rules[rule.id]
        elif (
            rule.cause
            and "{" not in rule.cause
            and rule.cause not in causes
            and not rule.cause.startswith(f"{rule.pack}.")
        ):
            problems.append(Problem(rule.file, rule.line, 1, f"rule {rule.id}: unknown cause {rule.cause}"))


def _lead_back(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """`explained_by` is written at the effect and works as `explains` at the cause."""
    edges: dict[str, list[str]] = {}
    for rule in rules.values():
        for pattern in rule.explained_by:
            for name in _named(pattern, rules.values()):
                edges.setdefault(name, []).append(rule.id)
    return {
        name: replace(rule, explains=tuple(dict.fromkeys((*rule.explains, *edges[name])))) if name in edges else rule
        for name, rule in rules.items()
    }


def _named(pattern: str, rules: Iterable[Rule]) -> Iterable[str]:
    return (
        rule.id
        for rule in rules
        if fnmatch.fnmatchcase(rule.id, pattern) or fnmatch.fnmatchcase(rule.cause or "", pattern)
    )
