"""Equal crashes of several nodes, and a core with the kernel's line of the same crash, are one finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzer.incident import Finding, RootCause
from analyzer.model import Event

CRASH = "crash"  # the capture that is equal for equal crashes
MAX_EVIDENCE = 20


def fold_crashes(findings: Sequence[Finding], roots: Sequence[RootCause]) -> tuple[list[Finding], list[RootCause]]:
    """The first of equal ones stays (a root cause before all), with the nodes of all in the capture `nodes`."""
    leading = {root.finding.id for root in roots}
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        key = (finding.cause, finding.role, finding.captures[CRASH]) if CRASH in finding.captures else (finding.id,)
        groups.setdefault(key, []).append(finding)
    into: dict[str, str] = {}
    folded: dict[str, Finding] = {}
    for group in groups.values():
        first = min(group, key=lambda one: (one.id not in leading, -one.confidence))
        into |= {one.id: first.id for one in group}
        folded[first.id] = _merge(first, group) if len(group) > 1 else first
    kept = [_relink(folded[one.id], into) for one in findings if one.id in folded]
    return kept, [_refresh(root, folded.get(root.finding.id), into) for root in roots if root.finding.id in folded]


def _refresh(root: RootCause, finding: Finding | None, into: dict[str, str]) -> RootCause:
    """The verdict may have taken the node away from a root's finding: only what folding adds is taken over."""
    own = root.finding
    if finding is not None and finding.evidence != own.evidence:
        node = own.node if "nodes" not in finding.captures else None
        own = replace(finding, node=node)
    return replace(root, finding=own, explains=_translate(root.explains, into, own.id))


def _merge(first: Finding, group: Sequence[Finding]) -> Finding:
    """One piece of evidence of each finding before the second of any."""
    nodes = sorted({one.node for one in group if one.node})
    others = [one.evidence for one in group if one is not first]
    evidence = [*first.evidence, *_in_turn(others)]
    unique = list({(event.locus, event.signal): event for event in evidence}.values())
    captures = {**first.captures, "nodes": ", ".join(nodes)} if len(nodes) > 1 else first.captures
    crashes = [one for one in group if one.rule == first.rule]
    return replace(
        first,
        evidence=tuple(unique[: max(MAX_EVIDENCE, len(first.evidence))]),
        node=first.node if len(nodes) <= 1 else None,
        count=sum(one.count for one in crashes),
        captures=captures,
        title=first.title.replace(f"{first.node}:", f"{len(nodes)} nodes:", 1) if len(nodes) > 1 else first.title,
        time=min((one.time for one in group if one.time is not None), default=None),
        explained_by=tuple(dict.fromkeys(name for one in group for name in one.explained_by)),
    )


def _in_turn(lists: Sequence[Sequence[Event]]) -> list[Event]:
    depth = max((len(one) for one in lists), default=0)
    return [one[index] for index in range(depth) for one in lists if index < len(one)]


def _relink(finding: Finding, into: dict[str, str]) -> Finding:
    return replace(finding, explained_by=_translate(finding.explained_by, into, finding.id))


def _translate(names: Sequence[str], into: dict[str, str], own: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(new for name in names if (new := into.get(name, name)) != own))
