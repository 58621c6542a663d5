"""Ranks the causes by score: the rule's confidence plus points for what supports a cause, less points against it."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.bundle import rotation_key
from analyzer.diagnosis.node_activity import NodeActivity, last_restart_time, last_step_time, onset_of
from analyzer.incident import Finding
from analyzer.model import Event, Kind, Role, Severity
from analyzer.timeline.precedence import (
    EARLIER_SYMPTOM_S,
    FURTHER_STEP_S,
    STALE_AFTER_S,
    Order,
    compare_lines,
    compare_times,
)
from analyzer.timeline.timeline import Timeline
from analyzer.timeline.zone_errors import is_whole_hours
from analyzer.untrusted.numbers import read_whole

_log = logging.getLogger("analyzer.diagnosis")

# Programs that run training code, so that the kernel's word for one may be a helper of the job.
is_interpreter = re.compile(r"python|pypy|ipython|jupyter|pt_main|pt_data|ray|java|conda", re.I).match
JOB_WIDE_SHARE = 0.6  # a fault of such a share of the nodes belongs to the job rather than to a node
MAX_LOGGED_CANDIDATES = 10

# Points that are added to the confidence of a candidate's rule.
ALL_ACCUSE_POINTS = 0.25  # all other nodes name its node as lost; for fewer nodes, their share of it
LAUNCHER_ACCUSES_POINTS = 0.2  # only the launcher names its node as lost
EXIT_SIGNAL_POINTS = 0.15  # the exit status of its node confirms that it died
EARLIEST_POINTS = 0.1  # it precedes the causes of all other nodes
BEFORE_SYMPTOMS_POINTS = 0.05
OWN_PID_POINTS = 0.05  # the kernel names a process of the job
UNNAMED_NODE_POINTS = -0.15  # its node went on until it lost the node that all others lost too
AGAIN_SURVIVED_POINTS = -0.2  # training went on again after its last line
FOREIGN_PID_POINTS = -0.25  # the kernel names a process that nothing ties to the job
WARNING_POINTS = -0.3  # it is only a warning
LATE_CAUSE_POINTS = -0.3  # its node had lost a peer before
ENDED_WELL_POINTS = -0.4
EARLIER_RUN_POINTS = -0.5  # it is of an earlier run, or long before the first trouble
SURVIVED_POINTS = -0.5  # training went on after it
EXPLAINED_POINTS = -0.6  # it follows from another cause

Handicaps = list[tuple[float, str]]  # points and the reason


@dataclass(slots=True)
class Candidate:
    """A cause on a node, with its score and the reasons for it."""

    finding: Finding
    score: float
    reasons: list[str]
    same_cause: list[Finding]  # further findings of the same cause on the same node
    was_survived: bool = False
    accusation_points: float = 0.0  # the part of the score that comes from who names which node as lost
    reasons_against: list[str] = field(default_factory=list)  # those of `reasons` that lowered the score

    def add(self, points: float, reason: str) -> None:
        """Add points to the score, for a reason that the report states."""
        _log.debug("candidate %s on %s: %+.2f, %s", self.finding.rule, self.finding.node, points, reason)
        self.score += points
        self.reasons.append(reason)
        if points < 0:
            self.reasons_against.append(reason)


def rank_candidates(
    findings: Sequence[Finding],
    activities: Mapping[str, NodeActivity],
    timeline: Timeline,
    survivable: frozenset[str] = frozenset(),
) -> list[Candidate]:
    """Return the candidates, best first.

    `survivable` holds the ids of findings that a job can have and still train: that training went on does not speak
    against those.
    """
    causes = [
        finding
        for finding in findings
        if finding.role is Role.CAUSE and finding.cause and finding.severity >= Severity.WARNING
    ]
    onset = _first_symptom_time(findings)
    if onset is None:  # no node complained: what was long over when the job began is no cause of its end
        onset = min(
            (activity.first_activity for activity in activities.values() if activity.first_activity is not None),
            default=None,
        )
    trouble_began = None if onset is None else onset_of(onset, last_step_time(activities.values(), timeline))
    present = [activity for activity in activities.values() if activity.node.present and activity.name]
    peers = [activity for activity in present if activity.node.tasks] or present  # the machine of a pod accuses no node
    handicaps = _collect_handicaps(causes, findings, timeline, trouble_began, last_restart_time(activities.values()))
    candidates = _gather_candidates(causes, handicaps)
    first_node, rival_time = _first_node(candidates, timeline)
    named_by_all = _named_by_all(activities, len(peers))
    for candidate in candidates:
        for points, reason in handicaps[candidate.finding.id]:
            candidate.add(points, reason)
        _weigh_candidate(candidate, activities, timeline, onset, len(peers), survivable)
        if named_by_all and _lost_the_named_node(candidate, named_by_all, activities):
            candidate.accusation_points += UNNAMED_NODE_POINTS
            candidate.add(
                UNNAMED_NODE_POINTS,
                f"all other nodes, including {candidate.finding.node}, report {named_by_all.name} as lost",
            )
        if first_node and candidate.finding.node == first_node:
            error = timeline.clock_error(first_node)
            if compare_times(candidate.finding.time, rival_time, error) is Order.BEFORE:
                candidate.add(EARLIEST_POINTS, "it is the earliest, by more than the clocks' error")
    candidates.sort(key=lambda one: (-one.score, one.finding.time or float("inf"), one.finding.id))
    _log_candidates(candidates)
    return candidates


def _log_candidates(candidates: Sequence[Candidate]) -> None:
    for candidate in candidates[:MAX_LOGGED_CANDIDATES]:
        finding = candidate.finding
        _log.info("candidate %s on %s: score %.2f", finding.cause, finding.node or "no node", candidate.score)
    if len(candidates) > MAX_LOGGED_CANDIDATES:
        _log.info("%d more candidates have lower scores", len(candidates) - MAX_LOGGED_CANDIDATES)


def _named_by_all(activities: Mapping[str, NodeActivity], node_count: int) -> NodeActivity | None:
    """Return the only node that every other one names as lost, if a fatal cause was found on it."""
    named_by_rest = [
        activity
        for activity in activities.values()
        if activity.name and node_count > 1 and len(activity.accusers() - {""}) >= node_count - 1
    ]
    with_fatal_cause = [
        activity for activity in named_by_rest if any(finding.severity is Severity.FATAL for finding in activity.causes)
    ]
    return with_fatal_cause[0] if len(named_by_rest) == len(with_fatal_cause) == 1 else None


def _lost_the_named_node(candidate: Candidate, named: NodeActivity, activities: Mapping[str, NodeActivity]) -> bool:
    """Return whether the candidate's node lost the node that all name.

    No node names it itself, and the fault of the named node does not follow from the candidate.
    """
    activity = activities.get(candidate.finding.node or "")
    if (
        activity is None
        or activity is named
        or activity.accusations_received
        or candidate.finding.evidence[0].kind is Kind.DERIVED
    ):
        return False
    named_follows = any(candidate.finding.id in cause.explained_by for cause in named.causes)
    return not named_follows and any(accusation.accused == named.name for accusation in activity.accusations_made)


def _is_before_restart(finding: Finding, restart_time: float, timeline: Timeline) -> bool:
    """Return whether all of its lines precede the job's last start."""
    error = timeline.clock_error(finding.node or "")
    times = (timeline.corrected_time(event) for event in finding.evidence)
    return all(compare_times(time, restart_time, error) is Order.BEFORE for time in times)


