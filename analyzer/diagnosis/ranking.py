"""Root causes, ranked: who is unexplained, earliest, accused, specific; with the reasons in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.bundle import rotation_key
from analyzer.diagnosis.node_activity import NodeActivity, last_restart_time, last_step_time, onset_of
from analyzer.incident import Finding
from analyzer.model import Event, Kind, Role, Severity
from analyzer.timeline.precedence import STALE_AFTER_S
from analyzer.timeline.timeline import Timeline
from analyzer.timeline.zone_errors import is_whole_hours
from analyzer.untrusted.numbers import read_whole

is_interpreter = re.compile(
    r"python|pypy|ipython|jupyter|pt_main|pt_data|ray|java|conda", re.I
).match  # runs training code
EARLIER_RUN_POINTS = -0.5  # against a cause of an earlier run, or long before the first trouble
UNNAMED_NODE_POINTS = -0.15  # against a cause of a node that went on until it lost another, as all did
WARNING_POINTS, EXPLAINED_POINTS = -0.3, -0.6  # against a cause: the machine went on; it follows from another
JOB_WIDE_SHARE = 0.6  # share of nodes at which a fault belongs to the job rather than to a node

Handicaps = list[tuple[float, str]]  # points and the reason


@dataclass(slots=True)
class Candidate:
    """A cause on a node, with what speaks for and against it. `score` orders, `why` explains."""

    finding: Finding
    score: float
    reasons: list[str]
    same_cause: list[Finding]  # the same cause elsewhere
    was_survived: bool = False
    accusation_points: float = 0.0  # of the score, because others lost its node, or it another that they name
    reasons_against: list[str] = field(default_factory=list)  # those of `why` that lowered the score

    def add(self, points: float, reason: str) -> None:
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
    """Candidates, best first. That training went on speaks against a cause, unless it is a `quiet` one."""
    causes = [
        finding
        for finding in findings
        if finding.role is Role.CAUSE and finding.cause and finding.severity >= Severity.WARNING
    ]
    onset = _first_symptom_time(findings)
    if onset is None:  # nobody complained: what was long over when the job began is no cause of its end
        onset = min(
            (activity.first_activity for activity in activities.values() if activity.first_activity is not None),
            default=None,
        )
    trouble_began = None if onset is None else onset_of(onset, last_step_time(activities.values(), timeline))
    present = [activity for activity in activities.values() if activity.node.present and activity.name]
    peers = [activity for activity in present if activity.node.tasks] or present  # a pod's machine names nobody
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
                UNNAMED_NODE_POINTS, f"all others, {candidate.finding.node} too, name {named_by_all.name} as lost"
            )
        time = candidate.finding.time
        if (
            first_node
            and candidate.finding.node == first_node
            and time is not None
            and time + timeline.clock_error(first_node) < rival_time
        ):
            candidate.add(0.1, "it is the earliest, beyond the clocks' error")
    candidates.sort(key=lambda one: (-one.score, one.finding.time or float("inf"), one.finding.id))
    return candidates


def _named_by_all(activities: Mapping[str, NodeActivity], node_count: int) -> NodeActivity | None:
    """The one node that every other names as lost, and on which something fatal was found."""
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
    """Nobody names its node, which itself lost the one that all name, and that one's fault does not follow from it."""
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
    """All of its lines stand before the job's last start."""
    times = [timeline.corrected_time(event) for event in finding.evidence]
    in_or_after = [
        time for time in times if time is None or time + timeline.clock_error(finding.node or "") >= restart_time
    ]
    return not in_or_after


def _first_symptom_time(findings: Sequence[Finding]) -> float | None:
    """When peers first noticed: the earliest symptom."""
    return min(
        (
            finding.time
            for finding in findings
            if finding.role is Role.SYMPTOM and finding.time is not None and finding.severity >= Severity.ERROR
        ),
        default=None,
    )


def _gather_candidates(causes: Sequence[Finding], handicaps: Mapping[str, Handicaps]) -> list[Candidate]:
    """One candidate for each cause and node; further findings of both only raise it a little."""
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
    """What speaks against each from the start. Of one cause on a node the sound finding stands for all: not one that
    follows from it, nor one of an earlier failure; a warning is harmless if no error followed from it."""
    grave_ids = {name for finding in findings if finding.severity >= Severity.ERROR for name in finding.explained_by}
    return {
        finding.id: list(_handicaps_of(finding, finding.id in grave_ids, timeline, onset, restart_time))
        for finding in causes
    }


def _handicaps_of(
    finding: Finding, is_grave: bool, timeline: Timeline, onset: float | None, restart_time: float | None
) -> Iterator[tuple[float, str]]:
    if finding.severity is Severity.WARNING and not is_grave:
        yield WARNING_POINTS, "it is a warning: the machine went on"
    if finding.explained_by:
        yield EXPLAINED_POINTS, "another finding explains it"
    if (age := _age_before_onset(finding, onset)) is not None and not _is_hours_off(finding, age, timeline):
        yield EARLIER_RUN_POINTS, f"it happened {_format_duration(age)} before the first trouble"
    if restart_time is not None and _is_before_restart(finding, restart_time, timeline):
        yield EARLIER_RUN_POINTS, "the job was started again after it"


