"""Detect training that stands still or slows down, the node that stopped first, and the odd stack trace."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice

from analyzer.diagnosis.derivation_context import DerivationContext, derives, only_task
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.cluster_spec import ASYNCHRONOUS_TASK_PREFIXES
from analyzer.incident import Finding
from analyzer.model import Event, Kind, Severity
from analyzer.signals.derived import (
    FINISHED_EARLY,
    LEFT_LOOP,
    ODD_STACK,
    SLOWED,
    STACKS_APART,
    STOOD_STILL,
    STOPPED_FIRST,
)
from analyzer.timeline.precedence import Order, compare_lines, compare_times
from analyzer.timeline.progress import Position, TrainingProgress, common_position
from analyzer.wording import join_names, natural_key

MIN_STILL_S = 30.0  # less time without a step is a pause …
MIN_STILL_STEPS = 10  # … and so is the time of fewer usual steps …
MIN_STILL_LINES = 3  # … or of fewer lines of steps
MIN_LEAD_STEPS = 3  # the node that stopped first did so this many usual steps before the next one
SLOWDOWN_FACTOR = 2.0  # a step of a slowed task takes this many times as long as before
MAX_PROOFS = 4
MAX_NAMED = 20  # nodes that wait for one
# Causes that may also end a hang: somebody kills the job, and the last tasks raise an error about the others' end.
ENDS_OF_HANGS = frozenset({"process.killed-by-signal", "user.code-error"})
_START_POSITIONS = ((0, 0), (1, 0))  # no node has made a step yet
_is_timeout = re.compile(r"(?i)timed? ?out|DEADLINE_?EXCEEDED").search

Training = Mapping[str, TrainingProgress]  # node → progress


def _training(context: DerivationContext) -> Training:
    """Return the progress of the nodes that train in step, without nodes of parameter servers and evaluators alone."""
    return {
        node: progress
        for node, progress in context.progress.items()
        if (activity := context.activities.get(node))
        and not all(task.startswith(ASYNCHRONOUS_TASK_PREFIXES) for task in activity.node.tasks or ("",))
    }


@derives(STOOD_STILL)
def derive_stood_at_start(context: DerivationContext) -> Iterator[Event]:
    """All known tasks joined, none logs a step or an error, and time passed: `how` is `start`.

    A program whose steps match no signal looks the same.
    """
    activities = [activity for activity in context.activities.values() if activity.name]
    tasks = [activity for activity in activities if activity.node.tasks]
    if len(tasks) < 2 or any(not activity.node.present or activity.first_activity is None for activity in tasks):
        return
    if any(
        _reports_trouble(activity) or activity.last_step or activity.ended_well
        for activity in context.activities.values()
    ):
        return
    last_start = max(activity.first_activity for activity in tasks if activity.first_activity is not None)
    if context.last_log_time is None or context.last_log_time - last_start < MIN_STILL_S:
        return
    yield from context.derive(
        STOOD_STILL,
        "",
        [activity.last_event for activity in islice(tasks, MAX_PROOFS) if activity.last_event],
        how="start",
        where="its start",
        seconds=f"{context.last_log_time - last_start:.0f}",
        tasks=str(len(tasks)),
    )


@derives(STOOD_STILL)
def derive_stood_still(context: DerivationContext) -> Iterator[Event]:
    """All tasks stop at the same step, none has ended, and none logs why.

    `how` is `stands` if later lines show that time passed. It is `ends` if the logs just stop there: a hang
    then looks like truncated logs, or like logs copied while the job ran. It is `behind` if one log stops at an earlier
    step.
    """
    training = _training(context)
    activities = [context.activities[node] for node in training]
    common = _common_end(training, context)
    if common is None:
        return
    still = _seconds_still(context, training)
    stands = still is not None and still >= _min_still_seconds(training)
    if not stands and (len(training) < 2 or any(activity.exit_event for activity in activities)):
        return
    late = set(map(id, common[1]))
    behind = [node for node, progress in training.items() if id(progress) in late]
    last_steps = [progress.last_step for progress in islice(training.values(), MAX_PROOFS)]
    yield from context.derive(
        STOOD_STILL,
        behind[0] if len(behind) == 1 else "",
        [training[behind[0]].last_step, *last_steps] if behind else last_steps[:1],
        how="stands" if stands else "behind" if len(behind) == 1 else "ends",
        where=_furthest_step(training),
        seconds=f"{still:.0f}" if still is not None else None,
        tasks=str(len(training)),
    )


def _common_end(
    training: Training, context: DerivationContext, finished: Set[str] = frozenset()
) -> tuple[Position, Sequence[TrainingProgress]] | None:
    """Return the position at which all tasks stop, and those that are behind.

    None if a task says why, or if a task ended that is not in `finished`.
    """
    if any(map(_reports_trouble, context.activities.values())) or _finished(training, context) != finished:
        return None
    if any(_is_error_after_last_step(event, training) for event in context.timeline.events):
        return None
    common = common_position(list(training.values())) if training else None
    return None if common is None or common[0] in _START_POSITIONS else common


def _finished(training: Training, context: DerivationContext) -> Set[str]:
    return {node for node in training if context.activities[node].ended_well}


@derives(LEFT_LOOP)
def derive_left_loop(context: DerivationContext) -> Iterator[Event]:
    """All logs end with the same step except one, whose program continued with something else or the next epoch.

    Its loop was over, so the others wait for it in their next step. This works for logs in any language. The first task
    does not count, since it alone logs some things: its health, its checkpoints.
    """
    training = _training(context)
    finished = _finished(training, context)
    if len(training) < 2 or len(finished) > 1 or (common := _common_end(training, context, finished)) is None:
        return
    if common[1]:
        return
    node = _gone_on(training, common[0], context)
    if node is None or not finished <= {node}:
        return
    yield from _derive_left_loop(training, node, context)


def _derive_left_loop(training: Training, node: str, context: DerivationContext) -> Iterator[Event]:
    return context.derive(
        LEFT_LOOP,
        node,
        [training[node].last_step],
        task=only_task(context.activities[node]),
        where=_furthest_step(training),
        nodes=join_names(sorted(name for name in training if name != node), MAX_NAMED),
    )


def _gone_on(training: Training, common: Position, context: DerivationContext) -> str | None:
    """Return the only node that left the epoch, or whose log continues after the `common` last step."""
    left = _left_epoch(training, common, context)
    last_steps = {node: progress.last_step.locus for node, progress in training.items()}
    if left or len({step.file for step in last_steps.values()}) < len(last_steps):
        return left[0] if len(left) == 1 else None
    beyond = [
        node
        for node, step in last_steps.items()
        if step.line is not None and context.line_counts.get(step.file, 0) > step.line
    ]
    first = min(training, key=natural_key)
    has_left = len(beyond) == 1 and not _is_first_task(context.activities[beyond[0]], first)
    return beyond[0] if has_left else None


def _left_epoch(training: Training, common: Position, context: DerivationContext) -> list[str]:
    """Return the nodes that began the next epoch, and nodes other than the first task that log the end of this one."""
    first = min(training, key=natural_key)
    return [
        node
        for node, progress in training.items()
        if progress.position == (common[0] + 1, 0)
        or (_ends_epoch(progress) and not _is_first_task(context.activities[node], first))
    ]


def _ends_epoch(progress: TrainingProgress) -> bool:
    """Return whether the last line after the steps states only their epoch."""
    return (
        progress.position[1] > 0
        and "epoch" in progress.last_step.captures
        and "step" not in progress.last_step.captures
    )


def _is_first_task(activity: NodeActivity, first: str) -> bool:
    tasks = activity.node.tasks
    return any(task.endswith(":0") for task in tasks) if tasks else activity.name == first


@derives(STOOD_STILL, LEFT_LOOP)
def derive_hang_before_break(context: DerivationContext) -> Iterator[Event]:
    """No node made a step for long before a connection broke or a task was killed: the job had hung before that.

    If only one node had ended its epoch, the others wait for it.
    """
    training = _training(context)
    steps = _reliable_times(training)
    if len(steps) < 2 or any(activity.ended_well for activity in context.activities.values()):
        return
    last_step = max(steps)
    error = 2 * max(context.timeline.clock_error(node) for node in training)
    limit = max(MIN_STILL_S, MIN_STILL_STEPS * (_usual_step_seconds(training) or MIN_STILL_S)) + error
    causes = [finding for activity in context.activities.values() for finding in activity.causes]
    if any(not _ends_a_hang(finding, last_step + limit) for finding in causes):
        return
    later_accusations = [
        (time, accusation.event)
        for activity in context.activities.values()
        for accusation in activity.accusations_made
        if (time := context.timeline.corrected_time(accusation.event)) is not None and time > last_step
    ]
    if any(event.captures.get("how", "lost") != "lost" for _, event in later_accusations):
        return  # missing heartbeats and timeouts say which node it was
    ends = later_accusations + [(finding.time, finding.evidence[0]) for finding in causes if finding.time is not None]
    if not ends:
        return
    first, proof = min(ends, key=lambda pair: pair[0])
    if first - last_step < limit:
        return
    yield from context.derive(
        STOOD_STILL,
        "",
        [*(progress.last_step for progress in islice(training.values(), MAX_PROOFS)), proof],
        how="broken",
        where=_furthest_step(training),
        seconds=f"{first - last_step:.0f}",
        tasks=str(len(training)),
    )
    common = common_position(list(training.values()))
    if common and not common[1] and len(left := _left_epoch(training, common[0], context)) == 1:
        yield from _derive_left_loop(training, left[0], context)


def _ends_a_hang(finding: Finding, earliest: float) -> bool:
    """Return whether the finding shows that somebody ended a job that had stood still for long."""
    return finding.cause in ENDS_OF_HANGS and finding.time is not None and finding.time >= earliest


@derives(FINISHED_EARLY)
def derive_finished_alone(context: DerivationContext) -> Iterator[Event]:
    """One task finished, and the others stand still at the step where it left: they wait for it in a collective.

    They wait silently or until a timeout. The finished task may wait too, for a barrier or an export, until somebody
    ends all of them.
    """
    training = _training(context)
    finished = [node for node in training if context.activities[node].ended_well]
    if len(finished) != 1 or len(training) < 2:
        return
    (node,) = finished
    others = [progress for name, progress in training.items() if name != node]
    if any(other.position < training[node].position for other in others):
        return
    interval = _usual_step_seconds(training)
    if any(map(_reports_trouble, context.activities.values())):
        still, limit = _seconds_until_timeout(context, training, node), MIN_STILL_STEPS * (interval or 1.0)
    else:
        still, limit = _seconds_still(context, training), max(MIN_STILL_S, MIN_STILL_STEPS * (interval or 0.0))
    if still is None or still < limit:
        return
    activity = context.activities[node]
    proofs = [event for event in (activity.finish_event, *(other.last_step for other in others[:MAX_PROOFS])) if event]
    yield from context.derive(FINISHED_EARLY, node, proofs, task=only_task(activity), step=str(activity.highest_step))


def _seconds_until_timeout(context: DerivationContext, training: Training, node: str) -> float | None:
    """Return the seconds from the last step of all nodes to the first trouble of the others; None if `node` has some,
    if one has no time, or if the first is no timeout.
    """
    troubles = [
        (event, context.timeline.corrected_time(event))
        for activity in context.activities.values()
        for event in _troubles(activity)
        if event.kind is not Kind.SCHEDULER  # a launcher may report it at any time
    ]
    times = [time for _, time in troubles if time is not None]
    steps = _reliable_times(training)
    if not steps or len(times) < len(troubles) or any(event.node == node for event, _ in troubles):
        return None
    first = min(times)
    is_timeout = any(time == first and _is_timeout(event.text) for event, time in troubles)
    return first - max(steps) if is_timeout else None


@derives(STOPPED_FIRST)
def derive_stopped_first(context: DerivationContext) -> Iterator[Event]:
    """The last step of one task is earlier than those of all others, beyond the clocks' errors and a few steps."""
    training = _training(context)
    timed = sorted((progress.time, node) for node, progress in training.items() if progress.time is not None)
    if len(timed) < 2 or len(timed) < len(training):
        return
    (first, node), (second, next_node) = timed[:2]
    error = context.timeline.clock_error(node) + context.timeline.clock_error(next_node)
    gap = second - first - error
    if context.activities[node].ended_well or gap <= MIN_LEAD_STEPS * (_usual_step_seconds(training) or 1.0):
        return
    yield from context.derive(
        STOPPED_FIRST,
        node,
        [training[node].last_step],
        where=training[node].step_label,
        others=training[timed[-1][1]].step_label,
        seconds=f"{second - first:.1f}",
        within=f"{error:.1f}",
    )


