"""A task that is slower than the others and keeps them waiting."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from analyzer.diagnosis.derivation_context import DerivationContext, derives, only_task
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.model import Event
from analyzer.signals.derived import STRAGGLER
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.numbers import read_decimal, read_whole

MIN_STEP_MS = 20.0  # the durations of shorter steps differ for no reason
MIN_STEPS = 6  # a node with fewer steps has no usual duration
STRAGGLER_WORK_FACTOR = 2.0  # a straggler works so many times as long as the next slowest task
WAITING_FACTOR = 4.0  # … and the others' steps take so many times as long as its own, since they wait in them
TimedEvents = dict[str, list[tuple[float, Event]]]  # node → milliseconds and the line that states them


@derives(STRAGGLER)
def derive_stragglers(context: DerivationContext) -> Iterator[Event]:
    """In synchronous training, the slow task is the one that does not wait.

    It shows if lines state work and waiting of each task apart. Otherwise its own steps are short, while those of
    the others grow with their waiting.
    """
    durations: TimedEvents = {}
    work_times: TimedEvents = {}
    for event in context.timeline.events:
        if not event.node or not event.captures:
            continue
        if (duration := _step_duration_ms(event)) is not None:
            durations.setdefault(event.node, []).append((duration, event))
        if (work := _read_duration_ms(event, "work")) is not None and _read_duration_ms(event, "wait") is not None:
            work_times.setdefault(event.node, []).append((work, event))
    usual_work = _usual_durations(work_times)
    if len(usual_work) > 1:
        slow = max(usual_work, key=lambda node: usual_work[node])
        next_work = max(work for node, work in usual_work.items() if node != slow)
        waits = {
            node: statistics.median(_read_duration_ms(event, "wait") or 0.0 for _, event in work_times[node])
            for node in usual_work
        }
        if (
            usual_work[slow] > STRAGGLER_WORK_FACTOR * next_work
            and waits[slow] == min(waits.values())
            and usual_work[slow] >= MIN_STEP_MS
        ):
            yield from _derive_straggler(context, slow, [work_times[slow][-1][1]], usual_work[slow], next_work, "works")
    else:
        yield from _short_steps(context, durations)


def _short_steps(context: DerivationContext, durations: TimedEvents) -> Iterator[Event]:
    """Derive the straggler whose own steps are short while all others' steps are long."""
    usual = _usual_durations(durations)
    if len(usual) < 2:
        return
    fastest, second, *_ = ranked = sorted(usual, key=lambda node: usual[node])
    step_ms = _measured_step_ms(context.activities[second], context.timeline) or usual[second]
    if usual[second] > WAITING_FACTOR * usual[fastest] and step_ms >= MIN_STEP_MS:
        proofs = [durations[fastest][-1][1], max(durations[ranked[-1]][-3:], key=lambda pair: pair[0])[1]]
        yield from _derive_straggler(context, fastest, proofs, usual[fastest], usual[second], "waits")


def _derive_straggler(
    context: DerivationContext, node: str, proofs: Sequence[Event], own_ms: float, others_ms: float, how: str
) -> Iterator[Event]:
    activity = context.activities[node]
    yield from context.derive(
        STRAGGLER,
        node,
        proofs,
        task=only_task(activity),
        step=str(activity.highest_step),
        own_ms=f"{own_ms:.0f}",
        others_ms=f"{others_ms:.0f}",
        how=how,
    )


def _usual_durations(durations: TimedEvents) -> dict[str, float]:
    """Return node → the median over the later half of its steps, for each node with enough steps."""
    return {
        node: statistics.median(duration for duration, _ in timed_events[len(timed_events) // 2 :])
        for node, timed_events in durations.items()
        if len(timed_events) >= MIN_STEPS
    }


def _measured_step_ms(activity: NodeActivity, timeline: Timeline) -> float | None:
    """Return the milliseconds from one step to the next by the clock; None if the steps have no times of their own."""
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
    """Return how long a step took as its line states it; for a rate, how long one unit took, which compares as well."""
    if (duration := _read_duration_ms(event, "duration")) is not None:
        return duration
    rate = read_decimal(event.captures.get("rate", ""))
    return 1000.0 / rate if rate else None


def _read_duration_ms(event: Event, name: str) -> float | None:
    """Return the duration that is captured as `NAME_ms` or `NAME_s`, in milliseconds."""
    if (duration := read_decimal(event.captures.get(f"{name}_ms", ""))) is not None:
        return duration
    duration = read_decimal(event.captures.get(f"{name}_s", ""))
    return None if duration is None else 1000.0 * duration