def _age_before_onset(finding: Finding, onset: float | None) -> float | None:
    """Seconds from it to the first trouble, where they are too many for it to be of the same failure."""
    is_derived = finding.evidence[0].kind is Kind.DERIVED  # put together from lines of many times
    if finding.time is None or onset is None or is_derived or finding.time >= onset - STALE_AFTER_S:
        return None
    return onset - finding.time


def _is_hours_off(finding: Finding, age: float, timeline: Timeline) -> bool:
    """It would be of the moment of the first trouble, but for the hour: what no zone stands beside says no more."""
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
        (time := timeline.corrected_time(event)) is None or time < finding.time + age - STALE_AFTER_S
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
    finding = candidate.finding
    activity = activities.get(finding.node or "")
    if activity is not None:
        _weigh_activity(candidate, activity, node_count, candidate.finding.id in survivable)
    if finding.time is None or onset is None or _age_before_onset(finding, onset) is not None:
        return
    if finding.time <= onset + timeline.clock_error(finding.node or ""):
        candidate.add(0.05, "it stands before the first symptom of the others")


def _first_node(candidates: Sequence[Candidate], timeline: Timeline) -> tuple[str | None, float]:
    """The node of the earliest candidate, and before when one of its own must stand to precede those of all others.

    None where a clock is unknown: then nothing is known to be first.
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
    name = activity.name or "the job"
    if accusers := activity.accusers() - {""}:
        other_nodes = max(len(accusers), node_count - 1)
        points = 0.25 * len(accusers) / other_nodes
        candidate.accusation_points += points
        candidate.add(points, f"{_share_of_accusers(len(accusers), other_nodes)} {name} as lost")
    elif activity.accusations_received:
        candidate.add(0.2, f"what started the job names {name} as lost")
    if activity.exit_signal and candidate.finding.evidence[0].kind is Kind.DERIVED:
        candidate.add(0.15, f"the exit status of {name} says signal {activity.exit_signal}")
    evidence = candidate.finding.evidence[0]
    _weigh_pid(candidate, evidence, activity)
    if is_survivable:
        return
    if _training_went_on(evidence, activity):
        candidate.was_survived = True
        candidate.add(-0.5, f"training on {name} went on after it")
        if candidate.finding.evidence[-1] is not evidence and _training_went_on(
            candidate.finding.evidence[-1], activity
        ):
            candidate.add(-0.2, "as after it came again")
    earlier_symptoms = [
        symptom
        for symptom in activity.symptoms
        if symptom.time is not None
        and candidate.finding.time is not None
        and symptom.time < candidate.finding.time - 0.5
    ]
    if earlier_symptoms and activity.accusations_made and not activity.accusations_received:
        candidate.add(-0.3, f"{name} had already lost a peer when it appeared")
    if activity.ended_well and evidence.kind not in (Kind.KERNEL, Kind.DERIVED):
        candidate.was_survived = True
        candidate.add(-0.4, f"{name} ended well")


def _share_of_accusers(accusers: int, others: int) -> str:
    if others == 1:
        return "the only other node names"
    return f"{accusers} of {others} other nodes {'names' if accusers == 1 else 'name'}"


def _weigh_pid(candidate: Candidate, evidence: Event, activity: NodeActivity) -> None:
    """Whose process the kernel speaks of. A helper of the job may be in no log, but is an interpreter as the job is."""
    pid, comm = read_whole(evidence.captures.get("pid")), evidence.captures.get("comm", "")
    if evidence.kind is not Kind.KERNEL or pid is None or not comm:
        return
    if pid in activity.pids:
        candidate.add(0.05, f"pid {pid} is the job's own")
    elif not is_interpreter(comm):
        candidate.add(-0.25, f"nothing says that {comm} (pid {pid}) is a process of the job")


def _training_went_on(event: Event, activity: NodeActivity) -> bool:
    """A step was made behind the event, as far as order can be trusted."""
    last_step = activity.last_step
    if last_step is None or event.kind is Kind.DERIVED:
        return False
    if last_step.locus.file == event.locus.file and last_step.stream == event.stream:
        return (last_step.locus.line or 0) > (event.locus.line or 0) + len(event.block) and not _is_flushed_late(
            event, activity
        )
    (step_log, step_rotation), (event_log, event_rotation) = (
        rotation_key(last_step.locus.file),
        rotation_key(event.locus.file),
    )
    if step_log == event_log and last_step.locus.file != event.locus.file:
        return step_rotation > event_rotation  # a later part of the same rotated log
    return event.time is not None and last_step.time is not None and last_step.time > event.time + 30.0


def _is_flushed_late(event: Event, activity: NodeActivity) -> bool:
    """Steps printed without a time stand behind an error although they were made before it: Python keeps what goes to
    a file or pipe in a buffer until the process ends, and a progress bar ends its line then.

    Such steps were either all printed at the end, or the last one is no further than those before the error. Only of a
    task that was lost this is believed.
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
