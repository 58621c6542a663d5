"""Packs in the order in which they were found, as one: later ones add, override, extend or switch off."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain

from analyzer.rules.conditions import signals_of
from analyzer.rules.fields import nearest
from analyzer.rules.given import GIVEN
from analyzer.rules.places import At, Problem
from analyzer.rules.types import Change, Pack, Packs, Rule, Signal, Tables
from analyzer.rules.user import Setting

REPLACE = "choose another name, or say `override: true` to take its place"


def join(
    packs: Sequence[Pack],
    tables: Tables,
    causes: Mapping[str, Mapping[str, str]],
    problems: list[Problem],
    disable: Sequence[Setting] = (),
    changes: Sequence[Change] = (),
) -> Packs:
    """`disable` are ids or globs of rules that the user switched off, whatever pack they are of.

    `changes` are those of tables and causes, which are joined already.
    """
    signals: dict[str, Signal] = {}
    rules: dict[str, Rule] = {}
    gone: dict[str, Rule] = {}
    changed = list(changes)
    for pack in packs:
        off = _switch_off(pack.disable, rules, signals, pack.file, pack.spots.get("disable", At()), problems)
        replaced = (*_add_signals(pack, signals, tables, problems), *_add_rules(pack, rules, problems))
        changed.append(Change(pack.file, tuple(off), replaced))
        gone |= off
    for setting in disable:
        off = _switch_off([setting.name], rules, signals, setting.file, setting.at, problems)
        changed.append(Change(setting.file, tuple(off)))
        gone |= off
    _check(rules, signals, causes, {pack.name for pack in packs}, problems)
    return Packs(
        tuple(packs), signals, _lead_back(rules), tables, causes, tuple(problems), _names_of(gone), _by_file(changed)
    )


def _names_of(gone: Mapping[str, Rule]) -> frozenset[str]:
    """Ids, causes and signals."""
    names = ((rule.id, rule.cause or rule.id, *signals_of(rule.when)) for rule in gone.values())
    return frozenset(chain.from_iterable(names))


def _by_file(changes: Iterable[Change]) -> tuple[Change, ...]:
    """One for each file that changes anything."""
    files: dict[str, Change] = {}
    for change in changes:
        earlier = files.get(change.file, Change(change.file))
        files[change.file] = Change(
            change.file,
            tuple(dict.fromkeys((*earlier.off, *change.off))),
            tuple(dict.fromkeys((*earlier.replaced, *change.replaced))),
        )
    return tuple(change for change in files.values() if change.off or change.replaced)


def _switch_off(
    patterns: Sequence[str],
    rules: dict[str, Rule],
    signals: dict[str, Signal],
    file: str,
    at: At,
    problems: list[Problem],
) -> dict[str, Rule]:
    """Takes rules away, and their own signals where nothing else rests on them or learns from them."""
    off: dict[str, Rule] = {}
    for pattern in patterns:
        gone = [name for name in rules if fnmatch.fnmatchcase(name, pattern)]
        if not gone:
            advice = "`tf-postmortem rules list` names them; a glob such as gpu-* names many"
            problems.append(Problem(file, at, f"disable: {pattern!r} is no earlier rule", advice))
        for name in gone:
            off[name] = rules.pop(name)
        used = {name for rule in rules.values() for name in signals_of(rule.when)} if gone else set()
        for name in gone:
            if name in signals and name not in used and not signals[name].feeds:
                del signals[name]
    return off


def _add_signals(pack: Pack, signals: dict[str, Signal], tables: Tables, problems: list[Problem]) -> tuple[str, ...]:
    """What it replaced."""
    own = {rule.id for rule in pack.rules}
    replaced: list[str] = []
    for signal in pack.signals:
        if signal.name in signals and not signal.override:
            if signal.name not in own:  # else the rule is told of
                text = f"the signal {signal.name} exists already"
                problems.append(Problem(pack.file, signal.spots[""], text, REPLACE))
            continue
        if signal.name in signals and signal.name not in own:
            replaced.append(f"signal {signal.name}")
        signals[signal.name] = signal
        problems += (
            Problem(
                pack.file,
                signal.spots["lookup"],
                f"{signal.name}: there is no table {lookup.table}",
                nearest(lookup.table, tables),
            )
            for lookup in signal.lookup
            if lookup.table not in tables
        )
    return tuple(replaced)


def _add_rules(pack: Pack, rules: dict[str, Rule], problems: list[Problem]) -> tuple[str, ...]:
    """What it replaced."""
    replaced: list[str] = []
    for rule in pack.rules:
        if rule.id in rules and not rule.override:
            first = rules[rule.id]
            text = f"the rule {rule.id} exists already in {first.file}:{first.line}"
            problems.append(Problem(rule.file, rule.spots["id"], text, REPLACE))
        elif rule.override and rule.id not in rules:
            text = f"rule {rule.id} overrides no earlier rule"
            problems.append(Problem(rule.file, rule.spots["override"], text, nearest(rule.id, rules)))
            rules[rule.id] = rule
        else:
            if rule.id in rules:
                replaced.append(rule.id)
            rules[rule.id] = rule
    return tuple(replaced)


def _check(
    rules: dict[str, Rule],
    signals: Mapping[str, Signal],
    causes: Mapping[str, Mapping[str, str]],
    own: Set[str],
    problems: list[Problem],
) -> None:
    """A rule that names an unknown signal cannot be judged and goes; one with an unknown cause stays.

    `own` are the packs' names, which causes of their own begin with.
    """
    for rule in list(rules.values()):
        if unknown := [name for name in signals_of(rule.when) if name not in signals and name not in GIVEN]:
            for name in dict.fromkeys(unknown):
                at = rule.spots.get(f"when {name}", rule.spots[""])
                text, advice = f"rule {rule.id}: unknown signal {name}", nearest(name, {*signals, *GIVEN})
                problems.append(Problem(rule.file, at, text, advice))
            del rules[rule.id]
        elif (
            rule.cause
            and "{" not in rule.cause
            and rule.cause not in causes
            and rule.cause.partition(".")[0] not in own
        ):
            text = f"rule {rule.id}: unknown cause {rule.cause}"
            advice = f"{nearest(rule.cause, causes)}; one of your own is called {rule.pack}.NAME"
            problems.append(Problem(rule.file, rule.spots["cause"], text, advice))


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
