"""Nodes that vanished, were cut off, stopped, or never joined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from analyzer.diagnosis.dead_nodes import GONE_KINDS
from analyzer.diagnosis.derivation_context import DerivationContext, derives, only_task, waiting_members
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.cluster_spec import read_task
from analyzer.incident import Accusation, Finding
from analyzer.model import Event, Kind, Locus
from analyzer.redact.truncation import truncate
from analyzer.signals.derived import (
    ABSENT_PEER,
    ENDED_AFTER_ERROR,
    FINISHED_EARLY,
    ISOLATED,
    NEVER_CONNECTED,
    NEVER_STARTED,
    RESOLVER_FAILS,
    STALLED,
    UNREACHABLE,
    VANISHED,
    DerivedSignal,
)
from analyzer.timeline.precedence import DYING_PROCESS_S, Order, compare_lines, compare_times
from analyzer.wording import join_names

MAX_PROOFS = 3
MAX_WORDS_CHARS = 200
_OF_THE_RUNTIME = re.compile(r"\b(?:tensorflow|external|third_party|xla|tsl)/|\btensorflow\.")

# `worker-1.previous.log`, `worker-1-previous`, `worker-1_prev.txt`
_is_previous_log = re.compile(r"(?i)(?:^|[-_. ])prev(?:ious)?(?:[-_.]|$)").search

OUTLIVED_S = 600.0  # a fault after which a node trained for so long did not end it
Reports = Mapping[str, list[Event]]  # `how` the node is accused → the accusing lines


@derives(VANISHED, ENDED_AFTER_ERROR, ISOLATED, UNREACHABLE, STALLED, FINISHED_EARLY, NEVER_STARTED, NEVER_CONNECTED)
def derive_lost_peers(context: DerivationContext) -> Iterator[Event]:
    """A node is accused, or ended without a message, and logged no cause: derive what happened to it."""
    for activity in context.activities.values():
        if not (activity.accusations_received or activity.exit_signal or _failed_silently(activity)):
            continue
        if any(not _has_outlived(cause, activity, context) for cause in activity.causes):
            continue
        reports = _reports_by_kind(activity.accusations_received)
        signal = _classify(activity, reports, context)
        if signal is None:
            continue
        last_logged = activity.last_event if activity.node.present else None
        words = _last_words(activity, context) if signal is VANISHED else None
        if words:
            signal = ENDED_AFTER_ERROR
        proofs = [*([last_logged] if last_logged else []), *_first_by_accuser(reports, context)]
        yield from context.derive(
            signal,
            activity.name,
            proofs,
            task=only_task(activity),
            step=str(activity.highest_step) if activity.last_step else None,
            code=str(activity.exit_code) if activity.exit_code is not None else None,
            exit_signal=activity.exit_signal,
            log="stops" if last_logged else None,
            left=None if last_logged else "no line",
            reported_by=_count_accusers(activity),
            words=words,
            waiting=_waiting_for(activity, context) if signal is NEVER_STARTED else None,
        )


def _has_outlived(cause: Finding, activity: NodeActivity, context: DerivationContext) -> bool:
    """Return whether the node continued to train long after all evidence of a cause."""
    times = [context.timeline.corrected_time(event) for event in cause.evidence]
    last_step = context.timeline.corrected_time(activity.last_step) if activity.last_step else None
    known_times = [time for time in times if time is not None]
    return last_step is not None and 0 < len(known_times) == len(times) and max(known_times) + OUTLIVED_S < last_step


def _last_words(activity: NodeActivity, context: DerivationContext) -> str | None:
    """Return the error that the program itself logged as its last line; None if there is none.

    Errors of the runtime are consequences. A process that a signal ended did not end because of its last line.
    """
    last = activity.last_event
    if last is None or last.kind is not Kind.WORKER or activity.exit_signal or last.locus not in context.error_lines:
        return None
    return None if _OF_THE_RUNTIME.search(last.text) else truncate(last.text.strip(), MAX_WORDS_CHARS)


def _waiting_for(missing: NodeActivity, context: DerivationContext) -> str | None:
    """Return the members that wait for one that never joined; None if there is none."""
    return join_names([name for name in waiting_members(context) if name != missing.name]) or None


def _count_accusers(activity: NodeActivity) -> str | None:
    """Return `2 other nodes`: those that accuse the node; None if none does."""
    count = len({accusation.accuser for accusation in activity.accusations_received} - {activity.name})
    return f"{count} other node{'s' if count != 1 else ''}" if count else None


def _reports_by_kind(accusations: Iterable[Accusation]) -> dict[str, list[Event]]:
    reports: dict[str, list[Event]] = {}
    for accusation in accusations:
        reports.setdefault(_how(accusation.event), []).append(accusation.event)
    return reports


def _how(accusing: Event) -> str:
    """Return what the accuser saw (see `derivation_context`)."""
    return accusing.captures.get("how", "lost")


def _failed_silently(activity: NodeActivity) -> bool:
    """Return whether only its exit status shows that it failed."""
    has_failed = activity.exit_code not in (None, 0)
    return has_failed and not (activity.errors or activity.symptoms or activity.accusations_made)


def _classify(activity: NodeActivity, reports: Reports, context: DerivationContext) -> DerivedSignal | None:
    """Return the signal for what happened to the node; None if its own log, another rule or another node explains the
    loss.
    """
    if _ended_for_a_lost_peer(activity, reports, context) or _is_named_by_hearsay(activity, context):
        return None
    died = bool(activity.exit_signal) or (activity.exit_code not in (None, 0) and not activity.accusations_made)
    if not died and _never_answered(activity, reports, context):
        return NEVER_STARTED
    if "lost" in reports or died or ("refused" in reports and activity.node.present):
        return _classify_lost(activity, reports, context, died)
    if "unresolved" in reports:
        return None  # another rule reports it
    if "silent" in reports:
        return _classify_silent(activity, reports, context)
    if "unanswered" in reports:
        # A node that cannot reach the leader may be cut off itself.
        accuses_late = all(_how(accusation.event) == "late" for accusation in activity.accusations_made)
        is_awake = _outlived_accusers(activity, reports, context) or not accuses_late
        return STALLED if activity.node.present and not is_awake else None
    if "unreachable" in reports or "refused" in reports:
        # A node that refuses connections and left no log may never have started.
        return UNREACHABLE if activity.node.present else NEVER_STARTED
    if "late" in reports and not activity.join_event:
        return NEVER_CONNECTED if activity.node.present and activity.last_event is not None else NEVER_STARTED
    return None


def _classify_lost(
    activity: NodeActivity, reports: Reports, context: DerivationContext, died: bool
) -> DerivedSignal | None:
    """Classify a node whose connections broke, or that `died` by its exit status."""
    if activity.ended_well:
        return FINISHED_EARLY if _some_train_on(activity, context) else None
    if _never_reached(activity, reports, context) or _is_cut_off(activity, reports, context):
        return UNREACHABLE
    if activity.errors and not died:
        return None  # it logged a reason that no rule knows: not a silent end
    if _outlived_accusers(activity, reports, context):
        return None  # it lost a peer itself, or was cut off
    return VANISHED


def _some_train_on(activity: NodeActivity, context: DerivationContext) -> bool:
    """Return whether another node that trained has not logged its last step or its end; True if none trained."""
    others = [peer for peer in context.activities.values() if peer is not activity and peer.last_step]
    return not others or not all(peer.finish_event or peer.completion_event for peer in others)


def _classify_silent(activity: NodeActivity, reports: Reports, context: DerivationContext) -> DerivedSignal | None:
    """Classify a node whose heartbeats stopped."""
    if activity.ended_well:
        return FINISHED_EARLY if _some_train_on(activity, context) else None
    if _stepped_after(activity, reports["silent"], context):
        return None  # it joined late: the others no longer wait for it
    if _outlived_accusers(activity, reports, context):
        return ISOLATED
    return VANISHED if _is_of_ended_container(activity) else STALLED


def _is_of_ended_container(activity: NodeActivity) -> bool:
    """Return whether its last line is in the log of a container that was restarted (`kubectl logs --previous`)."""
    last = activity.last_event
    return last is not None and _is_previous_log(last.locus.file.rpartition("/")[2]) is not None


def _never_answered(activity: NodeActivity, reports: Reports, context: DerivationContext) -> bool:
    """Return whether it left no file, no node made a step, and all accusers only failed to connect to it."""
    if activity.node.present or activity.join_event or any(peer.last_step for peer in context.activities.values()):
        return False
    reported = [event for events in reports.values() for event in events]
    return bool(reported) and all("attempt" in event.captures or _how(event) == "refused" for event in reported)


def _never_reached(activity: NodeActivity, reports: Reports, context: DerivationContext) -> bool:
    """Return whether it joined but the others never reached it.

    No node ever made a step or shows a fault of its own, and it outlived the nodes that had not reached it: it
    accuses them only after they had ended.
    """
    everyone = context.activities.values()
    if any(peer.causes or peer.exit_signal for peer in everyone):
        return False
    if any(step.captures.get("step") for peer in everyone for step in peer.step_events):
        return False
    took_part = bool(activity.node.present and activity.join_event and activity.accusations_made)
    return took_part and _outlived_accusers(activity, reports, context)


def _is_cut_off(activity: NodeActivity, reports: Reports, context: DerivationContext) -> bool:
    """Return whether its connections broke while it lived on.

    It logged errors only later, no other node shows a fault of its own, and all other accused nodes had lost a peer
    before they were accused.
    """
    if not activity.node.present or not activity.accusations_made:
        return False
    peers = [peer for peer in context.activities.values() if peer is not activity]
    if any(peer.causes or peer.exit_signal for peer in peers):
        return False
    first_missed = min(_times_missed(reports, context), default=None)
    if first_missed is None or activity.name not in context.timeline.clocks:
        return False
    complaints = (*activity.errors, *(accusation.event for accusation in activity.accusations_made))
    slack = DYING_PROCESS_S + context.timeline.clock_error(activity.name)
    return all(
        compare_times(context.timeline.corrected_time(event), first_missed, slack) is Order.AFTER
        for event in complaints
    ) and all(
        _ended_for_a_lost_peer(peer, _reports_by_kind(peer.accusations_received), context)
        for peer in peers
        if peer.accusations_received
    )


def _ended_for_a_lost_peer(activity: NodeActivity, reports: Reports, context: DerivationContext) -> bool:
    """Return whether it had lost a peer before any node reported it as lost: it ended for that reason and logged it."""
    lost_events = [accusation.event for accusation in activity.accusations_made if _how(accusation.event) in GONE_KINDS]
    lost_times = [time for event in lost_events if (time := context.timeline.corrected_time(event)) is not None]
    missed_times = _times_missed(reports, context)
    if not lost_times and not missed_times:
        # No times at all: a closed connection is noticed at once, missing heartbeats much later.
        return GONE_KINDS.isdisjoint(reports) and bool(lost_events)
    if not lost_times or not missed_times:
        return False
    slack = context.timeline.clock_error(activity.name)
    return compare_times(min(lost_times), min(missed_times), slack) is not Order.AFTER


def _times_missed(reports: Reports, context: DerivationContext) -> list[float]:
    """Return the corrected times of all accusing lines that have one."""
    return [
        time
        for events in reports.values()
        for event in events
        if (time := context.timeline.corrected_time(event)) is not None
    ]


def _is_named_by_hearsay(activity: NodeActivity, context: DerivationContext) -> bool:
    """Return whether all accusers only pass on an error that the node raised, and lost another node at that time.

    A coordinator, for example, counts a worker as failed if the worker cannot reach a parameter server.
    """
    if not activity.accusations_received or activity.exit_event or not activity.node.present:
        return False
    for accusation in activity.accusations_received:
        accused_at = context.timeline.corrected_time(accusation.event)
        if accused_at is None or not accusation.event.captures.get("hearsay"):
            return False
        if accusation.accuser not in context.activities:
            return False
        seen_gone = (
            other.event
            for other in context.activities[accusation.accuser].accusations_made
            if other.accused != activity.name
            and other.event.captures.get("how") in GONE_KINDS
            and not other.event.captures.get("hearsay")
        )
        times = (time for event in seen_gone if (time := context.timeline.corrected_time(event)) is not None)
        if not any(compare_times(time, accused_at, DYING_PROCESS_S) is not Order.AFTER for time in times):
            return False
    return True


def _outlived_accusers(activity: NodeActivity, reports: Reports, context: DerivationContext) -> bool:
    """Return whether it logged a line after it was first accused, or accused others at that time."""
    first_missed = min(_times_missed(reports, context), default=None)
    if first_missed is None or activity.last_time is None:
        return bool(activity.accusations_made)
    error = context.timeline.clock_error(activity.name) if activity.name in context.timeline.clocks else 0.0
    slack = DYING_PROCESS_S + error
    if compare_times(activity.last_time, first_missed, slack) is Order.AFTER:
        return True
    counted_from = first_missed - slack  # earlier accusations belong to a start that is long over
    end_locus = _end_report_locus(activity)
    complaints = [context.timeline.corrected_time(accusation.event) for accusation in activity.accusations_made]
    complaints += [symptom.time for symptom in activity.symptoms if symptom.evidence[0].locus != end_locus]
    is_complaining = any(time is None or compare_times(time, counted_from) is Order.AFTER for time in complaints)
    return is_complaining and compare_times(activity.last_time, counted_from) is Order.AFTER


def _stepped_after(activity: NodeActivity, complaints: Iterable[Event], context: DerivationContext) -> bool:
    """Return whether it made a step after all complaints."""
    step = activity.last_step
    return step is not None and all(_is_step_after(step, complaint, context) for complaint in complaints)


def _is_step_after(step: Event, complaint: Event, context: DerivationContext) -> bool:
    """Compare by line within one file, across its streams; otherwise by time, beyond the clocks' errors."""
    if step.locus.file == complaint.locus.file:
        return compare_lines(complaint, step) is Order.BEFORE
    return context.timeline.compare(complaint, step) is Order.BEFORE


