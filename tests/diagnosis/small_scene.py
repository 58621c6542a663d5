"""A scene made by hand: two or three nodes whose clocks are known to a second, in seconds from the start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer.diagnosis.derivation_context import DerivationContext
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.registry import Registry
from analyzer.incident import Accusation, Finding
from analyzer.model import Clock, Event, Kind, Locus, Node, Role, Severity
from analyzer.timeline.progress import TrainingProgress
from analyzer.timeline.timeline import Timeline

ERROR = 1.0  # of each clock: two events of two nodes are in order when more than two seconds lie between them


def event(node: str, time: float | None, line: int = 1, **more: object) -> Event:
    """A line of a worker, unless `more` says otherwise."""
    file = str(more.pop("file", f"{node}/worker.log"))
    kind = more.pop("kind", Kind.WORKER)
    return Event("s", Locus(file, line), "", time, node=node, kind=kind, **more)  # type: ignore[arg-type]


def accuse(accuser: NodeActivity, other: NodeActivity, time: float | None, how: str = "lost", line: int = 90) -> None:
    accusation = Accusation(accuser.name, other.name, event(accuser.name, time, line, captures={"how": how}))
    accuser.accusations_made.append(accusation)
    other.accusations_received.append(accusation)


def finding(
    proof: Event, role: Role = Role.CAUSE, name: str = "f", time: float | None = None, **more: object
) -> Finding:
    severity = more.pop("severity", Severity.ERROR)
    cause = f"cause.{name}" if role is Role.CAUSE else None
    time = proof.time if time is None else time
    return Finding(name, name, role, severity, (proof,), cause, proof.node, time=time, **more)  # type: ignore[arg-type]


def timeline(nodes: Iterable[str], events: Iterable[Event] = (), clocks: Mapping[str, Clock] | None = None) -> Timeline:
    names = list(nodes)
    return Timeline(events, {name: Clock(0.0, ERROR, "x") for name in names} if clocks is None else clocks, names)


def stories(*names: str) -> dict[str, NodeActivity]:
    return {name: NodeActivity(Node(name, tasks=(f"worker:{index}",))) for index, name in enumerate(names)}


def scene(
    activities: Mapping[str, NodeActivity],
    progress: Mapping[str, TrainingProgress] | None = None,
    clocks: Mapping[str, Clock] | None = None,
) -> DerivationContext:
    return DerivationContext(activities, Registry(), (), timeline(activities, clocks=clocks), progress=progress or {})
