"""What the others said of the culprit, as evidence beside its own lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.diagnosis.stories import Story
from analyzer.incident import RootCause
from analyzer.model import Event

MOST = 2  # nodes whose word is quoted


def call_witnesses(roots: Sequence[RootCause], stories: Mapping[str, Story]) -> list[RootCause]:
    """A reason that says by whom a node was missed can be opened: the first line of those who missed it first."""
    return [_with_witnesses(root, stories.get(root.finding.node or "")) for root in roots]


def _with_witnesses(root: RootCause, story: Story | None) -> RootCause:
    if story is None or not story.name:
        return root
    shown = {event.locus for event in root.finding.evidence}
    heard = {event.node for event in root.finding.evidence if event.node != story.name}
    witnesses = [event for event in _first_words(story) if event.node not in heard and event.locus not in shown]
    evidence = (*root.finding.evidence, *witnesses[: max(0, MOST - len(heard))])
    return replace(root, finding=replace(root.finding, evidence=evidence))


def _first_words(story: Story) -> Iterator[Event]:
    """Of each accuser the first line, in corrected order."""
    seen: set[str] = set()
    for one in story.accused:
        if one.accuser and one.accuser not in seen:
            seen.add(one.accuser)
            yield one.event
