"""Evaluate the rules in two rounds: first over lines, then over derived events."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzer.assembly.types import Assembly
from analyzer.diagnosis.accusations import PeerResolver, collect_accusations
from analyzer.diagnosis.causality import CausalContext, drop_silenced, explain, list_lasting_causes
from analyzer.diagnosis.dead_nodes import place_on_dead_node
from analyzer.diagnosis.derivation_context import DerivationContext
from analyzer.diagnosis.derivations import derive_events
from analyzer.diagnosis.node_activity import (
    NodeActivity,
    build_activities,
    last_step_time,
    with_events,
    with_findings,
)
from analyzer.diagnosis.remote_errors import RemoteReports, place_remote_errors
from analyzer.facts.skew import SettingTable, collect_settings
from analyzer.incident import Accusation, Finding
from analyzer.model import Clock, Event, Kind, Node
from analyzer.rules.conditions import signals_of
from analyzer.rules.evaluation.findings import UnevaluatedRule, evaluate_rules
from analyzer.rules.types import Packs, Rule
from analyzer.timeline.progress import TrainingProgress, track_progress
from analyzer.timeline.timeline import Timeline

_log = logging.getLogger("analyzer.diagnosis")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The findings, and the data from which they were derived."""

    findings: Sequence[Finding]
    missing_signals: Sequence[UnevaluatedRule]
    timeline: Timeline  # including the derived events
    activities: Mapping[str, NodeActivity]
    accusations: Sequence[Accusation]
    settings: SettingTable
    progress: Mapping[str, TrainingProgress]


def find_findings(assembly: Assembly, timeline: Timeline, resolver: PeerResolver, packs: Packs) -> Evaluation:
    """Return the numbered findings of all rules, each with the ids of the causes that explain it.

    Args:
        assembly: all sources, put together.
        timeline: the events of this job, without derived ones.
        resolver: turns the names in a line into nodes.
        packs: the rules.
    """
    direct_rules, derived_rules = _split_rules(packs)
    direct_findings, direct_missing = evaluate_rules(direct_rules, timeline, resolver, packs)
    _log_foreign(direct_findings, packs)
    direct_findings = drop_silenced(direct_findings, packs)
    direct_findings = place_on_dead_node(direct_findings, timeline, assembly.semantics, resolver, packs)
    reports = RemoteReports(
        answers=_events_meaning("ran_on", assembly, timeline),
        headers=_events_meaning("raised_on", assembly, timeline),
        servers=_events_meaning("serves", assembly, timeline),
    )
    direct_findings = place_remote_errors(direct_findings, reports, resolver, packs)

    accusing_events = _events_meaning("accuses", assembly, timeline)
    accusations = collect_accusations([event for event in accusing_events if not timeline.is_outside(event)], resolver)
    settings = collect_settings(timeline.events, assembly.semantics, assembly.settings)
    progress = track_progress(timeline, assembly.semantics)
    activities = _build_activities(assembly, timeline, accusations)

    context = DerivationContext(
        activities=with_findings(activities, direct_findings),
        registry=assembly.registry,
        identities=assembly.identities,
        timeline=timeline,
        unresolved_accusations=[event for event in accusing_events if not resolver.accused(event)],
        error_lines=frozenset(event.locus for event in _events_meaning("error", assembly, timeline)),
        collective_members=_events_meaning("member", assembly, timeline),
        step_profiles=_events_meaning("step_parts", assembly, timeline),
        not_finite=_events_meaning("not_finite", assembly, timeline),
        stack_dumps=_events_meaning("stack", assembly, timeline),
        settings=settings,
        odd_numbers=assembly.odd_numbers,
        odd_timings=assembly.odd_timings,
        machine_addresses=assembly.own_addresses,
        wanted_signals=frozenset(name for rule in derived_rules for name in signals_of(rule.when)),
        progress=progress,
        line_counts={source.file: source.lines for source in assembly.sources},
        last_log_time=_last_log_time(assembly),
    )
    derived_events = derive_events(context)
    timeline = timeline.with_events(derived_events)
    activities = with_events(activities, derived_events, timeline, assembly.semantics)

    derived_findings, derived_missing = evaluate_rules(derived_rules, timeline, resolver, packs, direct_findings)
    # The second round numbers its findings from the start, so all are numbered again: ids stay unique.
    numbered = _number_findings([*direct_findings, *derived_findings])
    causal_context = CausalContext(
        timeline,
        resolver.accused,
        {name: activity.pids for name, activity in activities.items()},
        last_step_time(activities.values(), timeline),
        lasting_causes=list_lasting_causes(packs),
        explained_by={name: rule.explained_by for name, rule in packs.rules.items() if rule.explained_by},
    )
    findings = explain(_number_findings(drop_silenced(numbered, packs)), packs, causal_context)
    _log_findings(findings, len(packs.rules))
    return Evaluation(
        findings=findings,
        missing_signals=[*direct_missing, *derived_missing],
        timeline=timeline,
        activities=with_findings(activities, findings),
        accusations=accusations,
        settings=settings,
        progress=progress,
    )


