"""Members that are gone, cut off, stopped, or never came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from analyzer.diagnosis.derivation_context import DYING_PROCESS_SLACK_S, DerivationContext, only_task
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.cluster_spec import read_task
from analyzer.incident import Accusation
from analyzer.model import Event, Locus

_GONE_KINDS = frozenset({"lost", "refused"})  # what peers say of a process that is not there


def derive_lost_peers(context: DerivationContext) -> Iterator[Event]:
    """An accused node that shows no cause of its own: gone, cut off, stopped, or never reachable."""
    for activity in context.activities.values():
        if not (activity.accusations_received or activity.exit_signal or _failed_silently(activity)) or activity.causes:
            continue
        reports = _reports_by_kind(activity.accusations_received)
        signal = _classify(activity, reports, context)
        if signal is None:
            continue
        last_logged = activity.last_event if activity.node.present else None
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
        )


def _reports_by_kind(accusations: Iterable[Accusation]) -> dict[str, list[Event]]:
    reports: dict[str, list[Event]] = {}
    for accusation in accusations:
        reports.setdefault(accusation.event.captures.get("how", "lost"), []).append(accusation.event)
    return reports


def _failed_silently(activity: NodeActivity) -> bool:
    """Its exit status says that it failed, and neither it nor anybody else says a word."""
    return activity.exit_code not in (None, 0) and not (
        activity.errors or activity.symptoms or activity.accusations_made
    )


def _classify(activity: NodeActivity, reports: Mapping[str, list[Event]], context: DerivationContext) -> str | None:
    if _ended_for_a_lost_peer(activity, reports, context) or _is_named_by_hearsay(activity, context):
        return None
    died = bool(activity.exit_signal) or (activity.exit_code not in (None, 0) and not activity.accusations_made)
    if not died and _never_answered(activity, reports, context):
        return "derived.never_started"
    if "lost" in reports or died or ("refused" in reports and activity.node.present):
        if activity.ended_well:
            return "derived.finished_early"
        if _never_reached(activity, reports, context) or _is_cut_off(activity, reports, context):
            return "derived.unreachable"
        if activity.errors and not died:
            return None  # it said why, in words that no rule knows: not a silent end
        if _outlived_accusers(activity, reports, context):
            return None  # it outlived its accusers: it lost its own peer, or was cut off
        return "derived.vanished"
    if "unresolved" in reports:
        return None  # a rule of its own says so
    if "silent" in reports:
        if activity.ended_well:
            return "derived.finished_early"
        if _stepped_after(activity, reports["silent"], context):
            return None  # it was late and came: the others wait for it no longer
        return "derived.isolated" if _outlived_accusers(activity, reports, context) else "derived.stalled"
    if "unanswered" in reports:  # who cannot reach the leader may be cut off itself
        is_awake = _outlived_accusers(activity, reports, context) or any(
            accusation.event.captures.get("how") != "late" for accusation in activity.accusations_made
        )
        return "derived.stalled" if activity.node.present and not is_awake else None
    if "unreachable" in reports or "refused" in reports:  # who refuses and left no log may never have come up
        return "derived.unreachable" if activity.node.present else "derived.never_started"
    if "late" in reports and not activity.join_event:
        if not activity.node.present or activity.last_event is None:
            return "derived.never_started"
        return "derived.never_connected"
    return None


def _never_answered(activity: NodeActivity, reports: Mapping[str, list[Event]], context: DerivationContext) -> bool:
    """Nothing of it is here, nobody made a step, and all that is said of it is that no connection could be made."""
    reported = [event.captures for events in reports.values() for event in events]
    if activity.node.present or activity.join_event or any(peer.last_step for peer in context.activities.values()):
        return False
    return bool(reported) and all("attempt" in captures or captures.get("how") == "refused" for captures in reported)


def _never_reached(activity: NodeActivity, reports: Mapping[str, list[Event]], context: DerivationContext) -> bool:
    """It joined, nobody ever made a step, no node shows a fault of its own, and it lived on until those who had not
    reached it were gone: only then it missed them."""
    everyone = context.activities.values()
    if any(peer.causes or peer.exit_signal for peer in everyone):
        return False
    if any(step.captures.get("step") for peer in everyone for step in peer.step_events):
        return False
    return bool(activity.node.present and activity.join_event and activity.accusations_made) and _outlived_accusers(
        activity, reports, context
    )


def _is_cut_off(activity: NodeActivity, reports: Mapping[str, list[Event]], context: DerivationContext) -> bool:
    """Its connections broke while it lived on: what it complains of came later, no node shows a fault of its own, and
    all others that are missed had lost a peer before.
    """
    peers = [peer for peer in context.activities.values() if peer is not activity]
    if (
        any(peer.causes or peer.exit_signal for peer in peers)
        or not activity.node.present
        or not activity.accusations_made
    ):
        return False
    first_missed = min(_times_missed(reports, context), default=None)
    complaints = [
        context.timeline.corrected_time(event)
        for event in (*activity.errors, *(accusation.event for accusation in activity.accusations_made))
    ]
    if first_missed is None or activity.name not in context.timeline.clocks:
        return False
    latest_onset = first_missed + DYING_PROCESS_SLACK_S + context.timeline.clock_error(activity.name)
    all_later = all(time is not None and time > latest_onset for time in complaints)
    return all_later and all(
        _ended_for_a_lost_peer(peer, _reports_by_kind(peer.accusations_received), context)
        for peer in peers
        if peer.accusations_received
    )


def _ended_for_a_lost_peer(
    activity: NodeActivity, reports: Mapping[str, list[Event]], context: DerivationContext
) -> bool:
    """It had lost a peer itself before anybody missed it: it ended for that, and says so."""
    lost_times = [
        time
        for accusation in activity.accusations_made
        if accusation.event.captures.get("how", "lost") in _GONE_KINDS
        and (time := context.timeline.corrected_time(accusation.event)) is not None
    ]
    missed_times = _times_missed(reports, context)
    if (
        not lost_times and not missed_times
    ):  # no time anywhere: a closed connection is seen at once, missing heartbeats much later
        return _GONE_KINDS.isdisjoint(reports) and any(
            accusation.event.captures.get("how", "lost") in _GONE_KINDS for accusation in activity.accusations_made
        )
    return bool(lost_times and missed_times) and min(lost_times) <= min(missed_times) + context.timeline.clock_error(
        activity.name
    )


def _times_missed(reports: Mapping[str, list[Event]], context: DerivationContext) -> list[float]:
    """When others said that they miss it, as far as it is known; corrected."""
    return [
        time
        for events in reports.values()
        for event in events
        if (time := context.timeline.corrected_time(event)) is not None
    ]


def _is_named_by_hearsay(activity: NodeActivity, context: DerivationContext) -> bool:
    """All who name it have it from what it raised, and say at that time of another, whom they saw themselves, that it
    is gone: a coordinator counts a worker as failed when that one cannot reach a parameter server."""
    if not activity.accusations_received or activity.exit_event or not activity.node.present:
        return False
    for accusation in activity.accusations_received:
        accused_at = context.timeline.corrected_time(accusation.event)
        if (
            accused_at is None
            or not accusation.event.captures.get("hearsay")
            or accusation.accuser not in context.activities
        ):
            return False
        others_reported = (
            accusation_of_other.event
            for accusation_of_other in context.activities[accusation.accuser].accusations_made
            if accusation_of_other.accused != activity.name
        )
        seen_gone = (
            event
            for event in others_reported
            if event.captures.get("how") in _GONE_KINDS and not event.captures.get("hearsay")
        )
        if not any(
            (time := context.timeline.corrected_time(event)) is not None and time <= accused_at + DYING_PROCESS_SLACK_S
            for event in seen_gone
        ):
            return False
    return True


def _outlived_accusers(activity: NodeActivity, reports: Mapping[str, list[Event]], context: DerivationContext) -> bool:
    """It still logged, or complained of others itself, after it was first accused."""
    first_missed = min(_times_missed(reports, context), default=None)
    if first_missed is None or activity.last_time is None:
        return bool(activity.accusations_made)
    error = context.timeline.clock_error(activity.name) if activity.name in context.timeline.clocks else 0.0
    end_locus = _end_report_locus(activity)
    complaints = [context.timeline.corrected_time(record.event) for record in activity.accusations_made]
    complaints += [record.time for record in activity.symptoms if record.evidence[0].locus != end_locus]
    earliest_counted = first_missed - DYING_PROCESS_SLACK_S - error
    is_complaining = any(
        time is None or time > earliest_counted for time in complaints
    )  # not of a start that is long over
    return activity.last_time > first_missed + DYING_PROCESS_SLACK_S + error or (
        is_complaining and activity.last_time > earliest_counted
    )


def _stepped_after(activity: NodeActivity, complaints: Iterable[Event], context: DerivationContext) -> bool:
    """It made a step after the last complaint: further down in the same file, or later beyond the clocks' error."""
    step = activity.last_step
    return step is not None and all(_is_step_after(step, complaint, context) for complaint in complaints)


