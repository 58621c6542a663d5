"""Merge packs in the order in which they were found: later ones add, override, extend or disable."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from analyzer.incident import Cause
from analyzer.rules.builtin_signals import BUILTIN_CAPTURES
from analyzer.rules.conditions import signals_of
from analyzer.rules.packs.user_packs import ConfigValue
from analyzer.rules.parsing.fields import suggest_if_close, suggest_name
from analyzer.rules.parsing.yaml_values import PackProblem
from analyzer.rules.rule_edges import find_cycles, silenced_ids
from analyzer.rules.types import Pack, PackChange, Packs, Rule
from analyzer.signals.types import Signal, SourcePosition, Tables

OVERRIDE_ADVICE = "choose another name, or write `override: true` to replace it"


def merge_packs(
    packs: Sequence[Pack],
    tables: Tables,
    causes: Mapping[str, Cause],
    problems: list[PackProblem],
    disable: Sequence[ConfigValue] = (),
    changes: Sequence[PackChange] = (),
) -> Packs:
    """Return all packs as one set.

    `tables` and `causes` are merged already; `changes` lists what was replaced in them. `disable` holds ids or globs
    of rules that the user disabled, in any pack. Problems are appended to `problems`.
    """
    signals: dict[str, Signal] = {}
    rules: dict[str, Rule] = {}
    disabled_rules: dict[str, Rule] = {}
    all_changes = list(changes)
    for pack in packs:
        newly_disabled = _disable_rules(
            pack.disable, rules, signals, pack.file, pack.positions.get("disable", SourcePosition()), problems
        )
        replaced = (*_add_signals(pack, signals, tables, problems), *_add_rules(pack, rules, problems))
        all_changes.append(PackChange(pack.file, tuple(newly_disabled), replaced))
        disabled_rules |= newly_disabled
    for setting in disable:
        newly_disabled = _disable_rules([setting.name], rules, signals, setting.file, setting.position, problems)
        all_changes.append(PackChange(setting.file, tuple(newly_disabled)))
        disabled_rules |= newly_disabled
    rules = _resolve_former_ids(rules, problems)
    broken = [rule for pack in packs for rule in pack.broken_rules]
    broken += _check_references(rules, signals, causes, packs, problems)
    _check_silences(rules, problems)
    return Packs(
        packs=tuple(packs),
        signals=signals,
        rules=_add_reverse_edges(rules),
        tables=tables,
        causes=causes,
        problems=tuple(problems),
        disabled_names=_names_of_rules([*disabled_rules.values(), *broken]),
        broken_rules=tuple(broken),
        changes=_merge_changes_by_file(all_changes),
    )


def _names_of_rules(rules: Iterable[Rule]) -> frozenset[str]:
    """Return the ids, causes and signals of the rules. Edges and confidence shifts may still name them."""
    names = ((rule.id, rule.cause or rule.id, *signals_of(rule.when)) for rule in rules)
    return frozenset(chain.from_iterable(names))


def _merge_changes_by_file(changes: Iterable[PackChange]) -> tuple[PackChange, ...]:
    """Return one change for each file that changed anything."""
    files: dict[str, PackChange] = {}
    for change in changes:
        earlier = files.get(change.file, PackChange(change.file))
        files[change.file] = PackChange(
            change.file,
            tuple(dict.fromkeys((*earlier.disabled, *change.disabled))),
            tuple(dict.fromkeys((*earlier.replaced, *change.replaced))),
        )
    return tuple(change for change in files.values() if change.disabled or change.replaced)


def _disable_rules(
    patterns: Sequence[str],
    rules: dict[str, Rule],
    signals: dict[str, Signal],
    file: str,
    position: SourcePosition,
    problems: list[PackProblem],
) -> dict[str, Rule]:
    """Remove the rules that match `patterns`, and return them.

    A removed rule's own signal is removed too, unless another rule uses it or it feeds something.
    """
    disabled: dict[str, Rule] = {}
    for pattern in patterns:
        matching = [
            name
            for name, rule in rules.items()
            if any(fnmatch.fnmatchcase(id_or_former_id, pattern) for id_or_former_id in (name, *rule.former_ids))
        ]
        if not matching:
            advice = "`tf-postmortem rules list` shows the ids; a glob such as gpu-* selects several"
            problems.append(PackProblem(file, position, f"disable: no earlier rule matches {pattern!r}", advice))
        for name in matching:
            disabled[name] = rules.pop(name)
        used = {name for rule in rules.values() for name in signals_of(rule.when)} if matching else set()
        for name in matching:
            if name in signals and name not in used and not signals[name].feeds:
                del signals[name]
    return disabled


def _add_signals(
    pack: Pack, signals: dict[str, Signal], tables: Tables, problems: list[PackProblem]
) -> tuple[str, ...]:
    """Add the signals of the pack, and return the names of those that it replaced."""
    rule_ids = {rule.id for rule in pack.rules}
    replaced: list[str] = []
    for signal in pack.signals:
        if signal.name in signals and not signal.override:
            if signal.name not in rule_ids:  # otherwise _add_rules reports the rule
                text = f"the signal {signal.name} exists already"
                problems.append(PackProblem(pack.file, signal.positions[""], text, OVERRIDE_ADVICE))
            continue
        if signal.name in signals and signal.name not in rule_ids:
            replaced.append(f"signal {signal.name}")
        signals[signal.name] = signal
        problems += (
            PackProblem(
                pack.file,
                signal.positions["lookup"],
                f"signal {signal.name}: unknown table {lookup.table}",
                suggest_name(lookup.table, tables),
            )
            for lookup in signal.lookup
            if lookup.table not in tables
        )
    return tuple(replaced)


def _add_rules(pack: Pack, rules: dict[str, Rule], problems: list[PackProblem]) -> tuple[str, ...]:
    """Add the rules of the pack, and return the ids of those that it replaced."""
    replaced: list[str] = []
    for rule in pack.rules:
        if rule.id in rules and not rule.override:
            earlier = rules[rule.id]
            text = f"the rule {rule.id} exists already in {earlier.file}:{earlier.line}"
            problems.append(PackProblem(rule.file, rule.positions["id"], text, OVERRIDE_ADVICE))
        elif rule.override and rule.id not in rules:
            text = f"rule {rule.id} overrides no earlier rule"
            advice = f"remove `override: true`{suggest_if_close(rule.id, rules, ', or name the earlier rule: ')}"
            problems.append(PackProblem(rule.file, rule.positions["override"], text, advice))
            rules[rule.id] = rule
        else:
            if base := rules.get(rule.id):
                replaced.append(rule.id)
                rule = replace(rule, former_ids=tuple(dict.fromkeys((*base.former_ids, *rule.former_ids))))
            rules[rule.id] = rule
    return tuple(replaced)


def _check_references(
    rules: dict[str, Rule],
    signals: Mapping[str, Signal],
    causes: Mapping[str, Cause],
    packs: Sequence[Pack],
    problems: list[PackProblem],
) -> list[Rule]:
    """Report unknown signals and causes. Remove and return the rules with an unknown signal: they cannot be evaluated.

    A signal that could not be read is reported there, and not again here.
    """
    broken_signals = {name for pack in packs for name in pack.broken_signals}
    own_prefixes = {pack.name for pack in packs} - {name.partition(".")[0] for name in causes}
    removed: list[Rule] = []
    for rule in list(rules.values()):
        if unknown := [name for name in signals_of(rule.when) if name not in signals and name not in BUILTIN_CAPTURES]:
            for name in dict.fromkeys(unknown):
                if name in broken_signals:
                    continue
                position = rule.positions.get(f"when {name}", rule.positions[""])
                text, advice = (
                    f"rule {rule.id}: unknown signal {name}",
                    suggest_name(name, {*signals, *BUILTIN_CAPTURES}),
                )
                problems.append(PackProblem(rule.file, position, text, advice))
            removed.append(rules.pop(rule.id))
        if (
            rule.cause
            and "{" not in rule.cause
            and rule.cause not in causes
            and rule.cause.partition(".")[0] not in own_prefixes
        ):
            text = f"rule {rule.id}: unknown cause {rule.cause}"
            advice = f"{suggest_name(rule.cause, causes)}; name a cause of your own {rule.pack}.NAME"
            problems.append(PackProblem(rule.file, rule.positions["cause"], text, advice))
    return removed


def _check_silences(rules: Mapping[str, Rule], problems: list[PackProblem]) -> None:
    """Report rules that silence each other: if both fire on the same lines, only one of them can stay."""
    graph = {rule.id: silenced_ids(rule.silences, rules) - {rule.id} for rule in rules.values() if rule.silences}
    for cycle in find_cycles({name: targets & graph.keys() for name, targets in graph.items()}):
        rule = rules[cycle[-2]]
        text = f"rule {rule.id}: rules silence each other in a cycle: {' → '.join(cycle)}"
        advice = "let the more specific one silence the other; until then, the one with the higher confidence stays"
        problems.append(PackProblem(rule.file, rule.positions["silences"], text, advice))


def _resolve_former_ids(rules: Mapping[str, Rule], problems: list[PackProblem]) -> dict[str, Rule]:
    """Return the rules with each former id that an edge or a confidence shift names replaced by the rule's id."""
    ids: dict[str, str] = {}
    for rule in rules.values():
        for name in rule.former_ids:
            if name in rules or name in ids:
                text = f"rule {rule.id}: the alias {name} is the name of the rule {ids.get(name, name)}"
                problems.append(PackProblem(rule.file, rule.positions["aliases"], text, "remove one of the two names"))
            else:
                ids[name] = rule.id
    if not ids:
        return dict(rules)
    return {
        rule.id: replace(
            rule,
            explains=tuple(ids.get(name, name) for name in rule.explains),
            explains_within_s={ids.get(name, name): seconds for name, seconds in rule.explains_within_s.items()},
            explained_by=tuple(ids.get(name, name) for name in rule.explained_by),
            silences=tuple(ids.get(name, name) for name in rule.silences),
            confidence_shifts=tuple((ids.get(name, name), shift) for name, shift in rule.confidence_shifts),
        )
        for rule in rules.values()
    }


def _add_reverse_edges(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """Return the rules with each `explained_by` written as `explains` at the rule that it names."""
    edges: dict[str, list[str]] = {}
    for rule in rules.values():
        for pattern in rule.explained_by:
            for name in _matching_rule_ids(pattern, rules.values()):
                edges.setdefault(name, []).append(rule.id)
    return {
        name: replace(rule, explains=tuple(dict.fromkeys((*rule.explains, *edges[name])))) if name in edges else rule
        for name, rule in rules.items()
    }


def _matching_rule_ids(pattern: str, rules: Iterable[Rule]) -> Iterable[str]:
    return (
        rule.id
        for rule in rules
        if fnmatch.fnmatchcase(rule.id, pattern) or fnmatch.fnmatchcase(rule.cause or "", pattern)
    )
