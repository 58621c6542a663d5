"""Error lines that no rule explains, folded into templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from analyzer.diagnosis.masks import Mask
from analyzer.model import Event, Finding, Kind, Severity, Template
from analyzer.rules.types import Packs
from analyzer.timeline.order import Timeline

MOST = 100


def unclassified(timeline: Timeline, findings: Iterable[Finding], packs: Packs, mask: Mask) -> list[Template]:
    """Loudest first: most nodes, then most lines."""
    covered = _covered(timeline, findings, packs)
    groups: dict[str, list[Event]] = {}
    for event in timeline.events:
        if event.severity < Severity.ERROR or event.kind in (Kind.DERIVED, Kind.CORE) or _is_covered(event, covered):
            continue
        groups.setdefault(mask(event.captures.get("message") or event.text)[:300], []).append(event)
    templates = [_fold(template, events, timeline) for template, events in groups.items()]
    templates.sort(key=lambda one: (-len(one.nodes), -one.count, one.first_time or 0))
    return templates[:MOST]


def _covered(timeline: Timeline, findings: Iterable[Finding], packs: Packs) -> dict[str, set[int]]:
    """Lines that a finding, a symptom or a known harmless line accounts for, with their blocks."""
    signals = {event.signal for finding in findings for event in finding.evidence}
    signals |= {name for name, signal in packs.signals.items() if signal.noise}
    covered: dict[str, set[int]] = {}
    for event in timeline.events:
        if event.signal in signals and event.locus.line is not None:
            covered.setdefault(event.locus.file, set()).update(_span(event))
    for event in timeline.events:
        # One explained line explains the whole traceback or report that it stands in.
        if event.block and _is_covered(event, covered):
            covered[event.locus.file].update(_span(event))
    return covered


def _span(event: Event) -> range:
    line = event.locus.line or 0
    return range(line, line + len(event.block) + 1)


def _is_covered(event: Event, covered: Mapping[str, set[int]]) -> bool:
    """The line itself, or one of its block: a traceback is explained by the line at its end."""
    lines = covered.get(event.locus.file, set())
    return any(number in lines for number in _span(event))


def _fold(template: str, events: Sequence[Event], timeline: Timeline) -> Template:
    times = [time for event in events if (time := timeline.time(event)) is not None]
    lines = {(event.locus.file, event.locus.line) for event in events}
    return Template(
        template,
        len(lines),
        tuple(sorted({event.node for event in events if event.node})),
        min(times, default=None),
        events[0],
    )
