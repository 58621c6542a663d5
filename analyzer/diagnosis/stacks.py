"""Stacks that were dumped while a job hung: who is not in a collective holds those who are."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.diagnosis.scene import Scene, task_of
from analyzer.model import Event


def odd_stacks(scene: Scene) -> Iterator[Event]:
    """`stack` signals capture `frame`, where the main thread stands, and `waits` if it waits for other tasks there."""
    last: dict[str, Event] = {event.node: event for event in scene.dumped if event.node}
    waiting = {node for node, event in last.items() if event.captures.get("waits")}
    others = last.keys() - waiting
    if waiting and len(others) == 1:
        (node,) = others
        proofs = [last[node], *(last[name] for name in sorted(waiting)[:3])]
        yield from scene.derive(
            "derived.odd_stack",
            node,
            proofs,
            task=task_of(scene.stories[node]),
            frame=last[node].captures.get("frame"),
            tasks=str(len(waiting)),
        )
