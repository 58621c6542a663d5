"""The activity of each node: its start, training, last line and end, and accusations by it and against it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzer.incident import Accusation, Finding
from analyzer.model import Event, Kind, Node, Role, Severity
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.job_scope import MAX_TAG_OFFSET, SYSLOG_TAG
from analyzer.timeline.precedence import COLLECTIVE_TIMEOUT_S, STALE_AFTER_S, Order, compare_lines, compare_times
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.numbers import read_whole

MIN_RESTART_GAP_S = 2.0  # the least time between two starts of one task

_FACT_MEANINGS = frozenset(
    ("started", "loads", "identity", "connected", "progress", "finished", "traceback", "fatal", "exit", "serves")
)
_REVOCABLE_ENDS = ("input", "epoch", "closed", "trained")  # ends that count only if no step and no failure follows
_ENDS_OF_TRAINING = ("input", "trained")  # ends that count only if training had begun
TASK_KINDS = (Kind.WORKER, Kind.UNKNOWN, Kind.SCHEDULER)  # sources whose lines show that a task is alive


@dataclass(slots=True)
class NodeActivity:
    """What one node did, from its events, and what was found on it.

    Only this module fills it. `with_events` and `with_findings` return new activities. Times are corrected UTC seconds.
    """

    node: Node
    start_event: Event | None = None
    last_start_event: Event | None = None  # the last line that shows the program starting up or joining the others
    address_event: Event | None = None  # the last line that states the address at which it serves
    rerun_event: Event | None = None  # the last line that shows a program starting after one that had started before
    start_times: dict[str, list[float]] = field(default_factory=dict)  # signal that states a start → times
    first_activity: float | None = None  # time of its first line that shows work
    join_event: Event | None = None  # the leader, or the node itself, logs that it joined the cluster
    last_step: Event | None = None
    step_events: list[Event] = field(default_factory=list)  # all kept steps, in corrected order
    highest_step: int = 0  # highest step or epoch
    finish_event: Event | None = None
    is_in_last_epoch: bool = False
    completion_event: Event | None = None  # the last step of the last epoch
    exit_event: Event | None = None
    last_event: Event | None = None  # of a source that shows it alive (TASK_KINDS)
    is_log_cut: bool = False  # the file of its last event was not read to its end
    last_time: float | None = None  # of its last event; the kernel and derived events do not show life
    last_stated_time: float | None = None  # as `last_time`, of lines with a time of their own
    accusations_made: list[Accusation] = field(default_factory=list)
    accusations_received: list[Accusation] = field(default_factory=list)
    causes: list[Finding] = field(default_factory=list)  # findings with the role `cause`, without those of earlier runs
    symptoms: list[Finding] = field(default_factory=list)
    errors: list[Event] = field(default_factory=list)  # its tracebacks and fatal lines
    is_server: bool = False  # it serves data to the trainers
    pids: set[int] = field(default_factory=set)  # of its processes and threads, from the job's own lines

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def exit_code(self) -> int | None:
        """The exit code of its task, None if unknown."""
        code = self.exit_event.captures.get("code") if self.exit_event else None
        return read_whole(code)

    @property
    def exit_signal(self) -> str | None:
        """The name of the signal that ended its task, None if there was none or it is unknown."""
        return self.exit_event.captures.get("signal") if self.exit_event else None

    @property
    def ended_well(self) -> bool:
        """Whether its exit code or its last lines show a regular end."""
        if self.exit_code is not None:
            return self.exit_code == 0
        if self.finish_event is not None and self.finish_event.captures.get("how") == "epoch":
            # After an epoch it may hang. A lost connection shows that its process ended.
            return any(
                accusation.event.captures.get("how", "lost") == "lost" for accusation in self.accusations_received
            )
        return self.finish_event is not None or self.completion_event is not None

    def accusers(self) -> set[str]:
        """Return the names of the nodes that accuse it; "" stands for an unknown one."""
        return {accusation.accuser for accusation in self.accusations_received}


def build_activities(
    timeline: Timeline,
    nodes: Iterable[Node],
    semantics: SignalSemantics,
    accusations: Sequence[Accusation],
    joins: Iterable[tuple[str, Event]] = (),
) -> dict[str, NodeActivity]:
    """Return node → activity for every node, including nodes without any line.

    Args:
        timeline: all events; those of other jobs do not count.
        nodes: all nodes, including the one named "" for lines without a known node.
        semantics: what signals mean.
        accusations: which node accuses which.
        joins: (node, event) for each line that states that a node joined the cluster; the first one counts.
    """
    activities = {node.name: NodeActivity(node) for node in nodes}
    _add_events(activities, timeline.events, timeline, semantics)
    for name, event in joins:
        if name in activities:
            activities[name].join_event = activities[name].join_event or event
    restart_time = last_restart_time(activities.values())
    for accusation in accusations:
        if restart_time is not None and (
            _is_before(accusation.event, restart_time, timeline)
            or ran_again_after(activities.get(accusation.accuser), accusation.event)
        ):
            continue  # of an earlier attempt
        if accusation.accuser in activities:
            activities[accusation.accuser].accusations_made.append(accusation)
        if accusation.accused in activities:
            activities[accusation.accused].accusations_received.append(accusation)
    return activities


def ran_again_after(activity: NodeActivity | None, event: Event) -> bool:
    """Return whether a program starts after the line in the node's log; False if the line is in another file."""
    is_one_program = activity is not None and activity.name and len(activity.node.tasks) <= 1
    rerun = activity.rerun_event if activity and is_one_program else None
    return rerun is not None and rerun.locus.file == event.locus.file and compare_lines(event, rerun) is Order.BEFORE


