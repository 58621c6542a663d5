"""Where to look when no rule names the cause: facts that point somewhere, and no more than that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.report.tolerant import items, member, moment, text, whole
from analyzer.report.wording import clock, listed, one_line, plural

KINDS = 3  # of symptoms that are told of


def find_leads(incident: Mapping[str, object]) -> list[str]:
    """Sentences, the most telling first; `file:line` in them is a place of the bundle."""
    return [*_crashes(incident), *_accused(incident), *_symptoms(incident), *_first_error(incident), *_silent(incident)]


def accused(incident: Mapping[str, object]) -> list[tuple[str, list[str], int, Mapping[str, object]]]:
    """(the accused, its accusers, how many lines, the first line), the most accused first."""
    by_name: dict[str, list[Mapping[str, object]]] = {}
    for one in items(member(incident, "timeline"), "accusations"):
        by_name.setdefault(text(one, "accused"), []).append(one)
    found = [
        (
            name,
            list(dict.fromkeys(text(one, "accuser") for one in lines)),
            sum(whole(one, "count", 1) for one in lines),
            min(lines, key=lambda one: moment(one.get("time")) or float("inf")),
        )
        for name, lines in by_name.items()
    ]
    return sorted(found, key=lambda row: (-len(row[1]), -row[2], row[0]))


def _crashes(incident: Mapping[str, object]) -> Iterator[str]:
    crashed = [core for core in items(incident, "cores") if text(core, "signal")]
    for core in crashed[:3]:
        said = text(core, "abort_message") or text(core, "signature")
        on = f" on {text(core, 'node')}" if text(core, "node") else ""
        yield f"A process crashed with {text(core, 'signal')}{on}" + (f": {one_line(said, 200)}" if said else "")
    if len(crashed) > 3:
        yield f"{plural(len(crashed) - 3, 'more core dump')} of crashed processes"


def _accused(incident: Mapping[str, object]) -> Iterator[str]:
    for name, accusers, _, first in accused(incident)[:1]:
        by = f" by {listed(known)}" if (known := [one for one in accusers if one]) else ""  # a launcher has no node
        yield f"{name} is named as lost or late{by} ({text(first, 'file')}:{text(first, 'line')})"


def _first_error(incident: Mapping[str, object]) -> Iterator[str]:
    errors = [
        (time, event)
        for event in items(member(incident, "timeline"), "events")
        if text(event, "severity") in ("error", "fatal") and (time := moment(event.get("corrected"))) is not None
    ]
    if errors:
        event = min(errors, key=lambda pair: pair[0])[1]
        place = f"{text(event, 'file')}:{text(event, 'line')}"
        on = text(event, "node") or "an unknown node"
        yield f"The first error is on {on} at {clock(event.get('corrected'))} ({place})"


def _symptoms(incident: Mapping[str, object]) -> Iterator[str]:
    """What each kind of symptom means, and where the cause of such is written: its rule says so."""
    found: dict[str, Mapping[str, object]] = {}
    for one in items(incident, "findings"):
        if text(one, "role") == "symptom" and text(one, "summary"):
            found.setdefault(text(one, "rule"), one)
    for one in list(found.values())[:KINDS]:
        first = next(iter(items(one, "evidence")), {})
        yield f"{one_line(text(one, 'summary'), 400)} ({text(first, 'file')}:{text(first, 'line')})"


def _silent(incident: Mapping[str, object]) -> Iterator[str]:
    silent = [node for node in items(incident, "nodes") if moment(node.get("silent_since")) is not None]
    silent.sort(key=lambda node: moment(node.get("silent_since")) or 0.0)
    for node in silent[:2]:
        yield f"{text(node, 'name')} falls silent at {clock(node.get('silent_since'))}"
