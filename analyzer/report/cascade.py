"""Findings folded by rule, so that a thousand nodes' worth of the same symptom is one row with its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.report.tolerant import items, moment, text, texts, whole

EXAMPLES = 3  # findings shown for each rule
RANK = {"fatal": 4, "error": 3, "warning": 2, "info": 1, "debug": 0}


@dataclass(frozen=True, slots=True)
class Group:
    """All findings of one rule."""

    rule: str
    role: str
    severity: str
    cause: str
    lines: int
    nodes: tuple[str, ...]
    first: object  # RFC 3339 or None
    findings: tuple[Mapping[str, object], ...]  # in order of time

    @property
    def examples(self) -> tuple[Mapping[str, object], ...]:
        return self.findings[:EXAMPLES]


@dataclass(frozen=True, slots=True)
class Cascade:
    """What follows from the first root cause, what only another candidate explains, and what nothing does."""

    consequent: tuple[Group, ...]
    elsewhere: tuple[Group, ...]
    context: tuple[Group, ...]


def build_cascade(incident: Mapping[str, object]) -> Cascade:
    roots = items(incident, "root_causes")
    findings = items(incident, "findings")
    own = {text(root, "finding") for root in roots} | _matching(roots, findings)
    consequent = consequent_findings(incident)
    own |= {text(one, "id") for one in consequent}
    rest = [one for one in findings if text(one, "id") not in own]
    context = [one for one in rest if text(one, "role") == "context"]
    elsewhere = [one for one in rest if text(one, "role") != "context"]
    return Cascade(fold(consequent), fold(elsewhere), fold(context))


def consequent_findings(incident: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The findings that the first root cause explains; either side of the edge may state it."""
    roots = items(incident, "root_causes")
    if not roots:
        return []
    explained, root = set(texts(roots[0], "explains")), text(roots[0], "finding")
    return [
        one
        for one in items(incident, "findings")
        if text(one, "id") in explained or (root and root in texts(one, "explained_by"))
    ]


def _matching(roots: Sequence[Mapping[str, object]], findings: Sequence[Mapping[str, object]]) -> set[str]:
    """Ids of the roots' own findings, for incidents whose roots do not name them."""
    named = {_key(root) for root in roots if not text(root, "finding")}
    return {text(one, "id") for one in findings if _key(one) in named}


def _key(one: Mapping[str, object]) -> tuple[str, str, str]:
    return text(one, "rule"), text(one, "node"), text(one, "time")


def fold(findings: Sequence[Mapping[str, object]]) -> tuple[Group, ...]:
    """Groups in order of their first time; those without a time come last."""
    by_rule: dict[str, list[Mapping[str, object]]] = {}
    for finding in findings:
        by_rule.setdefault(text(finding, "rule") or "unnamed rule", []).append(finding)
    groups = (_group(rule, found) for rule, found in by_rule.items())
    return tuple(sorted(groups, key=lambda group: _order(group.first)))


def _group(rule: str, found: list[Mapping[str, object]]) -> Group:
    found.sort(key=lambda one: _order(one.get("time")))
    return Group(
        rule=rule,
        role=text(found[0], "role") or "symptom",
        severity=max((text(one, "severity") for one in found), key=lambda word: RANK.get(word, -1)),
        cause=text(found[0], "cause"),
        lines=sum(whole(one, "count", 1) for one in found),
        nodes=tuple(dict.fromkeys(node for one in found if (node := text(one, "node")))),
        first=found[0].get("time"),
        findings=tuple(found),
    )


def _order(time: object) -> tuple[bool, float]:
    seconds = moment(time)
    return (seconds is None, seconds or 0.0)
