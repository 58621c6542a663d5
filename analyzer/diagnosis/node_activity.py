"""What became of each node: started, trained, spoke last, ended how, named whom, was named by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.incident import Accusation, Finding
from analyzer.model import Event, Kind, Node, Role, Severity
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.numbers import read_whole

COLLECTIVE_TIMEOUT_S = 7200.0  # seconds that members may wait before they complain
MIN_RESTART_GAP_S = 2.0  # seconds that lie between two starts of one task at least
STALE_AFTER_S = 600.0  # seconds before the first trouble at which an event is taken for an old one

_FACT_MEANINGS = frozenset(
    ("started", "identity", "connected", "progress", "finished", "succeeded", "traceback", "fatal", "exit")
)
_REVOCABLE_ENDS = ("input", "epoch", "closed", "trained")  # ends that a step behind them takes back
TASK_KINDS = (Kind.WORKER, Kind.UNKNOWN, Kind.SCHEDULER)  # by whose lines a task is heard


@dataclass(slots=True)
class NodeActivity:
    """Facts of one node, in corrected time (UTC seconds). `last` is its latest kept event."""

    node: Node
    start_event: Event | None = None
    start_times: dict[str, list[float]] = field(default_factory=dict)  # by the signal that says so: corrected times
    first_activity: float | None = None  # when it was first seen at work
    join_event: Event | None = None  # somebody, or it itself, says that it joined
    last_step: Event | None = None  # its last step
    step_events: list[Event] = field(default_factory=list)  # all steps that were kept, in corrected order
    highest_step: int = 0  # highest step or epoch seen
    finish_event: Event | None = None
    is_in_last_epoch: bool = False  # in the last of its epochs
    completion_event: Event | None = None  # the last step of the last epoch
    exit_event: Event | None = None
    success_event: Event | None = None  # what ran the job says that all of it ended well
    last_event: Event | None = None
    last_time: float | None = None
    accusations_made: list[Accusation] = field(default_factory=list)
    accusations_received: list[Accusation] = field(default_factory=list)
    causes: list[Finding] = field(default_factory=list)  # causes found on it
    symptoms: list[Finding] = field(default_factory=list)
    errors: list[Event] = field(default_factory=list)  # tracebacks and fatal lines of its own
    pids: set[int] = field(default_factory=set)  # of its processes and their threads, as the job's own lines state them

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def exit_code(self) -> int | None:
        code = self.exit_event.captures.get("code") if self.exit_event else None
        return read_whole(code)

    @property
    def exit_signal(self) -> str | None:
        return self.exit_event.captures.get("signal") if self.exit_event else None

    @property
    def ended_well(self) -> bool:
        if self.exit_code is not None:
            return self.exit_code == 0
        if self.finish_event is not None and self.finish_event.captures.get("how") == "epoch":
            # It went, and hangs not.
            return any(
                accusation.event.captures.get("how", "lost") == "lost" for accusation in self.accusations_received
            )
        return self.finish_event is not None or self.completion_event is not None

    def accusers(self) -> set[str]:
        return {accusation.accuser for accusation in self.accusations_received}


def build_activities(
    timeline: Timeline, nodes: Iterable[Node], semantics: SignalSemantics, accusations: Sequence[Accusation]
) -> dict[str, NodeActivity]:
    """A story for every node, also for those that left nothing, by what lines say."""
    activities = {node.name: NodeActivity(node) for node in nodes}
    add_events(activities, timeline.events, timeline, semantics)
    for accusation in accusations:
        if accusation.accuser in activities:
            activities[accusation.accuser].accusations_made.append(accusation)
        if accusation.accused in activities:
            activities[accusation.accused].accusations_received.append(accusation)
    return activities


def add_events(
    activities: Mapping[str, NodeActivity], events: Iterable[Event], timeline: Timeline, semantics: SignalSemantics
) -> None:
    """With further events, in corrected order."""
    for event in events:
        if (activity := activities.get(event.node)) and not timeline.scope.why_foreign(event):
            _add_event(activity, event, semantics.meanings_of(event), timeline)


def attach_findings(activities: Mapping[str, NodeActivity], findings: Iterable[Finding]) -> None:
    """What was found on each node, in the place of what was found before."""
    for activity_to_clear in activities.values():
        activity_to_clear.causes, activity_to_clear.symptoms = [], []
    for finding in findings:
        if (activity := activities.get(finding.node or "")) and finding.severity >= Severity.ERROR:
            if finding.role is Role.CAUSE and not _is_stale(finding, activity):
                activity.causes.append(finding)
            elif finding.role is Role.SYMPTOM:
                activity.symptoms.append(finding)


def _is_stale(finding: Finding, activity: NodeActivity) -> bool:
    """Long over when the task began to work: nothing that it could have died of."""
    return (
        finding.time is not None
        and activity.first_activity is not None
        and finding.time < activity.first_activity - STALE_AFTER_S
    )


def _add_event(activity: NodeActivity, event: Event, meanings: frozenset[str], timeline: Timeline) -> None:
    if not meanings.isdisjoint(_FACT_MEANINGS):  # few events say more than that somebody speaks
        _add_facts(activity, event, meanings, timeline)
    if event.kind is Kind.WORKER:
        activity.pids.update(filter(None, (event.pid, event.tid)))
    if event.kind in TASK_KINDS:
        activity.last_event = _later_in_file(activity.last_event, event)
    if event.kind is not Kind.KERNEL and (time := timeline.corrected_time(event)) is not None:
        activity.last_time = time if activity.last_time is None else max(activity.last_time, time)


def _add_facts(activity: NodeActivity, event: Event, meanings: frozenset[str], timeline: Timeline) -> None:
    if activity.first_activity is None and meanings & {"started", "identity", "connected", "progress"}:
        activity.first_activity = timeline.corrected_time(event)
    if "started" in meanings or ("identity" in meanings and event.captures.get("address")):
        activity.start_event = activity.start_event or event
    if "started" in meanings and not event.inferred and (time := timeline.corrected_time(event)) is not None:
        activity.start_times.setdefault(event.signal, []).append(time)
        if _is_restart(activity, time, timeline):
            activity.finish_event = activity.completion_event = None  # that was an earlier run
    if "progress" in meanings:
        activity.last_step = _later_in_file(activity.last_step, event)
        activity.step_events.append(event)
        if activity.finish_event and activity.finish_event.captures.get("how") in _REVOCABLE_ENDS:
            activity.finish_event = None  # only an epoch had ended, or a script
        _track_epochs(activity, event.captures)
        if activity.is_in_last_epoch and event.captures.get("steps") == event.captures.get("step", ""):
            activity.completion_event = event
        activity.highest_step = max(
            activity.highest_step,
            *(value for name in ("step", "epoch") if (value := read_whole(event.captures.get(name))) is not None),
            0,
        )
    if "finished" in meanings and (activity.last_step or event.captures.get("how") != "trained"):
        activity.finish_event = event
    if "succeeded" in meanings:
        activity.success_event = event
    if meanings & {"traceback", "fatal"}:
        activity.errors.append(event)
    if "exit" in meanings:
        activity.exit_event = event


def _is_restart(activity: NodeActivity, time: float, timeline: Timeline) -> bool:
    """Its one task begins after it had ended."""
    end_event = activity.finish_event or activity.completion_event
    end_time = timeline.corrected_time(end_event) if end_event else None
    return bool(activity.name) and len(activity.node.tasks) <= 1 and end_time is not None and time > end_time


def last_restart_time(activities: Iterable[NodeActivity]) -> float | None:
    """When the job was started for the last time: most of its tasks say more than once that they begin, one task each.

    None where it was started once, or only some of its tasks were.
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
    """When the last step of all was made: who waits in a collective complains long after (NCCL's half an hour)."""
    steps = (timeline.corrected_time(activity.last_step) for activity in activities if activity.last_step is not None)
    return max((time for time in steps if time is not None), default=None)


def onset_of(complained_at: float, last_step_at: float | None) -> float:
    """When that began of which somebody complains: at once, or when the last step was made."""
    return (
        last_step_at
        if last_step_at is not None and complained_at - COLLECTIVE_TIMEOUT_S < last_step_at < complained_at
        else complained_at
    )


def _track_epochs(activity: NodeActivity, captures: Mapping[str, str]) -> None:
    """Keras says "Epoch 3/3", then how many of its steps are done. A further `fit` starts at its first epoch again."""
    if captures.get("epochs"):
        activity.is_in_last_epoch, activity.completion_event = captures["epochs"] == captures.get("epoch"), None


def _later_in_file(known: Event | None, event: Event) -> Event:
    """The event that stands further down; events come in corrected order, files break ties by line."""
    if known is not None and known.locus.file == event.locus.file and (known.locus.line or 0) > (event.locus.line or 0):
        return known
    return event
