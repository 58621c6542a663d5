"""Builds the incident: scopes the timeline, evaluates the rules, ranks the causes, chooses the answer."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from analyzer.assembly.types import Assembly, LineCounts
from analyzer.diagnosis.accusations import PeerResolver, make_void_test
from analyzer.diagnosis.causality import find_lasting
from analyzer.diagnosis.certainty import explain_margin
from analyzer.diagnosis.continuation import find_continued
from analyzer.diagnosis.evidence import add_accuser_evidence, fold_crashes
from analyzer.diagnosis.findings import find_findings
from analyzer.diagnosis.hard_facts import collect_hard_facts, link_hard_facts
from analyzer.diagnosis.job_outcome import judge_outcome
from analyzer.diagnosis.limitations import (
    describe_limitations,
    describe_slow_rules,
    find_unevaluated_rules,
)
from analyzer.diagnosis.masks import make_mask
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.diagnosis.node_differences import add_odd_settings, describe_fact_skew
from analyzer.diagnosis.ranking import rank_candidates, weigh_factors
from analyzer.diagnosis.root_causes import choose_root_causes, find_survivable, weigh_none
from analyzer.diagnosis.separate_jobs import (
    are_of_one_job,
    describe_separate_jobs,
    drop_edges_between_jobs,
    find_ended_jobs,
    find_unconnected_jobs,
    limit_to_jobs,
    set_aside,
)
from analyzer.diagnosis.signature import compute_signatures
from analyzer.diagnosis.templates import KnownTemplates
from analyzer.diagnosis.unknown_errors import (
    MAX_TEMPLATES,
    describe_overflow,
    find_failure_scope,
    find_unknown_errors,
    fold_unknown_errors,
)
from analyzer.facts.skew import describe_common, describe_skew
from analyzer.incident import Finding, Hypothesis, Incident, Noise, RuleChange, RulePack
from analyzer.model import Event, Locus, Node, ReachedStep, Role, Severity
from analyzer.redact.truncation import truncate
from analyzer.rules.types import Packs
from analyzer.timeline.job_lifetime import find_job_window
from analyzer.timeline.job_scope import find_job_scope
from analyzer.timeline.progress import TrainingProgress
from analyzer.timeline.timeline import Timeline

_log = logging.getLogger("analyzer.diagnosis")

MAX_INCIDENT_EVENTS = 20_000
SYSTEM_PROGRAMS = "system-programs"  # the table of programs that no job runs
MAX_NOISE_EXAMPLE_LENGTH = 300  # characters


def build_incident(
    assembly: Assembly, packs: Packs, notes: Sequence[str] = (), known_good: KnownTemplates | None = None
) -> Incident:
    """Return the incident.

    Args:
        assembly: all sources, put together.
        packs: the rules.
        notes: sentences that the report shows before all other notes.
        known_good: error templates of a good run; an error with one of them does not count as new.
    """
    resolver = PeerResolver(assembly.registry, assembly.semantics)
    evaluation = find_findings(assembly, scope_timeline(assembly, resolver, packs), resolver, packs)
    timeline, findings, activities = evaluation.timeline, evaluation.findings, evaluation.activities
    hard_facts = collect_hard_facts(timeline, activities, assembly.semantics, assembly.cores)
    ended_jobs = find_ended_jobs(activities, hard_facts, timeline, assembly.registry)
    jobs = () if ended_jobs else find_unconnected_jobs(activities)
    findings = drop_edges_between_jobs(set_aside(findings, ended_jobs), jobs)
    judged = {name: activity for name, activity in activities.items() if name not in ended_jobs}
    judged_facts = [fact for fact in hard_facts if fact.node not in ended_jobs]
    unknown_events = find_unknown_errors(timeline, findings, packs)
    survivable = find_survivable(findings, packs)
    outcome = judge_outcome(judged, judged_facts, timeline)
    none_factors = list(weigh_none(outcome, len(unknown_events), judged_facts))
    continued = find_continued(findings, assembly.sources, assembly.context)
    ranking = rank_candidates(
        findings,
        judged,
        timeline,
        survivable,
        judged_facts,
        packs.causes,
        none_factors,
        continued,
        find_lasting(findings, packs),
    )
    verdict, roots = choose_root_causes(
        ranking, findings, judged, packs, len(unknown_events), survivable, outcome, assembly.registry.cluster
    )
    if verdict == "no-failure" and not any(source.status in ("read", "partly-read") for source in assembly.sources):
        verdict = "undiagnosed"
        _log.info("the verdict becomes undiagnosed: no readable source shows how the job ended")
    candidate_by_finding = {candidate.finding.id: candidate for candidate in ranking.candidates}
    roots, margin_notes = explain_margin(
        roots, [candidate_by_finding[root.finding.id] for root in roots], activities, assembly.sources
    )
    findings = _link_symptoms(findings, roots[0].finding if roots else None, jobs)
    findings = [_with_line_count(finding, assembly.line_counts, timeline) for finding in findings]
    findings, roots = fold_crashes(findings, roots)
    roots = add_accuser_evidence(roots, findings, activities)
    separate_jobs = list(describe_separate_jobs(jobs, ended_jobs))
    if jobs:
        roots = [replace(root, against=(*root.against, *separate_jobs)) for root in roots]
        roots = limit_to_jobs(roots, findings, jobs)
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
        hypotheses=tuple(
            Hypothesis(
                finding=candidate.finding, probability=candidate.probability, factors=weigh_factors(candidate.factors)
            )
            for candidate in ranking.candidates
        ),
        none_factors=weigh_factors(none_factors),
        hard_facts=link_hard_facts(hard_facts, roots, findings),
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
        identity_conflicts=tuple(assembly.registry.describe_conflicts()),
        notes=(
            *notes,
            *(f"{change}." for change in packs.changes),
            *assembly.notes,
            *margin_notes,
            *describe_slow_rules(evaluation.missing_signals),
            *separate_jobs,
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
        tails=assembly.tails,
    )


def scope_timeline(assembly: Assembly, resolver: PeerResolver, packs: Packs) -> Timeline:
    """Return the timeline without void accusations, and the scope, which identifies lines of other jobs and times."""
    is_void = make_void_test(assembly.timeline.events, resolver)
    timeline = assembly.timeline.without_events(is_void)
    if dropped := len(assembly.timeline.events) - len(timeline.events):
        _log.info("%d accusations of being late are ignored, because all accused nodes arrived later", dropped)
    kinds = {source.file: source.kind for source in assembly.sources}
    cluster = assembly.registry.cluster
    programs = packs.tables.get(SYSTEM_PROGRAMS, {})
    scope = find_job_scope(
        timeline.events,
        assembly.semantics,
        assembly.nodes,
        kinds,
        cluster.host_names() if cluster else (),
        {name: row.get("what", "") for name, row in programs.items()},
        frozenset(name for name, row in programs.items() if row.get("reports")),
    )
    timeline = timeline.with_scope(scope)
    workers = (node.name for node in assembly.nodes if node.present and node.tasks)
    window = find_job_window(timeline, assembly.semantics, workers, assembly.zoneless_files)
    return timeline.with_window(window)


def _link_symptoms(findings: Sequence[Finding], root: Finding | None, jobs: Sequence[frozenset[str]]) -> list[Finding]:
    """Return the findings. The first root cause comes first among the explanations of each symptom of its job."""
    if root is None:
        return list(findings)
    return [
        replace(finding, explained_by=tuple(dict.fromkeys((root.id, *finding.explained_by))))
        if finding.role is Role.SYMPTOM and finding.id != root.id and are_of_one_job(finding.node, root.node, jobs)
        else finding
        for finding in findings
    ]


def _with_line_count(finding: Finding, counts: LineCounts, timeline: Timeline) -> Finding:
    """Return the finding with the number of all its lines, including those whose events were not kept."""
    key = signal, node = finding.evidence[0].signal, finding.evidence[0].node
    kept, lines = len(timeline.by_signal.get(signal, {}).get(node, ())), counts.lines[key]
    if not finding.count == kept < lines:
        return finding
    return replace(finding, count=lines, count_is="scanner" if key in counts.scanner_counted else "exact")


def _sample_events(events: Sequence[Event]) -> Sequence[Event]:
    """Return all events if they are few. Otherwise return errors and an even sample of the others, half of each."""
    if len(events) <= MAX_INCIDENT_EVENTS:
        return events
    errors = [event for event in events if event.severity >= Severity.ERROR][: MAX_INCIDENT_EVENTS // 2]
    others = [event for event in events if event.severity < Severity.ERROR]
    return [*errors, *others[:: len(others) // (MAX_INCIDENT_EVENTS // 2) + 1]]


def _count_noise(counts: LineCounts, timeline: Timeline, packs: Packs) -> Iterable[Noise]:
    """Return the known harmless signals, with the number of their lines and an example."""
    totals: Counter[str] = Counter()
    for (signal, _), count in counts.lines.items():
        if packs.signals[signal].noise:
            totals[signal] += count
    scanner_counted = {signal for signal, _ in counts.scanner_counted}
    examples = {event.signal: truncate(event.text, MAX_NOISE_EXAMPLE_LENGTH) for event in reversed(timeline.events)}
    return [
        {
            "signal": signal,
            "count": count,
            "count_is": "scanner" if signal in scanner_counted else "exact",
            "example": examples.get(signal),
        }
        for signal, count in totals.most_common()
    ]


def _incident_node(activity: NodeActivity, progress: TrainingProgress | None) -> Node:
    """Return the node with its last step and, if others accuse it, the time since which it is silent."""
    reached_step = None
    if progress:
        epoch, step = progress.position
        reached_step = ReachedStep(epoch or None, step, progress.time, progress.usual_interval)
    node = replace(activity.node, reached_step=reached_step)
    is_suspect = bool(activity.accusations_received) and not activity.ended_well and not activity.accusations_made
    if is_suspect and not activity.is_log_cut:
        return replace(node, silent_since=activity.last_time)
    return node
