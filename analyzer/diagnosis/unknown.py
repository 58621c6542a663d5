"""Error lines that no rule explains, folded into templates; the newest and most local ones first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.diagnosis.masks import Mask
from analyzer.diagnosis.stories import Story
from analyzer.diagnosis.templates import Group, Known, fold
from analyzer.formats import read_line
from analyzer.incident import Finding, RootCause, Template
from analyzer.model import Event, Kind, Role, Severity
from analyzer.reading.shapes import OTHER, shape_of
from analyzer.redact.secrets import mask_text
from analyzer.rules.types import Packs
from analyzer.timeline.order import Timeline

MOST = 100  # templates that an incident carries
DISTINCT = 20_000  # messages that are folded; further ones are counted with the last template
NEAR = 60.0  # seconds before the failure in which a line may belong to it
WIDE = 0.6  # share of the nodes from which a line is everybody's
_POINTS = {"fresh": 3.0, "suspect": 2.0, "alone": 1.0, "near": 1.5, "fatal": 0.5, "wide": -1.0, "early": -1.0}
Said = tuple[Event, str]  # with the shape of its message


@dataclass(frozen=True, slots=True)
class Scope:
    """Where and when the failure was: what makes a line local. `moment` in corrected UTC seconds."""

    suspects: frozenset[str]
    nodes: int
    moment: float | None
    good: Known | None = None  # templates of a good run


def scope_of(
    stories: Mapping[str, Story], findings: Iterable[Finding], roots: Sequence[RootCause], good: Known | None
) -> Scope:
    """The suspects are the culprits; without any, those who are named by most of the others."""
    symptoms = [
        f.time for f in findings if f.role is Role.SYMPTOM and f.severity >= Severity.ERROR and f.time is not None
    ]
    first = roots[0].finding if roots else None
    suspects = {first.node} if first and first.node else _most_accused(stories)
    moment = first.time if first and first.time is not None else min(symptoms, default=None)
    if moment is None:
        ends = [story.last_time for story in stories.values() if story.name in suspects and story.last_time is not None]
        moment = min(ends, default=None)
    present = sum(1 for story in stories.values() if story.name and story.node.present)
    return Scope(frozenset(filter(None, suspects)), present, moment, good)


def _most_accused(stories: Mapping[str, Story]) -> set[str]:
    votes = {name: len(story.accusers() - {name}) for name, story in stories.items() if name and story.accused}
    most = max(votes.values(), default=0)
    return {name for name, count in votes.items() if count == most}


def find_unknown(timeline: Timeline, findings: Iterable[Finding], packs: Packs) -> list[Event]:
    """The kept events of error level that neither a finding nor a harmless line accounts for."""
    covered = _covered(timeline, findings, packs)
    return [
        event
        for event in timeline.events
        if event.severity >= Severity.ERROR
        and event.kind not in (Kind.DERIVED, Kind.CORE)
        and not _is_covered(event, covered)
    ]


def fold_unknown(
    events: Iterable[Event],
    timeline: Timeline,
    scope: Scope,
    mask: Mask,
    shapes: Mapping[tuple[str, str, str], int],
) -> list[Template]:
    """Ranked by how new and how local they are, then by severity and time."""
    said: dict[str, list[Said]] = {}
    rest = ""
    for event in events:
        plain = read_line(event.text).message
        message = mask(mask_text(message_of(event, plain)))  # without its digits, a token has no form
        if message not in said and len(said) >= DISTINCT:
            message = rest
        rest = message
        said.setdefault(message, []).append((event, shape_of(plain)))
    counted: set[tuple[str, str, str]] = set()
    templates = [_make(group, said, timeline, scope, shapes, counted) for group in fold(said)]
    templates.sort(key=lambda one: (-one.score, one.first_time or float("inf"), -one.count, one.template))
    return templates


def tell_overflow(templates: Sequence[Template], shapes: Mapping[tuple[str, str, str], int]) -> Iterator[str]:
    """What of the errors that no rule explains is in no template that the incident carries, in sentences."""
    if len(templates) > MOST:
        yield f"errors that no rule explains are of {len(templates):,} kinds: the {MOST} that tell most are listed"
    if lines := sum(count for (_, _, shape), count in shapes.items() if shape == OTHER):
        yield (
            f"{lines:,} error lines were counted and hardly looked at: their files have more kinds of such lines than "
            "are told apart"
        )


def message_of(event: Event, plain: str) -> str:
    """What the line says, which is `plain` behind its prefixes; of an exception its type and message."""
    said = event.captures.get("message")
    if said and (kind := event.captures.get("exception")):
        return f"{kind}: {said}"[:500]
    return (said or plain or event.text)[:500]


def _make(
    group: Group,
    said: Mapping[str, Sequence[Said]],
    timeline: Timeline,
    scope: Scope,
    shapes: Mapping[tuple[str, str, str], int],
    counted: set[tuple[str, str, str]],
) -> Template:
    shaped = [one for message in group.messages for one in said[message]]
    events = [event for event, _ in shaped]
    times = [(time, event) for event in events if (time := timeline.time(event)) is not None]
    first = min(times, key=lambda pair: pair[0], default=(None, events[0]))
    nodes = tuple(sorted({event.node for event in events if event.node}))
    fresh = None if scope.good is None else not any(scope.good.has(message) for message in group.messages[:200])
    traits = dict(_traits(first[0], nodes, max(event.severity for event in events), fresh, scope))
    return Template(
        group.template,
        _count(shaped, shapes, counted),
        nodes,
        first[0],
        first[1],
        fresh=fresh,
        score=sum(map(_POINTS.__getitem__, traits)),
        why=tuple(filter(None, traits.values())),
    )


def _traits(
    time: float | None, nodes: Sequence[str], severity: Severity, fresh: bool | None, scope: Scope
) -> Iterable[tuple[str, str]]:
    """(trait, what the report says of it)."""
    if fresh:
        yield "fresh", "not in the good run"
    if nodes and scope.suspects >= set(nodes) and scope.nodes > 1:
        yield "suspect", f"only on {', '.join(nodes[:3])}, which failed or is named by the others"
    elif len(nodes) == 1 and scope.nodes > 1:
        yield "alone", f"only on {nodes[0]}"
    elif scope.nodes > 2 and len(nodes) >= WIDE * scope.nodes:
        yield "wide", ""
    if time is not None and scope.moment is not None:
        before = scope.moment - time
        if -1.0 <= before <= NEAR:
            yield "near", "with the failure" if before < 0.5 else f"first {before:.0f} s before the failure"
        elif before > 10 * NEAR:
            yield "early", ""
    if severity >= Severity.FATAL:
        yield "fatal", ""


def _count(
    shaped: Sequence[Said], shapes: Mapping[tuple[str, str, str], int], counted: set[tuple[str, str, str]]
) -> int:
    """Exact where the reader counted lines of this shape; else the lines that were kept."""
    total, lines = 0, set[tuple[str, int | None]]()
    for event, shape in shaped:
        key = (event.locus.file, event.stream, shape)
        if key in shapes and key not in counted:
            counted.add(key)
            total += shapes[key]
        elif key not in shapes:
            lines.add((event.locus.file, event.locus.line))
    return max(1, total + len(lines))


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
    lines = covered.get(event.locus.file)
    return lines is not None and not lines.isdisjoint(_span(event))
