"""The input of a derivation, and how it emits a derived event.

A derivation is a function `(DerivationContext) -> Iterator[Event]` in a file of `derivations/`, decorated with the
signals it may emit (`@derives(ODD_STACK)`).

Signals that accuse a peer set the capture `how` to what the accuser saw: `lost` (connection closed, reset, refused),
`silent` (no heartbeats), `unanswered` (a leader that answers no node), `unreachable` (connecting timed out),
`unresolved` (no such name), `late` (missing at a barrier), `duplicate` (a second incarnation of a task).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.odd_numbers import OddNumber
from analyzer.facts.odd_timings import OddTiming
from analyzer.facts.registry import Registry
from analyzer.facts.skew import SettingTable
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Event, Kind, Locus, Severity
from analyzer.signals.derived import DerivedSignal
from analyzer.timeline.progress import TrainingProgress
from analyzer.timeline.timeline import Timeline

MAX_WAITING = 40  # members that a finding names


@dataclass(frozen=True, slots=True)
class DerivationContext:
    """Everything that a derivation may look at."""

    activities: Mapping[str, NodeActivity]  # node → activity; "" has the lines without a known node
    registry: Registry
    identities: Sequence[StreamIdentity]
    timeline: Timeline  # kept events only: a gap between two of them is no proof of silence
    unresolved_accusations: Sequence[Event] = ()  # accusations that name no known node
    error_lines: frozenset[Locus] = frozenset()  # all lines of error level
    collective_members: Sequence[Event] = ()  # what members of a collective contributed
    step_profiles: Sequence[Event] = ()  # lines with the durations of parts of steps, but without a step
    not_finite: Sequence[Event] = ()  # values of steps that are NaN or infinite, in corrected order
    stack_dumps: Sequence[Event] = ()  # stacks of tasks, in corrected order
    settings: SettingTable = field(default_factory=dict)
    odd_numbers: Sequence[OddNumber] = ()  # numbers that differ on only one member
    odd_timings: Sequence[OddTiming] = ()  # work that takes one member much longer than all others
    machine_addresses: Mapping[str, frozenset[str]] = field(default_factory=dict)  # node → its own IP addresses
    wanted_signals: frozenset[str] = frozenset()  # names of the derived signals that rules use
    progress: Mapping[str, TrainingProgress] = field(default_factory=dict)  # of nodes that log their steps
    line_counts: Mapping[str, int] = field(default_factory=dict)  # file → its lines
    last_log_time: float | None = None  # corrected time of the last line of any training or scheduler log

    def node_of(self, identity: StreamIdentity) -> str | None:
        """Return the node that writes the stream, None if it is unknown."""
        return self.registry.by_stream.get((identity.file, identity.stream))

    def derive(
        self, signal: DerivedSignal, node: str, proofs: Iterable[Event], **captures: str | None
    ) -> Iterator[Event]:
        """Yield one event of `signal` for each proof, placed on `node` and pointing at the proof's line.

        The event has those of the proof's captures that the signal declares, and `captures` that are not empty. Raises
        ValueError for a capture that the signal does not declare.
        """
        own_captures = {name: value for name, value in captures.items() if value}
        if undeclared := own_captures.keys() - signal.all_captures:
            raise ValueError(f"{signal.name} does not declare the captures {', '.join(sorted(undeclared))}")
        for proof in proofs:
            of_proof = {name: value for name, value in proof.captures.items() if name in signal.all_captures}
            time = self.timeline.corrected_time(proof)
            own_time = None if time is None else self.timeline.own_time(node, time)
            yield proof._replace(
                signal=signal.name,
                node=node,
                time=own_time,
                kind=Kind.DERIVED,
                severity=Severity.ERROR,
                block=(),
                captures=of_proof | own_captures,
                task=own_captures.get("task") or (proof.task if proof.node == node else None),
            )


Derivation = Callable[[DerivationContext], Iterator[Event]]
REGISTERED_DERIVATIONS: dict[Derivation, tuple[DerivedSignal, ...]] = {}  # → the signals that it may emit


def derives(*signals: DerivedSignal) -> Callable[[Derivation], Derivation]:
    """Register the decorated function as a derivation that may emit these signals."""

    def register(derivation: Derivation) -> Derivation:
        REGISTERED_DERIVATIONS[derivation] = signals
        return derivation

    return register


def only_task(activity: NodeActivity) -> str | None:
    """Return the one task of a node; None if it has none or several."""
    return activity.node.tasks[0] if len(activity.node.tasks) == 1 else None


def waiting_members(context: DerivationContext) -> list[str]:
    """Return some members of a job without any step. They wait for a task that no node has, or are that task."""
    if any(activity.last_step for activity in context.activities.values()):
        return []
    members = (name for name, activity in context.activities.items() if name and activity.node.tasks)
    return sorted(islice(members, MAX_WAITING))
