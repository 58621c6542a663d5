"""Fold error lines that no rule explains into templates, and rank them: new and local ones first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.diagnosis.masks import TextMask
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.diagnosis.templates import KnownTemplates, MessageGroup, fold_messages
from analyzer.formats import read_line
from analyzer.incident import Finding, RootCause, Template
from analyzer.model import Event, Kind, Role, Severity
from analyzer.reading.shapes import OTHER_SHAPE, shape_of
from analyzer.redact.secrets import mask_text
from analyzer.rules.types import Packs
from analyzer.timeline.timeline import Timeline

MAX_TEMPLATES = 100  # of an incident
MAX_DISTINCT_MESSAGES = 20_000  # further messages count with the last template
NEAR_FAILURE_S = 60.0  # a line at most this long before the failure may belong to it
WIDESPREAD_SHARE = 0.6  # a line on at least this share of the nodes is not local
_TRAIT_POINTS = {"fresh": 3.0, "suspect": 2.0, "alone": 1.0, "near": 1.5, "fatal": 0.5, "wide": -1.0, "early": -1.0}
ShapedEvent = tuple[Event, str]  # event, shape of its message


@dataclass(frozen=True, slots=True)
class FailureScope:
    """Where and when the failure happened: this decides which lines are local."""

    suspects: frozenset[str]  # nodes
    node_count: int  # of the present nodes
    moment: float | None  # of the failure, corrected UTC seconds
    known_good: KnownTemplates | None = None  # templates of a good run


def find_failure_scope(
    activities: Mapping[str, NodeActivity],
    findings: Iterable[Finding],
    roots: Sequence[RootCause],
    known_good: KnownTemplates | None,
) -> FailureScope:
    """Return where and when the failure happened. Without a culprit, the most accused nodes are suspects."""
    symptoms = [
        finding.time
        for finding in findings
        if finding.role is Role.SYMPTOM and finding.severity >= Severity.ERROR and finding.time is not None
    ]
    first = roots[0].finding if roots else None
    suspects = {first.node} if first and first.node else _most_accused(activities)
    moment = first.time if first and first.time is not None else min(symptoms, default=None)
    if moment is None:
        ends = [
            activity.last_time
            for activity in activities.values()
            if activity.name in suspects and activity.last_time is not None
        ]
        moment = min(ends, default=None)
    present = sum(1 for activity in activities.values() if activity.name and activity.node.present)
    return FailureScope(frozenset(filter(None, suspects)), present, moment, known_good)


def _most_accused(activities: Mapping[str, NodeActivity]) -> set[str]:
    votes = {
        name: len(activity.accusers() - {name})
        for name, activity in activities.items()
        if name and activity.accusations_received
    }
    most = max(votes.values(), default=0)
    return {name for name, count in votes.items() if count == most}


def find_unknown_errors(timeline: Timeline, findings: Iterable[Finding], packs: Packs) -> list[Event]:
    """Return the kept events of error level that neither a finding nor a known harmless line explains."""
    covered = _find_covered_lines(timeline, findings, packs)
    return [
        event
        for event in timeline.events
        if event.severity >= Severity.ERROR
        and event.kind not in (Kind.DERIVED, Kind.CORE)
        and not _is_covered(event, covered)
    ]


def fold_unknown_errors(
    events: Iterable[Event],
    timeline: Timeline,
    scope: FailureScope,
    text_mask: TextMask,
    shapes: Mapping[tuple[str, str, str], int],
) -> list[Template]:
    """Return templates, ranked by how new and how local they are, then by time and number.

    Args:
        events: error lines that no rule explains.
        timeline: for corrected times.
        scope: where and when the failure happened.
        text_mask: masks what varies between runs, and host names.
        shapes: (file, stream, shape) → exact number of error lines that the reader counted.
    """
    events_by_message: dict[str, list[ShapedEvent]] = {}
    last_message = ""
    for event in events:
        plain = read_line(event.text).message
        message = text_mask(mask_text(message_of(event, plain)))  # first: without digits, no secret is recognized
        if message not in events_by_message and len(events_by_message) >= MAX_DISTINCT_MESSAGES:
            message = last_message
        last_message = message
        events_by_message.setdefault(message, []).append((event, shape_of(plain)))
    counted: set[tuple[str, str, str]] = set()
    templates = [
        _make_template(group, events_by_message, timeline, scope, shapes, counted)
        for group in fold_messages(events_by_message)
    ]
    templates.sort(
        key=lambda template: (-template.score, template.first_time or float("inf"), -template.count, template.template)
    )
    return templates


def describe_overflow(templates: Sequence[Template], shapes: Mapping[tuple[str, str, str], int]) -> Iterator[str]:
    """Yield a sentence for each kind of unexplained error that is in none of the listed templates."""
    if len(templates) > MAX_TEMPLATES:
        yield f"no rule explains {len(templates):,} kinds of errors; the {MAX_TEMPLATES} most significant are listed"
    if lines := sum(count for (_, _, shape), count in shapes.items() if shape == OTHER_SHAPE):
        yield f"{lines:,} error lines were only counted, because their files have too many kinds of such lines"


def message_of(event: Event, plain: str) -> str:
    """Return the message of the line; for an exception, its type and message. `plain` is the line without prefixes."""
    captured = event.captures.get("message")
    if captured and (kind := event.captures.get("exception")):
        return f"{kind}: {captured}"[:500]
    return (captured or plain or event.text)[:500]


def _make_template(
    group: MessageGroup,
    events_by_message: Mapping[str, Sequence[ShapedEvent]],
    timeline: Timeline,
    scope: FailureScope,
    shapes: Mapping[tuple[str, str, str], int],
    counted: set[tuple[str, str, str]],
) -> Template:
    shaped_events = [shaped_event for message in group.messages for shaped_event in events_by_message[message]]
    events = [event for event, _ in shaped_events]
    times = [(time, event) for event in events if (time := timeline.corrected_time(event)) is not None]
    first = min(times, key=lambda pair: pair[0], default=(None, events[0]))
    nodes = tuple(sorted({event.node for event in events if event.node}))
    is_new = (
        None
        if scope.known_good is None
        else not any(scope.known_good.contains(message) for message in group.messages[:200])
    )
    traits = dict(_find_traits(first[0], nodes, max(event.severity for event in events), is_new, scope))
    return Template(
        template=group.template,
        count=_count_lines(shaped_events, shapes, counted),
        nodes=nodes,
        first_time=first[0],
        example=first[1],
        is_new=is_new,
        score=sum(map(_TRAIT_POINTS.__getitem__, traits)),
        why=tuple(filter(None, traits.values())),
    )


def _find_traits(
    time: float | None, nodes: Sequence[str], severity: Severity, is_new: bool | None, scope: FailureScope
) -> Iterable[tuple[str, str]]:
    """Yield (trait, reason for the report; "" for none)."""
    if is_new:
        yield "fresh", "not in the good run"
    if nodes and scope.suspects >= set(nodes) and scope.node_count > 1:
        yield "suspect", f"only on {', '.join(nodes[:3])}, which failed or which other nodes accuse"
    elif len(nodes) == 1 and scope.node_count > 1:
        yield "alone", f"only on {nodes[0]}"
    elif scope.node_count > 2 and len(nodes) >= WIDESPREAD_SHARE * scope.node_count:
        yield "wide", ""
    if time is not None and scope.moment is not None:
        before = scope.moment - time
        if -1.0 <= before <= NEAR_FAILURE_S:
            yield "near", "at the time of the failure" if before < 0.5 else f"first {before:.0f} s before the failure"
        elif before > 10 * NEAR_FAILURE_S:
            yield "early", ""
    if severity >= Severity.FATAL:
        yield "fatal", ""


def _count_lines(
    shaped_events: Sequence[ShapedEvent], shapes: Mapping[tuple[str, str, str], int], counted: set[tuple[str, str, str]]
) -> int:
    """Return the exact number of lines if the reader counted their shapes, or else the number of kept lines."""
    total, lines = 0, set[tuple[str, int | None]]()
    for event, shape in shaped_events:
        key = (event.locus.file, event.stream, shape)
        if key in shapes and key not in counted:
            counted.add(key)
            total += shapes[key]
        elif key not in shapes:
            lines.add((event.locus.file, event.locus.line))
    return max(1, total + len(lines))


def _find_covered_lines(timeline: Timeline, findings: Iterable[Finding], packs: Packs) -> dict[str, set[int]]:
    """Return file → lines that a finding or a known harmless line explains, with their blocks."""
    signals = {event.signal for finding in findings for event in finding.evidence}
    signals |= {name for name, signal in packs.signals.items() if signal.noise}
    covered: dict[str, set[int]] = {}
    for event in timeline.events:
        if event.signal in signals and event.locus.line is not None:
            covered.setdefault(event.locus.file, set()).update(_lines_of(event))
    for event in timeline.events:
        # One explained line explains the whole traceback or report that contains it.
        if event.block and _is_covered(event, covered):
            covered[event.locus.file].update(_lines_of(event))
    return covered


def _lines_of(event: Event) -> range:
    line = event.locus.line or 0
    return range(line, line + len(event.block) + 1)


def _is_covered(event: Event, covered: Mapping[str, set[int]]) -> bool:
    """Return whether a finding explains the line or a line of its block; the last line explains a whole traceback."""
    lines = covered.get(event.locus.file)
    return lines is not None and not lines.isdisjoint(_lines_of(event))
