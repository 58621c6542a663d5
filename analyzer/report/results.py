"""The incident as a list of results, as tools of continuous integration show them: each has a place in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from analyzer.report.cascade import build_cascade
from analyzer.report.commands import fill_steps
from analyzer.report.controls import show_controls
from analyzer.report.document import WrittenIncident, WrittenRootCause
from analyzer.report.formatting import describe_confidence
from analyzer.report.summary import summarize
from analyzer.report.written_evidence import WrittenEvidence

MAX_RELATED = 50  # lines of the cascade beside a result
MAX_TEXT_CHARS = 4000
UNDIAGNOSED_RULE = "undiagnosed"


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentResult:
    """One root cause, or that none was found. All texts are free of control characters.

    `level` is error for the answer, note for another candidate and warning for an undiagnosed failure. `related` are
    (text, line) pairs of what followed. `confidence` is None if there is no root cause.
    """

    level: str
    rule: str
    title: str
    message: str
    node: str
    task: str
    confidence: float | None
    evidence: tuple[WrittenEvidence, ...]
    related: tuple[tuple[str, WrittenEvidence], ...]
    fingerprint: str


def list_results(incident: WrittenIncident) -> list[IncidentResult]:
    """Return the results, the answer first; none if the job did not fail."""
    if incident.root_causes:
        return [_cause_result(incident, index, root) for index, root in enumerate(incident.root_causes)]
    return [] if incident.verdict == "no-failure" else [_undiagnosed_result(incident)]


def _cause_result(incident: WrittenIncident, index: int, root: WrittenRootCause) -> IncidentResult:
    parts = [root.summary, f"Cause: {root.cause}; {describe_confidence(root.confidence)}."]
    parts += [f"Step {number}: {step}" for number, step in enumerate(fill_steps(root), 1)]
    return IncidentResult(
        level="note" if index else "error",
        rule=root.rule or root.cause or "unnamed",
        title=_clean(root.title or root.cause),
        message=_clean("\n".join(filter(None, parts))),
        node=root.node or "",
        task=root.task or "",
        confidence=root.confidence,
        evidence=tuple(root.evidence),
        related=() if index else tuple(_consequences(incident)),
        fingerprint=_fingerprint(incident.signature, root.rule, root.cause),
    )


def _undiagnosed_result(incident: WrittenIncident) -> IncidentResult:
    summary = summarize(incident)
    templates = [template.example for template in incident.unclassified]
    symptoms = [line for finding in incident.findings if finding.role == "symptom" for line in finding.evidence[:1]]
    return IncidentResult(
        level="warning",
        rule=UNDIAGNOSED_RULE,
        title=_clean(summary.headline),
        message=_clean("\n".join((summary.sentence, *summary.needs))),
        node="",
        task="",
        confidence=None,
        evidence=tuple((templates or symptoms)[:1]),
        related=tuple((_clean(line.text), line) for line in templates[1:MAX_RELATED]),
        fingerprint=_fingerprint(incident.signature, UNDIAGNOSED_RULE),
    )


def _consequences(incident: WrittenIncident) -> Iterator[tuple[str, WrittenEvidence]]:
    groups = build_cascade(incident).consequent
    findings = [finding for group in groups for finding in group.findings if finding.evidence]
    for finding in findings[:MAX_RELATED]:
        yield _clean(finding.title or finding.rule), finding.evidence[0]


def _clean(text: str) -> str:
    return show_controls(text).replace("\t", " ")[:MAX_TEXT_CHARS]


def _fingerprint(*parts: str) -> str:
    """Return an id that the same fault has on other hosts and at other times."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]
