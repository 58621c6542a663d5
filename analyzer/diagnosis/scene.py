"""What observations look at, and how they tell what they saw.

`how` of an accusation (set by the signal) says what the accuser saw: `lost` (closed, reset, refused), `silent` (no
heartbeats), `unanswered` (a leader that answers none), `unreachable` (connecting timed out), `unresolved` (no such
name), `late` (missing at a barrier), `duplicate` (a second incarnation of a task).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.diagnosis.stories import Story
from analyzer.facts.nodes import Registry
from analyzer.facts.skew import Settings
from analyzer.facts.voices import Voice
from analyzer.model import Event, Kind, Severity
from analyzer.timeline.order import Timeline
from analyzer.timeline.progress import Progress

SLACK = 2.0  # seconds that a dying process may still log after its peers saw it go


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that an observation may look at."""

    stories: Mapping[str, Story]
    registry: Registry
    voices: Sequence[Voice]
    timeline: Timeline
    vague: Sequence[Event] = ()  # accusations that name nobody known
    members: Sequence[Event] = ()  # what members of a collective brought
    dumped: Sequence[Event] = ()  # stacks of tasks, in corrected order
    settings: Settings = field(default_factory=dict)
    inets: Mapping[str, frozenset[str]] = field(default_factory=dict)  # node → its own IP addresses
    asked: frozenset[str] = frozenset()  # derived signals that rules name
    progress: Mapping[str, Progress] = field(default_factory=dict)  # of nodes that say their steps
    spoken: float | None = None  # corrected time of the last line of any training or scheduler log

    def derive(self, signal: str, node: str, proofs: Iterable[Event], **captures: str | None) -> Iterator[Event]:
        """One event for each proof, placed on `node` but pointing at the proof's line."""
        said = {name: value for name, value in captures.items() if value}
        for proof in proofs:
            time = self.timeline.time(proof)
            own = None if time is None else self.timeline.own_time(node, time)
            yield proof._replace(
                signal=signal,
                node=node,
                time=own,
                kind=Kind.DERIVED,
                severity=Severity.ERROR,
                block=(),
                captures={**proof.captures, **said},
                task=said.get("task") or (proof.task if proof.node == node else None),
            )


def task_of(story: Story) -> str | None:
    return story.node.tasks[0] if len(story.node.tasks) == 1 else None