def _first_symptom_time(findings: Sequence[Finding]) -> float | None:
    """Return when the first symptom was logged, in corrected time."""
    return min(
        (
            finding.time
            for finding in findings
            if finding.role is Role.SYMPTOM and finding.time is not None and finding.severity >= Severity.ERROR
        ),
        default=None,
    )


def _gather_candidates(causes: Sequence[Finding], handicaps: Mapping[str, Handicaps]) -> list[Candidate]:
    """Return one candidate for each cause and node: of several findings, the one with most confidence and points."""
    best: dict[tuple[str, str | None], Candidate] = {}
    start = {f.id: f.confidence + sum(points for points, _ in handicaps[f.id]) for f in causes}
    for finding in sorted(causes, key=lambda f: (-start[f.id], f.time or float("inf"))):
        key = (finding.cause or "", finding.node)
        if known := best.get(key):
            known.same_cause.append(finding)
        else:
            best[key] = Candidate(finding, finding.confidence, [], [])
    return list(best.values())


def _collect_handicaps(
    causes: Sequence[Finding],
    findings: Sequence[Finding],
    timeline: Timeline,
    onset: float | None,
    restart_time: float | None,
) -> dict[str, Handicaps]:
    """Return id → points and reasons against each cause that hold whatever its node did.

    They decide which finding represents a cause on a node: not one that follows from another, nor one of an earlier
    failure. A warning is harmless unless an error follows from it (`grave_ids`).
    """
    grave_ids = {name for finding in findings if finding.severity >= Severity.ERROR for name in finding.explained_by}
    return {
        finding.id: list(_handicaps_of(finding, finding.id in grave_ids, timeline, onset, restart_time))
        for finding in causes
    }