def _is_before(event: Event, time: float, timeline: Timeline) -> bool:
    return compare_times(timeline.corrected_time(event), time, timeline.clock_error(event.node)) is Order.BEFORE


def with_events(
    activities: Mapping[str, NodeActivity], events: Iterable[Event], timeline: Timeline, semantics: SignalSemantics
) -> dict[str, NodeActivity]:
    """Return new activities that count further events, which are in corrected order."""
    extended = {name: _copy(activity) for name, activity in activities.items()}
    _add_events(extended, events, timeline, semantics)
    return extended


def with_findings(activities: Mapping[str, NodeActivity], findings: Iterable[Finding]) -> dict[str, NodeActivity]:
    """Return new activities with the causes and symptoms of `findings` in place of those found before."""
    judged = {name: replace(activity, causes=[], symptoms=[]) for name, activity in activities.items()}
    for finding in findings:
        if (activity := judged.get(finding.node or "")) and finding.severity >= Severity.ERROR:
            if finding.role is Role.CAUSE and not _is_stale(finding, activity):
                activity.causes.append(finding)
            elif finding.role is Role.SYMPTOM:
                activity.symptoms.append(finding)
    return judged


def _copy(activity: NodeActivity) -> NodeActivity:
    """Return a copy to which events can be added."""
    return replace(
        activity,
        start_times={signal: list(times) for signal, times in activity.start_times.items()},
        step_events=list(activity.step_events),
        errors=list(activity.errors),
        pids=set(activity.pids),
    )


def _add_events(
    activities: Mapping[str, NodeActivity], events: Iterable[Event], timeline: Timeline, semantics: SignalSemantics
) -> None:
    for event in events:
        if (activity := activities.get(event.node)) and not timeline.scope.why_foreign(event):
            _add_event(activity, event, semantics.meanings_of(event), timeline)


def _is_stale(finding: Finding, activity: NodeActivity) -> bool:
    """Return whether the finding was over long before the task began to work, so it cannot have ended the task."""
    return compare_times(finding.time, activity.first_activity, STALE_AFTER_S) is Order.BEFORE


def _add_event(activity: NodeActivity, event: Event, meanings: frozenset[str], timeline: Timeline) -> None:
    if not meanings.isdisjoint(_FACT_MEANINGS):  # most events only show that the node is alive
        _add_facts(activity, event, meanings, timeline)
    if event.kind is Kind.WORKER:
        activity.pids.update(filter(None, (event.pid, event.tid)))
    if event.kind in TASK_KINDS:
        activity.last_event = _later_in_file(activity.last_event, event)
        activity.is_log_cut = timeline.is_of_cut_file(activity.last_event)
    if event.kind not in (Kind.KERNEL, Kind.DERIVED) and (time := timeline.corrected_time(event)) is not None:
        activity.last_time = _later(activity.last_time, time)
        if not event.inferred:
            activity.last_stated_time = _later(activity.last_stated_time, time)


def _later(known_time: float | None, time: float) -> float:
    return time if known_time is None else max(known_time, time)


def _add_facts(activity: NodeActivity, event: Event, meanings: frozenset[str], timeline: Timeline) -> None:
    if activity.first_activity is None and meanings & {"started", "identity", "connected", "progress"}:
        activity.first_activity = timeline.corrected_time(event)
    if activity.start_event and meanings & {"started", "loads"}:
        activity.rerun_event = _later_in_file(activity.rerun_event, event)
    if "started" in meanings or ("identity" in meanings and event.captures.get("address")):
        activity.start_event = activity.start_event or event
        activity.last_start_event = _later_in_file(activity.last_start_event, event)
        if event.captures.get("address"):
            activity.address_event = event
    if "started" in meanings and not event.inferred and (time := timeline.corrected_time(event)) is not None:
        activity.start_times.setdefault(event.signal, []).append(time)
        if _is_restart(activity, time, timeline):
            _forget_earlier_run(activity)
    if "loads" in meanings and _is_restart(activity, timeline.corrected_time(event), timeline):
        _forget_earlier_run(activity)
    if "progress" in meanings:
        activity.last_step = _later_in_file(activity.last_step, event)
        activity.step_events.append(event)
        _revoke_end(activity, event)  # only an epoch had ended, or one of several scripts
        _track_epochs(activity, event.captures)
        if activity.is_in_last_epoch and event.captures.get("steps") == event.captures.get("step", ""):
            activity.completion_event = event
        activity.highest_step = max(
            activity.highest_step,
            *(value for name in ("step", "epoch") if (value := read_whole(event.captures.get(name))) is not None),
            0,
        )
    if "finished" in meanings and _counts_as_end(event, activity):
        activity.finish_event = event
    if meanings & {"traceback", "fatal"}:
        activity.errors.append(event)
        _revoke_end(activity, event)  # the program went on after those words, and failed
    if "exit" in meanings:
        activity.exit_event = event
    activity.is_server |= "serves" in meanings


