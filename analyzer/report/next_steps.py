"""Suggest where to look if no rule names the cause: facts that may lead to it."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.report.document import WrittenAccusation, WrittenEvent, WrittenFinding, WrittenIncident
from analyzer.report.formatting import format_time, parse_time, plural, to_one_line
from analyzer.report.written_evidence import WrittenEvidence
from analyzer.wording import join_names

MAX_SYMPTOM_KINDS = 3  # symptoms that are listed


def find_next_steps(incident: WrittenIncident) -> list[str]:
    """Return sentences, the most significant first; `file:line` in them refers to a place in the bundle."""
    return [
        *_describe_crashes(incident),
        *_describe_accusation(incident),
        *_describe_symptoms(incident),
        *_describe_first_error(incident),
        *_describe_silent_nodes(incident),
    ]


def count_accusations(incident: WrittenIncident) -> list[tuple[str, list[str], int, WrittenAccusation]]:
    """Return (the accused node, its accusers, how many lines, the first line), the most accused first."""
    by_name: dict[str, list[WrittenAccusation]] = {}
    for accusation in incident.timeline.accusations or ():
        by_name.setdefault(accusation.accused, []).append(accusation)
    rows = [
        (
            name,
            list(dict.fromkeys(accusation.accuser for accusation in lines)),
            len(lines),
            min(lines, key=lambda accusation: parse_time(accusation.time) or float("inf")),
        )
        for name, lines in by_name.items()
    ]
    return sorted(rows, key=lambda row: (-len(row[1]), -row[2], row[0]))


def _describe_crashes(incident: WrittenIncident) -> Iterator[str]:
    crashed = [core for core in incident.cores if core.signal]
    for core in crashed[:3]:
        message = core.abort_message or core.signature
        on_node = f" on {core.node}" if core.node else ""
        yield f"A process crashed with {core.signal}{on_node}" + (f": {to_one_line(message, 200)}" if message else "")
    if len(crashed) > 3:
        yield f"{plural(len(crashed) - 3, 'more core dump')} of crashed processes"


def _describe_accusation(incident: WrittenIncident) -> Iterator[str]:
    for name, accusers, _, first_line in count_accusations(incident)[:1]:
        by_accusers = (
            f" by {join_names(named_accusers)}"
            if (named_accusers := [accuser for accuser in accusers if accuser])
            else ""
        )  # a launcher has no node
        yield f"{name} is reported as lost or late{by_accusers} ({_format_place(first_line)})"


def _format_place(row: WrittenEvidence | WrittenEvent | WrittenAccusation) -> str:
    return f"{row.file}:{'' if row.line is None else row.line}"


def _describe_first_error(incident: WrittenIncident) -> Iterator[str]:
    errors = [
        (time, event)
        for event in incident.timeline.events
        if event.severity in ("error", "fatal") and (time := parse_time(event.corrected)) is not None
    ]
    if errors:
        event = min(errors, key=lambda pair: pair[0])[1]
        node = event.node or "an unknown node"
        yield f"The first error is on {node} at {format_time(event.corrected)} ({_format_place(event)})"


def _describe_symptoms(incident: WrittenIncident) -> Iterator[str]:
    """Yield what each kind of symptom means and where its cause is usually logged, from the advice of its rule."""
    first_by_rule: dict[str, WrittenFinding] = {}
    for finding in incident.findings:
        if finding.role == "symptom" and finding.summary:
            first_by_rule.setdefault(finding.rule, finding)
    for finding in list(first_by_rule.values())[:MAX_SYMPTOM_KINDS]:
        place = _format_place(finding.evidence[0]) if finding.evidence else ":"
        yield f"{to_one_line(finding.summary, 400)} ({place})"


def _describe_silent_nodes(incident: WrittenIncident) -> Iterator[str]:
    silent_nodes = [node for node in incident.nodes if parse_time(node.silent_since) is not None]
    silent_nodes.sort(key=lambda node: parse_time(node.silent_since) or 0.0)
    for node in silent_nodes[:2]:
        yield f"{node.name} stops logging at {format_time(node.silent_since)}"
