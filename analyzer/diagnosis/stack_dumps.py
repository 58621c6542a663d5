"""Stacks that were dumped while a job hung: who is not in a collective holds those who are."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.diagnosis.derivation_context import DerivationContext, only_task
from analyzer.model import Event


def derive_odd_stack(context: DerivationContext) -> Iterator[Event]:
    """`stack` signals capture `frame`, where the main thread stands, and `waits` if it waits for other tasks there."""
    last: dict[str, Event] = {event.node: event for event in context.stack_dumps if event.node}
    waiting = {node for node, event in last.items() if event.captures.get("waits")}
    not_waiting = last.keys() - waiting
    if waiting and len(not_waiting) == 1:
        (node,) = not_waiting
        proofs = [last[node], *(last[name] for name in sorted(waiting)[:3])]
        yield from context.derive(
            "derived.odd_stack",
            node,
            proofs,
            task=only_task(context.activities[node]),
            frame=last[node].captures.get("frame"),
            tasks=str(len(waiting)),
        )
