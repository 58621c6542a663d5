"""A collective that its members call differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from analyzer.diagnosis.scene import SLACK, Scene
from analyzer.facts.cluster import read_task
from analyzer.model import Event


def odd_members(scene: Scene) -> Iterator[Event]:
    """A collective that members call differently: each line tells what one member has; the odd one is who is left.

    `member` signals capture task (whose line it is), value (what it has) and other (what another has).
    """
    told: dict[str, tuple[str, Event]] = {}
    others: set[str] = set()
    for event in scene.members:
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
        )