@derives(SLOWED)
def derive_slowdown(context: DerivationContext) -> Iterator[Event]:
    """At the end, a step of most tasks takes a multiple of the time that it took before."""
    changes = [
        (change, progress)
        for progress in _training(context).values()
        if (change := progress.intervals_before_and_at_end()) is not None
    ]
    slow = [(change, progress) for change, progress in changes if change[1] > SLOWDOWN_FACTOR * change[0]]
    if changes and 2 * len(slow) > len(changes):
        before, after = (statistics.median(change[side] for change, _ in slow) for side in (0, 1))
        proofs = [slow[0][1].last_step]
        yield from context.derive(
            SLOWED, "", proofs, before=f"{before:.3g}", after=f"{after:.3g}", tasks=str(len(slow))
        )


@derives(ODD_STACK)
def derive_odd_stack(context: DerivationContext) -> Iterator[Event]:
    """Stacks were dumped while the job hung: the task that is not where the others wait holds them up.

    It is in no collective while others are, or it is the only one of at least three tasks that waits at another place
    in the program. Signals that feed `stack` capture `frame` (where the main thread is), `waits` (if it waits there for
    other tasks), and `own_frame` and `own_line` (the innermost place in the program itself).
    """
    last = {event.node: event for event in context.stack_dumps if event.node}
    waiting = {node for node, event in last.items() if event.captures.get("waits")}
    not_waiting = last.keys() - waiting
    if waiting and len(not_waiting) == 1:
        (node,) = not_waiting
        yield from _odd_stack(context, node, last, waiting, last[node].captures.get("frame"))
    elif waiting and not not_waiting and (odd := _waits_elsewhere(last)):
        frame = last[odd].captures.get("own_frame") or last[odd].captures.get("waits")
        yield from _odd_stack(context, odd, last, waiting - {odd}, frame)


