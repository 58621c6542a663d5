"""The factors of the judgement: small functions that each weigh one reason for or against a cause on a node.

A factor function yields `Factor`s: a name, a value and a sentence for the report. `factors.yaml` has the weight of each
name, in logits. `benchmarks/accuracy/fit.py` fits the weights; nothing here knows one.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from analyzer.bundle import rotation_key
from analyzer.diagnosis.node_activity import (
    NodeActivity,
    last_restart_time,
    last_step_time,
    onset_of,
    ran_again_after,
)
from analyzer.diagnosis.process_owner import owner_of_process
from analyzer.incident import UNKNOWN_CAUSE, Cause, Factor, Finding, HardFact
from analyzer.model import Event, Kind, Role, Severity
from analyzer.timeline.precedence import (
    DYING_PROCESS_S,
    EARLIER_SYMPTOM_S,
    FURTHER_STEP_S,
    STALE_AFTER_S,
    Order,
    compare_lines,
    compare_times,
)
from analyzer.timeline.timeline import Timeline
from analyzer.timeline.zone_errors import is_whole_hours
from analyzer.untrusted.numbers import read_decimal

# After one failure, a launcher ends the other tasks with these signals, so they say little about a cause.
TEARDOWN_SIGNALS = frozenset({"SIGTERM", "SIGKILL"})
_ENDING_WORDS = {"ok": "ended well", "exit": "exited with an error", "silence": "stopped logging"}
# Causes in a program or its data, not in a machine.
FAMILIES_OF_PROGRAMS = frozenset({"checkpoint", "config", "data", "numeric", "serialization", "user"})
MOST_OF_JOB = 0.6  # of its nodes
MIN_STEPS_AFTER = 3  # lines of several programs in one file may change places
START_SPREAD_S = 600.0  # most seconds between the starts of the first and the last node of one attempt
PLACELESS_SHARE = 0.7  # share of "no-node" if no line names a machine at all: the cause may still be right
TRAINED_ON_S = 120.0  # a coordinator that makes steps without a worker for so long does not need it
TEARDOWN_S = 2.0  # all processes of a job that is ended from outside end within this time
BOOT_S = 40.0  # no job starts so early after a boot
_match_uptime = re.compile(r"\[\s{0,9}(\d{1,6}\.\d{6})\] ").match
_tells_of_earlier_boot = re.compile(r"(?i)previous boot|last boot|BERT|pstore|recover|not cleanly").search
MIN_RULE_CONFIDENCE, MAX_RULE_CONFIDENCE = 0.02, 0.98  # bounds that keep a rule's log-odds finite


@dataclass(slots=True)
class Candidate:
    """A cause on a node, with the factors for and against it."""

    finding: Finding
    factors: list[Factor]
    weights: Mapping[str, float]
    same_cause: list[Finding] = field(default_factory=list)  # further findings of the same cause on the same node
    probability: float = 0.0  # that cause and node are right; all candidates and "none" sum to one

    @property
    def log_odds(self) -> float:
        return sum(map(self._contribution, self.factors))

    @property
    def reasons(self) -> list[str]:
        """The sentences of the factors that speak for it."""
        return [factor.reason for factor in self.factors if factor.reason and self._contribution(factor) > 0]

    @property
    def reasons_against(self) -> list[str]:
        return [factor.reason for factor in self.factors if factor.reason and self._contribution(factor) < 0]

    def has(self, name: str) -> bool:
        """Return whether a factor of this name applies."""
        return any(factor.name == name for factor in self.factors)

    def _contribution(self, factor: Factor) -> float:
        return self.weights.get(factor.name, 0.0) * factor.value


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorContext:
    """Everything that a factor may look at."""

    activities: Mapping[str, NodeActivity]
    timeline: Timeline
    facts: Mapping[str, HardFact]  # node → how its process ended
    causes: Mapping[str, Cause]
    survivable: frozenset[str]  # ids of findings that a job can have and still train
    onset: float | None  # the first symptom, or the start of the job; corrected UTC seconds
    trouble_began: float | None  # as `onset`, or the last step before it
    restart_time: float | None  # the last start of the job, if it was restarted
    grave_ids: frozenset[str]  # ids of findings that explain an error
    lasting: frozenset[str]  # ids of lasting causes that a later error of their node names
    explained_counts: Mapping[str, int]  # id → number of findings that follow from it
    peers: frozenset[str]  # the job's own nodes: those with tasks, else all that left files
    has_tasks: bool  # whether any peer has a task
    end_signals: Mapping[str, str]  # node → the signal that ended it
    signal_counts: Mapping[str, int]  # signal → number of nodes that it ended
    first_crash: HardFact | None  # the process that a signal ended that no launcher sends, before it lost a peer
    causes_of_most: frozenset[str]  # causes of which most nodes show that, or a signal, and none ended otherwise
    named: NodeActivity | None  # the only node that all others accuse
    first_by_cause: Mapping[str, tuple[str | None, float]]  # cause → the first node with it, and the time of the second
    nodes_of_cause: Mapping[str, frozenset[str]]
    place_counts: Mapping[str, int]  # cause → number of nodes that show it unexplained by the same cause
    most_accused: NodeActivity | None  # the node that the most nodes accuse …
    most_accusers: int  # … and how many do
    continued: frozenset[str]  # ids of findings after which the program continued as before
    last_joint_step: Event | None  # of the whole job, if no task can train without the others
    coordinator_step: Event | None  # the last one of the coordinator, if the job has parameter servers

    def activity_of(self, finding: Finding) -> NodeActivity | None:
        return self.activities.get(finding.node or "")


def make_context(
    causes: Sequence[Finding],
    findings: Sequence[Finding],
    activities: Mapping[str, NodeActivity],
    timeline: Timeline,
    survivable: frozenset[str],
    facts: Mapping[str, HardFact],
    catalogue: Mapping[str, Cause],
    continued: frozenset[str] = frozenset(),
    lasting: frozenset[str] = frozenset(),
) -> FactorContext:
    """Return the context in which `causes`, the candidates among `findings`, are weighed."""
    onset = _first_symptom_time(findings)
    if onset is None:  # no node complained: a cause that was over long before the job started did not end it
        onset = min(
            (activity.first_activity for activity in activities.values() if activity.first_activity is not None),
            default=None,
        )
    present = [activity for activity in activities.values() if activity.node.present and activity.name]
    peers = [activity for activity in present if activity.node.tasks] or present  # the machine of a pod accuses no node
    explained_counts: dict[str, int] = {}
    nodes_of_cause: dict[str, set[str]] = {}
    for finding in findings:
        for name in finding.explained_by:
            explained_counts[name] = explained_counts.get(name, 0) + 1
    cause_of = {finding.id: finding.cause for finding in causes}
    places_of_cause: dict[str, set[str]] = {}
    for finding in causes:
        if finding.node:
            nodes_of_cause.setdefault(finding.cause or "", set()).add(finding.node)
            if not any(cause_of.get(name) == finding.cause for name in finding.explained_by):
                places_of_cause.setdefault(finding.cause or "", set()).add(finding.node)
    end_signals = {fact.node: fact.end.signal for fact in facts.values() if fact.node and fact.end and fact.end.signal}
    own_nodes = frozenset(activity.name for activity in peers)
    most_accused = max(activities.values(), key=lambda activity: len(activity.accusers() - {""}), default=None)
    return FactorContext(
        activities=activities,
        timeline=timeline,
        facts=facts,
        causes=catalogue,
        survivable=survivable,
        onset=onset,
        trouble_began=None if onset is None else onset_of(onset, last_step_time(activities.values(), timeline)),
        restart_time=last_restart_time(activities.values()),
        grave_ids=frozenset(
            name for finding in findings if finding.severity >= Severity.ERROR for name in finding.explained_by
        ),
        lasting=lasting,
        explained_counts=explained_counts,
        peers=own_nodes,
        has_tasks=any(activity.node.tasks for activity in peers),
        end_signals=end_signals,
        signal_counts=Counter(end_signals.values()),
        first_crash=next(
            (
                fact
                for fact in facts.values()
                if fact.end and fact.end.signal and fact.end.signal not in TEARDOWN_SIGNALS
                if not _had_lost_another(fact, activities, timeline)
            ),
            None,
        ),
        causes_of_most=frozenset(
            cause
            for cause in {finding.cause or "" for finding in causes}
            if catalogue.get(cause, UNKNOWN_CAUSE).sent
            and _ended_alike(nodes_of_cause.get(cause, set()) | end_signals.keys(), own_nodes, facts)
        ),
        named=_named_by_all(activities, len(peers)),
        first_by_cause={
            cause: _first_node([finding for finding in causes if finding.cause == cause], timeline)
            for cause in nodes_of_cause
        },
        nodes_of_cause={cause: frozenset(nodes) for cause, nodes in nodes_of_cause.items()},
        place_counts={cause: len(nodes) for cause, nodes in places_of_cause.items()},
        continued=continued,
        last_joint_step=_last_joint_step(activities, timeline),
        coordinator_step=_coordinator_step(activities),
        most_accused=most_accused,
        most_accusers=len(most_accused.accusers() - {""}) if most_accused else 0,
    )


# ---- independent of what the node did: these also decide which finding represents a cause on a node -----------------


def _weigh_rule(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh the rule's own confidence, as log-odds."""
    confidence = min(max(finding.confidence, MIN_RULE_CONFIDENCE), MAX_RULE_CONFIDENCE)
    yield Factor("rule", math.log(confidence / (1 - confidence)))


