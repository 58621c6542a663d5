"""Rules over the timeline, in two rounds: over what lines say, then over what several files say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzer.assembly.types import Assembly
from analyzer.diagnosis.accusations import PeerResolver, collect_accusations
from analyzer.diagnosis.causality import CausalContext, drop_silenced, explain
from analyzer.diagnosis.derivation_context import DerivationContext
from analyzer.diagnosis.derivations import derive_events
from analyzer.diagnosis.hang_detection import derive_progress_events
from analyzer.diagnosis.node_activity import NodeActivity, add_events, attach_findings, build_activities, last_step_time
from analyzer.diagnosis.remote_errors import place_remote_errors
from analyzer.facts.skew import SettingTable, collect_settings
from analyzer.incident import Accusation, Finding
from analyzer.model import Clock, Event, Kind, Node, Role
from analyzer.rules.conditions import signals_of
from analyzer.rules.evaluation.findings import UnevaluatedRule, evaluate_rules, relocate_finding
from analyzer.rules.types import Packs, Rule
from analyzer.timeline.progress import TrainingProgress, track_progress
from analyzer.timeline.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was found, and in which stories of nodes it stands."""

    findings: Sequence[Finding]
    missing_signals: Sequence[UnevaluatedRule]
    activities: Mapping[str, NodeActivity]
    accusations: Sequence[Accusation]
    settings: SettingTable
    progress: Mapping[str, TrainingProgress]


def find_findings(assembly: Assembly, timeline: Timeline, resolver: PeerResolver, packs: Packs) -> Evaluation:
    """Adds to the timeline what follows from several files."""
    derived_rules, direct_rules = list[Rule](), list[Rule]()
    for rule in packs.rules.values():
        uses_derived = any(name.startswith("derived.") for name in signals_of(rule.when))
        (derived_rules if uses_derived else direct_rules).append(rule)
    direct_findings, missing_signals = evaluate_rules(direct_rules, timeline, resolver, packs)
    direct_findings = _place_on_dead_node(drop_silenced(direct_findings, packs), timeline, assembly, resolver, packs)
    direct_findings = place_remote_errors(
        direct_findings, _events_meaning("ran_on", assembly, timeline), resolver, packs
    )
    accusing_events = _events_meaning("accuses", assembly, timeline)
    collected_accusations = collect_accusations(
        [event for event in accusing_events if not timeline.is_outside(event)], resolver
    )
    settings = collect_settings(timeline.events, assembly.semantics, assembly.settings)
    progress = track_progress(timeline, assembly.semantics)
    activities = _build_activities(assembly, timeline, collected_accusations)
    attach_findings(activities, direct_findings)
    context = DerivationContext(
        activities,
        assembly.registry,
        assembly.identities,
        timeline,
        unresolved_accusations=[event for event in accusing_events if not resolver.accused(event)],
        collective_members=_events_meaning("member", assembly, timeline),
        stack_dumps=_events_meaning("stack", assembly, timeline),
        settings=settings,
        machine_addresses=assembly.own_addresses,
        wanted_signals=frozenset(name for rule in derived_rules for name in signals_of(rule.when)),
        progress=progress,
        last_log_time=_last_log_time(assembly),
    )
    derived_events = [*derive_events(context), *derive_progress_events(context)]
    timeline.add(derived_events)
    add_events(activities, derived_events, timeline, assembly.semantics)
    derived_findings, derived_missing = evaluate_rules(derived_rules, timeline, resolver, packs, direct_findings)
    numbered = _number_findings(
        [*direct_findings, *derived_findings]
    )  # apart: those of the second round are counted anew
    causal_context = CausalContext(timeline, resolver.accused, last_step_time(activities.values(), timeline))
    findings = explain(_number_findings(drop_silenced(numbered, packs)), packs, causal_context)
    attach_findings(activities, findings)
    return Evaluation(
        findings, [*missing_signals, *derived_missing], activities, collected_accusations, settings, progress
    )


def _build_activities(
    assembly: Assembly, timeline: Timeline, collected_accusations: Sequence[Accusation]
) -> dict[str, NodeActivity]:
    """The nodes' stories, with who joined the cluster: the leader's word for another task, or a task's own."""
    nodes = [*assembly.nodes, Node("")]  # lines that belong to no known node have a story too
    activities = build_activities(timeline, nodes, assembly.semantics, collected_accusations)
    for event in _events_meaning("connected", assembly, timeline):
        name = assembly.registry.node_of_task(event.captures.get("task", "")) or event.node
        if name in activities:
            activities[name].join_event = activities[name].join_event or event
    return activities


def _events_meaning(word: str, assembly: Assembly, timeline: Timeline) -> list[Event]:
    names = assembly.semantics.signals_with(word)
    return [event for event in timeline.events if event.signal in names]


def _place_on_dead_node(
    findings: Sequence[Finding], timeline: Timeline, assembly: Assembly, resolver: PeerResolver, packs: Packs
) -> list[Finding]:
    """Several programs wrote into one file without a name; if its launcher names one dead node, the fault was
    that node's.
    """
    dead_nodes: dict[str, set[str]] = {}
    for event in timeline.events:
        if timeline.scope.why_foreign(event):
            continue
        if event.captures.get("how") == "failed" or assembly.semantics.has_meaning("exit", event):
            dead_nodes.setdefault(event.locus.file, set()).update(resolver.accused(event))
    placed = []
    for finding in findings:
        nodes = dead_nodes.get(finding.evidence[0].locus.file, set())
        is_homeless = finding.node is None and finding.role is Role.CAUSE
        placed.append(
            relocate_finding(finding, packs.rules.get(finding.rule), *nodes)
            if is_homeless and len(nodes) == 1
            else finding
        )
    return placed


def _number_findings(findings: Iterable[Finding]) -> list[Finding]:
    return [replace(finding, id=f"f{number}") for number, finding in enumerate(findings, 1)]


def _last_log_time(assembly: Assembly) -> float | None:
    clocks = assembly.timeline.clocks
    times = [
        clocks.get(source.node or "", Clock()).correct(source.last_time)
        for source in assembly.sources
        if source.last_time is not None and source.kind in (Kind.WORKER, Kind.SCHEDULER, Kind.UNKNOWN)
    ]
    return max(times, default=None)
