"""What cannot be known from this bundle, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.incident import RootCause
from analyzer.model import Kind
from analyzer.timeline.progress import TrainingProgress
from analyzer.timeline.timeline import Timeline
from analyzer.wording import join_names

MAX_LISTED_NAMES = 10
MAX_RIVALS = 3


def describe_limitations(
    activities: Mapping[str, NodeActivity],
    progress: Mapping[str, TrainingProgress],
    roots: Sequence[RootCause],
    timeline: Timeline,
) -> Iterator[str]:
    yield from _missing_nodes(activities, timeline.scope.foreign_pods)
    yield from _open_ended_logs(activities, progress)
    yield from _untimed_logs(activities, progress)
    yield from _undecidable_order(roots, timeline)


def _missing_nodes(activities: Mapping[str, NodeActivity], foreign_pods: frozenset[str]) -> Iterator[str]:
    """Of whom logs should be asked for: first those that others lost. Pods of other jobs are not missed."""
    absent = [
        activity for activity in activities.values() if not activity.node.present and activity.name not in foreign_pods
    ]
    if absent:
        wanted_logs = [_name_with_tasks(activity) for activity in absent if activity.accusations_received] or ["each"]
        yield (
            f"nothing of {join_names([activity.name for activity in absent], MAX_LISTED_NAMES)} is in the bundle, although the others name it: "
            f"what happened there can only be concluded from outside; the log of {join_names(wanted_logs, MAX_LISTED_NAMES)}, the kernel's log "
            "there and the exit status would tell"
        )


def _name_with_tasks(activity: NodeActivity) -> str:
    tasks = [task for task in activity.node.tasks if task != activity.name]
    return f"{activity.name} ({', '.join(tasks)})" if tasks else activity.name


def _open_ended_logs(activities: Mapping[str, NodeActivity], progress: Mapping[str, TrainingProgress]) -> Iterator[str]:
    """Logs of tasks that trained, and neither end nor say an error; nobody knows which of three things that is."""
    open_ended = [
        f"{activity.name} (after {progress[activity.name].step_label})"
        for activity in activities.values()
        if activity.name in progress and not (activity.ended_well or activity.exit_event or _explains_its_end(activity))
    ]
    if open_ended:
        yield (
            f"the log of {join_names(open_ended, MAX_LISTED_NAMES)} stops without an error or an end: whether the task died, hung or its log "
            "was cut cannot be told from it alone"
        )


def _explains_its_end(activity: NodeActivity) -> bool:
    """It says what happened to it; what was concluded from its silence does not count."""
    is_derived = (finding.evidence[0].kind is Kind.DERIVED for finding in activity.causes)
    return bool(activity.errors or activity.symptoms or not all(is_derived))


def _untimed_logs(activities: Mapping[str, NodeActivity], progress: Mapping[str, TrainingProgress]) -> Iterator[str]:
    if progress and all(node_progress.time is None for node_progress in progress.values()):
        yield (
            "no training log tells the time of its lines: who was first rests on steps, on the order within each file "
            "and on who names whom"
        )


def _undecidable_order(roots: Sequence[RootCause], timeline: Timeline) -> Iterator[str]:
    """Causes on several nodes whose times are nearer to each other than their clocks are known."""
    for root in roots[1 : 1 + MAX_RIVALS]:
        first, second = roots[0].finding, root.finding
        if (
            first.node is None
            or second.node is None
            or first.node == second.node
            or first.time is None
            or second.time is None
        ):
            continue
        error = timeline.clock_error(first.node) + timeline.clock_error(second.node)
        if (gap := abs(first.time - second.time)) <= error:
            yield (
                f"the order of {first.cause} on {first.node} and {second.cause} on {second.node} cannot be told: they lie "
                f"{gap:.3g} s apart, and the two clocks are known to ± {error:.3g} s"
            )
