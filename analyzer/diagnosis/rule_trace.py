"""Explain why a rule fired or did not: each part of its condition on each node, and what happened to its findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analyzer.assembly.types import Assembly
from analyzer.diagnosis.accusations import PeerResolver
from analyzer.diagnosis.build_incident import scope_timeline
from analyzer.diagnosis.findings import Evaluation, find_findings
from analyzer.incident import Finding
from analyzer.model import Event, Kind, Role
from analyzer.redact.truncation import truncate
from analyzer.rules.condition_words import describe_condition, describe_head
from analyzer.rules.conditions import anchors_of
from analyzer.rules.evaluation.findings import MatchingEvents, anchor_groups
from analyzer.rules.evaluation.trace import ConditionTrace, locate_event, trace_condition
from analyzer.rules.rule_edges import silenced_ids
from analyzer.rules.types import Packs, Rule
from analyzer.wording import join_names

MAX_GROUPS = 20  # groups of events whose evaluation is shown
MAX_EVENTS = 4  # events shown of one part
MAX_TEXT = 140  # characters shown of a line
MAX_PATTERNS = 3  # patterns shown of a signal without events
_MARKS = {True: "✓", False: "✗", None: "?"}


def trace_rule(rule: Rule, assembly: Assembly, packs: Packs) -> Iterator[str]:
    """Yield lines of prose. Each group of anchor events (by node and by the captures of `by`) is shown separately."""
    resolver = PeerResolver(assembly.registry, assembly.semantics)
    evaluation = find_findings(assembly, scope_timeline(assembly, resolver, packs), resolver, packs)
    findings = [finding for finding in evaluation.findings if finding.rule == rule.id]
    groups = list(anchor_groups(rule, evaluation.timeline, resolver, packs, MatchingEvents()))
    traces = [(view, events, trace_condition(rule.when, view)) for view, events in groups]
    held = sum(trace.holds is True for *_, trace in traces)
    yield f"{rule.id}: {f'it fired, with {len(findings)} finding(s)' if findings else 'it did not fire'}"
    yield f"  defined in {rule.file}:{rule.line}"
    yield f"  it wants: {describe_condition(rule.when)}"
    if not traces:
        yield from _explain_missing_anchor(rule, evaluation, packs)
    for view, events, trace in sorted(traces, key=lambda item: item[2].holds is not True)[:MAX_GROUPS]:
        yield f"  on {view.node or 'no known node'}{_describe_group(rule, events)}:"
        yield from _format_trace(trace, "    ", is_negated=False)
    if len(traces) > MAX_GROUPS:
        yield f"  and {len(traces) - MAX_GROUPS} more groups of events; {held} of all {len(traces)} hold"
    yield from _explain_fate(rule, held, findings, evaluation.findings, packs)


def _explain_missing_anchor(rule: Rule, evaluation: Evaluation, packs: Packs) -> Iterator[str]:
    anchors = sorted(anchors_of(rule.when))
    yield f"  ✗ there is no event of {join_names(anchors)}, with which the rule begins"
    kinds = {kind for of_node in evaluation.timeline.kinds.values() for kind in of_node}
    for signal in (packs.signals[name] for name in anchors if name in packs.signals):
        if signal.kinds and not signal.kinds & kinds and Kind.UNKNOWN not in kinds:
            wanted = _join_kinds(signal.kinds)
            yield f"    {signal.name} is searched for in {wanted} sources; the bundle has {_join_kinds(kinds)}"
        for pattern in signal.match[:MAX_PATTERNS]:
            yield f"    {signal.name}: {pattern}"
        if len(signal.match) > MAX_PATTERNS:
            yield f"    and {len(signal.match) - MAX_PATTERNS} more patterns of {signal.name}"


def _join_kinds(kinds: Iterable[Kind]) -> str:
    return join_names(sorted(kind.value for kind in kinds), 9) or "none"


def _describe_group(rule: Rule, events: Sequence[Event]) -> str:
    values = [f"{name} {value}" for name in rule.by if (value := events[0].captures.get(name))]
    return f" ({', '.join(values)})" if values else ""


def _format_trace(trace: ConditionTrace, indent: str, is_negated: bool) -> Iterator[str]:
    """Yield the tree of the condition: a mark and the words of each part, its events, and what it lacks."""
    notes = "" if is_negated and not trace.events else "; ".join(trace.notes)
    head = describe_head(trace.condition) if trace.parts else describe_condition(trace.condition)
    yield f"{indent}{_MARKS[trace.holds]} {head}{f': {notes}' if notes else ''}"
    for part in trace.parts:
        yield from _format_trace(part, indent + "  ", is_negated=head.startswith(("not", "no ")))
    for event in () if trace.parts else trace.events[:MAX_EVENTS]:
        yield f"{indent}    {locate_event(event)}  {truncate(event.text.strip(), MAX_TEXT)}"
    if not trace.parts and len(trace.events) > MAX_EVENTS:
        yield f"{indent}    and {len(trace.events) - MAX_EVENTS} more"


def _explain_fate(
    rule: Rule, held: int, findings: Sequence[Finding], all_findings: Sequence[Finding], packs: Packs
) -> Iterator[str]:
    """Yield what happened to the rule's findings: silenced, demoted to context, or explained by others."""
    if held > len(findings):
        silencers = {
            finding.rule
            for finding in all_findings
            if rule.id in silenced_ids(packs.rules[finding.rule].silences, [rule.id])
        }
        by = join_names(sorted(silencers)) or "findings that it is merged with"
        yield f"  {held - len(findings)} of its findings dropped: silenced by {by}"
    rules_by_id = {finding.id: finding.rule for finding in all_findings}
    for finding in findings:
        yield f"  {finding.id} on {finding.node or 'the job'}: {finding.title}"
        if finding.role is Role.CONTEXT and rule.role is not Role.CONTEXT:
            yield f"    only context: {finding.why[-1] if finding.why else 'it is of another job or time'}"
        if finding.explained_by:
            names = dict.fromkeys(rules_by_id[name] for name in finding.explained_by if name in rules_by_id)
            yield f"    explained by {join_names(list(names))}"