def _is_step_after(step: Event, complaint: Event, context: DerivationContext) -> bool:
    if step.locus.file == complaint.locus.file:
        return (step.locus.line or 0) > (complaint.locus.line or 0)
    return context.timeline.is_before(complaint, step) is True


def _end_report_locus(activity: NodeActivity) -> Locus | None:
    """What its parent says of its end, also below its own last line, is no word of its own."""
    if activity.exit_event:
        return activity.exit_event.locus
    return activity.last_event.locus if activity.last_event and "code" in activity.last_event.captures else None


def _first_by_accuser(reports: Mapping[str, list[Event]], context: DerivationContext) -> list[Event]:
    """The first accusing line of each accuser."""
    first_events: dict[str, Event] = {}
    for event in sorted(
        (event for events in reports.values() for event in events),
        key=lambda event: context.timeline.corrected_time(event) or 0,
    ):
        first_events.setdefault(event.node, event)
    return list(first_events.values())


def derive_never_seen(context: DerivationContext) -> Iterator[Event]:
    """Ran, but the leader lists others as connected and never this one; accused or not."""
    # Who came is in the leader's log alone: an agent's own line says nothing of the others.
    leader_lists = [
        activity_of_node.join_event
        for activity_of_node in context.activities.values()
        if activity_of_node.join_event and read_task(activity_of_node.join_event.captures.get("task"))
    ]
    join_events = [activity.join_event for activity in context.activities.values() if activity.join_event]
    for activity in context.activities.values():
        if (
            activity.accusations_received
            or activity.causes
            or activity.join_event
            or not join_events
            or activity.last_step
        ):
            continue
        if (not activity.start_event and not activity.node.tasks) or (not activity.node.present and not leader_lists):
            continue
        proofs = [event for event in (activity.last_event, *join_events[:1]) if event]
        signal = "derived.never_connected" if activity.node.present and activity.last_event else "derived.never_started"
        yield from context.derive(signal, activity.name, proofs, task=only_task(activity))


