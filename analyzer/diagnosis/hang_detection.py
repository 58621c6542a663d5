"""What nobody says: training that stands still, that slows down, and who stopped first."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from itertools import islice

from analyzer.diagnosis.derivation_context import DerivationContext
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.cluster_spec import ASYNCHRONOUS_TASK_PREFIXES
from analyzer.model import Event, Kind, Severity
from analyzer.timeline.progress import TrainingProgress, common_position

MIN_STILL_S = 30.0  # seconds without a step, and …
MIN_STILL_STEPS = 10  # … times the usual step, that are no mere pause
SLOWDOWN_FACTOR = 2.0  # times
MAX_PROOFS = 4
_START_POSITIONS = ((0, 0), (1, 0))  # where nobody has made a step yet


def derive_progress_events(context: DerivationContext) -> Iterator[Event]:
    """`derived.stood_still`, `derived.stopped_first` and `derived.slowed`."""
    training = {
        node: progress
        for node, progress in context.progress.items()
        if (activity := context.activities.get(node))
        and not all(task.startswith(ASYNCHRONOUS_TASK_PREFIXES) for task in activity.node.tasks or ("",))
    }
    yield from _stood_at_start(context)
    if training:
        yield from _stood_still(context, training)
        yield from _hung_and_ended(context, training)
        yield from _stopped_first(context, training)
        yield from _slowed(context, training)


def _stood_still(context: DerivationContext, training: dict[str, TrainingProgress]) -> Iterator[Event]:
    """All tasks stop at the same step, none has ended, and none says why.

    `how` is `stands` where lines behind it show that time went by, `ends` where the logs just stop there: then nobody
    can tell a hang from logs that were cut or copied while the job ran.
    """
    activities = [context.activities[node] for node in training]
    if any(_reports_trouble(activity) for activity in context.activities.values()) or any(
        activity.ended_well for activity in activities
    ):
        return
    if any(_is_error_after_last_step(event, training) for event in context.timeline.events):
        return
    if (where := common_position(list(training.values()))) is None or where[0] in _START_POSITIONS:
        return
    still, pace = _seconds_still(context, training), _usual_step_seconds(training)
    stands = still is not None and still >= max(MIN_STILL_S, MIN_STILL_STEPS * (pace or 0.0))
    if not stands and (len(training) < 2 or any(activity.exit_event for activity in activities)):
        return
    behind = [node for node, progress in training.items() if progress in where[1]]
    proofs = [progress.last_step for progress in islice(training.values(), MAX_PROOFS)]
    yield from context.derive(
        "derived.stood_still",
        behind[0] if len(behind) == 1 else "",
        proofs[:1] if not behind else [training[behind[0]].last_step, *proofs],
        how="stands" if stands else "ends",
        where=max(training.values(), key=lambda one: one.position).step_label,
        seconds=f"{still:.0f}" if still is not None else None,
        tasks=str(len(training)),
    )


def _stood_at_start(context: DerivationContext) -> Iterator[Event]:
    """All tasks that are known joined, none says a step or an error, and time went by: `how` is `start`. Programs that
    say their steps in words which nobody knows look alike."""
    activities = [activity for activity in context.activities.values() if activity.name]
    tasks = [activity for activity in activities if activity.node.tasks]
    if len(tasks) < 2 or any(not activity.node.present or activity.first_activity is None for activity in tasks):
        return
    if any(
        _reports_trouble(activity) or activity.last_step or activity.ended_well
        for activity in context.activities.values()
    ):
        return
    begun = max(activity.first_activity for activity in tasks if activity.first_activity is not None)
    if context.last_log_time is None or context.last_log_time - begun < MIN_STILL_S:
        return
    yield from context.derive(
        "derived.stood_still",
        "",
        [activity.last_event for activity in islice(tasks, MAX_PROOFS) if activity.last_event],
        how="start",
        where="its start",
        seconds=f"{context.last_log_time - begun:.0f}",
        tasks=str(len(tasks)),
    )


def _hung_and_ended(context: DerivationContext, training: dict[str, TrainingProgress]) -> Iterator[Event]:
    """Nobody made a step for long, and only then a connection broke: the job hung before somebody ended it."""
    steps = [progress.reliable_time for progress in training.values() if progress.reliable_time is not None]
    if len(steps) < 2 or any(activity.causes or activity.ended_well for activity in context.activities.values()):
        return
    later_accusations = [
        (time, accusation.event)
        for activity in context.activities.values()
        for accusation in activity.accusations_made
        if (time := context.timeline.corrected_time(accusation.event)) is not None and time > max(steps)
    ]
    if not later_accusations or any(event.captures.get("how", "lost") != "lost" for _, event in later_accusations):
        return  # missing heartbeats and timeouts tell who it was
    first, proof = min(later_accusations, key=lambda pair: pair[0])
    error = 2 * max(context.timeline.clock_error(node) for node in training)
    if first - max(steps) < max(MIN_STILL_S, MIN_STILL_STEPS * (_usual_step_seconds(training) or MIN_STILL_S)) + error:
        return
    yield from context.derive(
        "derived.stood_still",
        "",
        [*(progress.last_step for progress in islice(training.values(), MAX_PROOFS)), proof],
        how="broken",
        where=max(training.values(), key=lambda accusation: accusation.position).step_label,
        seconds=f"{first - max(steps):.0f}",
        tasks=str(len(training)),
    )


def _reports_trouble(activity: NodeActivity) -> bool:
    """It names an error, a lost peer, or is named. How a launcher ended its tasks is no word of theirs."""
    symptoms = [finding for finding in activity.symptoms if finding.evidence[0].kind is not Kind.SCHEDULER]
    return bool(activity.errors or symptoms or activity.accusations_made or activity.accusations_received)


def _is_error_after_last_step(event: Event, training: dict[str, TrainingProgress]) -> bool:
    """An error behind a task's last step, whether a rule knows it or not: that is not silence."""
    last_step = training[event.node].last_step if event.node in training else None
    if last_step is None or event.severity < Severity.ERROR or event.kind not in (Kind.WORKER, Kind.UNKNOWN):
        return False
    if event.locus.file == last_step.locus.file:
        return (event.locus.line or 0) > (last_step.locus.line or 0)
    return event.time is None or last_step.time is None or event.time >= last_step.time


