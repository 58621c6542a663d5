"""Explain a finding of a written report: why it was made, and why other rules of its cause did not fire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.formats import read_line
from analyzer.reading.hit_blocks import fill_captures
from analyzer.reading.plan import CompiledSignal
from analyzer.reading.regex_budget import RegexTimeoutBudget
from analyzer.rules.conditions import anchors_of
from analyzer.rules.linting.faults import signal_conditions
from analyzer.rules.types import Packs, Rule
from analyzer.signals.compiled_patterns import compile_pattern
from analyzer.signals.types import Signal

WrittenReport = Mapping[str, object]
ReportObject = Mapping[str, object]
MAX_LINE_CHARS = 160  # characters shown of a line
MAX_EVIDENCE_LINES = 8  # lines of evidence shown


@dataclass(frozen=True, slots=True)
class LineMatch:
    """The pattern that finds the line, and its captures (including `also`, `set` and table rows)."""

    pattern: str
    captures: Mapping[str, str]


def report_objects(report: WrittenReport, *keys: str) -> list[ReportObject]:
    """Return a list of objects inside the report; empty if the report has no such list."""
    found: object = report
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []


def find_finding(report: WrittenReport, name: str) -> ReportObject | None:
    """Return the finding with this id (`f3`), or the first finding of the rule with this id, or None."""
    findings = report_objects(report, "findings")
    by_id = next((row for row in findings if row.get("id") == name), None)
    return by_id or next((row for row in findings if row.get("rule") == name), None)


def explain_finding(report: WrittenReport, finding: ReportObject, packs: Packs) -> Iterator[str]:
    """Yield lines of prose that explain the finding."""
    node = finding.get("node") or "the job"
    yield f"{finding.get('id')}  {finding.get('rule')}  cause {finding.get('cause') or 'none'}, on {node}"
    yield f"  {finding.get('title')}"
    rule = packs.rules.get(str(finding.get("rule")))
    if rule is None:
        yield "  its rule is not in the loaded packs; name its pack with --rules"
        return
    yield f"  defined in {rule.file}:{rule.line}"
    yield "  it fired because of these lines:"
    for line in report_objects(finding, "evidence")[:MAX_EVIDENCE_LINES]:
        yield from _explain_line(line, rule, packs)
    yield from _explain_edges(report, finding)
    yield from _explain_silent_rules(report, finding, rule, packs)


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


def _explain_line(line: ReportObject, rule: Rule, packs: Packs) -> Iterator[str]:
    text, block = str(line.get("text", "")), line.get("block")
    yield f"    {line.get('file')}:{line.get('line') or '-'}  {text[:MAX_LINE_CHARS]}"
    matched = False
    for name in dict.fromkeys(condition.signal for condition in signal_conditions(rule.when)):
        signal = packs.signals.get(name)
        if signal and (match := match_line(signal, text, block if isinstance(block, list) else (), packs)):
            matched = True
            captures = ", ".join(f"{key}={value}" for key, value in match.captures.items())
            yield f"      signal {name}: {match.pattern}"
            yield f"      captures {captures[: MAX_LINE_CHARS * 2] or 'nothing'}"
    if not matched:
        yield "      the analyzer derived this from several lines, or from a core file"


def _explain_edges(report: WrittenReport, finding: ReportObject) -> Iterator[str]:
    titles = {row.get("id"): f"{row.get('id')} {row.get('rule')}" for row in report_objects(report, "findings")}
    explaining = finding.get("explained_by")
    for name in explaining if isinstance(explaining, list) else ():
        yield f"  explained by {titles.get(name, name)}"
    explained = [
        str(titles[row.get("id")])
        for row in report_objects(report, "findings")
        if isinstance(explained_by := row.get("explained_by"), list) and finding.get("id") in explained_by
    ]
    if explained:
        yield f"  explains {', '.join(explained)}"


def _explain_silent_rules(report: WrittenReport, finding: ReportObject, rule: Rule, packs: Packs) -> Iterator[str]:
    fired = {str(row.get("rule")) for row in report_objects(report, "findings")}
    cause = finding.get("cause")
    silent_rules = [
        silent_rule
        for silent_rule in packs.rules.values()
        if silent_rule.id not in fired and cause and cause == silent_rule.cause
    ]
    if not silent_rules:
        return
    events_by_signal = _events_by_signal(report)
    not_evaluated = {str(row.get("rule")): row for row in report_objects(report, "not_evaluated")}
    yield f"  other rules of {cause} that did not fire, and why:"
    for silent_rule in silent_rules:
        if entry := not_evaluated.get(silent_rule.id):
            yield f"    {silent_rule.id}: not evaluated, {_missing_source(entry)}"
        else:
            yield f"    {silent_rule.id}: {_missing_parts(silent_rule, events_by_signal)}"


def _missing_source(entry: ReportObject) -> str:
    kinds, nodes = entry.get("lacks"), entry.get("nodes")
    reason = f"no source of kind {' or '.join(map(str, kinds))}" if isinstance(kinds, list) else "a source is missing"
    return reason + (
        f" from {', '.join(map(str, nodes[:5]))}" if isinstance(nodes, list) and nodes else " in the bundle"
    )


def _events_by_signal(report: WrittenReport) -> dict[str, list[ReportObject]]:
    events_by_signal: dict[str, list[ReportObject]] = {}
    for event in report_objects(report, "timeline", "events"):
        events_by_signal.setdefault(str(event.get("signal")), []).append(event)
    return events_by_signal


def _missing_parts(rule: Rule, events_by_signal: Mapping[str, list[ReportObject]]) -> str:
    """Return, in words, why a rule did not fire: its anchors have no line, or the condition did not hold as a whole."""
    anchors = anchors_of(rule.when)
    found_anchors = [name for name in anchors if events_by_signal.get(name)]
    if not found_anchors:
        return f"no line of {', '.join(sorted(anchors)) or 'its signals'}"
    parts = []
    for condition in signal_conditions(rule.when):
        events = events_by_signal.get(condition.signal, [])
        nodes = sorted({str(event.get("node")) for event in events})
        tests = ", ".join(f"{name} {' or '.join(wanted)}" for name, wanted in condition.where.items())
        parts.append(
            f"{condition.signal}{f' where {tests}' if tests else ''}: "
            + (
                f"{len(events)} lines on {', '.join(nodes[:3])}{' …' if len(nodes) > 3 else ''}"
                if events
                else "no line"
            )
        )
    return "; ".join(dict.fromkeys(parts))
