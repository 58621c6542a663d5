"""A task that is slower than the others and keeps them waiting."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from analyzer.diagnosis.derivation_context import DerivationContext, derives, only_task
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.model import Event, Kind
from analyzer.signals.derived import STRAGGLER
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.numbers import read_decimal, read_whole
from analyzer.wording import join_names

MIN_STEP_MS = 20.0  # shorter steps vary without a reason
MIN_STEPS = 6  # a node with fewer steps has no usual duration
LATE_SHARES = (0.5, 0.2, 0.1)  # of the steps, the last ones: a job is often ended soon after it became slow
STRAGGLER_WORK_FACTOR = 2.0  # a straggler works this many times as long as the next slowest task
WAITING_FACTOR = 4.0  # … and the others' steps take this many times as long as its own, since they wait
WAITING_FACTOR_OF_PARTS = 2.0  # … or the part in which they wait takes the others this many times as long
MIN_WAIT_SHARE = 0.5  # each of the others waits at least for this share of the extra time of a straggler
WHOLE_STEP_SHARE = 0.9  # a duration above this share of a step is not a part of it
DELAYING_SHARE, WHOLE_STEP_MARGIN = 0.3, 1.1  # of a step: a number without a unit between them may be a part of it
REST_OF_STEP = ""  # the part of a step outside of all stated parts
MAX_STEP_LINE_CHARS = 400
MAX_WAITING = 20  # waiting nodes that are named
MS_BY_UNIT = {"us": 0.001, "µs": 0.001, "ms": 1.0, "msec": 1.0, "s": 1000.0, "sec": 1000.0, "secs": 1000.0}
TimedEvents = dict[str, list[tuple[float, Event]]]  # node → milliseconds and the line that states them
PartsByNode = dict[str, TimedEvents]  # node → name of a part of the step → milliseconds and the lines

# `input 0.02s compute=581ms allreduce_wait: 1.4 s`, `data (ms) 12.5` is not: the unit comes after the number.
_match_parts = re.compile(
    r"(?<![\w.])(?P<name>[^\W\d][\w./-]{0,30}?)\s{0,2}[:=]?\s{0,3}(?P<value>\d{1,9}(?:\.\d{1,9})?) ?"
    r"(?P<unit>us|µs|ms(?:ec)?|s(?:ecs?)?)\b(?!/)",
    re.I,
).finditer
# `t_local=0.455 reduce_ms=1157 data_time: 0.02`: the name says that it is a time, and perhaps in which unit.
_match_named_times = re.compile(
    r"(?<![\w.])(?P<name>(?:t|dt|time|tiempo|tempo|temps|zeit|czas)[_-]\w{1,30}|[^\W\d]\w{0,30}?[_-](?:time|dur|duration|t)"
    r"|[^\W\d]\w{0,30}?[_-](?P<unit>us|ms|s|secs?))\s{0,2}[:=]\s{0,3}(?P<value>\d{1,9}(?:\.\d{1,9})?)(?=[\s,;|)\]]|$)",
    re.I,
).finditer
# `input=0.02 forward=0.21 reduce=0.55`: what has no unit may be a time in seconds, too. Other measures are equal on
# all members, or do not grow on one by what another falls there.
_match_plain_numbers = re.compile(
    r"(?<![\w.])(?P<name>[^\W\d]\w{0,30})[=:] ?(?P<value>\d{1,6}\.\d{1,9})(?=[\s,;|)\]]|$)"
).finditer


@derives(STRAGGLER)
def derive_stragglers(context: DerivationContext) -> Iterator[Event]:
    """In synchronous training, the slow task is the one that does not wait.

    If lines state the parts of a step, one node needs much longer for one part, and all others for another part or for
    the unstated rest, in which they wait. Otherwise its own steps are short, and those of the others include the wait.
    If neither shows, other times that the members log decide.
    """
    durations: TimedEvents = {}
    parts: PartsByNode = {}
    numbers: PartsByNode = {}
    why_foreign = context.timeline.scope.why_foreign
    for event in context.timeline.events:
        if not event.node or not event.captures or why_foreign(event):
            continue
        if (duration := _step_duration_ms(event)) is not None:
            durations.setdefault(event.node, []).append((duration, event))
        if "step" in event.captures:
            _add_parts(parts, event, _parts_of_step)
            _add_parts(numbers, event, _plain_numbers_of_step)
    for event in context.step_profiles:
        if event.node and "step" not in event.captures and not why_foreign(event):
            _add_parts(parts, event, _parts_of_step)
    for stated in (parts, numbers):
        uneven_parts = (_find_uneven_part(_usual_parts(stated, context, share)) for share in LATE_SHARES)
        if uneven := next(filter(None, uneven_parts), None):
            node, name, own_ms, others_ms = uneven
            if stated is parts or _is_part_of_step(context, node, own_ms):
                yield from _derive_straggler(context, node, [stated[node][name][-1][1]], own_ms, others_ms, "works")
                return
    states_parts = any(len(named) > 1 for named in parts.values())
    short_steps = [] if states_parts else list(_short_steps(context, durations))
    yield from short_steps or _odd_timings(context)


def _add_parts(parts: PartsByNode, event: Event, read: Callable[[str], Iterator[tuple[str, float]]]) -> None:
    for name, part_ms in read(event.text):
        parts.setdefault(event.node, {}).setdefault(name, []).append((part_ms, event))


def _parts_of_step(text: str) -> Iterator[tuple[str, float]]:
    """Yield name and milliseconds of each duration that a step's line states by name. Seconds are the usual unit."""
    head = text[:MAX_STEP_LINE_CHARS]
    for match in chain(_match_parts(head), _match_named_times(head)):
        yield match["name"].lower(), float(match["value"]) * MS_BY_UNIT[(match["unit"] or "s").lower()]


