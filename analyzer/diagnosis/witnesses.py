"""What the others said of the culprit, as evidence beside its own lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.stories import Story
from analyzer.incident import Finding, RootCause
from analyzer.model import Event, Kind, Role

MOST = 2  # nodes whose word is quoted


def call_witnesses(
    roots: Sequence[RootCause], findings: Sequence[Finding], stories: Mapping[str, Story]
) -> list[RootCause]:
    """A reason that says by whom a node was missed can be opened: who reports the same fault, then who missed it."""
    causes = [finding for finding in findings if finding.role is Role.CAUSE]
    return [_with_witnesses(root, causes, stories.get(root.finding.node or "")) for root in roots]


def _with_witnesses(root: RootCause, causes: Sequence[Finding], story: Story | None) -> RootCause:
    if story is None or not story.name:
        return root
    own = root.finding
    shown = {event.locus for event in own.evidence}  # what was concluded shows others' lines as its own
    heard = {event.node for event in own.evidence} | {one.accuser for one in story.accused if one.event.locus in shown}
    heard |= {story.name}
    room = MOST - len(heard - {story.name, ""})
    compared = own.evidence[0].kind is Kind.DERIVED  # several nodes' lines were put together to name this one
    same = (one for one in causes if one.cause == own.cause and (compared or own.id in one.explained_by))
    alike = [one.evidence[0] for one in same]
    loudest = sorted((one.event for one in story.accused), key=lambda event: -event.severity)  # else in their order
    words: dict[str, Event] = {}
    for event in (*alike, *loudest):
        if event.node not in heard:
            words.setdefault(event.node, event)
    return replace(root, finding=replace(own, evidence=(*own.evidence, *list(words.values())[: max(0, room)])))