@derives(STACKS_APART)
def derive_stacks_apart(context: DerivationContext) -> Iterator[Event]:
    """All tasks with dumped stacks wait for others, at different places, and none of them is the odd one out."""
    last = {event.node: event for event in context.stack_dumps if event.node}
    if not all(event.captures.get("waits") for event in last.values()) or _waits_elsewhere(last):
        return
    first_at = {_place_in_program(last[node]): node for node in sorted(last, reverse=True)}
    if len(first_at) > 1:
        first, second, *_ = sorted(first_at.values())
        yield from context.derive(
            STACKS_APART,
            "",
            [last[first], last[second]],
            frame=_wait_of(last[first]),
            other_frame=_wait_of(last[second]),
        )


def _wait_of(stack: Event) -> str:
    own, waits = stack.captures.get("own_frame"), stack.captures["waits"]
    return waits if own is None or own == waits else f"{waits} below {own}"


def _waits_elsewhere(last: Mapping[str, Event]) -> str | None:
    """Return the one node of at least three that waits at a different place in the program than all others."""
    places = {node: _place_in_program(event) for node, event in last.items()}
    usual, agreeing = Counter(places.values()).most_common(1)[0] if places else (None, 0)
    if agreeing < 2 or len(places) != agreeing + 1:
        return None
    return next(node for node, place in places.items() if place != usual)


