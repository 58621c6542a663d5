"""Evidence of the answer: equal crashes folded into one finding, and lines of the nodes that accuse the culprit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.crash_reports import find_crashes, has_core
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.incident import Finding, RootCause
from analyzer.model import Event, Kind, Role

MAX_FOLDED_EVIDENCE = 20
MAX_QUOTED_NODES = 2  # nodes beside the culprit whose lines are quoted


def fold_crashes(findings: Sequence[Finding], roots: Sequence[RootCause]) -> tuple[list[Finding], list[RootCause]]:
    """Return the findings and root causes with equal crashes folded into one finding.

    Equal crashes on several nodes become one finding. So do a core and the reports of the same crash by the
    kernel, the process's log and its launcher. The finding of a root cause is kept, or else
    the one with the highest confidence. Its capture `nodes` lists all nodes.
    """
    root_ids = {root.finding.id for root in roots}
    groups: dict[tuple[object, ...], list[Finding]] = {}
    crashes = find_crashes(findings)
    for finding in findings:
        key = (finding.cause, finding.role, crashes[finding.id]) if finding.id in crashes else (finding.id,)
        groups.setdefault(key, []).append(finding)
    merged_into: dict[str, str] = {}
    folded: dict[str, Finding] = {}
    for group in groups.values():
        first = min(group, key=lambda member: (member.id not in root_ids, -member.confidence))
        merged_into |= {member.id: first.id for member in group}
        folded[first.id] = _merge_findings(_in_words_of_core(first, group), group) if len(group) > 1 else first
    kept = [_relink(folded[finding.id], merged_into) for finding in findings if finding.id in folded]
    return kept, [
        _update_root(root, folded.get(root.finding.id), merged_into) for root in roots if root.finding.id in folded
    ]


def _update_root(root: RootCause, finding: Finding | None, merged_into: Mapping[str, str]) -> RootCause:
    """Return the root cause with the evidence that folding added to its finding.

    If the root has no node because several nodes show the cause in the same way, it stays without a node.
    """
    root_finding = root.finding
    if finding is not None and finding.evidence != root_finding.evidence:
        node = root_finding.node if "nodes" not in finding.captures else None
        root_finding = replace(finding, node=node)
    return replace(root, finding=root_finding, explains=_translate_ids(root.explains, merged_into, root_finding.id))


def _in_words_of_core(first: Finding, group: Sequence[Finding]) -> Finding:
    """Return `first` with the words of the group's core, which knows more about the crash than a log line."""
    cores = [member for member in group if has_core(member)]
    if has_core(first) or not cores:
        return first
    core = max(cores, key=lambda member: member.confidence)
    return replace(first, title=core.title, summary=core.summary, captures={**first.captures, **core.captures})


def _merge_findings(first: Finding, group: Sequence[Finding]) -> Finding:
    """Return `first` with the nodes, counts and evidence of the group, taking the evidence of the findings in turns."""
    nodes = sorted({member.node for member in group if member.node})
    other_evidence = [member.evidence for member in group if member is not first]
    evidence = [*first.evidence, *_round_robin(other_evidence)]
    unique = list({(event.locus, event.signal): event for event in evidence}.values())
    several = len(nodes) > 1
    return replace(
        first,
        evidence=tuple(unique[: max(MAX_FOLDED_EVIDENCE, len(first.evidence))]),
        node=None if several else first.node,
        count=sum(member.count for member in group if member.rule == first.rule),
        captures={**first.captures, "nodes": ", ".join(nodes)} if several else first.captures,
        title=first.title.replace(f"{first.node}:", f"{len(nodes)} nodes:", 1) if several else first.title,
        time=min((member.time for member in group if member.time is not None), default=None),
        explained_by=tuple(dict.fromkeys(name for member in group for name in member.explained_by)),
    )


def _round_robin(lists: Sequence[Sequence[Event]]) -> list[Event]:
    longest = max((len(events) for events in lists), default=0)
    return [events[index] for index in range(longest) for events in lists if index < len(events)]


def _relink(finding: Finding, merged_into: Mapping[str, str]) -> Finding:
    return replace(finding, explained_by=_translate_ids(finding.explained_by, merged_into, finding.id))


def _translate_ids(ids: Sequence[str], merged_into: Mapping[str, str], own_id: str) -> tuple[str, ...]:
    """Return the ids of the findings into which the given ones were merged, without duplicates and without `own_id`."""
    return tuple(dict.fromkeys(new for old in ids if (new := merged_into.get(old, old)) != own_id))


def add_accuser_evidence(
    roots: Sequence[RootCause], findings: Sequence[Finding], activities: Mapping[str, NodeActivity]
) -> list[RootCause]:
    """Return the root causes with lines of other nodes as further evidence, so that "N nodes name it" can be checked.

    First come lines of nodes that report the same fault, then lines that accuse the culprit, the most severe first.
    """
    causes = [finding for finding in findings if finding.role is Role.CAUSE]
    return [_with_accusers(root, causes, activities.get(root.finding.node or "")) for root in roots]


def _with_accusers(root: RootCause, causes: Sequence[Finding], activity: NodeActivity | None) -> RootCause:
    if activity is None or not activity.name:
        return root
    finding = root.finding
    # A derived event is placed on the culprit, but its line is in the file of an accuser.
    shown_loci = {event.locus for event in finding.evidence}
    quoted_nodes = {event.node for event in finding.evidence} | {
        accusation.accuser for accusation in activity.accusations_received if accusation.event.locus in shown_loci
    }
    quoted_nodes.add(activity.name)
    free_places = MAX_QUOTED_NODES - len(quoted_nodes - {activity.name, ""})
    is_derived = finding.evidence[0].kind is Kind.DERIVED  # it combines lines of several nodes
    same_fault_events = [
        cause.evidence[0]
        for cause in causes
        if cause.cause == finding.cause and (is_derived or finding.id in cause.explained_by)
    ]
    accusing_events = sorted(
        (accusation.event for accusation in activity.accusations_received), key=lambda event: -event.severity
    )
    quotes: dict[str, Event] = {}
    for event in (*same_fault_events, *accusing_events):
        if event.node not in quoted_nodes:
            quotes.setdefault(event.node, event)
    further = list(quotes.values())[: max(0, free_places)]
    return replace(root, finding=replace(finding, evidence=(*finding.evidence, *further)))
