"""A task that is slower than the others, and keeps them waiting."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from analyzer.diagnosis.scene import Scene, task_of
from analyzer.diagnosis.stories import Story
from analyzer.model import Event
from analyzer.timeline.order import Timeline
from analyzer.untrusted.numbers import read_decimal, read_whole

SLOW = 20.0  # milliseconds: steps that are shorter differ for no reason
WORKS = 2.0  # times the work of the next slowest
Spans = dict[str, list[tuple[float, Event]]]  # of each node milliseconds and the line that says them


def stragglers(scene: Scene) -> Iterator[Event]:
    """In synchronous training the slow task waits for nobody. Either each says what it worked and what it waited, or
    its own step is short while all others' grow.
    """
    spans: Spans = {}
    works: Spans = {}
    for event in scene.timeline.events:
        if not event.node or not event.captures:
            continue
        if (span := _span_of(event)) is not None:
            spans.setdefault(event.node, []).append((span, event))
        if (work := _read_span(event, "work")) is not None and _read_span(event, "wait") is not None:
            works.setdefault(event.node, []).append((work, event))
    usual = _usual(works)
    if len(usual) > 1:
        slow = max(usual, key=lambda node: usual[node])
        most = max(span for node, span in usual.items() if node != slow)
        waits = {
            node: statistics.median(_read_span(event, "wait") or 0.0 for _, event in works[node]) for node in usual
        }
        if usual[slow] > WORKS * most and waits[slow] == min(waits.values()) and usual[slow] >= SLOW:
            yield from _derive(scene, slow, [works[slow][-1][1]], usual[slow], most, "works")
    else:
        yield from _short_steps(scene, spans)


def _short_steps(scene: Scene, spans: Spans) -> Iterator[Event]:
    usual = _usual(spans)
    if len(usual) < 2:
        return
    ranked = sorted(usual, key=lambda node: usual[node])
    fast, next_one = ranked[0], usual[ranked[1]]
    if next_one > 4 * usual[fast] and (_pace(scene.stories[ranked[1]], scene.timeline) or next_one) >= SLOW:
        proofs = [spans[fast][-1][1], max(spans[ranked[-1]][-3:], key=lambda pair: pair[0])[1]]
        yield from _derive(scene, fast, proofs, usual[fast], next_one, "waits")


def _derive(scene: Scene, node: str, proofs: Sequence[Event], own: float, others: float, how: str) -> Iterator[Event]:
    story = scene.stories[node]
    yield from scene.derive(
        "derived.straggler",
        node,
        proofs,
        task=task_of(story),
        step=str(story.steps),
        own_ms=f"{own:.0f}",
        others_ms=f"{others:.0f}",
        how=how,
    )


def _usual(spans: Spans) -> dict[str, float]:
    """Of each node with enough steps what the later half of them takes."""
    return {
        node: statistics.median(span for span, _ in found[len(found) // 2 :])
        for node, found in spans.items()
        if len(found) >= 6
    }


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
    if (span := _read_span(event, "duration")) is not None:
        return span
    rate = read_decimal(event.captures.get("rate", ""))
    return 1000.0 / rate if rate else None


def _read_span(event: Event, name: str) -> float | None:
    """A time that is captured in ms or seconds, in ms."""
    if (span := read_decimal(event.captures.get(f"{name}_ms", ""))) is not None:
        return span
    span = read_decimal(event.captures.get(f"{name}_s", ""))
    return None if span is None else 1000.0 * span
