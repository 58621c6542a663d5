"""Where to look when no rule names the cause: facts that point somewhere, and no more than that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.report.formatting import format_time, parse_time, plural, to_one_line
from analyzer.report.tolerant import items, member, text, whole_number
from analyzer.wording import join_names

MAX_SYMPTOM_KINDS = 3  # of symptoms that are told of


def find_next_steps(incident: Mapping[str, object]) -> list[str]:
    """Sentences, the most telling first; `file:line` in them is a place of the bundle."""
    return [
        *_describe_crashes(incident),
        *_describe_accusation(incident),
        *_describe_symptoms(incident),
        *_describe_first_error(incident),
        *_describe_silent_nodes(incident),
    ]


def count_accusations(incident: Mapping[str, object]) -> list[tuple[str, list[str], int, Mapping[str, object]]]:
    """(the accused, its accusers, how many lines, the first line), the most accused first."""
    by_name: dict[str, list[Mapping[str, object]]] = {}
    for accusation in items(member(incident, "timeline"), "accusations"):
        by_name.setdefault(text(accusation, "accused"), []).append(accusation)
    rows = [
        (
            name,
            list(dict.fromkeys(text(accusation, "accuser") for accusation in lines)),
            sum(whole_number(accusation, "count", 1) for accusation in lines),
            min(lines, key=lambda accusation: parse_time(accusation.get("time")) or float("inf")),
        )
        for name, lines in by_name.items()
    ]
    return sorted(rows, key=lambda row: (-len(row[1]), -row[2], row[0]))


def _describe_crashes(incident: Mapping[str, object]) -> Iterator[str]:
    crashed = [core for core in items(incident, "cores") if text(core, "signal")]
    for core in crashed[:3]:
        message = text(core, "abort_message") or text(core, "signature")
        on_node = f" on {text(core, 'node')}" if text(core, "node") else ""
        yield f"A process crashed with {text(core, 'signal')}{on_node}" + (
            f": {to_one_line(message, 200)}" if message else ""
        )
    if len(crashed) > 3:
        yield f"{plural(len(crashed) - 3, 'more core dump')} of crashed processes"


def _describe_accusation(incident: Mapping[str, object]) -> Iterator[str]:
    for name, accusers, _, first_line in count_accusations(incident)[:1]:
        by_accusers = (
            f" by {join_names(named_accusers)}"
            if (named_accusers := [accuser for accuser in accusers if accuser])
            else ""
        )  # a launcher has no node
        yield f"{name} is named as lost or late{by_accusers} ({text(first_line, 'file')}:{text(first_line, 'line')})"


def _describe_first_error(incident: Mapping[str, object]) -> Iterator[str]:
    errors = [
        (time, event)
        for event in items(member(incident, "timeline"), "events")
        if text(event, "severity") in ("error", "fatal") and (time := parse_time(event.get("corrected"))) is not None
    ]
    if errors:
        event = min(errors, key=lambda pair: pair[0])[1]
        place = f"{text(event, 'file')}:{text(event, 'line')}"
        node = text(event, "node") or "an unknown node"
        yield f"The first error is on {node} at {format_time(event.get('corrected'))} ({place})"


def _describe_symptoms(incident: Mapping[str, object]) -> Iterator[str]:
    """What each kind of symptom means, and where the cause of such is written: its rule says so."""
    first_by_rule: dict[str, Mapping[str, object]] = {}
    for finding in items(incident, "findings"):
        if text(finding, "role") == "symptom" and text(finding, "summary"):
            first_by_rule.setdefault(text(finding, "rule"), finding)
    for finding in list(first_by_rule.values())[:MAX_SYMPTOM_KINDS]:
        first_line = next(iter(items(finding, "evidence")), {})
        yield f"{to_one_line(text(finding, 'summary'), 400)} ({text(first_line, 'file')}:{text(first_line, 'line')})"


def _describe_silent_nodes(incident: Mapping[str, object]) -> Iterator[str]:
    silent_nodes = [node for node in items(incident, "nodes") if parse_time(node.get("silent_since")) is not None]
    silent_nodes.sort(key=lambda node: parse_time(node.get("silent_since")) or 0.0)
    for node in silent_nodes[:2]:
        yield f"{text(node, 'name')} falls silent at {format_time(node.get('silent_since'))}"
