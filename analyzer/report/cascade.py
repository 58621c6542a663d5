"""Group findings by rule, so that the same symptom on a thousand nodes is one row with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.report.document import WrittenFinding, WrittenIncident, WrittenRootCause
from analyzer.report.formatting import parse_time

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
    first: str | None  # RFC 3339
    findings: tuple[WrittenFinding, ...]  # in order of time

    @property
    def examples(self) -> tuple[WrittenFinding, ...]:
        return self.findings[:MAX_EXAMPLES]


@dataclass(frozen=True, slots=True)
class Cascade:
    """What follows from the first root cause, what only another candidate explains, and what nothing does.

    `same_cause` has what other rules found of the first root cause on its node.
    """

    same_cause: tuple[FindingGroup, ...]
    consequent: tuple[FindingGroup, ...]
    elsewhere: tuple[FindingGroup, ...]
    context: tuple[FindingGroup, ...]


def build_cascade(incident: WrittenIncident) -> Cascade:
    roots, findings = incident.root_causes, incident.findings
    explained_ids = {root.finding for root in roots} | _findings_of_roots(roots, findings)
    consequent = consequent_findings(incident)
    explained_ids |= {finding.id for finding in consequent}
    first = next(iter(roots), None)
    same_cause = [
        finding
        for finding in findings
        if first and finding.id not in explained_ids and (finding.cause, finding.node) == (first.cause, first.node)
    ]
    explained_ids |= {finding.id for finding in same_cause}
    independent = [finding for finding in findings if finding.id not in explained_ids]
    context = [finding for finding in independent if finding.role == "context"]
    elsewhere = [finding for finding in independent if finding.role != "context"]
    return Cascade(
        same_cause=fold_by_rule(same_cause),
        consequent=fold_by_rule(consequent),
        elsewhere=fold_by_rule(elsewhere),
        context=fold_by_rule(context),
    )


def consequent_findings(incident: WrittenIncident) -> list[WrittenFinding]:
    """Return the findings that the first root cause explains; either side of the edge may state it."""
    if not incident.root_causes:
        return []
    root = incident.root_causes[0]
    explained = set(root.explains)
    return [
        finding
        for finding in incident.findings
        if finding.id in explained or (root.finding and root.finding in finding.explained_by)
    ]


def _findings_of_roots(roots: Sequence[WrittenRootCause], findings: Sequence[WrittenFinding]) -> set[str]:
    """Return the ids of the root causes' own findings, for incidents whose root causes do not state them."""
    root_keys = {_key(root) for root in roots if not root.finding}
    return {finding.id for finding in findings if _key(finding) in root_keys}


def _key(finding: WrittenFinding | WrittenRootCause) -> tuple[str, str | None, str | None]:
    return finding.rule, finding.node, finding.time


def fold_by_rule(findings: Sequence[WrittenFinding]) -> tuple[FindingGroup, ...]:
    """Return the findings grouped by rule, in order of first time; groups without a time come last."""
    by_rule: dict[str, list[WrittenFinding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule or "unnamed rule", []).append(finding)
    groups = (_group(rule, group_findings) for rule, group_findings in by_rule.items())
    return tuple(sorted(groups, key=lambda group: _time_order(group.first)))


def _group(rule: str, findings: list[WrittenFinding]) -> FindingGroup:
    findings.sort(key=lambda finding: _time_order(finding.time))
    return FindingGroup(
        rule=rule,
        role=findings[0].role or "symptom",
        severity=max((finding.severity for finding in findings), key=lambda word: SEVERITY_RANKS.get(word, -1)),
        cause=findings[0].cause or "",
        lines=sum(finding.count for finding in findings),
        nodes=tuple(dict.fromkeys(node for finding in findings if (node := finding.node))),
        first=findings[0].time,
        findings=tuple(findings),
    )


def _time_order(time: str | None) -> tuple[bool, float]:
    seconds = parse_time(time)
    return (seconds is None, seconds or 0.0)
