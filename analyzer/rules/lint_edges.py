"""Edges that lead nowhere or in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from analyzer.rules.edges import Edges
from analyzer.rules.fields import nearest
from analyzer.rules.lint_types import Fault, Files, in_rule, is_asked
from analyzer.rules.types import Packs


def check_edges(packs: Packs, files: Files = None) -> Iterator[Fault]:
    edges = Edges(packs)
    names = [*packs.rules, *packs.causes]
    for rule in packs.rules.values():
        if not is_asked(rule.file, files):
            continue
        for key, some in (
            ("explains", rule.explains),
            ("explained_by", rule.explained_by),
            ("silences", rule.silences),
        ):
            for number, edge in enumerate(some):
                if not edges.leads(edge):
                    text = f"rule {rule.id}: {key} {edge!r}, which is no rule and no cause"
                    yield Fault(in_rule(rule, key, str(number)), text, nearest(edge, names))
    yield from _check_circles(packs, edges, files)


def _check_circles(packs: Packs, edges: Edges, files: Files) -> Iterator[Fault]:
    """Named circles are errors: none of their rules could stand as the root. Those by globs depend on what fires."""
    named = {
        rule.id: frozenset(edge for edge in rule.explains if edge in packs.rules) - {rule.id}
        for rule in packs.rules.values()
    }
    for circle in _circles(named):
        at = next((name for name in circle if is_asked(packs.rules[name].file, files)), circle[0])
        text = f"rule {at}: explains itself in a circle: {' → '.join(circle)}"
        yield Fault(in_rule(packs.rules[at], "explains"), text, "none of them could be the root: take out one edge")
    every = {rule.id: edges.explained(rule) for rule in packs.rules.values()}
    for one, explained in every.items():
        for other in sorted(explained):
            if one < other and one in every[other] and not (other in named[one] and one in named[other]):
                at = one if is_asked(packs.rules[one].file, files) else other
                text = f"rule {one}: it and {other} explain each other by globs"
                advice = "if both fire, which is the root? Name what one of them explains more narrowly"
                yield Fault(in_rule(packs.rules[at], "explains"), text, advice, hint=True)


def _circles(graph: Mapping[str, Set[str]]) -> Iterator[tuple[str, ...]]:
    """One circle for each rule that closes one, found depth first; no rule is told of twice."""
    done: set[str] = set()
    for start in graph:
        if start in done:
            continue
        path: list[str] = []
        stack: list[tuple[str, Iterator[str]]] = [(start, iter(sorted(graph[start])))]
        path.append(start)
        while stack:
            name, following = stack[-1]
            following_name = next(following, None)
            if following_name is None:
                stack.pop()
                path.pop()
                done.add(name)
            elif following_name in path:
                yield (*path[path.index(following_name) :], following_name)
            elif following_name not in done:
                path.append(following_name)
                stack.append((following_name, iter(sorted(graph[following_name]))))
