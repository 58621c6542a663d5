"""How the job as a whole ended, by the hard facts and the last lines of its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.diagnosis.hard_facts import rows_by_node
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.cluster_spec import ASYNCHRONOUS_TASK_PREFIXES
from analyzer.incident import HardFact, ProcessEnd
from analyzer.model import Event, Kind, Severity
from analyzer.timeline.precedence import FURTHER_STEP_S, Order, compare_lines, compare_times
from analyzer.timeline.timeline import Timeline

# Signals of a program's own fault. Launchers, schedulers and the OOM killer send others.
CRASH_SIGNALS = frozenset({"SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS"})

SURE_CAUSE = 0.8  # confidence of a rule whose lines prove its cause


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOutcome:
    """How the job ended. All False: nothing shows that it ran."""

    ran: bool  # a line shows that a task started, trained or ended
    succeeded: bool  # proved, not only undisputed
    stated_failed: bool  # its launcher or scheduler says that it failed
    unfinished: bool  # tasks ran, and no log shows that any of them ended well
    a_process_failed: bool  # shown by its end, by a peer, or by an error after its end


def judge_outcome(activities: Mapping[str, NodeActivity], facts: Sequence[HardFact], timeline: Timeline) -> JobOutcome:
    """Return how the job ended.

    Args:
        activities: what each node did, with the findings on it.
        facts: all rows, the job's own among them.
        timeline: all events, whose times are compared by corrected clocks.
    """
    job = next((fact.end for fact in facts if fact.node is None), None)
    return JobOutcome(
        ran=_job_ran(activities),
        succeeded=_has_succeeded(activities, rows_by_node(facts), job, timeline),
        stated_failed=job is not None and job.how == "job-failed",
        unfinished=_is_unfinished(activities),
        a_process_failed=_has_failed(activities),
    )


def _job_ran(activities: Mapping[str, NodeActivity]) -> bool:
    return any(activity.start_event or activity.last_step or activity.ended_well for activity in activities.values())


def _has_failed(activities: Mapping[str, NodeActivity]) -> bool:
    """Return whether a process is known to have failed: by its end, by a peer, or by an error after its end."""
    return any(
        activity.exit_signal
        or activity.accusations_received
        or any(
            not _is_after_in_file(activity.finish_event or activity.completion_event, event)
            for event in (*activity.errors, *(finding.evidence[0] for finding in activity.symptoms))
        )
        for activity in activities.values()
    )


def _is_unfinished(activities: Mapping[str, NodeActivity]) -> bool:
    """Return whether tasks ran and no log shows a good end. A log that simply stops shows none."""
    ran = [
        activity
        for activity in activities.values()
        if activity.node.present and (activity.start_event or activity.last_step)
    ]
    # A server whose sessions have left did not train.
    trainers = [activity for activity in ran if not _is_asynchronous(activity)] or ran
    others = [activity for activity in activities.values() if not activity.node.present or not activity.node.tasks]
    return bool(ran) and not any(activity.ended_well for activity in (*trainers, *others))


def _is_asynchronous(activity: NodeActivity) -> bool:
    """Return whether all of its tasks are servers or evaluators, which do not train."""
    tasks = activity.node.tasks
    return bool(tasks) and all(task.startswith(ASYNCHRONOUS_TASK_PREFIXES) for task in tasks)


def _has_succeeded(
    activities: Mapping[str, NodeActivity], facts: Mapping[str, HardFact], job: ProcessEnd | None, timeline: Timeline
) -> bool:
    """Return whether the job ended well, by its launcher or scheduler, or else by its tasks.

    No task may contradict the launcher, unless a coordinator or all tasks that trained confirm it. A task that is done
    may still report peers as lost that exited before it.
    """
    present = [activity for activity in activities.values() if activity.node.present and activity.node.tasks]
    coordinators = _coordinators(activities, present)
    if job is not None:
        leaders = coordinators or [activity for activity in present if activity.last_step]
        is_confirmed = bool(leaders) and all(leader.ended_well for leader in leaders)
        return job.how == "job-succeeded" and (is_confirmed or not _ended_in_trouble(activities, job, timeline))
    if not present:
        return _trainers_exited_well(activities) or _ended_after_all_errors(activities)
    evaluators = [
        activity for activity in present if any(task.startswith("evaluator:") for task in activity.node.tasks)
    ]
    if any(map(_failed_by_itself, evaluators)) or any(map(_failed_beside, activities.values())):
        return False
    if any(map(_failed_behind_its_last_epoch, present)):
        return False
    return _tasks_succeeded(coordinators, present, facts)


def _tasks_succeeded(
    coordinators: Sequence[NodeActivity], present: Sequence[NodeActivity], facts: Mapping[str, HardFact]
) -> bool:
    """Return whether the leading task ended well, and no other worker failed after that.

    The leading tasks are the coordinators, else worker 0, else all tasks.
    """
    leaders = coordinators or [activity for activity in present if "worker:0" in activity.node.tasks] or present
    if not all(leader.ended_well for leader in leaders):
        return False
    workers = [
        activity
        for activity in present
        if activity not in leaders
        and any(not task.startswith(ASYNCHRONOUS_TASK_PREFIXES) for task in activity.node.tasks)
    ]
    if coordinators:  # a coordinator survives lost workers, but not workers that failed by themselves
        return not any(_failed_by_itself(activity) or _crashed(activity, facts) for activity in workers)
    return all(
        activity.ended_well or not (activity.causes or activity.symptoms or activity.accusations_received)
        for activity in workers
    )


def _trainers_exited_well(activities: Mapping[str, NodeActivity]) -> bool:
    """Return whether all nodes that trained exited with 0, and no other node failed by itself."""
    trainers = [activity for activity in activities.values() if activity.last_step]
    all_exited_well = bool(trainers) and all(activity.exit_code == 0 for activity in trainers)
    return all_exited_well and not any(map(_failed_by_itself, activities.values()))


def _coordinators(activities: Mapping[str, NodeActivity], present: Sequence[NodeActivity]) -> list[NodeActivity]:
    """Return the nodes with a coordinator's task, or else the nodes without a task that must have been coordinators."""
    stated = [
        activity
        for activity in present
        if any(task.startswith(("chief:", "master:", "coordinator:")) for task in activity.node.tasks)
    ]
    return stated or _nameless_coordinators(activities, present)


