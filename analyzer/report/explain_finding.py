"""Explain a finding of a written report: why it was made, and why other rules of its cause did not fire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.formats import read_line
from analyzer.reading.hit_blocks import fill_captures
from analyzer.reading.plan import CompiledSignal
from analyzer.reading.regex_budget import RegexTimeoutBudget
from analyzer.redact.truncation import truncate
from analyzer.report.document import WrittenEvaluationGap, WrittenEvent, WrittenFinding, WrittenIncident
from analyzer.report.written_evidence import WrittenEvidence
from analyzer.rules.conditions import anchors_of
from analyzer.rules.linting.faults import signal_conditions
from analyzer.rules.types import Packs, Rule
from analyzer.signals.compiled_patterns import compile_pattern
from analyzer.signals.types import Signal

MAX_LINE_CHARS = 160  # characters shown of a line
MAX_EVIDENCE_LINES = 8  # lines of evidence shown


@dataclass(frozen=True, slots=True)
class LineMatch:
    """The pattern that finds the line, and its captures (including `also`, `set` and table rows)."""

    pattern: str
    captures: Mapping[str, str]


def find_finding(incident: WrittenIncident, name: str) -> WrittenFinding | None:
    """Return the finding with this id (`f3`), or the first finding of the rule with this id, or None."""
    by_id = next((finding for finding in incident.findings if finding.id == name), None)
    return by_id or next((finding for finding in incident.findings if finding.rule == name), None)


def explain_finding(incident: WrittenIncident, finding: WrittenFinding, packs: Packs) -> Iterator[str]:
    """Yield lines of prose that explain the finding."""
    yield f"{finding.id}  {finding.rule}  cause {finding.cause or 'none'}, on {finding.node or 'the job'}"
    yield f"  {finding.title}"
    rule = packs.rules.get(finding.rule)
    if rule is None:
        yield "  its rule is not in the loaded packs; name its pack with --rules"
        return
    yield f"  defined in {rule.file}:{rule.line}"
    yield "  it fired because of these lines:"
    for line in finding.evidence[:MAX_EVIDENCE_LINES]:
        yield from _explain_line(line, rule, packs)
    yield from _explain_edges(incident, finding)
    yield from _explain_silent_rules(incident, finding, rule, packs)


def match_line(signal: Signal, text: str, block: Sequence[str], packs: Packs) -> LineMatch | None:
    """Return how the signal matches the line, as the reader confirms a hit: the whole line, or the message after its
    prefixes.
    """
    compiled_signal = CompiledSignal(signal, RegexTimeoutBudget())
    message = read_line(text).message
    for pattern, compiled in zip(signal.match, map(compile_pattern, signal.match), strict=True):
        if match := compiled_signal.search(compiled, text) or compiled_signal.search(compiled, message):
            captures = {name: value for name, value in match.groupdict().items() if value is not None}
            return LineMatch(
                pattern, fill_captures(compiled_signal, captures, message, text, tuple(block), packs.tables)
            )
    return None


def _explain_line(line: WrittenEvidence, rule: Rule, packs: Packs) -> Iterator[str]:
    yield f"    {line.file}:{line.line or '-'}  {truncate(line.text, MAX_LINE_CHARS)}"
    matched = False
    for name in dict.fromkeys(condition.signal for condition in signal_conditions(rule.when)):
        signal = packs.signals.get(name)
        if signal and (match := match_line(signal, line.text, line.block or (), packs)):
            matched = True
            captures = ", ".join(f"{key}={value}" for key, value in match.captures.items())
            yield f"      signal {name}: {match.pattern}"
            yield f"      captures {truncate(captures, MAX_LINE_CHARS * 2) or 'nothing'}"
    if not matched:
        yield "      the analyzer derived this from several lines, or from a core file"


def _explain_edges(incident: WrittenIncident, finding: WrittenFinding) -> Iterator[str]:
    titles = {other.id: f"{other.id} {other.rule}" for other in incident.findings}
    for name in finding.explained_by:
        yield f"  explained by {titles.get(name, name)}"
    explained = [titles[other.id] for other in incident.findings if finding.id in other.explained_by]
    if explained:
        yield f"  explains {', '.join(explained)}"


def _explain_silent_rules(
    incident: WrittenIncident, finding: WrittenFinding, rule: Rule, packs: Packs
) -> Iterator[str]:
    fired = {other.rule for other in incident.findings}
    cause = finding.cause
    silent_rules = [
        silent_rule
        for silent_rule in packs.rules.values()
        if silent_rule.id not in fired and cause and cause == silent_rule.cause
    ]
    if not silent_rules:
        return
    events_by_signal = _events_by_signal(incident)
    not_evaluated = {gap.rule: gap for gap in incident.not_evaluated}
    yield f"  other rules of {cause} that did not fire, and why:"
    for silent_rule in silent_rules:
        if gap := not_evaluated.get(silent_rule.id):
            yield f"    {silent_rule.id}: not evaluated, {_missing_source(gap)}"
        else:
            yield f"    {silent_rule.id}: {_missing_parts(silent_rule, events_by_signal)}"


def _missing_source(gap: WrittenEvaluationGap) -> str:
    kinds = gap.lacks
    reason = f"no source of kind {' or '.join(kinds)}" if isinstance(kinds, list) else "a source is missing"
    return reason + (f" from {', '.join(gap.nodes[:5])}" if gap.nodes else " in the bundle")


def _events_by_signal(incident: WrittenIncident) -> dict[str, list[WrittenEvent]]:
    events_by_signal: dict[str, list[WrittenEvent]] = {}
    for event in incident.timeline.events:
        events_by_signal.setdefault(event.signal, []).append(event)
    return events_by_signal


def _missing_parts(rule: Rule, events_by_signal: Mapping[str, list[WrittenEvent]]) -> str:
    """Return, in words, why a rule did not fire: its anchors have no line, or the condition did not hold as a whole."""
    anchors = anchors_of(rule.when)
    found_anchors = [name for name in anchors if events_by_signal.get(name)]
    if not found_anchors:
        return f"no line of {', '.join(sorted(anchors)) or 'its signals'}"
    parts = []
    for condition in signal_conditions(rule.when):
        events = events_by_signal.get(condition.signal, [])
        nodes = sorted({str(event.node) for event in events})
        tests = ", ".join(f"{name} {' or '.join(wanted)}" for name, wanted in condition.where)
        parts.append(
            f"{condition.signal}{f' where {tests}' if tests else ''}: "
            + (
                f"{len(events)} lines on {', '.join(nodes[:3])}{' …' if len(nodes) > 3 else ''}"
                if events
                else "no line"
            )
        )
    return "; ".join(dict.fromkeys(parts))
