"""Equal crashes of several nodes, and a core with the kernel's line of the same crash, are one finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzer.incident import Finding, RootCause
from analyzer.model import Event

CRASH_CAPTURE = "crash"  # the capture that is equal for equal crashes
MAX_FOLDED_EVIDENCE = 20


def fold_crashes(findings: Sequence[Finding], roots: Sequence[RootCause]) -> tuple[list[Finding], list[RootCause]]:
    """The first of equal ones stays (a root cause before all), with the nodes of all in the capture `nodes`."""
    root_ids = {root.finding.id for root in roots}
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        key = (
            (finding.cause, finding.role, finding.captures[CRASH_CAPTURE])
            if CRASH_CAPTURE in finding.captures
            else (finding.id,)
        )
        groups.setdefault(key, []).append(finding)
    merged_into: dict[str, str] = {}
    folded: dict[str, Finding] = {}
    for group in groups.values():
        first = min(group, key=lambda member: (member.id not in root_ids, -member.confidence))
        merged_into |= {member.id: first.id for member in group}
        folded[first.id] = _merge_findings(first, group) if len(group) > 1 else first
    kept = [_relink(folded[member.id], merged_into) for member in findings if member.id in folded]
    return kept, [
        _update_root(root, folded.get(root.finding.id), merged_into) for root in roots if root.finding.id in folded
    ]


def _update_root(root: RootCause, finding: Finding | None, merged_into: dict[str, str]) -> RootCause:
    """The verdict may have taken the node away from a root's finding: only what folding adds is taken over."""
    root_finding = root.finding
    if finding is not None and finding.evidence != root_finding.evidence:
        node = root_finding.node if "nodes" not in finding.captures else None
        root_finding = replace(finding, node=node)
    return replace(root, finding=root_finding, explains=_translate_ids(root.explains, merged_into, root_finding.id))


def _merge_findings(first: Finding, group: Sequence[Finding]) -> Finding:
    """One piece of evidence of each finding before the second of any."""
    nodes = sorted({member.node for member in group if member.node})
    other_evidence = [member.evidence for member in group if member is not first]
    evidence = [*first.evidence, *_round_robin(other_evidence)]
    unique = list({(event.locus, event.signal): event for event in evidence}.values())
    captures = {**first.captures, "nodes": ", ".join(nodes)} if len(nodes) > 1 else first.captures
    same_rule = [member for member in group if member.rule == first.rule]
    return replace(
        first,
        evidence=tuple(unique[: max(MAX_FOLDED_EVIDENCE, len(first.evidence))]),
        node=first.node if len(nodes) <= 1 else None,
        count=sum(member.count for member in same_rule),
        captures=captures,
        title=first.title.replace(f"{first.node}:", f"{len(nodes)} nodes:", 1) if len(nodes) > 1 else first.title,
        time=min((member.time for member in group if member.time is not None), default=None),
        explained_by=tuple(dict.fromkeys(name for member in group for name in member.explained_by)),
    )


def _round_robin(lists: Sequence[Sequence[Event]]) -> list[Event]:
    depth = max((len(items) for items in lists), default=0)
    return [items[index] for index in range(depth) for items in lists if index < len(items)]


def _relink(finding: Finding, merged_into: dict[str, str]) -> Finding:
    return replace(finding, explained_by=_translate_ids(finding.explained_by, merged_into, finding.id))


def _translate_ids(names: Sequence[str], merged_into: dict[str, str], own_id: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(new for name in names if (new := merged_into.get(name, name)) != own_id))
