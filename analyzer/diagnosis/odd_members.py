"""A collective that its members call differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from analyzer.diagnosis.scene import SLACK, Scene
from analyzer.facts.cluster import read_task
from analyzer.model import Event

TENSOR, TURN = "tensor", "turn"


def odd_members(scene: Scene) -> Iterator[Event]:
    """A collective that members call differently: each line tells what one member has; the odd one is who is left.

    `member` signals capture task (whose line it is), value (what it has), other (what another has), and `what` they
    have where it is not a tensor: the group itself.
    """
    told: dict[str, list[Event]] = {}
    for event in scene.members:
        told.setdefault(event.captures.get("what", TENSOR), []).append(event)
    for what, members in sorted(told.items()):
        yield from _odd_member(scene, what, members)


def late_member(scene: Scene) -> Iterator[Event]:
    """All members but one waited in a collective until their time was up (`what: turn`): that one is late."""
    came = {event.node: event for event in reversed(scene.members) if event.captures.get("what") == TURN}
    if not came:
        return
    jobs = {task.partition(":")[0] for name in came for task in scene.stories[name].node.tasks}
    peers = [story for story in scene.stories.values() if {task.partition(":")[0] for task in story.node.tasks} & jobs]
    late = [story for story in peers if story.name not in came]
    if len(late) == 1 and late[0].node.present and len(late[0].node.tasks) == 1 and not late[0].own:
        proofs = [came[name] for name in sorted(came)][:4]
        yield from scene.derive("derived.late_member", late[0].name, proofs, task=late[0].node.tasks[0])


def _odd_member(scene: Scene, what: str, members: Sequence[Event]) -> Iterator[Event]:
    told: dict[str, tuple[str, Event]] = {}
    others: set[str] = set()
    for event in members:
        if (task := read_task(event.captures.get("task"))) and (value := event.captures.get("value")):
            told.setdefault(task, (value, event))
            if other := event.captures.get("other"):
                others.add(other)
    values = Counter(value for value, _ in told.values())
    if not values:
        return
    common, votes = values.most_common(1)[0]
    odd = [task for task, (value, _) in told.items() if value != common]
    if not odd and others - {common}:
        everyone = set(scene.registry.owners) | set(told)
        odd = [
            task
            for task in everyone
            if task not in told and task.partition(":")[0] in {t.partition(":")[0] for t in told}
        ]
    # The first to come sets what is expected, and one other is quoted: of three or more that is the odd one most often.
    alone = len(told) == 1 and bool(others - {common}) and len(scene.registry.owners) > 2
    odd = list(told) if alone else odd
    sure = len(odd) == 1 and (votes > 1 or alone)
    proofs = [event for _, event in told.values()][:4]
    node = scene.registry.task(odd[0]) if sure else None
    # Whose log ends before the others failed may have been left out for that reason alone.
    seen = min((time for proof in proofs if (time := scene.timeline.time(proof)) is not None), default=None)
    last = scene.stories[node].last_time if node else None
    if node and (seen is None or last is None or last >= seen - SLACK - scene.timeline.error(node)):
        yield from scene.derive(
            "derived.odd_member",
            node,
            proofs,
            task=odd[0],
            value=common if alone else ", ".join(sorted(others - {common})) or None,
            common=", ".join(sorted(others)) if alone else common,
            quoted=str(len(told)),
            what=what,
        )