def _end_report_locus(activity: NodeActivity) -> Locus | None:
    """Return the line in which its parent process reports its end. It is not a line of the node itself."""
    if activity.exit_event:
        return activity.exit_event.locus
    return activity.last_event.locus if activity.last_event and "code" in activity.last_event.captures else None


def _first_by_accuser(reports: Reports, context: DerivationContext) -> list[Event]:
    """Return the first accusing line of each accuser."""
    events = (event for events in reports.values() for event in events)
    first_events: dict[str, Event] = {}
    for event in sorted(events, key=lambda event: context.timeline.corrected_time(event) or 0):
        first_events.setdefault(event.node, event)
    return list(first_events.values())


@derives(NEVER_CONNECTED, NEVER_STARTED)
def derive_never_seen(context: DerivationContext) -> Iterator[Event]:
    """The leader lists other nodes as connected but never this node, and no node accuses it."""
    everyone = context.activities.values()
    join_events = [activity.join_event for activity in everyone if activity.join_event]
    # Only the leader's log lists who joined: a node's own line about its join says nothing about the others.
    has_leader_list = any(read_task(event.captures.get("task")) for event in join_events)
    for activity in everyone if join_events else ():
        if activity.accusations_received or activity.causes or activity.join_event or activity.last_step:
            continue
        if (not activity.start_event and not activity.node.tasks) or (
            not activity.node.present and not has_leader_list
        ):
            continue
        proofs = [event for event in (activity.last_event, *join_events[:1]) if event]
        signal = NEVER_CONNECTED if activity.node.present and activity.last_event else NEVER_STARTED
        waiting = _waiting_for(activity, context) if signal is NEVER_STARTED else None
        yield from context.derive(signal, activity.name, proofs, task=only_task(activity), waiting=waiting)


