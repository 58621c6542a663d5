"""Which rules the edges of a rule lead to: `explains` and `silences` name ids, globs, or causes."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Iterator, Mapping

from analyzer.rules.conditions import signals_of
from analyzer.rules.fill import fields, fill
from analyzer.rules.types import Packs, Rule


class Edges:
    """Resolves edges over one set of packs; each distinct glob is matched once."""

    def __init__(self, packs: Packs) -> None:
        self._rules = packs.rules
        self._causes = set(packs.causes) | packs.off
        self._by_cause: dict[str, list[str]] = {}
        for rule in packs.rules.values():
            for cause in causes_of(rule, packs):
                self._by_cause.setdefault(cause, []).append(rule.id)
        self._known: dict[str, frozenset[str]] = {}

    def leads(self, edge: str) -> bool:
        """Whether there is such a rule or cause at all."""
        return edge in self._causes or bool(self.targets(edge)) or any(map(_compile(edge).match, self._causes))

    def targets(self, edge: str) -> frozenset[str]:
        """The rules that an edge names."""
        if edge not in self._known:
            self._known[edge] = frozenset(self._find(edge))
        return self._known[edge]

    def _find(self, edge: str) -> Iterator[str]:
        if not set(edge) & set("*?["):
            yield from (edge,) if edge in self._rules else ()
            yield from self._by_cause.get(edge, ())
            return
        matches = _compile(edge).match
        yield from filter(matches, self._rules)
        for cause, rules in self._by_cause.items():
            if matches(cause):
                yield from rules

    def explained(self, rule: Rule) -> frozenset[str]:
        return frozenset().union(*map(self.targets, rule.explains)) - {rule.id}

    def silenced(self, rule: Rule) -> frozenset[str]:
        return frozenset().union(*map(self.targets, rule.silences)) - {rule.id}

    def joined(self, one: Rule, other: Rule) -> bool:
        """Whether any edge goes from one to the other or back."""
        return (
            other.id in self.explained(one)
            or one.id in self.explained(other)
            or other.id in self.silenced(one)
            or one.id in self.silenced(other)
        )


def causes_of(rule: Rule, packs: Packs) -> frozenset[str]:
    """What the rule may find: one cause, or what its template becomes with a table's row or a signal's `set`."""
    if rule.cause is None:
        return frozenset()
    names = {name for name, _ in fields(rule.cause)}
    rows: list[Mapping[str, str]] = []
    for signal in (packs.signals[name] for name in signals_of(rule.when) if name in packs.signals):
        rows += [signal.set, *(row for one in signal.lookup for row in packs.tables.get(one.table, {}).values())]
    return frozenset(fill(rule.cause, row) for row in rows if names <= set(row)) if names else frozenset({rule.cause})


@functools.lru_cache(maxsize=4096)
def _compile(edge: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(edge))