def _split_rules(packs: Packs) -> tuple[list[Rule], list[Rule]]:
    """Return the rules that use lines only, and those that use derived signals."""
    direct_rules, derived_rules = list[Rule](), list[Rule]()
    for rule in packs.rules.values():
        uses_derived = any(name.startswith("derived.") for name in signals_of(rule.when))
        (derived_rules if uses_derived else direct_rules).append(rule)
    return direct_rules, derived_rules


def _build_activities(
    assembly: Assembly, timeline: Timeline, accusations: Sequence[Accusation]
) -> dict[str, NodeActivity]:
    nodes = [*assembly.nodes, Node("")]  # "" has the lines without a known node
    joins = (
        # The leader names the task that joined; a task that logs its own join names none.
        (assembly.registry.node_of_task(event.captures.get("task", "")) or event.node, event)
        for event in _events_meaning("connected", assembly, timeline)
    )
    return build_activities(timeline, nodes, assembly.semantics, accusations, joins)


def _events_meaning(meaning: str, assembly: Assembly, timeline: Timeline) -> list[Event]:
    """Return the events whose signals feed `meaning`, in corrected order."""
    names = assembly.semantics.signals_with(meaning)
    return [event for event in timeline.events if event.signal in names]


def _number_findings(findings: Iterable[Finding]) -> list[Finding]:
    return [replace(finding, id=f"f{number}") for number, finding in enumerate(findings, 1)]


def _last_log_time(assembly: Assembly) -> float | None:
    """Return the corrected time of the last line of any training or scheduler log; None if none has a time."""
    clocks = assembly.timeline.clocks
    times = [
        clocks.get(source.node or "", Clock()).correct(source.last_time)
        for source in assembly.sources
        if source.last_time is not None and source.kind in (Kind.WORKER, Kind.SCHEDULER, Kind.UNKNOWN)
    ]
    return max(times, default=None)


def _log_foreign(findings: Iterable[Finding], packs: Packs) -> None:
    """Log which findings of other jobs or times became context, and why."""
    if not _log.isEnabledFor(logging.INFO):
        return
    foreign = [finding for finding in findings if finding.role is not packs.rules[finding.rule].role]
    if foreign:
        _log.info("%d findings are only context, because they are of another job or time", len(foreign))
    for finding in foreign:
        locus = finding.evidence[0].locus
        reason = finding.why[-1] if finding.why else "no reason is known"
        _log.debug("finding %s (%s:%s) is context: %s", finding.rule, locus.file, locus.line or "", reason)


def _log_findings(findings: Sequence[Finding], rule_count: int) -> None:
    if _log.isEnabledFor(logging.INFO):
        roles = Counter(finding.role.value for finding in findings)
        counts = ", ".join(f"{count} {role}" for role, count in sorted(roles.items())) or "none"
        _log.info("%d rules were evaluated; findings: %s", rule_count, counts)
    for finding in findings if _log.isEnabledFor(logging.DEBUG) else ():
        locus = finding.evidence[0].locus
        _log.debug(
            "finding %s: %s %s on %s (%s:%s), explained by %s",
            finding.id,
            finding.role.value,
            finding.rule,
            finding.node or "no node",
            locus.file,
            locus.line or "",
            ", ".join(finding.explained_by) or "nothing",
        )
