"""The last leg: what was found is ranked, the verdict given, the incident written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from analyzer.assembly.types import Assembly
from analyzer.diagnosis.accusations import PeerResolver
from analyzer.diagnosis.accuser_evidence import add_accuser_evidence
from analyzer.diagnosis.crash_folding import fold_crashes
from analyzer.diagnosis.findings import find_findings
from analyzer.diagnosis.limitations import describe_limitations
from analyzer.diagnosis.masks import make_mask
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.diagnosis.node_differences import add_odd_settings, describe_fact_skew
from analyzer.diagnosis.ranking import rank_candidates
from analyzer.diagnosis.root_causes import choose_root_causes, find_survivable
from analyzer.diagnosis.runner_up import explain_margin
from analyzer.diagnosis.scoped_timeline import scope_timeline
from analyzer.diagnosis.signature import compute_signatures
from analyzer.diagnosis.templates import KnownTemplates
from analyzer.diagnosis.unevaluated_rules import describe_slow_rules, find_unevaluated_rules
from analyzer.diagnosis.unknown_errors import (
    MAX_TEMPLATES,
    describe_overflow,
    find_failure_scope,
    find_unknown_errors,
    fold_unknown_errors,
)
from analyzer.facts.skew import describe_common, describe_skew
from analyzer.incident import Finding, Incident, Noise, RuleChange, RulePack
from analyzer.model import Event, Locus, Node, ReachedStep, Role, Severity
from analyzer.redact.truncation import truncate
from analyzer.rules.types import Packs
from analyzer.timeline.progress import TrainingProgress
from analyzer.timeline.timeline import Timeline

MAX_INCIDENT_EVENTS = 20_000  # events that the incident carries for the timeline


def build_incident(
    assembly: Assembly, packs: Packs, notes: Sequence[str] = (), known_good: KnownTemplates | None = None
) -> Incident:
    resolver = PeerResolver(assembly.registry, assembly.semantics)
    timeline = scope_timeline(assembly, resolver)
    evaluation = find_findings(assembly, timeline, resolver, packs)
    findings, activities = evaluation.findings, evaluation.activities
    unknown_events = find_unknown_errors(timeline, findings, packs)
    survivable = find_survivable(findings, packs.causes)
    candidates = rank_candidates(findings, activities, timeline, survivable)
    verdict, roots = choose_root_causes(candidates, findings, activities, packs, len(unknown_events), survivable)
    if verdict == "no-failure" and not any(source.status in ("read", "partly-read") for source in assembly.sources):
        verdict = "undiagnosed"  # nothing was understood that could show how the job ended
    candidate_by_finding = {candidate.finding.id: candidate for candidate in candidates}
    roots, margin_notes = explain_margin(
        roots, [candidate_by_finding[root.finding.id] for root in roots], activities, assembly.sources
    )
    findings = _link_symptoms(findings, roots[0].finding.id if roots else None)
    findings = [_with_exact_count(finding, assembly.line_counts, timeline) for finding in findings]
    findings, roots = fold_crashes(findings, roots)
    roots = add_accuser_evidence(roots, findings, activities)
    text_mask = make_mask(name for node in assembly.nodes for name in (node.name, *node.hosts))
    scope = find_failure_scope(activities, findings, roots, known_good)
    unknown_templates = fold_unknown_errors(unknown_events, timeline, scope, text_mask, assembly.error_shapes)
    return Incident(
        verdict=verdict,
        root_causes=tuple(add_odd_settings(roots, evaluation.settings)),
        findings=tuple(findings),
        nodes=tuple(
            _incident_node(activity, evaluation.progress.get(activity.name))
            for activity in activities.values()
            if activity.name
        ),
        sources=tuple(assembly.sources),
        events=tuple(_sample_events(timeline.events)),
        accusations=tuple(evaluation.accusations),
        cores=tuple(assembly.cores),
        skew=(
            *describe_fact_skew(activities, assembly.identities, assembly.registry),
            *describe_skew(evaluation.settings),
        ),
        settings=describe_common(evaluation.settings),
        unclassified=tuple(unknown_templates[:MAX_TEMPLATES]),
        not_evaluated=tuple(find_unevaluated_rules(evaluation.missing_signals, packs, timeline)),
        noise=tuple(_count_noise(assembly.line_counts, timeline, packs)),
        signatures=compute_signatures(verdict, roots, findings, unknown_templates, text_mask),
        notes=(
            *notes,
            *(f"{change}." for change in packs.changes),
            *assembly.notes,
            *margin_notes,
            *describe_slow_rules(evaluation.missing_signals),
            *describe_limitations(activities, evaluation.progress, roots, timeline),
            *describe_overflow(unknown_templates, assembly.error_shapes),
        ),
        rule_packs=tuple(RulePack(name=pack.name, version=pack.version, rules=len(pack.rules)) for pack in packs.packs),
        rule_changes=tuple(
            RuleChange(file=change.file, switched_off=list(change.disabled), replaced=list(change.replaced))
            for change in packs.changes
        ),
        series=tuple(assembly.series),
        causes=packs.causes,
        context={Locus(file, line): lines_around for (file, line), lines_around in assembly.context.items()},
    )


def _link_symptoms(findings: Sequence[Finding], root_id: str | None) -> list[Finding]:
    """Every symptom follows from the first root cause, before any other: symptoms never stand alone beside one."""
    if root_id is None:
        return list(findings)
    return [
        replace(finding, explained_by=tuple(dict.fromkeys((root_id, *finding.explained_by))))
        if finding.role is Role.SYMPTOM and finding.id != root_id
        else finding
        for finding in findings
    ]


def _with_exact_count(finding: Finding, counts: Counter[tuple[str, str]], timeline: Timeline) -> Finding:
    """Where events were dropped, the exact number of lines stands in the source's counts."""
    signal, node = finding.evidence[0].signal, finding.evidence[0].node
    kept = len(timeline.by_signal.get(signal, {}).get(node, ()))
    return replace(finding, count=counts[signal, node]) if finding.count == kept < counts[signal, node] else finding


def _sample_events(events: Sequence[Event]) -> Sequence[Event]:
    """The whole timeline if it is small; else every error and an even sample of the rest."""
    if len(events) <= MAX_INCIDENT_EVENTS:
        return events
    errors = [event for event in events if event.severity >= Severity.ERROR][: MAX_INCIDENT_EVENTS // 2]
    rest = [event for event in events if event.severity < Severity.ERROR]
    return [*errors, *rest[:: len(rest) // (MAX_INCIDENT_EVENTS // 2) + 1]]


def _count_noise(counts: Counter[tuple[str, str]], timeline: Timeline, packs: Packs) -> Iterable[Noise]:
    totals: Counter[str] = Counter()
    for (signal, _), count in counts.items():
        if packs.signals[signal].noise:
            totals[signal] += count
    examples = {event.signal: truncate(event.text, 300) for event in reversed(timeline.events)}
    return [
        {"signal": signal, "count": count, "example": examples.get(signal)} for signal, count in totals.most_common()
    ]


def _incident_node(activity: NodeActivity, progress: TrainingProgress | None) -> Node:
    reach = None
    if progress:
        reach = ReachedStep(progress.position[0] or None, progress.position[1], progress.time, progress.usual_interval)
    node = replace(activity.node, reached_step=reach)
    if (
        activity.accusations_received
        and not activity.ended_well
        and activity.last_time is not None
        and activity.accusations_made == []
    ):
        return replace(node, silent_since=activity.last_time)
    return node
