"""A task that is slower than the others, and keeps them waiting."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from analyzer.diagnosis.derivation_context import DerivationContext, only_task
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.model import Event
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.numbers import read_decimal, read_whole

MIN_STEP_MS = 20.0  # milliseconds: steps that are shorter differ for no reason
STRAGGLER_WORK_FACTOR = 2.0  # times the work of the next slowest
TimedEvents = dict[str, list[tuple[float, Event]]]  # of each node milliseconds and the line that says them


def derive_stragglers(context: DerivationContext) -> Iterator[Event]:
    """In synchronous training the slow task waits for nobody. Either each says what it worked and what it waited, or
    its own step is short while all others' grow.
    """
    durations: TimedEvents = {}
    work_times: TimedEvents = {}
    for event in context.timeline.events:
        if not event.node or not event.captures:
            continue
        if (span := _step_duration_ms(event)) is not None:
            durations.setdefault(event.node, []).append((span, event))
        if (work := _read_duration_ms(event, "work")) is not None and _read_duration_ms(event, "wait") is not None:
            work_times.setdefault(event.node, []).append((work, event))
    usual_work = _usual_durations(work_times)
    if len(usual_work) > 1:
        slow = max(usual_work, key=lambda node: usual_work[node])
        most = max(span for node, span in usual_work.items() if node != slow)
        waits = {
            node: statistics.median(_read_duration_ms(event, "wait") or 0.0 for _, event in work_times[node])
            for node in usual_work
        }
        if (
            usual_work[slow] > STRAGGLER_WORK_FACTOR * most
            and waits[slow] == min(waits.values())
            and usual_work[slow] >= MIN_STEP_MS
        ):
            yield from _derive_straggler(context, slow, [work_times[slow][-1][1]], usual_work[slow], most, "works")
    else:
        yield from _short_steps(context, durations)


def _short_steps(context: DerivationContext, durations: TimedEvents) -> Iterator[Event]:
    usual = _usual_durations(durations)
    if len(usual) < 2:
        return
    ranked = sorted(usual, key=lambda node: usual[node])
    fastest, next_one = ranked[0], usual[ranked[1]]
    if (
        next_one > 4 * usual[fastest]
        and (_measured_step_ms(context.activities[ranked[1]], context.timeline) or next_one) >= MIN_STEP_MS
    ):
        proofs = [durations[fastest][-1][1], max(durations[ranked[-1]][-3:], key=lambda pair: pair[0])[1]]
        yield from _derive_straggler(context, fastest, proofs, usual[fastest], next_one, "waits")


def _derive_straggler(
    context: DerivationContext, node: str, proofs: Sequence[Event], own_ms: float, others_ms: float, how: str
) -> Iterator[Event]:
    activity = context.activities[node]
    yield from context.derive(
        "derived.straggler",
        node,
        proofs,
        task=only_task(activity),
        step=str(activity.highest_step),
        own_ms=f"{own_ms:.0f}",
        others_ms=f"{others_ms:.0f}",
        how=how,
    )


def _usual_durations(durations: TimedEvents) -> dict[str, float]:
    """Of each node with enough steps what the later half of them takes."""
    return {
        node: statistics.median(span for span, _ in timed_events[len(timed_events) // 2 :])
        for node, timed_events in durations.items()
        if len(timed_events) >= 6
    }


def _measured_step_ms(activity: NodeActivity, timeline: Timeline) -> float | None:
    """Milliseconds from one step to the next by the clock; None where the steps have no times of their own."""
    timed_steps = [
        (time, step)
        for event in activity.step_events
        if not event.inferred
        and (time := timeline.corrected_time(event)) is not None
        and (step := read_whole(event.captures.get("step"))) is not None
    ]
    steps_made = timed_steps[-1][1] - timed_steps[0][1] if len(timed_steps) > 1 else 0
    return 1000.0 * (timed_steps[-1][0] - timed_steps[0][0]) / steps_made if steps_made > 0 else None


def _step_duration_ms(event: Event) -> float | None:
    """What a step took by its own words, in ms; of a rate what one unit took, which tells tasks apart as well."""
    if (duration := _read_duration_ms(event, "duration")) is not None:
        return duration
    rate = read_decimal(event.captures.get("rate", ""))
    return 1000.0 / rate if rate else None


def _read_duration_ms(event: Event, name: str) -> float | None:
    """A time that is captured in ms or seconds, in ms."""
    if (duration := read_decimal(event.captures.get(f"{name}_ms", ""))) is not None:
        return duration
    duration = read_decimal(event.captures.get(f"{name}_s", ""))
    return None if duration is None else 1000.0 * duration
