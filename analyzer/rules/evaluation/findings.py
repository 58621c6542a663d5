"""Evaluate rules over a timeline: one finding for each rule, node and distinct value of its `by` captures."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from analyzer.facts.cluster_spec import read_task
from analyzer.incident import UNKNOWN_CAUSE, Finding
from analyzer.model import Event, Kind, Role, Severity
from analyzer.rules.conditions import anchors_of
from analyzer.rules.evaluation.captures import aliased_captures, capture_value, event_matches, merge_captures
from analyzer.rules.evaluation.conditions import evaluate_condition
from analyzer.rules.evaluation.odd_values import OddValues, find_odd_values
from analyzer.rules.evaluation.templates import end_sentence, fill_sentence, fill_template
from analyzer.rules.evaluation.view import NotEvaluatedError
from analyzer.rules.parsing.keys import SEVERITIES
from analyzer.rules.types import Packs, Rule
from analyzer.signals.types import CaptureTests
from analyzer.signals.value_tests import SlowPatternError
from analyzer.timeline.timeline import Timeline
from analyzer.wording import join_names

_log = logging.getLogger("analyzer.rules")

MAX_FINDINGS_PER_NODE = 50  # findings of one rule on one node; further values of `by` are added to the last finding
LASTING_FAULT_S = 86400.0  # an older fault did not stop the jobs in between, so it is not this job's cause
MAX_EVIDENCE_EVENTS = 12  # events that a finding keeps as evidence


@dataclass(frozen=True, slots=True)
class UnevaluatedRule:
    """A rule that could not be evaluated, the signal that would have decided, and the nodes.

    `slow_pattern` is the pattern of a test that took too long: the rule was given up for it.
    """

    rule: str
    signal: str
    nodes: tuple[str, ...]
    slow_pattern: str = ""


SignalTestKey = tuple[str, CaptureTests]


class MatchingEvents(dict[SignalTestKey, dict[str, list[Event]]]):
    """Cache of the events that all nodes have of a signal, so that they are collected once and not once a node."""

    def __init__(self) -> None:
        super().__init__()
        self.earliest_times: dict[SignalTestKey, dict[str, float | None]] = {}
        self.odd_values: dict[tuple[str, SignalTestKey], OddValues] = {}


class AccusationResolver(Protocol):
    """Resolves what a line names (task, address, host) to nodes."""

    def accused(self, event: Event) -> tuple[str, ...]: ...


@dataclass(slots=True)
class _NodeView:
    """The timeline as seen from one node. `anchors` restricts the anchor signals to one group of events."""

    timeline: Timeline
    resolver: AccusationResolver
    packs: Packs
    node: str
    anchors: Mapping[str, Sequence[Event]]
    anchor_captures: Mapping[str, tuple[str, ...]]
    matching_events: MatchingEvents

    def events(self, signal: str, scope: str) -> Sequence[Event]:
        nodes = self.timeline.by_signal.get(signal, {})
        if scope == "same_node":
            return self.anchors[signal] if signal in self.anchors else nodes.get(self.node, ())
        if scope == "any_node":
            return [event for events in nodes.values() for event in events]
        if scope == "accused_node":
            accused_nodes = dict.fromkeys(
                name for events in self.anchors.values() for event in events for name in self.resolver.accused(event)
            )
            return [event for name in accused_nodes for event in nodes.get(name, ())]
        return [event for name, events in nodes.items() if name != self.node for event in events]

    def time(self, event: Event) -> float | None:
        return self.timeline.corrected_time(event)

    def time_error(self, event: Event) -> float:
        """Return by how many seconds the event's time may differ from this node's clock."""
        return (
            0.0
            if event.node == self.node
            else self.timeline.clock_error(event.node) + self.timeline.clock_error(self.node)
        )

    def is_surely_before(self, event: Event, other: Event) -> bool:
        return self.timeline.is_surely_before(event, other)

    def nodes_with(self, signal: str, where: CaptureTests) -> Mapping[str, Sequence[Event]]:
        key = (signal, where)
        if key not in self.matching_events:
            matching = {
                node: [event for event in events if event_matches(where, event)]
                for node, events in self.timeline.by_signal.get(signal, {}).items()
            }
            self.matching_events[key] = {node: events for node, events in matching.items() if events}
        return self.matching_events[key]

    def earliest_times(self, signal: str, where: CaptureTests) -> Mapping[str, float | None]:
        key = (signal, where)
        if key not in self.matching_events.earliest_times:
            self.matching_events.earliest_times[key] = {
                node: min((time for event in events if (time := self.time(event)) is not None), default=None)
                for node, events in self.nodes_with(signal, where).items()
            }
        return self.matching_events.earliest_times[key]

    def odd_values(self, capture: str, signal: str, where: CaptureTests) -> OddValues:
        key = (capture, (signal, where))
        if key not in self.matching_events.odd_values:
            self.matching_events.odd_values[key] = find_odd_values(capture, self.nodes_with(signal, where))
        return self.matching_events.odd_values[key]

    def node_count(self) -> int:
        return len(self.timeline.nodes)

    def dropped_count(self, signal: str) -> int:
        """Return how many events of this node were counted but not kept; 0 if the view has one group of several."""
        kept_events = self.timeline.by_signal.get(signal, {}).get(self.node, ())
        is_whole_group = len(self.anchors.get(signal, kept_events)) == len(kept_events)
        return self.timeline.dropped_counts.get((signal, self.node), 0) if is_whole_group else 0

    def has_sources_for(self, signal: str) -> bool:
        signal_kinds = self.packs.signals[signal].kinds if signal in self.packs.signals else frozenset()
        node_kinds = self.timeline.kinds.get(self.node, set())
        return bool(node_kinds) if not signal_kinds else bool(signal_kinds & node_kinds) or Kind.UNKNOWN in node_kinds


def evaluate_rules(
    rules: Sequence[Rule],
    timeline: Timeline,
    resolver: AccusationResolver,
    packs: Packs,
    earlier: Sequence[Finding] = (),
) -> tuple[list[Finding], list[UnevaluatedRule]]:
    """Return the findings, in no particular order, and the rules that could not be evaluated.

    `earlier` are findings of rules that were evaluated before; rules can refer to them in `confidence`.
    """
    findings, unevaluated = find_without_log(rules, timeline, resolver, packs, earlier)
    _log.info("%d rules made %d findings; %d could not be evaluated", len(rules), len(findings), len(unevaluated))
    for rule in unevaluated:
        if rule.slow_pattern:
            _log.info("rule %s is given up: the test %r takes too long", rule.rule, rule.slow_pattern)
        else:
            _log.debug("rule %s is not evaluated on %s: no source for signal %s", rule.rule, rule.nodes, rule.signal)
    if _log.isEnabledFor(logging.DEBUG):
        for finding in findings:
            first = finding.evidence[0].locus if finding.evidence else None
            _log.debug(
                "finding %s of rule %s on %s: %s, confidence %.2f, first evidence %s:%s",
                finding.id,
                finding.rule,
                finding.node or "the job",
                finding.role.value,
                finding.confidence,
                first.file if first else "none",
                first.line if first else None,
            )
    return findings, unevaluated


def find_without_log(
    rules: Iterable[Rule],
    timeline: Timeline,
    resolver: AccusationResolver,
    packs: Packs,
    earlier: Sequence[Finding] = (),
) -> tuple[list[Finding], list[UnevaluatedRule]]:
    """Return the same as `evaluate_rules`, for callers that evaluate thousands of tiny timelines."""
    findings: list[Finding] = []
    unevaluated: dict[tuple[str, str], list[str]] = {}
    matching_events = MatchingEvents()
    timed_out: list[UnevaluatedRule] = []
    for rule in rules:
        try:
            for view, group in anchor_groups(rule, timeline, resolver, packs, matching_events):
                try:
                    evidence = evaluate_condition(rule.when, view)
                except NotEvaluatedError as not_evaluated:
                    unevaluated.setdefault((rule.id, not_evaluated.signal), []).append(view.node)
                    continue
                if evidence:
                    finding = make_finding(rule, evidence, group, timeline, resolver, len(findings))
                    findings.append(_demote_if_outside_job(finding, group, timeline, packs))
        except SlowPatternError as timeout:  # the next group would take as long again
            timed_out.append(UnevaluatedRule(rule.id, "", (), timeout.pattern))
    without_source = [UnevaluatedRule(rule, signal, tuple(nodes)) for (rule, signal), nodes in unevaluated.items()]
    return _adjust_confidence(findings, earlier, timeline, packs), [*without_source, *timed_out]


def _adjust_confidence(
    findings: Sequence[Finding], earlier: Sequence[Finding], timeline: Timeline, packs: Packs
) -> list[Finding]:
    """Return the findings with the confidence that the other signals and rules on their nodes give them."""
    fired = {(finding.rule, finding.node) for finding in (*earlier, *findings)}
    adjusted = []
    for finding in findings:
        shifts = [
            shift
            for name, shift in packs.rules[finding.rule].confidence_shifts
            if name != finding.rule
            and ((name, finding.node) in fired or finding.node in timeline.by_signal.get(name, {}))
        ]
        adjusted.append(
            replace(finding, confidence=round(min(max(finding.confidence + sum(shifts), 0.0), 1.0), 3))
            if shifts
            else finding
        )
    return adjusted


def anchor_groups(
    rule: Rule, timeline: Timeline, resolver: AccusationResolver, packs: Packs, matching_events: MatchingEvents
) -> Iterator[tuple[_NodeView, list[Event]]]:
    """Yield the groups of anchor events that are evaluated, each with the view of its node.

    Events outside this job, or its time, form groups of their own.
    """
    anchors = anchors_of(rule.when)
    by_node: dict[str, list[Event]] = {}
    for signal in sorted(anchors):  # sorted, because the order of a set differs from run to run
        for node, events in timeline.by_signal.get(signal, {}).items():
            by_node.setdefault(node, []).extend(events)
    for node, events in by_node.items():
        inside, outside = list[Event](), list[Event]()
        for event in events:
            (outside if timeline.is_outside(event) else inside).append(event)
        for group in (*_group_by_captures(rule, inside), *_group_by_captures(rule, outside)):
            anchor_events: dict[str, list[Event]] = {signal: [] for signal in anchors}
            for event in group:
                anchor_events[event.signal].append(event)
            yield (
                _NodeView(
                    timeline=timeline,
                    resolver=resolver,
                    packs=packs,
                    node=node,
                    anchors=anchor_events,
                    anchor_captures=merge_captures(group, rule.aliases),
                    matching_events=matching_events,
                ),
                group,
            )


def _demote_if_outside_job(finding: Finding, group: Sequence[Event], timeline: Timeline, packs: Packs) -> Finding:
    """Return the finding as context if it belongs to another job or another time.

    A lasting fault that occurred shortly before the job may still be present, so it is not demoted.
    """
    if finding.role is Role.CONTEXT or not timeline.is_outside(group[0]):
        return finding
    if foreign_reason := timeline.scope.why_foreign(group[0]):
        return replace(finding, role=Role.CONTEXT, why=(*finding.why, foreign_reason))
    if finding.time is None:
        return finding
    is_lasting = packs.causes.get(finding.cause or "", UNKNOWN_CAUSE).lasting
    if is_lasting and timeline.window.may_hold(finding.time, duration=LASTING_FAULT_S):
        return finding
    why = timeline.window.explain_outside(
        time for event in group if (time := timeline.corrected_time(event)) is not None
    )
    return replace(finding, role=Role.CONTEXT, why=(*finding.why, why))


def _group_by_captures(rule: Rule, events: Iterable[Event]) -> Iterable[list[Event]]:
    """Return the events grouped by their `by` captures."""
    groups: dict[tuple[str, ...], list[Event]] = {}
    for event in events:
        captures = aliased_captures(event, rule.aliases)
        key = tuple(captures.get(name) or capture_value(event, name) or "" for name in rule.by)
        if key not in groups and len(groups) >= MAX_FINDINGS_PER_NODE:
            key = next(reversed(groups))
        groups.setdefault(key, []).append(event)
    return groups.values()


def make_finding(
    rule: Rule,
    evidence: Sequence[Event],
    group: Sequence[Event],
    timeline: Timeline,
    resolver: AccusationResolver,
    earlier_findings: int,
) -> Finding:
    """Return the finding of a rule.

    A cause is placed on the node that its line names, everything else on the node of the line. `earlier_findings` is
    the number of findings made so far, from which the id follows.
    """
    captures: dict[str, str] = {}
    for event in evidence:
        for name, value in aliased_captures(event, rule.aliases).items():
            captures.setdefault(name, value)
    anchor = evidence[0]
    node, task = anchor.node, anchor.task
    accused_nodes = set(resolver.accused(anchor)) if rule.role is Role.CAUSE else set()
    if len(accused_nodes) == 1 and (culprit := accused_nodes.pop()) != node:
        node, task = culprit, None
    if not node and task is None and rule.role is Role.CAUSE:  # a task that no node of the bundle is known to be
        task = next((read_task(name) for key in ("task", "host") if ":" in (name := captures.get(key, ""))), None)
    values = {
        **captures,
        "node": node or "the job",
        "task": _lost_peer(captures, anchor, resolver) if rule.role is Role.SYMPTOM else _named_task(captures, task),
        "count": str(len(group)),
        "file": anchor.locus.file,
        "line": str(anchor.locus.line or ""),
    }
    cause = fill_template(rule.cause, values) if rule.cause else None
    times = [
        time for event in evidence if event.node == anchor.node and (time := timeline.corrected_time(event)) is not None
    ]
    return Finding(
        id=f"f{earlier_findings + 1}",
        rule=rule.id,
        role=rule.role,
        severity=SEVERITIES.get(fill_template(rule.severity, values), Severity.ERROR),
        evidence=tuple(evidence[:MAX_EVIDENCE_EVENTS]),
        cause=cause,
        node=node or None,
        task=task,
        time=min(times, default=None),
        count=sum(event.count for event in group),
        captures=captures,
        title=fill_sentence(rule.title, values, node),
        summary=end_sentence(fill_sentence(rule.summary, values, node)),
        confidence=rule.confidence,
        pack=rule.pack,
        why=tuple(fill_template(line, values) for line in rule.why),
        replay=rule.replay,
    )


def _named_task(captures: Mapping[str, str], own_task: str | None) -> str:
    """Return the task that a title names: the one that the line names, as `worker:1`, or else the line's own task."""
    named = captures.get("task", "")
    return read_task(named) or named or own_task or ""


def _lost_peer(captures: Mapping[str, str], anchor: Event, resolver: AccusationResolver) -> str:
    """Return the peer that a symptom is about: the task that the line names, or else the accused nodes.

    The speaker's own task is never meant.
    """
    return _named_task(captures, None) or join_names(sorted(resolver.accused(anchor)), 3) or "another task"


def relocate_finding(finding: Finding, rule: Rule | None, node: str | None) -> Finding:
    """Return the finding placed on another node, or on none, with its texts filled again.

    A finding that merges those of several nodes keeps its texts.
    """
    if rule is None or node == finding.node or "nodes" in finding.captures:
        return replace(finding, node=node)
    locus = finding.evidence[0].locus
    values = {
        **finding.captures,
        "task": _named_task(finding.captures, finding.task),
        "count": str(finding.count),
        "file": locus.file,
        "line": str(locus.line or ""),
    }
    title, summary = fill_sentence(rule.title, values, node), end_sentence(fill_sentence(rule.summary, values, node))
    return replace(finding, node=node, title=title, summary=summary)