def _counts_as_end(event: Event, activity: NodeActivity) -> bool:
    """Return whether the event is the end of the training program, and whether it had trained if that is required.

    systemd logs the output of a program under the name of its service. A line of another program in the system log is
    about that program itself.
    """
    if not activity.last_step and event.captures.get("how") in _ENDS_OF_TRAINING:
        return False
    unit = event.captures.get("unit")
    if unit is None:
        return event.kind is not Kind.SYSTEM or (activity.last_step or event).kind is Kind.SYSTEM
    step = activity.last_step
    tag = SYSLOG_TAG.search(step.text, 0, MAX_TAG_OFFSET) if step else None
    service = unit.partition("@")[0]
    if tag is None and step is not None:  # an export may have dropped the tag; a logger is often called for its service
        return (event.locus.file, event.stream) == (step.locus.file, step.stream) and service in step.text.split()
    return tag is not None and service == tag[1]


def _forget_earlier_run(activity: NodeActivity) -> None:
    """Forget how an earlier run ended, and its steps."""
    activity.finish_event = activity.completion_event = activity.last_step = None
    activity.step_events.clear()
    activity.highest_step = 0


def _revoke_end(activity: NodeActivity, event: Event) -> None:
    """Forget a provisional end (`_REVOCABLE_ENDS`) if `event` comes after it."""
    end_event = activity.finish_event
    if end_event is None or end_event.captures.get("how") not in _REVOCABLE_ENDS:
        return
    # A line without a time comes late in the corrected order, wherever it is in its file.
    if compare_lines(event, end_event) is not Order.BEFORE:
        activity.finish_event = None


def _is_restart(activity: NodeActivity, time: float | None, timeline: Timeline) -> bool:
    """Return whether the node's only task starts at `time` after it had ended."""
    end_event = activity.finish_event or activity.completion_event
    end_time = timeline.corrected_time(end_event) if end_event else None
    return bool(activity.name) and len(activity.node.tasks) <= 1 and compare_times(time, end_time) is Order.AFTER


def last_restart_time(activities: Iterable[NodeActivity]) -> float | None:
    """Return the time of the last start of the job, if most of its tasks log more than one start.

    Only nodes with one task count. None if the job was started once, or only some of its tasks were restarted.
    """
    single_task = [
        activity
        for activity in activities
        if activity.node.present and activity.start_times and len(activity.node.tasks) <= 1
    ]
    restart_times = [
        max(times[-1] for times in activity.start_times.values() if times[-1] > times[0] + MIN_RESTART_GAP_S)
        for activity in single_task
        if any(times[-1] > times[0] + MIN_RESTART_GAP_S for times in activity.start_times.values())
    ]
    return min(restart_times) if restart_times and 2 * len(restart_times) > len(single_task) else None


def last_step_time(activities: Iterable[NodeActivity], timeline: Timeline) -> float | None:
    """Return the time of the last step of any node; None if no step has a time.

    A task that waits in a collective reports an error long after that step (NCCL: after half an hour).
    """
    steps = (timeline.corrected_time(activity.last_step) for activity in activities if activity.last_step is not None)
    return max((time for time in steps if time is not None), default=None)


def onset_of(complained_at: float, last_step_at: float | None) -> float:
    """Return the time at which the trouble behind an error began: the last step or, if that is too old, the error."""
    if last_step_at is not None and complained_at - COLLECTIVE_TIMEOUT_S < last_step_at < complained_at:
        return last_step_at
    return complained_at


def _track_epochs(activity: NodeActivity, captures: Mapping[str, str]) -> None:
    """Note whether the last epoch has begun.

    Keras logs "Epoch 3/3", then how many of its steps are done. Another `fit` starts at its first epoch again.
    """
    if captures.get("epochs"):
        activity.is_in_last_epoch, activity.completion_event = captures["epochs"] == captures.get("epoch"), None


def _later_in_file(latest: Event | None, event: Event) -> Event:
    """Return the later of two events. They come in corrected order; within one file, the line decides.

    A line without a time does not replace a line with a time in another file.
    """
    if latest is None:
        return event
    order = compare_lines(event, latest)
    is_unknown = order is Order.UNKNOWN and event.time is None and latest.time is not None
    return latest if order is Order.BEFORE or is_unknown else event