def _place_in_program(stack: Event) -> tuple[str | None, ...]:
    return tuple(stack.captures.get(name) for name in ("own_frame", "own_line", "waits"))


def _odd_stack(
    context: DerivationContext, node: str, last: Mapping[str, Event], waiting: Set[str], frame: str | None
) -> Iterator[Event]:
    others = sorted(waiting)
    yield from context.derive(
        ODD_STACK,
        node,
        [last[node], *(last[name] for name in others[: MAX_PROOFS - 1])],
        task=only_task(context.activities[node]),
        frame=frame,
        others=last[others[0]].captures.get("own_frame"),
        tasks=str(len(others)),
    )


def _reports_trouble(activity: NodeActivity) -> bool:
    """Return whether it logged an error or a lost peer, or is accused, apart from a launcher's report of its end."""
    return bool(_troubles(activity))


def _troubles(activity: NodeActivity) -> list[Event]:
    symptoms = [finding.evidence[0] for finding in activity.symptoms if finding.evidence[0].kind is not Kind.SCHEDULER]
    accusations = (*activity.accusations_made, *activity.accusations_received)
    return [*activity.errors, *symptoms, *(accusation.event for accusation in accusations)]


def _is_error_after_last_step(event: Event, training: Training) -> bool:
    """Return whether a task logged this error after its last step, so that it did not stop in silence.

    The error counts even if no rule matches it, and even if the order is unknown because a time is missing.
    """
    last_step = training[event.node].last_step if event.node in training else None
    if last_step is None or event.severity < Severity.ERROR or event.kind not in (Kind.WORKER, Kind.UNKNOWN):
        return False
    if event.locus.file == last_step.locus.file:
        return compare_lines(last_step, event) is Order.BEFORE
    return compare_times(event.time, last_step.time) is not Order.BEFORE


def _reliable_times(training: Training) -> list[float]:
    return [progress.reliable_time for progress in training.values() if progress.reliable_time is not None]


def _seconds_still(context: DerivationContext, training: Training) -> float | None:
    """Return the seconds from the last step of all nodes to the last line of all; None if steps have no times.

    A system log continues after the job, so only its lines about the end of the job's processes count.
    """
    ends = (activity.exit_event for activity in context.activities.values())
    times = [context.last_log_time, *(context.timeline.corrected_time(event) for event in ends if event)]
    last_time = max((time for time in times if time is not None), default=None)
    steps = _reliable_times(training)
    return last_time - max(steps) if steps and last_time is not None else None


def _usual_step_seconds(training: Training) -> float | None:
    intervals = [interval for progress in training.values() if (interval := progress.usual_interval) is not None]
    return statistics.median(intervals) if intervals else None


def _min_still_seconds(training: Training) -> float:
    """Return the seconds without a step after which the training counts as standing still."""
    gaps = [gap for progress in training.values() if (gap := progress.seconds_between_lines) is not None]
    return max(
        MIN_STILL_S,
        MIN_STILL_STEPS * (_usual_step_seconds(training) or 0.0),
        MIN_STILL_LINES * (statistics.median(gaps) if gaps else 0.0),
    )


def _furthest_step(training: Training) -> str:
    return max(training.values(), key=lambda progress: progress.position).step_label
