"""Rules over a timeline: one finding for each rule, node and distinct value of its `by` captures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from analyzer.incident import Finding
from analyzer.model import Event, Kind, Role, Severity
from analyzer.rules.captures import matches, said_by, said_by_all, value_of
from analyzer.rules.conditions import anchors_of
from analyzer.rules.fill import fill, sentence, state
from analyzer.rules.holds import evaluate
from analyzer.rules.keys import SEVERITIES
from analyzer.rules.types import Packs, Rule
from analyzer.rules.values import SlowPatternError
from analyzer.rules.view import NotEvaluatedError
from analyzer.timeline.order import Timeline

MOST = 50  # findings of one rule on one node; further values of `by` are folded into the last
LASTING = 86400.0  # seconds; a broken part that nobody mended for longer did not stop the jobs between
EVIDENCE = 12  # events that a finding keeps


@dataclass(frozen=True, slots=True)
class Missing:
    """A rule that could not be judged, the signal that would have decided, and where.

    `slow` is the pattern of a test for which the rule was given up.
    """

    rule: str
    signal: str
    nodes: tuple[str, ...]
    slow: str = ""


Key = tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]


class Seen(dict[Key, dict[str, list[Event]]]):
    """What all nodes have of a signal, asked for once and not once a node."""

    def __init__(self) -> None:
        super().__init__()
        self.earliest: dict[Key, dict[str, float | None]] = {}


class Names(Protocol):
    """Turns what a line names (task, address, host) into nodes."""

    def accused(self, event: Event) -> tuple[str, ...]: ...


@dataclass(slots=True)
class _View:
    """One node's eyes on the timeline; `anchors` narrows the anchor signals to one group of events."""

    timeline: Timeline
    names: Names
    packs: Packs
    node: str
    anchors: Mapping[str, Sequence[Event]]
    said: Mapping[str, tuple[str, ...]]
    seen: Seen

    def events(self, signal: str, scope: str) -> Sequence[Event]:
        nodes = self.timeline.by_signal.get(signal, {})
        if scope == "same_node":
            return self.anchors[signal] if signal in self.anchors else nodes.get(self.node, ())
        if scope == "any_node":
            return [event for events in nodes.values() for event in events]
        if scope == "accused_node":
            accused = dict.fromkeys(
                name for events in self.anchors.values() for event in events for name in self.names.accused(event)
            )
            return [event for name in accused for event in nodes.get(name, ())]
        return [event for name, events in nodes.items() if name != self.node for event in events]

    def time(self, event: Event) -> float | None:
        return self.timeline.time(event)

    def error(self, event: Event) -> float:
        """How far the event's time may be off from this node's clock."""
        return 0.0 if event.node == self.node else self.timeline.error(event.node) + self.timeline.error(self.node)

    def is_surely_before(self, event: Event, other: Event) -> bool:
        return self.timeline.is_surely_before(event, other)

    def nodes_with(self, signal: str, where: Mapping[str, tuple[str, ...]]) -> Mapping[str, Sequence[Event]]:
        key = (signal, tuple(sorted(where.items())))
        if key not in self.seen:
            kept = {
                node: [event for event in events if matches(where, event)]
                for node, events in self.timeline.by_signal.get(signal, {}).items()
            }
            self.seen[key] = {node: events for node, events in kept.items() if events}
        return self.seen[key]

    def earliest(self, signal: str, where: Mapping[str, tuple[str, ...]]) -> Mapping[str, float | None]:
        key = (signal, tuple(sorted(where.items())))
        if key not in self.seen.earliest:
            self.seen.earliest[key] = {
                node: min((time for event in events if (time := self.time(event)) is not None), default=None)
                for node, events in self.nodes_with(signal, where).items()
            }
        return self.seen.earliest[key]

    def node_count(self) -> int:
        return len(self.timeline.nodes)

    def dropped(self, signal: str) -> int:
        """Events of this node that were counted and not kept; 0 where this is one group of several."""
        kept = self.timeline.by_signal.get(signal, {}).get(self.node, ())
        whole = len(self.anchors.get(signal, kept)) == len(kept)
        return self.timeline.dropped.get((signal, self.node), 0) if whole else 0

    def covers(self, signal: str) -> bool:
        wanted = self.packs.signals[signal].kinds if signal in self.packs.signals else frozenset()
        present = self.timeline.kinds.get(self.node, set())
        return bool(present) if not wanted else bool(wanted & present) or Kind.UNKNOWN in present


def find(
    rules: Iterable[Rule], timeline: Timeline, names: Names, packs: Packs, earlier: Sequence[Finding] = ()
) -> tuple[list[Finding], list[Missing]]:
    """Findings in no particular order, and the rules that could not be judged.

    `earlier` ones count where rules ask for each other.
    """
    findings: list[Finding] = []
    missing: dict[tuple[str, str], list[str]] = {}
    seen = Seen()
    given_up: list[Missing] = []
    for rule in rules:
        try:
            for view, group in _groups(rule, timeline, names, packs, seen):
                try:
                    evidence = evaluate(rule.when, view)
                except NotEvaluatedError as lack:
                    missing.setdefault((rule.id, lack.signal), []).append(view.node)
                    continue
                if evidence:
                    made = make_finding(rule, evidence, group, timeline, names, len(findings))
                    findings.append(_outside(made, group, timeline, packs))
        except SlowPatternError as slow:  # the next group would only take as long again
            given_up.append(Missing(rule.id, "", (), slow.pattern))
    lacking = [Missing(rule, signal, tuple(nodes)) for (rule, signal), nodes in missing.items()]
    return _shift(findings, earlier, timeline, packs), [*lacking, *given_up]