def _handicaps_of(
    finding: Finding, is_grave: bool, timeline: Timeline, onset: float | None, restart_time: float | None
) -> Iterator[tuple[float, str]]:
    if finding.severity is Severity.WARNING and not is_grave:
        yield WARNING_POINTS, "it is a warning, and the machine continued"
    if finding.explained_by:
        yield EXPLAINED_POINTS, "another finding explains it"
    if (age := _age_before_onset(finding, onset)) is not None and not _is_hours_off(finding, age, timeline):
        yield EARLIER_RUN_POINTS, f"it happened {_format_duration(age)} before the first trouble"
    if restart_time is not None and _is_before_restart(finding, restart_time, timeline):
        yield EARLIER_RUN_POINTS, "the job was started again after it"


def _age_before_onset(finding: Finding, onset: float | None) -> float | None:
    """Return the seconds from the finding to the first trouble if it is too old to belong to it, else None."""
    is_derived = finding.evidence[0].kind is Kind.DERIVED  # it rests on lines of many times
    if finding.time is None or onset is None or is_derived:
        return None
    return onset - finding.time if compare_times(finding.time, onset, STALE_AFTER_S) is Order.BEFORE else None


def _is_hours_off(finding: Finding, age: float, timeline: Timeline) -> bool:
    """Return whether the finding is as old as whole hours, so that a missing zone may be all that sets it apart."""
    evidence = finding.evidence[0]
    is_fatal_kernel_event = evidence.kind is Kind.KERNEL and finding.severity is Severity.FATAL
    if (
        not is_fatal_kernel_event
        or not timeline.window.zoneless_files
        or not is_whole_hours(age)
        or finding.time is None
    ):
        return False
    same_signal = timeline.by_signal.get(evidence.signal, {}).get(evidence.node, ())
    return all(
        (time := timeline.corrected_time(event)) is None
        or compare_times(time, finding.time + age, STALE_AFTER_S) is Order.BEFORE
        for event in same_signal
    )


def _weigh_candidate(
    candidate: Candidate,
    activities: Mapping[str, NodeActivity],
    timeline: Timeline,
    onset: float | None,
    node_count: int,
    survivable: frozenset[str],
) -> None:
    """Add what the node of the candidate did, and whether the candidate precedes the first symptom (`onset`)."""
    finding = candidate.finding
    activity = activities.get(finding.node or "")
    if activity is not None:
        _weigh_activity(candidate, activity, node_count, candidate.finding.id in survivable)
    if finding.time is None or onset is None or _age_before_onset(finding, onset) is not None:
        return
    if compare_times(finding.time, onset, timeline.clock_error(finding.node or "")) is not Order.AFTER:
        candidate.add(BEFORE_SYMPTOMS_POINTS, "it precedes the first symptom of the others")


def _first_node(candidates: Sequence[Candidate], timeline: Timeline) -> tuple[str | None, float]:
    """Return the node of the earliest candidate, and the time that its candidates must precede to be the first of all.

    The time is that of the earliest candidate of another node, less the error of its clock. The node is None if the
    clock of any candidate's node is unknown, or if there is no other node: then no candidate is known to be first.
    """
    timed = [
        (candidate.finding.time, candidate.finding.node)
        for candidate in candidates
        if candidate.finding.time is not None
    ]
    if any(node not in timeline.clocks for _, node in timed):
        return None, 0.0
    node = min(timed)[1] if timed else None
    rivals = [time - timeline.clock_error(rival_node or "") for time, rival_node in timed if rival_node != node]
    return (node, min(rivals)) if rivals else (None, 0.0)