def _nameless_coordinators(
    activities: Mapping[str, NodeActivity], present: Sequence[NodeActivity]
) -> list[NodeActivity]:
    """Return the nodes without a task that ended well while no worker logs progress: they led the others."""
    workers = [activity for activity in present if any(task.startswith("worker:") for task in activity.node.tasks)]
    if not workers or any(activity.last_step or activity.finish_event for activity in present):
        return []
    return [
        activity
        for activity in activities.values()
        if activity.node.present and not activity.node.tasks and _ended_well_as_program(activity)
    ]


def _ended_well_as_program(activity: NodeActivity) -> bool:
    """Return whether a program of the job itself logs its good end, and not a listing of processes.

    An exit that names something other than a node of the job does not count.
    """
    end, exit_event = activity.finish_event, activity.exit_event
    is_strangers = not activity.name and exit_event is not None and "host" in exit_event.captures
    return (activity.exit_code == 0 and not is_strangers) or (end is not None and end.kind is Kind.WORKER)


def _ended_in_trouble(activities: Mapping[str, NodeActivity], job: ProcessEnd, timeline: Timeline) -> bool:
    """Return whether a task logs an error or is missed by others, and neither it nor the training continued after that.

    Records of a scheduler about earlier attempts do not contradict the same scheduler's statement on the job. A
    launcher's statement is not enough: its script may end well although the program in it failed.
    """
    record = job.evidence.locus.file if job.witness == "scheduler" else None
    last_signs: dict[str, Event] = {}  # file → the last line in it that shows training or a good end
    last_time: float | None = None
    for activity in activities.values():
        for sign in filter(None, (activity.last_step, activity.finish_event, activity.completion_event)):
            last_sign = last_signs.get(sign.locus.file)
            if last_sign is None or compare_lines(last_sign, sign) is Order.BEFORE:
                last_signs[sign.locus.file] = sign
            if (time := timeline.corrected_time(sign)) is not None:
                last_time = time if last_time is None else max(last_time, time)
    return any(
        event.locus.file != record
        and not _is_after_in_file(last_signs.get(event.locus.file), event)
        and compare_times(timeline.corrected_time(event), last_time, FURTHER_STEP_S) is not Order.BEFORE
        for activity in activities.values()
        if activity.exit_code != 0
        for event in _reports_of_trouble(activity)
    )