def _is_part_of_step(context: DerivationContext, node: str, part_ms: float) -> bool:
    """Return whether a number is as large as a part of a step may be that delays it, by the times of the steps."""
    progress = context.progress.get(node)
    intervals = progress.step_intervals() if progress else []
    late = intervals[-max(round(len(intervals) * LATE_SHARES[0]), 1) :]
    step_ms = 1000.0 * statistics.median(late) if late else 0.0
    return DELAYING_SHARE * step_ms <= part_ms <= WHOLE_STEP_MARGIN * step_ms


def _plain_numbers_of_step(text: str) -> Iterator[tuple[str, float]]:
    """Yield name and milliseconds of each number without a unit that may be a duration in seconds."""
    for match in _match_plain_numbers(text[:MAX_STEP_LINE_CHARS]):
        yield match["name"].lower(), 1000.0 * float(match["value"])


def _usual_parts(parts: PartsByNode, context: DerivationContext, share: float) -> dict[str, dict[str, float]]:
    """Return node → part → milliseconds in the last `share` of the steps, with the rest of a step as one more part.

    The rest is what its lines' times show of a step and none of its parts states: there a node waits for the others.
    """
    usual = {node: _usual_durations(named, share) for node, named in parts.items()}
    for node, named in usual.items():
        progress = context.progress.get(node)
        intervals = progress.step_intervals() if progress else []
        if named and len(intervals) * share >= MIN_STEPS * LATE_SHARES[0]:
            step_ms = 1000.0 * statistics.median(intervals[-max(round(len(intervals) * share), 1) :])
            stated_ms = sum(part_ms for part_ms in named.values() if part_ms < WHOLE_STEP_SHARE * step_ms)
            named[REST_OF_STEP] = max(step_ms - stated_ms, 0.0)
    return usual


def _find_uneven_part(usual: Mapping[str, Mapping[str, float]]) -> tuple[str, str, float, float] | None:
    """Return (node, part, its milliseconds there, those of the next slowest node) of the part that one node needs much
    longer for while all others need about as much longer for another part.

    `usual`: node → part → milliseconds.
    """
    names = set.intersection(*map(set, usual.values())) if len(usual) > 1 else set()
    best: tuple[float, str, str, float, float] | None = None
    for name in names - {REST_OF_STEP}:
        slow = max(usual, key=lambda node: usual[node][name])
        own = usual[slow][name]
        next_ms = max(times[name] for node, times in usual.items() if node != slow)
        lead = own - next_ms
        if own <= STRAGGLER_WORK_FACTOR * next_ms or lead < MIN_STEP_MS:
            continue
        rests = (
            (usual[slow][other], min(times[other] for node, times in usual.items() if node != slow)) for other in names
        )
        is_awaited = any(
            least >= WAITING_FACTOR_OF_PARTS * own_rest and least - own_rest >= MIN_WAIT_SHARE * lead
            for own_rest, least in rests
        )
        if is_awaited and (best is None or lead > best[0]):
            best = lead, slow, name, own, next_ms
    return best[1:] if best else None


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


def _odd_timings(context: DerivationContext) -> Iterator[Event]:
    """Derive the straggler that alone needs long for what it does besides its steps.

    The leader does not count: it does more than the others.
    """
    leaders = {context.node_of(identity) for identity in context.identities if identity.is_leader}
    timing = next(
        (timing for timing in context.odd_timings if timing.node not in leaders and timing.node in context.progress),
        None,
    )
    if timing is not None:
        proof = Event("", timing.locus, timing.text, kind=Kind.WORKER, node=timing.node)
        yield from _derive_straggler(context, timing.node, [proof], timing.own_ms, timing.others_ms, "times")


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
        nodes=join_names(sorted(name for name in context.progress if name != node), MAX_WAITING),
    )


def _usual_durations(durations: TimedEvents, share: float = LATE_SHARES[0]) -> dict[str, float]:
    """Return node → the median over the last `share` of its steps, for each node with enough steps."""
    return {
        node: statistics.median(duration for duration, _ in timed_events[-max(round(len(timed_events) * share), 1) :])
        for node, timed_events in durations.items()
        if len(timed_events) * share >= MIN_STEPS * LATE_SHARES[0]
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
