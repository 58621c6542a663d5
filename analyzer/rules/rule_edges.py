"""Resolve the edges of rules: `explains` and `silences` name rules by id, glob or cause."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Set

from analyzer.rules.conditions import signals_of
from analyzer.rules.evaluation.templates import fill_template, template_fields
from analyzer.rules.types import Packs, Rule


class RuleEdges:
    """Resolves edges over one set of packs. Each distinct edge is resolved once."""

    def __init__(self, packs: Packs) -> None:
        self._rules = packs.rules
        self._causes = set(packs.causes) | packs.disabled_names
        self._by_cause: dict[str, list[str]] = {}
        for rule in packs.rules.values():
            for cause in possible_causes(rule, packs):
                self._by_cause.setdefault(cause, []).append(rule.id)
        self._targets_by_edge: dict[str, frozenset[str]] = {}

    def has_target(self, edge: str) -> bool:
        """Return whether the edge names an existing rule or cause."""
        return edge in self._causes or bool(self.targets(edge)) or any(map(_compile_glob(edge).match, self._causes))

    def targets(self, edge: str) -> frozenset[str]:
        """Return the ids of the rules that the edge names."""
        if edge not in self._targets_by_edge:
            self._targets_by_edge[edge] = frozenset(self._find_targets(edge))
        return self._targets_by_edge[edge]

    def _find_targets(self, edge: str) -> Iterator[str]:
        if not set(edge) & set("*?["):
            yield from (edge,) if edge in self._rules else ()
            yield from self._by_cause.get(edge, ())
            return
        matches = _compile_glob(edge).match
        yield from filter(matches, self._rules)
        for cause, rules in self._by_cause.items():
            if matches(cause):
                yield from rules

    def explained_rules(self, rule: Rule) -> frozenset[str]:
        """Return the ids of the other rules that the rule explains."""
        return frozenset().union(*map(self.targets, rule.explains)) - {rule.id}

    def silenced_rules(self, rule: Rule) -> frozenset[str]:
        """Return the ids of the other rules that the rule silences."""
        return silenced_ids(rule.silences, self._rules) - {rule.id}

    def are_connected(self, first: Rule, second: Rule) -> bool:
        """Return whether an edge leads from either rule to the other."""
        return (
            second.id in self.explained_rules(first)
            or first.id in self.explained_rules(second)
            or second.id in self.silenced_rules(first)
            or first.id in self.silenced_rules(second)
        )


def possible_causes(rule: Rule, packs: Packs) -> frozenset[str]:
    """Return the causes that the rule's findings can have.

    A fixed cause is the only one. A template is filled with each row of the lookup tables and with the `set` values of
    the rule's signals.
    """
    if rule.cause is None:
        return frozenset()
    names = {name for name, _ in template_fields(rule.cause)}
    rows: list[Mapping[str, str]] = []
    for signal in (packs.signals[name] for name in signals_of(rule.when) if name in packs.signals):
        rows += [signal.set, *(row for lookup in signal.lookup for row in packs.tables.get(lookup.table, {}).values())]
    return (
        frozenset(fill_template(rule.cause, row) for row in rows if names <= set(row))
        if names
        else frozenset({rule.cause})
    )


def silenced_ids(silences: Iterable[str], rules: Iterable[str]) -> frozenset[str]:
    """Return the ids among `rules` that `silences` names, by id or glob; causes do not count."""
    matches = [_compile_glob(pattern).match for pattern in silences]
    return frozenset(rule for rule in rules if any(match(rule) for match in matches)) if matches else frozenset()


def find_cycles(graph: Mapping[str, Set[str]]) -> Iterator[tuple[str, ...]]:
    """Yield one cycle for each rule that closes one, found depth first. No rule is reported twice."""
    visited: set[str] = set()
    for start in graph:
        if start in visited:
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
                visited.add(name)
            elif successor in path:
                yield (*path[path.index(successor) :], successor)
            elif successor not in visited:
                path.append(successor)
                stack.append((successor, iter(sorted(graph[successor]))))


@functools.lru_cache(maxsize=4096)
def _compile_glob(edge: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(edge))