def _shift(findings: Sequence[Finding], earlier: Sequence[Finding], timeline: Timeline, packs: Packs) -> list[Finding]:
    """Each finding with the confidence that the other signals and rules on its node leave it."""
    held = {(finding.rule, finding.node) for finding in (*earlier, *findings)}
    ready = []
    for finding in findings:
        there = [
            change
            for name, change in packs.rules[finding.rule].shifts
            if name != finding.rule
            and ((name, finding.node) in held or finding.node in timeline.by_signal.get(name, {}))
        ]
        ready.append(
            replace(finding, confidence=round(min(max(finding.confidence + sum(there), 0.0), 1.0), 3))
            if there
            else finding
        )
    return ready


def _groups(
    rule: Rule, timeline: Timeline, names: Names, packs: Packs, seen: Seen
) -> Iterator[tuple[_View, list[Event]]]:
    anchors = anchors_of(rule.when)
    by_node: dict[str, list[Event]] = {}
    for signal in sorted(anchors):  # the order of a set differs from run to run
        for node, events in timeline.by_signal.get(signal, {}).items():
            by_node.setdefault(node, []).extend(events)
    for node, events in by_node.items():
        inside, outside = list[Event](), list[Event]()
        for event in events:
            (outside if timeline.is_outside(event) else inside).append(event)
        for group in (*_by_captures(rule, inside), *_by_captures(rule, outside)):
            narrowed: dict[str, list[Event]] = {signal: [] for signal in anchors}
            for event in group:
                narrowed[event.signal].append(event)
            yield _View(timeline, names, packs, node, narrowed, said_by_all(group, rule.aliases), seen), group


def _outside(finding: Finding, group: Sequence[Event], timeline: Timeline, packs: Packs) -> Finding:
    """What is of another job, or of its time, is context. A part that broke shortly before may still be broken."""
    if finding.role is Role.CONTEXT or not timeline.is_outside(group[0]):
        return finding
    if stranger := timeline.ours.disown(group[0]):
        return replace(finding, role=Role.CONTEXT, why=(*finding.why, stranger))
    if finding.time is None:
        return finding
    lasts = packs.causes.get(finding.cause or "", {}).get("lasts", "").lower() == "true"
    if lasts and timeline.span.holds(finding.time, lasting=LASTING):
        return finding
    why = timeline.span.say_outside(time for event in group if (time := timeline.time(event)) is not None)
    return replace(finding, role=Role.CONTEXT, why=(*finding.why, why))


def _by_captures(rule: Rule, events: Iterable[Event]) -> Iterable[list[Event]]:
    groups: dict[tuple[str, ...], list[Event]] = {}
    for event in events:
        said = said_by(event, rule.aliases)
        key = tuple(said.get(name) or value_of(event, name) or "" for name in rule.by)
        if key not in groups and len(groups) >= MOST:
            key = next(reversed(groups))
        groups.setdefault(key, []).append(event)
    return groups.values()


def make_finding(
    rule: Rule, evidence: Sequence[Event], group: Sequence[Event], timeline: Timeline, names: Names, number: int
) -> Finding:
    """A cause is placed on the node that its line names, everything else where the line stands."""
    captures: dict[str, str] = {}
    for event in evidence:
        for name, value in said_by(event, rule.aliases).items():
            captures.setdefault(name, value)
    anchor = evidence[0]
    node, task = anchor.node, anchor.task
    accused = set(names.accused(anchor)) if rule.role is Role.CAUSE else set()
    if len(accused) == 1 and (culprit := accused.pop()) != node:
        node, task = culprit, None
    values = {
        **captures,
        "node": node or "the job",
        "task": task or captures.get("task", "?"),
        "count": str(len(group)),
        "file": anchor.locus.file,
        "line": str(anchor.locus.line or ""),
    }
    cause = fill(rule.cause, values) if rule.cause else None
    times = [time for event in evidence if event.node == anchor.node and (time := timeline.time(event)) is not None]
    return Finding(
        id=f"f{number + 1}",
        rule=rule.id,
        role=rule.role,
        severity=SEVERITIES.get(fill(rule.severity, values), Severity.ERROR),
        evidence=tuple(evidence[:EVIDENCE]),
        cause=cause,
        node=node or None,
        task=task,
        time=min(times, default=None),
        count=sum(event.count for event in group),
        captures=captures,
        title=state(rule.title, values, node),
        summary=sentence(state(rule.summary, values, node)),
        confidence=rule.confidence,
        pack=rule.pack,
        why=tuple(fill(line, values) for line in rule.why),
        replay=rule.replay,
    )


def move(finding: Finding, rule: Rule | None, node: str | None) -> Finding:
    """The finding on another node, or on none; its words go with it. Those of several nodes folded into one stay."""
    if rule is None or node == finding.node or "nodes" in finding.captures:
        return replace(finding, node=node)
    locus = finding.evidence[0].locus
    values = {
        **finding.captures,
        "task": finding.task or finding.captures.get("task", "?"),
        "count": str(finding.count),
        "file": locus.file,
        "line": str(locus.line or ""),
    }
    title, summary = state(rule.title, values, node), sentence(state(rule.summary, values, node))
    return replace(finding, node=node, title=title, summary=summary)
