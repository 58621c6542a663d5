"""Check the edges of rules: they must lead to existing rules or causes, and not in a cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from analyzer.rules.linting.faults import LintedFiles, LintFault, is_linted, locate_in_rule
from analyzer.rules.parsing.fields import suggest_name
from analyzer.rules.rule_edges import RuleEdges
from analyzer.rules.types import Packs


def check_edges(packs: Packs, files: LintedFiles = None) -> Iterator[LintFault]:
    edges = RuleEdges(packs)
    names = [*packs.rules, *packs.causes]
    for rule in packs.rules.values():
        if not is_linted(rule.file, files):
            continue
        for key, targets in (
            ("explains", rule.explains),
            ("explained_by", rule.explained_by),
            ("silences", rule.silences),
        ):
            for index, edge in enumerate(targets):
                if not edges.has_target(edge):
                    text = f"rule {rule.id}: {key} {edge!r} names no rule and no cause"
                    yield LintFault(locate_in_rule(rule, key, str(index)), text, suggest_name(edge, names))
    yield from _check_cycles(packs, edges, files)


def _check_cycles(packs: Packs, edges: RuleEdges, files: LintedFiles) -> Iterator[LintFault]:
    """Yield an error for each cycle of edges by id, and a hint for two rules that explain each other by globs.

    No rule of a cycle can be the root cause. Whether edges by globs form a cycle depends on which rules fire.
    """
    named_edges = {
        rule.id: frozenset(edge for edge in rule.explains if edge in packs.rules) - {rule.id}
        for rule in packs.rules.values()
    }
    for cycle in _find_cycles(named_edges):
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


def _find_cycles(graph: Mapping[str, Set[str]]) -> Iterator[tuple[str, ...]]:
    """Yield one cycle for each rule that closes one, found depth first. No rule is reported twice."""
    done: set[str] = set()
    for start in graph:
        if start in done:
            continue
        path: list[str] = []
        stack: list[tuple[str, Iterator[str]]] = [(start, iter(sorted(graph[start])))]
        path.append(start)
        while stack:
            name, successors = stack[-1]
            successor = next(successors, None)
            if successor is None:
                stack.pop()
                path.pop()
                done.add(name)
            elif successor in path:
                yield (*path[path.index(successor) :], successor)
            elif successor not in done:
                path.append(successor)
                stack.append((successor, iter(sorted(graph[successor]))))
