"""What the others said of the culprit, as evidence beside its own lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.incident import Finding, RootCause
from analyzer.model import Event, Kind, Role

MAX_QUOTED_NODES = 2  # nodes whose word is quoted


def add_accuser_evidence(
    roots: Sequence[RootCause], findings: Sequence[Finding], activities: Mapping[str, NodeActivity]
) -> list[RootCause]:
    """A reason that says by whom a node was missed can be opened: who reports the same fault, then who missed it."""
    causes = [finding for finding in findings if finding.role is Role.CAUSE]
    return [_with_accusers(root, causes, activities.get(root.finding.node or "")) for root in roots]


def _with_accusers(root: RootCause, causes: Sequence[Finding], activity: NodeActivity | None) -> RootCause:
    if activity is None or not activity.name:
        return root
    root_finding = root.finding
    shown_loci = {event.locus for event in root_finding.evidence}  # what was concluded shows others' lines as its own
    quoted_nodes = {event.node for event in root_finding.evidence} | {
        accusation.accuser for accusation in activity.accusations_received if accusation.event.locus in shown_loci
    }
    quoted_nodes |= {activity.name}
    free_places = MAX_QUOTED_NODES - len(quoted_nodes - {activity.name, ""})
    is_derived = (
        root_finding.evidence[0].kind is Kind.DERIVED
    )  # several nodes' lines were put together to name this one
    same_cause = (
        accusation
        for accusation in causes
        if accusation.cause == root_finding.cause and (is_derived or root_finding.id in accusation.explained_by)
    )
    same_fault_events = [accusation.evidence[0] for accusation in same_cause]
    accusing_events = sorted(
        (accusation.event for accusation in activity.accusations_received), key=lambda event: -event.severity
    )  # else in their order
    quotes: dict[str, Event] = {}
    for event in (*same_fault_events, *accusing_events):
        if event.node not in quoted_nodes:
            quotes.setdefault(event.node, event)
    return replace(
        root,
        finding=replace(root_finding, evidence=(*root_finding.evidence, *list(quotes.values())[: max(0, free_places)])),
    )
