"""Place causes that no known node logged on the node that died of them.

Several programs can write into one file without prefixes. Two kinds of lines still say which process ended: lines of
the launcher, and lines of the peers that lost it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from analyzer.diagnosis.accusations import PeerResolver
from analyzer.diagnosis.exit_status import is_teardown
from analyzer.facts.cluster_spec import read_task
from analyzer.incident import UNKNOWN_CAUSE, Cause, Finding
from analyzer.model import Event, Role
from analyzer.rules.evaluation.findings import relocate_finding
from analyzer.rules.types import Packs
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.precedence import DYING_PROCESS_S, Order, compare_lines
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.numbers import read_whole

_log = logging.getLogger("analyzer.diagnosis")

GONE_KINDS = frozenset({"lost", "refused"})  # what peers report of a process that no longer exists


@dataclass(frozen=True, slots=True)
class MissedPeer:
    """The peer that a line reports as gone. Its task, its node or both are known."""

    node: str | None
    task: str | None  # `worker:1`


class Report(NamedTuple):
    """A line that reports a peer as gone."""

    time: float  # corrected UTC seconds
    event: Event
    peer: MissedPeer


def place_on_dead_node(
    findings: Sequence[Finding], timeline: Timeline, semantics: SignalSemantics, resolver: PeerResolver, packs: Packs
) -> list[Finding]:
    """Return the findings. A cause without a node is placed on the node that died of it, if exactly one node did."""
    events = [event for event in timeline.events if not timeline.scope.why_foreign(event)]
    reported_dead = _find_reported_dead(events, semantics, resolver)
    missed = _find_missed(events, timeline, semantics, resolver)
    return [
        _place(finding, reported_dead, missed, packs)
        if finding.node is None and finding.task is None and finding.role is Role.CAUSE
        else finding
        for finding in findings
    ]


def _place(
    finding: Finding, reported_dead: Mapping[str, set[MissedPeer]], missed: Sequence[Report], packs: Packs
) -> Finding:
    peers, why = reported_dead.get(finding.evidence[0].locus.file, set()), "the only process that failed in its file"
    if len(peers) != 1 and _ends_the_process(packs.causes.get(finding.cause or "", UNKNOWN_CAUSE)):
        peers, why = _first_missed_after(finding, missed), "whom the others missed first"
    if len(peers) != 1:
        return finding
    (peer,) = peers
    _log.debug("finding %s is placed on %s, %s", finding.rule, peer.node or peer.task, why)
    placed = relocate_finding(finding, packs.rules.get(finding.rule), peer.node) if peer.node else finding
    return replace(placed, task=peer.task or placed.task)


def _find_reported_dead(
    events: Iterable[Event], semantics: SignalSemantics, resolver: PeerResolver
) -> Mapping[str, set[MissedPeer]]:
    """Return file → the peers that the launcher's lines in it report as failed.

    After one failure, launchers end all other tasks with SIGTERM. These count only if no task ended in another way.
    """
    peers: dict[bool, dict[str, set[MissedPeer]]] = {False: {}, True: {}}
    for event in events:
        is_end = semantics.has_meaning("exit", event)
        named = peers[is_teardown(event)].setdefault(event.locus.file, set())
        if event.captures.get("how") == "failed" or is_end:
            named.update(MissedPeer(node, None) for node in resolver.accused(event))
        if (is_end or semantics.has_meaning("placement", event)) and read_whole(event.captures.get("code")):
            named.update(_named_dead(event, resolver))
    return {file: named or peers[True].get(file, set()) for file, named in (peers[True] | peers[False]).items()}


def _named_dead(event: Event, resolver: PeerResolver) -> Iterator[MissedPeer]:
    """Yield the peer that a launcher's line with an exit status names: a node, or a task whose node is unknown."""
    name = event.captures.get("host", "")
    if name and event.node:
        yield MissedPeer(event.node, None)
    elif ":" in name and (task := read_task(name)) and resolver.resolve(task) is None:
        yield MissedPeer(None, task)


def _find_missed(
    events: Iterable[Event], timeline: Timeline, semantics: SignalSemantics, resolver: PeerResolver
) -> list[Report]:
    """Return all reports that a peer is gone, in order of time."""
    reports = [
        Report(time, event, peer)
        for event in events
        if semantics.has_meaning("accuses", event) and event.captures.get("how", "lost") in GONE_KINDS
        if (time := timeline.corrected_time(event)) is not None
        for peer in _missed_peers(event, resolver)
    ]
    return sorted(reports, key=lambda report: report.time)


def _missed_peers(event: Event, resolver: PeerResolver) -> Iterator[MissedPeer]:
    task = read_task(event.captures.get("task"))
    nodes = resolver.accused(event)
    yield from (MissedPeer(node, task if len(nodes) == 1 else None) for node in nodes)
    if task and not nodes and resolver.resolve(task) is None:
        yield MissedPeer(None, task)


def _ends_the_process(cause: Cause) -> bool:
    return bool(cause.endings) and not cause.survivable and "ok" not in cause.endings


def _first_missed_after(finding: Finding, missed: Sequence[Report]) -> set[MissedPeer]:
    """Return the peers that were reported as gone first, if no peer was reported before the fault.

    A node that loses a peer ends too and is then reported itself, so only the first reports count.
    """
    if finding.time is None or not missed or missed[0].time < finding.time - DYING_PROCESS_S:
        return set()
    first_reports = [report for report in missed if report.time <= missed[0].time + DYING_PROCESS_S]
    # Lines without a stamp have the time of the line before them, so within one file the line numbers decide.
    if any(compare_lines(report.event, finding.evidence[0]) is Order.BEFORE for report in first_reports):
        return set()
    peers = {report.peer for report in first_reports}
    with_task = {peer.node for peer in peers if peer.task}
    return {peer for peer in peers if peer.task or peer.node not in with_task}  # by its task, and by its address