@derives(ABSENT_PEER)
def derive_absent_peers(context: DerivationContext) -> Iterator[Event]:
    """Lines of a node say that a peer is lost, and the bundle has no file of that peer."""
    by_node: dict[str | None, list[Event]] = {}
    for event in context.unresolved_accusations:
        by_node.setdefault(event.node, []).append(event)
    for node, activity in context.activities.items():
        if activity.causes:
            continue
        unresolved = by_node.get(node, [])
        accused = [context.activities[accusation.accused].node for accusation in activity.accusations_made]
        named_absent = [
            accusation.event
            for accusation, peer in zip(activity.accusations_made, accused, strict=True)
            if not peer.present and accusation.event not in unresolved
        ]
        if unresolved and not accused:
            proofs = unresolved
        elif named_absent and not any(peer.present for peer in accused):
            proofs = named_absent
        else:
            continue
        yield from context.derive(ABSENT_PEER, node, proofs[:MAX_PROOFS], how=proofs[0].captures.get("how"))


@derives(NEVER_STARTED)
def derive_absent_member(context: DerivationContext) -> Iterator[Event]:
    """All present nodes started, none joined, and the leader that all must join, or the only other node, is absent."""
    everyone = context.activities.values()
    leaders = [context.registry.node_of_task(task) for task in ("chief:0", "worker:0")]
    leader = next((name for name in leaders if name), None)
    absent = [activity.name for activity in everyone if activity.name and not activity.node.present]
    awaited = leader if leader in absent else absent[0] if len(absent) == 1 else None
    started_peers = [activity for activity in everyone if activity.node.present and activity.start_event]
    if awaited is None or not started_peers:
        return
    missing = context.activities[awaited]
    if not missing.node.tasks or missing.accusations_received:
        return
    if any(
        activity.join_event or activity.last_step or activity.causes or activity.accusations_made
        for activity in everyone
    ):
        return
    proofs = (activity.last_event or activity.start_event for activity in started_peers)
    waiting = _waiting_for(missing, context)
    yield from context.derive(NEVER_STARTED, awaited, filter(None, proofs), task=only_task(missing), waiting=waiting)


@derives(RESOLVER_FAILS)
def derive_failing_resolver(context: DerivationContext) -> Iterator[Event]:
    """One node cannot resolve the name of another node, while further nodes joined the cluster by this name."""
    accusations = [
        accusation
        for activity in context.activities.values()
        for accusation in activity.accusations_made
        if _how(accusation.event) == "unresolved"
    ]
    accusers = {accusation.accuser for accusation in accusations}
    accused = {accusation.accused for accusation in accusations}
    if len(accusers) != 1 or "" in accusers:
        return
    joined = {name for name, activity in context.activities.items() if name and activity.join_event}
    others = sorted(joined - accusers - accused)
    (node,) = accusers
    if others and accused <= joined and node not in joined:
        named = join_names(others, MAX_PROOFS)
        yield from context.derive(RESOLVER_FAILS, node, [accusations[0].event], others=named)
