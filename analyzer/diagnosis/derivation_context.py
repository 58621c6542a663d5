"""What observations look at, and how they tell what they saw.

`how` of an accusation (set by the signal) says what the accuser saw: `lost` (closed, reset, refused), `silent` (no
heartbeats), `unanswered` (a leader that answers none), `unreachable` (connecting timed out), `unresolved` (no such
name), `late` (missing at a barrier), `duplicate` (a second incarnation of a task).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.registry import Registry
from analyzer.facts.skew import SettingTable
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Event, Kind, Severity
from analyzer.timeline.progress import TrainingProgress
from analyzer.timeline.timeline import Timeline

DYING_PROCESS_SLACK_S = 2.0  # seconds that a dying process may still log after its peers saw it go


@dataclass(frozen=True, slots=True)
class DerivationContext:
    """Everything that an observation may look at."""

    activities: Mapping[str, NodeActivity]
    registry: Registry
    identities: Sequence[StreamIdentity]
    timeline: Timeline
    unresolved_accusations: Sequence[Event] = ()  # accusations that name nobody known
    collective_members: Sequence[Event] = ()  # what members of a collective brought
    stack_dumps: Sequence[Event] = ()  # stacks of tasks, in corrected order
    settings: SettingTable = field(default_factory=dict)
    machine_addresses: Mapping[str, frozenset[str]] = field(default_factory=dict)  # node → its own IP addresses
    wanted_signals: frozenset[str] = frozenset()  # derived signals that rules name
    progress: Mapping[str, TrainingProgress] = field(default_factory=dict)  # of nodes that say their steps
    last_log_time: float | None = None  # corrected time of the last line of any training or scheduler log

    def derive(self, signal: str, node: str, proofs: Iterable[Event], **captures: str | None) -> Iterator[Event]:
        """One event for each proof, placed on `node` but pointing at the proof's line."""
        own_captures = {name: value for name, value in captures.items() if value}
        for proof in proofs:
            time = self.timeline.corrected_time(proof)
            own_time = None if time is None else self.timeline.own_time(node, time)
            yield proof._replace(
                signal=signal,
                node=node,
                time=own_time,
                kind=Kind.DERIVED,
                severity=Severity.ERROR,
                block=(),
                captures={**proof.captures, **own_captures},
                task=own_captures.get("task") or (proof.task if proof.node == node else None),
            )


def only_task(activity: NodeActivity) -> str | None:
    return activity.node.tasks[0] if len(activity.node.tasks) == 1 else None
