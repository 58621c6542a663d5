"""Check the edges of rules: they must lead to existing rules or causes, and not in a cycle."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.rules.linting.faults import LintedFiles, LintFault, is_linted, locate_in_rule
from analyzer.rules.parsing.fields import suggest_name
from analyzer.rules.rule_edges import RuleEdges, find_cycles, silenced_ids
from analyzer.rules.types import Packs, Rule


def check_edges(packs: Packs, files: LintedFiles = None) -> Iterator[LintFault]:
    """Yield a fault for each edge (`explains`, `silences` …) to a name that no rule or cause has, and for cycles.

    files: check only the rules of these files; None: of all.
    """
    edges = RuleEdges(packs)
    names = [*packs.rules, *packs.causes]
    for rule in packs.rules.values():
        if not is_linted(rule.file, files):
            continue
        yield from _check_base(rule, packs)
        for key, targets in (
            ("explains", rule.explains),
            ("explained_by", rule.explained_by),
            ("silences", rule.silences),
        ):
            for index, edge in enumerate(targets):
                if key == "silences" and edge in packs.causes and not silenced_ids([edge], packs.rules):
                    text = f"rule {rule.id}: silences {edge!r} is a cause; a rule silences rules, by id or glob"
                    yield LintFault(locate_in_rule(rule, key, str(index)), text, suggest_name(edge, packs.rules))
                elif not edges.has_target(edge):
                    text = f"rule {rule.id}: {key} {edge!r} names no rule and no cause"
                    yield LintFault(locate_in_rule(rule, key, str(index)), text, suggest_name(edge, names))
    yield from _check_cycles(packs, edges, files)


def _check_base(rule: Rule, packs: Packs) -> Iterator[LintFault]:
    """Yield hints if the rule extends one under a former id, or one that is deprecated."""
    base = packs.find_rule(rule.extends) if rule.extends else None
    if base is None or base.id == rule.id:
        return
    location = locate_in_rule(rule, "extends")
    if base.id != rule.extends:
        text = f"rule {rule.id}: extends {rule.extends}, which is now called {base.id}"
        yield LintFault(location, text, "use its new id", hint=True)
    if base.status == "deprecated":
        text = f"rule {rule.id}: extends {base.id}, which is deprecated"
        yield LintFault(location, text, "its summary should say what replaces it", hint=True)


def _check_cycles(packs: Packs, edges: RuleEdges, files: LintedFiles) -> Iterator[LintFault]:
    """Yield an error for each cycle of edges by id, and a hint for two rules that explain each other by globs.

    No rule of a cycle can be the root cause. Whether edges by globs form a cycle depends on which rules fire.
    """
    named_edges = {
        rule.id: frozenset(edge for edge in rule.explains if edge in packs.rules) - {rule.id}
        for rule in packs.rules.values()
    }
    for cycle in find_cycles(named_edges):
        shown_rule = next((name for name in cycle if is_linted(packs.rules[name].file, files)), cycle[0])
        text = f"rule {shown_rule}: explains itself in a cycle: {' → '.join(cycle)}"
        yield LintFault(
            locate_in_rule(packs.rules[shown_rule], "explains"),
            text,
            "none of them can be the root cause: remove one edge",
        )
    all_edges = {rule.id: edges.explained_rules(rule) for rule in packs.rules.values()}
    for rule_id, explained in all_edges.items():
        for other_id in sorted(explained):
            if (
                rule_id < other_id
                and rule_id in all_edges[other_id]
                and not (other_id in named_edges[rule_id] and rule_id in named_edges[other_id])
            ):
                shown_rule = rule_id if is_linted(packs.rules[rule_id].file, files) else other_id
                text = f"rule {rule_id}: this rule and {other_id} explain each other by globs"
                advice = "decide which one is the root if both fire, and narrow the other's `explains`"
                yield LintFault(locate_in_rule(packs.rules[shown_rule], "explains"), text, advice, hint=True)