def _weigh_kind(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh the kind of evidence: a derived event compares several files; a kernel's log covers many jobs."""
    if (kind := finding.evidence[0].kind) not in (Kind.WORKER, Kind.UNKNOWN):
        yield Factor(f"stated-by-{kind.value}")


def _weigh_severity(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh the severity: a warning is harmless unless an error follows from it."""
    if finding.severity is Severity.WARNING and finding.id not in context.grave_ids:
        yield Factor("warning", 1.0, "it is a warning, and the machine continued")
    elif finding.severity is Severity.FATAL:
        yield Factor("fatal")


def _weigh_explained(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether another cause explains it: then it is not the root."""
    if finding.explained_by:
        yield Factor("explained", 1.0, "another finding explains it")


def _weigh_age(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh its age: a cause that was long over, or from an earlier start of the job, belongs to another failure."""
    if finding.id in context.lasting:
        return
    age = None if _may_be_later(finding, context) else _age_before_onset(finding, context.trouble_began)
    if age is not None and not _is_hours_off(finding, age, context.timeline):
        yield Factor("stale", 1.0, f"it happened {_format_duration(age)} before the first trouble")
    elif _is_while_booting(finding, context):
        yield Factor("stale", 1.0, f"{finding.node} was still booting: no process of the job ran yet, or any longer")
    if context.restart_time is not None and _is_before_restart(finding, context.restart_time, context):
        yield Factor("restarted", 1.0, "the job was started again after it")


def _weigh_mechanism(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh the catalogue: innocent members report some causes too, and some causes stop no job."""
    cause = context.causes.get(finding.cause or "", UNKNOWN_CAUSE)
    if cause.propagated:
        yield Factor("echo")
    if cause.survivable:
        yield Factor("quiet")


# ---- what the node did ----------------------------------------------------------------------------------------------


def _weigh_ending(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether the cause leads to the end that the hard facts state for its node."""
    fact = context.facts.get(finding.node or "")
    endings = context.causes.get(finding.cause or "", UNKNOWN_CAUSE).endings
    ending = ending_of(fact) if fact else None
    if not endings or ending is None or fact is None:
        return
    words = _ENDING_WORDS.get(ending, f"ended by {ending}")
    stated = fact.end.evidence if fact.end else fact.last_line
    if ending in endings:
        yield Factor("ending-explained", 1.0, f"{fact.node} {words}, as expected from this cause", stated)
    elif ending not in TEARDOWN_SIGNALS and ending != "silence":  # a log that stops does not say how its process ended
        yield Factor("ending-contradicted", 1.0, f"{fact.node} {words}, which this cause does not explain", stated)


def ending_of(fact: HardFact) -> str | None:
    """Return how the process ended, in the words of `ends` in causes.yaml; None if nothing states it."""
    if fact.end is None:
        return "silence" if fact.silent_since is not None else None
    if fact.end.signal:
        return fact.end.signal
    return "exit" if fact.end.status else "ok"


def _weigh_unread_end(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether the node's log, or its end, was not read: then its silence proves nothing."""
    activity = context.activity_of(finding)
    if activity is None or finding.evidence[0].kind is not Kind.DERIVED:
        return
    if activity.is_log_cut:
        yield Factor("unread-end", 1.0, f"the log of {activity.name} was not read to its end", activity.last_event)
    elif not activity.node.present and context.timeline.unread_archive:
        reason = f"no file of {activity.name} was read, and {context.timeline.unread_archive} was not read to its end"
        yield Factor("unread-end", 1.0, reason)


def _weigh_crash_elsewhere(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh a crash on another node (a signal that no launcher sends) that this cause leaves unexplained."""
    own = context.facts.get(finding.node or "")
    crash = context.first_crash
    if finding.node and crash and crash.end and (own is None or own.end is None or not own.end.signal):
        message = f"{crash.node} ended by a signal, which this cause does not explain"
        yield Factor("crash-elsewhere", 1.0, message, crash.end.evidence)


def _weigh_accusers(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh how many nodes report its node as lost, and whether more nodes report another one."""
    activity = context.activity_of(finding)
    if activity is None:
        return
    name, accusers = activity.name or "the job", activity.accusers() - {""}
    if accusers:
        others = max(len(accusers), len(context.peers) - 1)
        share = len(accusers) / others
        reason = f"{_share_of_accusers(len(accusers), others)} {name} as lost"
        yield Factor("accused", share, reason, _first_accusation(activity))
    elif activity.accusations_received:
        reason = f"the launcher of the job reports {name} as lost"
        yield Factor("launcher-accuses", 1.0, reason, _first_accusation(activity))
    if finding.node and context.most_accused and len(accusers) < context.most_accusers:
        line = _first_accusation(context.most_accused)
        yield Factor("others-accused", 1.0, "more nodes report another node as lost", line)
    if context.named and _lost_the_named_node(finding, context.named, context.activities):
        yield Factor(
            "named-elsewhere",
            1.0,
            f"all other nodes, including {finding.node}, report {context.named.name} as lost",
            _first_accusation(context.named),
        )


def _weigh_sent_to_all(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether all nodes ended in the same way. That is how a job is ended; the reason is another cause."""
    cause = finding.cause or ""
    if not context.causes.get(cause, UNKNOWN_CAUSE).sent or len(context.peers) < 2:
        return
    own = context.end_signals.get(finding.node or "")
    is_odd_one = own is not None and len(context.end_signals) > 1 and context.signal_counts[own] == 1
    node, rival_time = context.first_by_cause.get(cause, (None, 0.0))
    error = context.timeline.clock_error(finding.node or "")
    is_first = node == finding.node and compare_times(finding.time, rival_time, error + TEARDOWN_S) is Order.BEFORE
    if cause in context.causes_of_most and not is_odd_one and not (node and is_first):
        yield Factor("sent-to-all", 1.0, "signals ended all nodes in the same way, which does not show the reason")


def _weigh_membership(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether its node is a known member of the job, if the members are known."""
    activity = context.activity_of(finding)
    if activity is None or not activity.name or activity.name in context.peers or activity.accusations_received:
        return
    if context.has_tasks and not activity.node.tasks and not finding.is_servers_own:
        yield Factor("outsider", 1.0, f"no line shows that {activity.name} takes part in the job")


def _weigh_service(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether its node is a parameter server that reports an error of an operation that it ran for a client."""
    activity, family = context.activity_of(finding), (finding.cause or "").partition(".")[0]
    if activity is None or family not in FAMILIES_OF_PROGRAMS or not _is_server(activity):
        return
    clients = context.nodes_of_cause.get(finding.cause or "", frozenset()) - {activity.name}
    client = min((name for name in clients if not _is_server(context.activities[name])), default=None)
    if client:
        yield Factor("served", 1.0, f"{activity.name} is a server that ran the operation for {client}")


def _is_server(activity: NodeActivity) -> bool:
    return bool(activity.node.tasks) and all(task.startswith("ps:") for task in activity.node.tasks)


def _weigh_pid(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether the process that the kernel names belongs to the job; a helper runs the same interpreter."""
    activity = context.activity_of(finding)
    if activity is None or (owner := owner_of_process(finding, activity.pids)) is None:
        return
    pid, comm = finding.evidence[0].captures.get("pid"), finding.evidence[0].captures.get("comm")
    if owner == "job":
        yield Factor("own-pid", 1.0, f"pid {pid} is a process of the job", finding.evidence[0])
    elif owner == "other":
        reason = f"no line shows that {comm} (pid {pid}) is a process of the job"
        yield Factor("foreign-pid", 1.0, reason, finding.evidence[0])


def _weigh_survival(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether training continued after it, or its node ended well."""
    if finding.id in context.lasting:
        return
    activity = context.activity_of(finding)
    if activity is not None and _losses_recovered(finding, activity, context):
        yield Factor("survived", 1.0, "the losses of later steps are finite", activity.last_step)
    if activity is None or finding.id in context.survivable:
        return
    name, first = activity.name or "the job", finding.evidence[0]
    last = [event for event in finding.evidence if event.node in (first.node, "")][-1]  # others show what peers did
    may_end_well = "ok" in context.causes.get(finding.cause or "", UNKNOWN_CAUSE).endings
    if context.last_joint_step is not None and _job_went_on(last, context.last_joint_step, context.timeline):
        reason = "all tasks train in step, and training continued after it"
        yield Factor("survived", 1.0, reason, context.last_joint_step)
    elif context.coordinator_step and _trained_on_without(activity, last, context.coordinator_step, context.timeline):
        reason = f"{context.coordinator_step.node} continued to train without {name}"
        yield Factor("survived", 1.0, reason, context.coordinator_step)
    elif _training_went_on(last, activity, context.timeline):
        yield Factor("survived", 1.0, f"training on {name} continued after it", activity.last_step)
        if last is not first:
            yield Factor("survived-again", 1.0, "and also after its second occurrence")
    elif _started_up_after(last, activity) and not _starts_anyway(finding, context):
        yield Factor("survived", 1.0, f"the program on {name} started up after it", activity.last_start_event)
    elif _is_before_start(finding, context) and (work := _work_after(finding, activity, context)):
        yield Factor("survived", 1.0, f"{work.node or name} ran after it", work)
    elif _is_before_start(finding, context) and _had_just_run(activity, first, context.timeline):
        reason = f"{name} ran before it, so something else ended it first"
        yield Factor("survived", 1.0, reason, activity.last_step)
    elif finding.id in context.continued and not may_end_well:
        yield Factor("went-on", 1.0, f"the program on {name} continued to write the same kinds of lines as before")
    if activity.ended_well and not may_end_well and first.kind not in (Kind.KERNEL, Kind.DERIVED):
        end = context.facts[activity.name].end if activity.name in context.facts else None
        yield Factor("ended-well", 1.0, f"{name} ended well", end.evidence if end else activity.finish_event)


def _weigh_lateness(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether its node had lost a peer before."""
    activity = context.activity_of(finding)
    if activity is None or finding.id in context.survivable:
        return
    earlier = (
        symptom
        for symptom in activity.symptoms
        if compare_times(symptom.time, finding.time, EARLIER_SYMPTOM_S) is Order.BEFORE
    )
    symptom = next(earlier, None)
    if symptom and activity.accusations_made and not activity.accusations_received:
        reason = f"{activity.name or 'the job'} had already lost a peer before it appeared"
        yield Factor("late", 1.0, reason, symptom.evidence[0])


def _weigh_order(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether its node shows the cause first, by more than the errors of the clocks."""
    error = context.timeline.clock_error(finding.node or "")
    node, rival_time = context.first_by_cause.get(finding.cause or "", (None, 0.0))
    if node and finding.node == node and compare_times(finding.time, rival_time, error) is Order.BEFORE:
        yield Factor("first-of-cause", 1.0, "no other node shows it earlier, beyond the clocks' error")


def _weigh_last_words(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh whether it is among the last lines of its node."""
    activity = context.activity_of(finding)
    if activity is None or not activity.name or finding.evidence[0].kind is Kind.DERIVED:
        return
    if compare_times(finding.time, activity.last_time, DYING_PROCESS_S) is Order.BEFORE:
        yield Factor("not-last-words")


def _weigh_reach(finding: Finding, context: FactorContext) -> Iterator[Factor]:
    """Weigh how much follows from it, and how many nodes show it."""
    yield Factor("explains", math.log1p(context.explained_counts.get(finding.id, 0)))
    nodes = context.place_counts.get(finding.cause or "", 0)
    if nodes > 1:
        yield Factor("shared", nodes / max(nodes, len(context.peers)))
    cause = context.causes.get(finding.cause or "", UNKNOWN_CAUSE)
    is_job_wide = cause.job_wide
    # A derived event without a node compares all nodes, and a scheduler ends a job as a whole.
    is_of_all = is_job_wide or finding.evidence[0].kind is Kind.DERIVED or (cause.sent and _is_by_scheduler(finding))
    if not (finding.node or finding.task or is_of_all):
        yield Factor("no-node", 1.0 if context.peers else PLACELESS_SHARE)


FactorFunction = Callable[[Finding, FactorContext], Iterator[Factor]]
FINDING_FACTORS: Sequence[FactorFunction] = (
    _weigh_rule,
    _weigh_kind,
    _weigh_severity,
    _weigh_explained,
    _weigh_age,
    _weigh_mechanism,
)
NODE_FACTORS: Sequence[FactorFunction] = (
    _weigh_accusers,
    _weigh_ending,
    _weigh_unread_end,
    _weigh_crash_elsewhere,
    _weigh_sent_to_all,
    _weigh_membership,
    _weigh_service,
    _weigh_pid,
    _weigh_survival,
    _weigh_lateness,
    _weigh_order,
    _weigh_last_words,
    _weigh_reach,
)


def weigh(functions: Sequence[FactorFunction], finding: Finding, context: FactorContext) -> list[Factor]:
    """Return the factors of all functions, in their order."""
    return [factor for function in functions for factor in function(finding, context)]


# ---- helpers --------------------------------------------------------------------------------------------------------


def _is_by_scheduler(finding: Finding) -> bool:
    return finding.evidence[0].kind is Kind.SCHEDULER


def _ended_alike(ended: Set[str], peers: frozenset[str], facts: Mapping[str, HardFact]) -> bool:
    """Return whether most of the peers are among those that were `ended`, and no node ended in another way."""
    is_most = len(peers & ended) >= max(2.0, MOST_OF_JOB * len(peers))
    return is_most and not any(fact.end and not fact.end.signal for name, fact in facts.items() if name not in ended)


def _named_by_all(activities: Mapping[str, NodeActivity], node_count: int) -> NodeActivity | None:
    """Return the only node that all others report as lost, if it has a fatal cause."""
    named_by_rest = [
        activity
        for activity in activities.values()
        if activity.name and node_count > 1 and len(activity.accusers() - {""}) >= node_count - 1
    ]
    with_fatal_cause = [
        activity for activity in named_by_rest if any(finding.severity is Severity.FATAL for finding in activity.causes)
    ]
    return with_fatal_cause[0] if len(named_by_rest) == len(with_fatal_cause) == 1 else None


def _lost_the_named_node(finding: Finding, named: NodeActivity, activities: Mapping[str, NodeActivity]) -> bool:
    """Return whether the candidate's node itself lost the node that all others report as lost.

    No node reports the candidate's node, and the fault of the lost node does not follow from the candidate.
    """
    activity = activities.get(finding.node or "")
    if (
        activity is None
        or activity is named
        or activity.accusations_received
        or finding.evidence[0].kind is Kind.DERIVED
    ):
        return False
    named_follows = any(finding.id in cause.explained_by for cause in named.causes)
    return not named_follows and any(accusation.accused == named.name for accusation in activity.accusations_made)


def _is_before_restart(finding: Finding, restart_time: float, context: FactorContext) -> bool:
    """Return whether all lines of the finding precede the job's last start.

    A node that was not restarted may have failed in the last attempt, before the others started.
    """
    if all(ran_again_after(context.activities.get(event.node), event) for event in finding.evidence):
        return True
    times = [context.timeline.corrected_time(event) for event in finding.evidence]
    activity = context.activity_of(finding)
    own_starts = [start for starts in activity.start_times.values() for start in starts] if activity else []
    was_restarted = not own_starts or any(compare_times(max(own_starts), time) is Order.AFTER for time in times)
    error = context.timeline.clock_error(finding.node or "") + (0.0 if was_restarted else START_SPREAD_S)
    return all(compare_times(time, restart_time, error) is Order.BEFORE for time in times)


def _had_lost_another(fact: HardFact, activities: Mapping[str, NodeActivity], timeline: Timeline) -> bool:
    """Return whether the process reported a lost peer before it ended. Then its end is not the first fault."""
    if fact.end is None:
        return False
    activity = activities.get(fact.node or "")
    end = timeline.corrected_time(fact.end.evidence) if fact.end.time is None else fact.end.time
    losses = (
        timeline.corrected_time(accusation.event)
        for accusation in (activity.accusations_made if activity else ())
        if accusation.event.captures.get("how", "lost") == "lost"
    )
    return end is not None and any(time is not None and time < end for time in losses)


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


def _may_be_later(finding: Finding, context: FactorContext) -> bool:
    """Return whether the finding's line has no time of its own, and no later line of its program bounds it."""
    activity = context.activity_of(finding)
    if activity is None or not finding.evidence[0].inferred or finding.evidence[0].kind is not Kind.WORKER:
        return False
    last = activity.last_stated_time
    return finding.time is not None and last is not None and last <= finding.time


def _is_while_booting(finding: Finding, context: FactorContext) -> bool:
    """Return whether the kernel logged it in the first seconds after a boot, and the node worked at another time.

    A report of what happened before the boot is no such line.
    """
    activity, event = context.activity_of(finding), finding.evidence[0]
    if activity is None or activity.first_activity is None or event.time is not None or event.kind is not Kind.KERNEL:
        return False
    uptime = _match_uptime(event.text)
    return uptime is not None and float(uptime[1]) < BOOT_S and not _tells_of_earlier_boot(event.text)


def _age_before_onset(finding: Finding, onset: float | None) -> float | None:
    """Return the seconds from the finding to the first trouble if it is too old to belong to it, else None."""
    is_derived = finding.evidence[0].kind is Kind.DERIVED  # its lines have many times
    if finding.time is None or onset is None or is_derived:
        return None
    return onset - finding.time if compare_times(finding.time, onset, STALE_AFTER_S) is Order.BEFORE else None


def _is_hours_off(finding: Finding, age: float, timeline: Timeline) -> bool:
    """Return whether the age is close to whole hours, so that a missing time zone may explain it."""
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


def _first_node(causes: Sequence[Finding], timeline: Timeline) -> tuple[str | None, float]:
    """Return the node of the earliest candidate, and the time that its candidates must precede to be the first of all.

    The time is that of the earliest candidate of another node, less the error of its clock. The node is None if the
    clock of any candidate's node is unknown, or if there is no other node: then no candidate is known to be first.
    """
    timed = [(finding.time, finding.node) for finding in causes if finding.time is not None]
    if any(node not in timeline.clocks for _, node in timed):
        return None, 0.0
    node = min(timed)[1] if timed else None
    rivals = [time - timeline.clock_error(rival_node or "") for time, rival_node in timed if rival_node != node]
    return (node, min(rivals)) if rivals else (None, 0.0)


def _first_accusation(activity: NodeActivity) -> Event | None:
    """Return the line in which another node or the launcher first reports this node."""
    return next((accusation.event for accusation in activity.accusations_received), None)


def _share_of_accusers(accusers: int, others: int) -> str:
    if others == 1:
        return "the only other node reports"
    return f"{accusers} of {others} other nodes {'reports' if accusers == 1 else 'report'}"


def _losses_recovered(finding: Finding, activity: NodeActivity, context: FactorContext) -> bool:
    """Return whether the node's last step comes after the finding and has a finite loss, which refutes the finding."""
    step = activity.last_step
    loss = read_decimal(step.captures.get("loss", "").lstrip("+-")) if step else None
    is_shown = context.causes.get(finding.cause or "", UNKNOWN_CAUSE).shown_by_loss
    return is_shown and loss is not None and _training_went_on(finding.evidence[-1], activity, context.timeline)


def _last_joint_step(activities: Mapping[str, NodeActivity], timeline: Timeline) -> Event | None:
    """Return the last step of any node; None if the job has servers or a coordinator, whose workers do not wait."""
    tasks = [task for activity in activities.values() for task in activity.node.tasks]
    if not tasks or any(not task.startswith(("worker:", "chief:", "master:")) for task in tasks):
        return None
    steps = [activity.last_step for activity in activities.values() if activity.last_step]
    steps = [step for step in steps if not step.inferred]  # a step without a time of its own may be later
    timed = [(time, step) for step in steps if (time := timeline.corrected_time(step)) is not None]
    return max(timed, key=lambda pair: pair[0], default=(0.0, None))[1]


def _coordinator_step(activities: Mapping[str, NodeActivity]) -> Event | None:
    """Return the last step of the only node that coordinates workers and servers; None if there is none."""
    tasks = [task for activity in activities.values() for task in activity.node.tasks]
    if not any(task.startswith("ps:") for task in tasks):
        return None
    coordinators = [
        activity
        for activity in activities.values()
        if any(task.startswith(("chief:", "master:", "coordinator:")) for task in activity.node.tasks)
    ]
    step = coordinators[0].last_step if len(coordinators) == 1 else None
    return None if step is None or step.inferred else step


def _trained_on_without(activity: NodeActivity, event: Event, step: Event, timeline: Timeline) -> bool:
    """Return whether the coordinator made steps long after a worker's failure: it does not need that worker."""
    tasks = activity.node.tasks
    if not tasks or not all(task.startswith("worker:") for task in tasks) or event.kind is Kind.DERIVED:
        return False
    if timeline.may_differ_by_zone(event, step):
        return False
    slack = TRAINED_ON_S + timeline.error_between(event.node, step.node)
    return compare_times(timeline.corrected_time(step), timeline.corrected_time(event), slack) is Order.AFTER


def _starts_anyway(finding: Finding, context: FactorContext) -> bool:
    return context.causes.get(finding.cause or "", UNKNOWN_CAUSE).starts_anyway


def _is_before_start(finding: Finding, context: FactorContext) -> bool:
    return context.causes.get(finding.cause or "", UNKNOWN_CAUSE).before_start


def _work_after(finding: Finding, activity: NodeActivity, context: FactorContext) -> Event | None:
    """Return a step, a start or an end of the finding's task that certainly came later.

    If the finding names no task, only a step counts: other tasks also start, wait for the missing one and give up.
    """
    last = finding.evidence[-1]
    for worker in [activity] if activity.name else context.activities.values():
        signs = (worker.last_step, worker.last_start_event, worker.exit_event) if activity.name else (worker.last_step,)
        for event in signs:
            if event is None or event.kind is Kind.DERIVED:
                continue
            if last.locus.file == event.locus.file:
                is_later = compare_lines(last, event, behind_block=True) is Order.BEFORE
            else:
                time, own_time = context.timeline.corrected_time(event), context.timeline.corrected_time(last)
                error = context.timeline.error_between(event.node, last.node)
                is_later = compare_times(time, own_time, error) is Order.AFTER
            if is_later:
                return event
    return None


def _had_just_run(activity: NodeActivity, event: Event, timeline: Timeline) -> bool:
    """Return whether the task made a step shortly before the event. If so, the event is about its replacement."""
    step = activity.last_step
    if not activity.name or step is None or timeline.may_differ_by_zone(event, step):
        return False
    step_time, time = timeline.corrected_time(step), timeline.corrected_time(event)
    if step_time is None or time is None:
        return False
    error = timeline.error_between(event.node, step.node)
    return (
        compare_times(step_time, time, error) is Order.BEFORE
        and compare_times(step_time, time, STALE_AFTER_S) is not Order.BEFORE
    )


def _started_up_after(event: Event, activity: NodeActivity) -> bool:
    """Return whether the program that wrote the event prepared for training after it, in the same stream."""
    start = activity.last_start_event
    if (
        start is None
        or event.kind is not Kind.WORKER
        or (start.locus.file, start.stream) != (event.locus.file, event.stream)
    ):
        return False
    return compare_lines(event, start, behind_block=True) is Order.BEFORE


def _job_went_on(event: Event, last_step: Event, timeline: Timeline) -> bool:
    """Return whether any node made a step after the event, by more than the errors of the clocks."""
    if event.kind is Kind.DERIVED or event.node == last_step.node or timeline.may_differ_by_zone(event, last_step):
        return False
    if event.locus.file == last_step.locus.file and compare_lines(event, last_step) is not Order.BEFORE:
        return False
    step_time, time = timeline.corrected_time(last_step), timeline.corrected_time(event)
    error = FURTHER_STEP_S + timeline.error_between(event.node, last_step.node)
    return compare_times(step_time, time, error) is Order.AFTER


def _training_went_on(event: Event, activity: NodeActivity, timeline: Timeline) -> bool:
    """Return whether a step came after the event: further down in its file, in a later part of its log, or clearly
    later in time. Own times are compared, because both are of one node.
    """
    last_step = activity.last_step
    if last_step is None or event.kind is Kind.DERIVED:
        return False
    if last_step.locus.file == event.locus.file and last_step.stream == event.stream:
        if not activity.name:  # a file of several processes: the next step may be that of another process
            return _is_between_steps(event, activity)
        is_behind = compare_lines(event, last_step, behind_block=True) is Order.BEFORE
        return is_behind and not _is_flushed_late(event, activity)
    if last_step.locus.file == event.locus.file and _is_between_steps(event, activity):
        return True
    (step_log, step_rotation), (event_log, event_rotation) = (
        rotation_key(last_step.locus.file),
        rotation_key(event.locus.file),
    )
    if step_log == event_log and last_step.locus.file != event.locus.file:
        return step_rotation > event_rotation  # a later part of the same rotated log
    if timeline.may_differ_by_zone(event, last_step):
        return False
    return compare_times(last_step.time, event.time, FURTHER_STEP_S) is Order.AFTER


def _is_between_steps(event: Event, activity: NodeActivity) -> bool:
    """Return whether the event is between steps of the node in a file of several programs."""
    steps = [step for step in activity.step_events if step.locus.file == event.locus.file]
    orders = {step.locus.line: compare_lines(event, step, behind_block=True) for step in steps}
    order = list(orders.values())
    return Order.AFTER in order and order.count(Order.BEFORE) >= MIN_STEPS_AFTER


def _is_flushed_late(event: Event, activity: NodeActivity) -> bool:
    """Return whether the steps after the event in the file were made before it and only printed later.

    Python buffers its output to a file or pipe until the process ends, and a progress bar ends its line then. Such
    steps have no time of their own, and all of them, or those of one line, come after the event. Only a task that
    others lost counts.
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
    return not before or len({step.locus.line for step in after}) == 1


def _format_duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