def _seconds_still(context: DerivationContext, training: dict[str, TrainingProgress]) -> float | None:
    """Seconds from the last step of all to the last line of all; None where steps have no times."""
    steps = [progress.reliable_time for progress in training.values() if progress.reliable_time is not None]
    return context.last_log_time - max(steps) if steps and context.last_log_time is not None else None


def _usual_step_seconds(training: dict[str, TrainingProgress]) -> float | None:
    paces = [pace for progress in training.values() if (pace := progress.usual_interval) is not None]
    return statistics.median(paces) if paces else None


def _stopped_first(context: DerivationContext, training: dict[str, TrainingProgress]) -> Iterator[Event]:
    """The one task whose last step is earlier than that of all others, beyond the clocks' error and a few steps."""
    timed = sorted((progress.time, node) for node, progress in training.items() if progress.time is not None)
    if len(timed) < 2 or len(timed) < len(training):
        return
    (first, node), (second, next_node) = timed[:2]
    error = context.timeline.clock_error(node) + context.timeline.clock_error(next_node)
    gap = second - first - error
    if context.activities[node].ended_well or gap <= 3 * (_usual_step_seconds(training) or 1.0):
        return
    yield from context.derive(
        "derived.stopped_first",
        node,
        [training[node].last_step],
        where=training[node].step_label,
        others=training[timed[-1][1]].step_label,
        seconds=f"{second - first:.1f}",
        within=f"{error:.1f}",
    )


def _slowed(context: DerivationContext, training: dict[str, TrainingProgress]) -> Iterator[Event]:
    """The pace of most tasks at the end is a fraction of what it was."""
    changes = [
        (change, progress)
        for progress in training.values()
        if (change := progress.intervals_before_and_at_end()) is not None
    ]
    slow = [(change, progress) for change, progress in changes if change[1] > SLOWDOWN_FACTOR * change[0]]
    if changes and 2 * len(slow) > len(changes):
        before, after = (statistics.median(change[side] for change, _ in slow) for side in (0, 1))
        yield from context.derive(
            "derived.slowed",
            "",
            [slow[0][1].last_step],
            before=f"{before:.3g}",
            after=f"{after:.3g}",
            tasks=str(len(slow)),
        )
