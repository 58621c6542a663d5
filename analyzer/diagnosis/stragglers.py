"""A task that is slower than the others, and keeps them waiting."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from analyzer.diagnosis.scene import Scene, task_of
from analyzer.diagnosis.stories import Story
from analyzer.facts.numbers import read_decimal, read_whole
from analyzer.model import Event
from analyzer.timeline.order import Timeline

SLOW = 20.0  # milliseconds: steps that are shorter differ for no reason


def stragglers(scene: Scene) -> Iterator[Event]:
    """In synchronous training the slow task waits for nobody: its own step is short while all others' grow."""
    spans: dict[str, list[tuple[float, Event]]] = {}
    for event in scene.timeline.events:
        if event.node and event.captures and (span := _span_of(event)) is not None:
            spans.setdefault(event.node, []).append((span, event))
    usual = {
        node: statistics.median(span for span, _ in found[len(found) // 2 :])
        for node, found in spans.items()
        if len(found) >= 6
    }
    if len(usual) < 2:
        return
    ranked = sorted(usual, key=lambda node: usual[node])
    fast, next_one = ranked[0], usual[ranked[1]]
    if next_one > 4 * usual[fast] and (_pace(scene.stories[ranked[1]], scene.timeline) or next_one) >= SLOW:
        proofs = [spans[fast][-1][1], max(spans[ranked[-1]][-3:], key=lambda pair: pair[0])[1]]
        yield from scene.derive(
            "derived.straggler",
            fast,
            proofs,
            task=task_of(scene.stories[fast]),
            step=str(scene.stories[fast].steps),
            own_ms=f"{usual[fast]:.0f}",
            others_ms=f"{next_one:.0f}",
        )


def _pace(story: Story, timeline: Timeline) -> float | None:
    """Milliseconds from one step to the next by the clock; None where the steps have no times of their own."""
    seen = [
        (time, step)
        for event in story.paces
        if not event.inferred
        and (time := timeline.time(event)) is not None
        and (step := read_whole(event.captures.get("step"))) is not None
    ]
    made = seen[-1][1] - seen[0][1] if len(seen) > 1 else 0
    return 1000.0 * (seen[-1][0] - seen[0][0]) / made if made > 0 else None


def _span_of(event: Event) -> float | None:
    """What a step took by its own words, in ms; of a rate what one unit took, which tells tasks apart as well."""
    if (span := read_decimal(event.captures.get("duration_ms", ""))) is not None:
        return span
    if (span := read_decimal(event.captures.get("duration_s", ""))) is not None:
        return 1000.0 * span
    rate = read_decimal(event.captures.get("rate", ""))
    return 1000.0 / rate if rate else None
