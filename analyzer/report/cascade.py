"""Findings folded by rule, so that a thousand nodes' worth of the same symptom is one row with its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.report.formatting import parse_time
from analyzer.report.tolerant import items, text, texts, whole_number

MAX_EXAMPLES = 3  # findings shown for each rule
SEVERITY_RANKS = {"fatal": 4, "error": 3, "warning": 2, "info": 1, "debug": 0}


@dataclass(frozen=True, slots=True)
class FindingGroup:
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
        return self.findings[:MAX_EXAMPLES]


@dataclass(frozen=True, slots=True)
class Cascade:
    """What follows from the first root cause, what only another candidate explains, and what nothing does."""

    consequent: tuple[FindingGroup, ...]
    elsewhere: tuple[FindingGroup, ...]
    context: tuple[FindingGroup, ...]


def build_cascade(incident: Mapping[str, object]) -> Cascade:
    roots = items(incident, "root_causes")
    findings = items(incident, "findings")
    explained_ids = {text(root, "finding") for root in roots} | _findings_of_roots(roots, findings)
    consequent = consequent_findings(incident)
    explained_ids |= {text(finding, "id") for finding in consequent}
    rest = [finding for finding in findings if text(finding, "id") not in explained_ids]
    context = [finding for finding in rest if text(finding, "role") == "context"]
    elsewhere = [finding for finding in rest if text(finding, "role") != "context"]
    return Cascade(fold_by_rule(consequent), fold_by_rule(elsewhere), fold_by_rule(context))


def consequent_findings(incident: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The findings that the first root cause explains; either side of the edge may state it."""
    roots = items(incident, "root_causes")
    if not roots:
        return []
    explained, root_finding = set(texts(roots[0], "explains")), text(roots[0], "finding")
    return [
        finding
        for finding in items(incident, "findings")
        if text(finding, "id") in explained or (root_finding and root_finding in texts(finding, "explained_by"))
    ]


def _findings_of_roots(roots: Sequence[Mapping[str, object]], findings: Sequence[Mapping[str, object]]) -> set[str]:
    """Ids of the roots' own findings, for incidents whose roots do not name them."""
    root_keys = {_key(root) for root in roots if not text(root, "finding")}
    return {text(finding, "id") for finding in findings if _key(finding) in root_keys}


def _key(finding: Mapping[str, object]) -> tuple[str, str, str]:
    return text(finding, "rule"), text(finding, "node"), text(finding, "time")


def fold_by_rule(findings: Sequence[Mapping[str, object]]) -> tuple[FindingGroup, ...]:
    """Groups in order of their first time; those without a time come last."""
    by_rule: dict[str, list[Mapping[str, object]]] = {}
    for finding in findings:
        by_rule.setdefault(text(finding, "rule") or "unnamed rule", []).append(finding)
    groups = (_group(rule, group_findings) for rule, group_findings in by_rule.items())
    return tuple(sorted(groups, key=lambda group: _time_order(group.first)))


def _group(rule: str, findings: list[Mapping[str, object]]) -> FindingGroup:
    findings.sort(key=lambda finding: _time_order(finding.get("time")))
    return FindingGroup(
        rule=rule,
        role=text(findings[0], "role") or "symptom",
        severity=max(
            (text(finding, "severity") for finding in findings), key=lambda word: SEVERITY_RANKS.get(word, -1)
        ),
        cause=text(findings[0], "cause"),
        lines=sum(whole_number(finding, "count", 1) for finding in findings),
        nodes=tuple(dict.fromkeys(node for finding in findings if (node := text(finding, "node")))),
        first=findings[0].get("time"),
        findings=tuple(findings),
    )


def _time_order(time: object) -> tuple[bool, float]:
    seconds = parse_time(time)
    return (seconds is None, seconds or 0.0)