def _weigh_activity(candidate: Candidate, activity: NodeActivity, node_count: int, is_survivable: bool) -> None:
    """Add what the node did: who names it as lost, how it ended, whether training went on."""
    name = activity.name or "the job"
    if accusers := activity.accusers() - {""}:
        other_nodes = max(len(accusers), node_count - 1)
        points = ALL_ACCUSE_POINTS * len(accusers) / other_nodes
        candidate.accusation_points += points
        candidate.add(points, f"{_share_of_accusers(len(accusers), other_nodes)} {name} as lost")
    elif activity.accusations_received:
        candidate.add(LAUNCHER_ACCUSES_POINTS, f"the launcher of the job reports {name} as lost")
    if activity.exit_signal and candidate.finding.evidence[0].kind is Kind.DERIVED:
        candidate.add(EXIT_SIGNAL_POINTS, f"the exit status of {name} is signal {activity.exit_signal}")
    evidence = candidate.finding.evidence[0]
    _weigh_pid(candidate, evidence, activity)
    if is_survivable:
        return
    if _training_went_on(evidence, activity):
        candidate.was_survived = True
        candidate.add(SURVIVED_POINTS, f"training on {name} went on after it")
        if candidate.finding.evidence[-1] is not evidence and _training_went_on(
            candidate.finding.evidence[-1], activity
        ):
            candidate.add(AGAIN_SURVIVED_POINTS, "and also after its second occurrence")
    earlier_symptoms = [
        symptom
        for symptom in activity.symptoms
        if compare_times(symptom.time, candidate.finding.time, EARLIER_SYMPTOM_S) is Order.BEFORE
    ]
    if earlier_symptoms and activity.accusations_made and not activity.accusations_received:
        candidate.add(LATE_CAUSE_POINTS, f"{name} had already lost a peer before it appeared")
    if activity.ended_well and evidence.kind not in (Kind.KERNEL, Kind.DERIVED):
        candidate.was_survived = True
        candidate.add(ENDED_WELL_POINTS, f"{name} ended well")


def _share_of_accusers(accusers: int, others: int) -> str:
    if others == 1:
        return "the only other node reports"
    return f"{accusers} of {others} other nodes {'reports' if accusers == 1 else 'report'}"


def _weigh_pid(candidate: Candidate, evidence: Event, activity: NodeActivity) -> None:
    """Add whether the process that the kernel names belongs to the job.

    A helper process of the job may be in no log, but it runs the same interpreter.
    """
    pid, comm = read_whole(evidence.captures.get("pid")), evidence.captures.get("comm", "")
    if evidence.kind is not Kind.KERNEL or pid is None or not comm:
        return
    if pid in activity.pids:
        candidate.add(OWN_PID_POINTS, f"pid {pid} is a process of the job")
    elif not is_interpreter(comm):
        candidate.add(FOREIGN_PID_POINTS, f"no line shows that {comm} (pid {pid}) is a process of the job")


def _training_went_on(event: Event, activity: NodeActivity) -> bool:
    """Return whether a step was made after the event: further down in its file, in a later part of its log, or later by
    a time that leaves no doubt (own times, since both are of one node)."""
    last_step = activity.last_step
    if last_step is None or event.kind is Kind.DERIVED:
        return False
    if last_step.locus.file == event.locus.file and last_step.stream == event.stream:
        is_behind = compare_lines(event, last_step, behind_block=True) is Order.BEFORE
        return is_behind and not _is_flushed_late(event, activity)
    (step_log, step_rotation), (event_log, event_rotation) = (
        rotation_key(last_step.locus.file),
        rotation_key(event.locus.file),
    )
    if step_log == event_log and last_step.locus.file != event.locus.file:
        return step_rotation > event_rotation  # a later part of the same rotated log
    return compare_times(last_step.time, event.time, FURTHER_STEP_S) is Order.AFTER


def _is_flushed_late(event: Event, activity: NodeActivity) -> bool:
    """Return whether the steps behind the event were made before it and only printed later.

    Python buffers what it writes to a file or pipe until the process ends, and a progress bar ends its line then. Such
    steps have no time of their own. Either all of them come behind the event, or exactly one does. It counts only for
    a task that others lost.
    """
    line = event.locus.line or 0
    same_stream = [
        step for step in activity.step_events if step.locus.file == event.locus.file and step.stream == event.stream
    ]
    before = [step for step in same_stream if (step.locus.line or 0) < line]
    after = [step for step in same_stream if (step.locus.line or 0) > line + len(event.block)]
    if (
        not activity.accusations_received
        or not after
        or any(not step.inferred and step.time is not None for step in after)
    ):
        return False
    return not before or len(after) == 1


def _format_duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