def derive_absent_peers(context: DerivationContext) -> Iterator[Event]:
    """Lines that say a peer is lost without a name that leads to a node of the bundle."""
    by_node: dict[str | None, list[Event]] = {}
    for event in context.unresolved_accusations:
        by_node.setdefault(event.node, []).append(event)
    for node, activity in context.activities.items():
        if activity.causes:
            continue
        unresolved = by_node.get(node, [])
        named_absent = [
            accusation.event
            for accusation in activity.accusations_made
            if not context.activities[accusation.accused].node.present and accusation.event not in unresolved
        ]
        if unresolved and not activity.accusations_made:
            yield from context.derive(
                "derived.absent_peer", node, unresolved[:3], how=unresolved[0].captures.get("how")
            )
        elif named_absent and not any(
            context.activities[accusation.accused].node.present for accusation in activity.accusations_made
        ):
            yield from context.derive(
                "derived.absent_peer", node, named_absent[:3], how=named_absent[0].captures.get("how")
            )


def derive_absent_member(context: DerivationContext) -> Iterator[Event]:
    """All are up, nobody joined, nobody trains, and the task that all must join, or the only other, left nothing."""
    leaders = [context.registry.node_of_task(task) for task in ("chief:0", "worker:0")]
    leader = next((name for name in leaders if name), None)
    absent = [activity.name for activity in context.activities.values() if activity.name and not activity.node.present]
    awaited = leader if leader in absent else absent[0] if len(absent) == 1 else None
    started_peers = [
        activity for activity in context.activities.values() if activity.node.present and activity.start_event
    ]
    if (
        awaited is None
        or not context.activities[awaited].node.tasks
        or context.activities[awaited].accusations_received
        or not started_peers
    ):
        return
    if any(
        activity.join_event or activity.last_step or activity.causes or activity.accusations_made
        for activity in context.activities.values()
    ):
        return
    proofs = [activity.last_event or activity.start_event for activity in started_peers if activity.start_event]
    yield from context.derive(
        "derived.never_started", awaited, filter(None, proofs), task=only_task(context.activities[awaited])
    )