def _reports_of_trouble(activity: NodeActivity) -> Iterator[Event]:
    """Yield the errors and symptoms of a node and, if it shows no good end, the lines in which others miss it."""
    yield from activity.errors
    yield from (finding.evidence[0] for finding in activity.symptoms)
    if not activity.ended_well:
        yield from (accusation.event for accusation in activity.accusations_received)


def _crashed(activity: NodeActivity, facts: Mapping[str, HardFact]) -> bool:
    """Return whether a signal of its own fault ended its program, and it was not restarted after that."""
    fact = facts.get(activity.name)
    if fact is None or fact.end is None or fact.end.signal not in CRASH_SIGNALS or activity.ended_well:
        return False
    last_start = max((times[-1] for times in activity.start_times.values() if times), default=None)
    return compare_times(fact.end.time, last_start) is not Order.BEFORE


def _failed_by_itself(activity: NodeActivity) -> bool:
    """Return whether its program ended with an error of its own and did not start again."""
    last, error = activity.last_step, activity.errors[-1] if activity.errors else None
    if error is None or activity.ended_well or activity.exit_signal or activity.accusations_made or activity.symptoms:
        return False
    has_fatal_cause = any(
        finding.severity is Severity.FATAL and finding.evidence[0].kind is Kind.WORKER for finding in activity.causes
    )
    return has_fatal_cause and not (last is not None and _is_after_in_file(last, error))


def _failed_beside(activity: NodeActivity) -> bool:
    """Return whether a program without a task (it evaluates, exports, predicts) ended with a known cause."""
    if activity.node.tasks or activity.is_server or activity.ended_well or not activity.errors:
        return False
    return not _is_after_in_file(activity.last_step, activity.errors[-1]) and _has_sure_cause(activity)


def _failed_behind_its_last_epoch(activity: NodeActivity) -> bool:
    """Return whether a program failed with a known cause after its last epoch, for example during an export."""
    if activity.completion_event is None or activity.finish_event or activity.exit_code is not None:
        return False
    if not activity.errors or _is_after_in_file(activity.completion_event, activity.errors[-1]):
        return False
    return _has_sure_cause(activity)


def _has_sure_cause(activity: NodeActivity) -> bool:
    """Return whether a line in the file of the last error proves a cause."""
    return any(
        finding.severity >= Severity.ERROR
        and finding.confidence >= SURE_CAUSE
        and finding.evidence[0].kind in (Kind.WORKER, Kind.UNKNOWN)
        and finding.evidence[0].locus.file == activity.errors[-1].locus.file
        for finding in activity.causes
    )


def _ended_after_all_errors(activities: Mapping[str, NodeActivity]) -> bool:
    """Return whether the job ended well by logs that name no task.

    All nodes that ran log that they are done, and in each file such a line follows the last error. Errors of data
    servers do not count: servers run until they are ended.
    """
    ends = [
        activity.finish_event or activity.completion_event
        for activity in activities.values()
        if activity.finish_event or activity.completion_event or activity.last_step
    ]
    complaints = [
        event for activity in activities.values() if not activity.is_server for event in _complaints(activity)
    ]
    return (
        bool(ends)
        and None not in ends
        and all(any(_is_after_in_file(end, event) for end in ends) for event in complaints)
    )


def _complaints(activity: NodeActivity) -> list[Event]:
    """Return the node's errors and the lines of its findings, without derived events."""
    events = [*activity.errors, *(finding.evidence[0] for finding in (*activity.causes, *activity.symptoms))]
    return [event for event in events if event.kind is not Kind.DERIVED]


def _is_after_in_file(end: Event | None, event: Event) -> bool:
    return end is not None and compare_lines(event, end) is Order.BEFORE
