"""The hard facts: how each process ended, what it wrote last, and who accuses it, from all sources.

They do not depend on rules. A signal states an end if it captures a status or a signal and feeds `exit`, accuses a peer
of having failed, or feeds `placement`. Cores, and kernel lines that name a process of the job, state an end too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.core_dump import CoreDump
from analyzer.diagnosis.derivation_context import only_task
from analyzer.diagnosis.exit_status import decode_signal, decode_status, is_teardown
from analyzer.diagnosis.node_activity import MIN_RESTART_GAP_S, NodeActivity
from analyzer.facts.fact_files import EXIT_CODE_SIGNAL
from analyzer.incident import EndWitness, Finding, HardFact, ProcessEnd, RootCause
from analyzer.model import Event, Kind, Locus
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.precedence import FURTHER_STEP_S, REPORT_LAG_S, Order, compare_times
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.numbers import read_whole

_END_MEANINGS = frozenset({"exit", "accuses", "placement"})
# The most trusted witness first: those that saw the process itself come before those that heard of it.
_WITNESS_ORDER: Sequence[EndWitness] = ("core", "kernel", "recorder", "scheduler", "launcher", "own log")

_JOB_NUMBER = re.compile(r"(?<!\d)\d{1,18}(?!\d)")


def collect_hard_facts(
    timeline: Timeline, activities: Mapping[str, NodeActivity], semantics: SignalSemantics, cores: Iterable[CoreDump]
) -> list[HardFact]:
    """Return a row for the job, if a source describes the job as a whole, then a row for each node.

    `link_hard_facts` adds the root causes that explain them.
    """
    accused: dict[tuple[Locus, str], set[str]] = {}  # line and signal → the nodes that it accuses
    for name, activity in activities.items():
        for accusation in activity.accusations_received:
            accused.setdefault((accusation.event.locus, accusation.event.signal), set()).add(name)
    ends: dict[str, ProcessEnd] = {}
    for event in timeline.events:
        if not _may_state_end(event, semantics) or timeline.is_outside(event):
            continue
        if (end := _read_end(event, timeline)) and (node := _node_that_ended(event, accused)):
            ends[node] = _surer(ends.get(node), end)
    core_files = {core.node: core.file for core in cores if core.node}
    last_time = max((a.last_time for a in activities.values() if a.last_time is not None), default=None)
    rows = [
        _node_row(activity, ends.get(name) or _own_end(activity, timeline), core_files.get(name), last_time, timeline)
        for name, activity in activities.items()
        if name
    ]
    return [*_job_row(timeline, semantics), *rows]


def link_hard_facts(
    facts: Iterable[HardFact], roots: Sequence[RootCause], findings: Iterable[Finding]
) -> tuple[HardFact, ...]:
    """Return the facts with the positions of the root causes that explain them.

    A root cause explains the end of its own node (of all nodes, if it names none), of each node with a finding that
    follows from it, and of each node that got SIGTERM after its own node had failed.
    """
    facts = list(facts)
    ends = {node: row.end for node, row in rows_by_node(facts).items()}
    followers: dict[str, set[str]] = {}
    for finding in findings:
        for cause_id in finding.explained_by:
            followers.setdefault(cause_id, set()).add(finding.node or "")
    return tuple(
        replace(
            fact,
            explained_by=tuple(
                index
                for index, root in enumerate(roots)
                if root.finding.node in (None, fact.node)
                or (fact.node or "") in followers.get(root.finding.id, ())
                or _was_torn_down(fact.end, ends.get(root.finding.node or ""))
            ),
        )
        for fact in facts
    )


def _was_torn_down(end: ProcessEnd | None, first_end: ProcessEnd | None) -> bool:
    """Return whether a launcher may have ended a process with SIGTERM because another one had failed before."""
    if end is None or first_end is None or end.signal != "SIGTERM":
        return False
    has_failed = bool(first_end.status) or first_end.signal not in (None, "SIGTERM")
    return has_failed and compare_times(end.time, first_end.time, REPORT_LAG_S) is not Order.BEFORE


def rows_by_node(facts: Iterable[HardFact]) -> dict[str, HardFact]:
    """Return node → its row."""
    return {fact.node: fact for fact in facts if fact.node}


def _may_state_end(event: Event, semantics: SignalSemantics) -> bool:
    captures = event.captures
    if not ("code" in captures or "signal" in captures or "signame" in captures):
        return False
    if event.kind is Kind.CORE:
        return True
    return event.kind not in (Kind.DERIVED, Kind.KERNEL) and not _END_MEANINGS.isdisjoint(semantics.meanings_of(event))


def _read_end(event: Event, timeline: Timeline) -> ProcessEnd | None:
    captures = event.captures
    status, name = decode_status(read_whole(captures.get("code")))
    name = decode_signal(captures.get("signame")) or decode_signal(captures.get("signal")) or name
    if status is None and name is None:
        return None
    return ProcessEnd(
        how="killed" if name else "exited",
        witness=_witness_of(event),
        status=None if name else status,
        signal=name,
        time=None if event.kind is Kind.CORE else timeline.corrected_time(event),
        evidence=event,
    )


def _witness_of(event: Event) -> EndWitness:
    if event.kind is Kind.CORE:
        return "core"
    if event.signal == EXIT_CODE_SIGNAL:
        return "recorder"
    return "scheduler" if event.kind in (Kind.SCHEDULER, Kind.SYSTEM, Kind.ENVIRONMENT) else "launcher"


def _node_that_ended(event: Event, accused: Mapping[tuple[Locus, str], set[str]]) -> str | None:
    """Return the node that the event is about: the only one that it accuses, else its own."""
    nodes = accused.get((event.locus, event.signal), set())
    return next(iter(nodes)) if len(nodes) == 1 else event.node or None


def _surer(earlier: ProcessEnd | None, end: ProcessEnd) -> ProcessEnd:
    """Return the more reliable of two statements: the closer witness's, or the later one of the same witness."""
    if earlier is None:
        return end
    ranks = _WITNESS_ORDER.index(earlier.witness), _WITNESS_ORDER.index(end.witness)
    return end if ranks[1] <= ranks[0] else earlier


def _own_end(activity: NodeActivity, timeline: Timeline) -> ProcessEnd | None:
    """Return the regular end that the node's own lines state; None if they state none."""
    event = activity.finish_event or activity.completion_event
    if event is None or not activity.ended_well:
        return None
    return ProcessEnd(how="finished", witness="own log", time=timeline.corrected_time(event), evidence=event)


def _job_row(timeline: Timeline, semantics: SignalSemantics) -> Iterator[HardFact]:
    """Yield the row of the job: how it ended as a whole, by the last line of its launcher or scheduler."""
    stated = [
        event
        for name in semantics.signals_with("succeeded", "failed")
        for events in timeline.by_signal.get(name, {}).values()
        for event in events
        if not timeline.scope.why_foreign(event) and not is_teardown(event)
    ]
    if stated := _of_one_job(stated, timeline):
        event = max(stated, key=lambda event: (timeline.order_of(event), semantics.has_meaning("failed", event)))
        end = ProcessEnd(
            how="job-failed" if semantics.has_meaning("failed", event) else "job-succeeded",
            witness=_witness_of(event),
            time=timeline.corrected_time(event),
            evidence=event,
        )
        yield HardFact(node=None, task=None, end=end)


def _of_one_job(stated: list[Event], timeline: Timeline) -> list[Event]:
    """Return the events of the job after which files are named, or else of the job with the highest number.

    A scheduler's listing may have earlier jobs of the same user. Job numbers increase.
    """
    jobs = {number for event in stated if (number := read_whole(event.captures.get("job"))) is not None}
    if len(jobs) < 2:
        return stated
    files = {event.locus.file for event in timeline.events}
    wanted = max(jobs & {int(number) for file in files for number in _JOB_NUMBER.findall(file)} or jobs)
    return [event for event in stated if read_whole(event.captures.get("job")) in (None, wanted)]


def _node_row(
    activity: NodeActivity, end: ProcessEnd | None, core: str | None, last_time: float | None, timeline: Timeline
) -> HardFact:
    first_by_accuser: dict[str, int] = {}
    for position, accusation in enumerate(activity.accusations_received):
        first_by_accuser.setdefault(accusation.accuser, position)
    went_on = compare_times(last_time, activity.last_time, FURTHER_STEP_S) is Order.AFTER
    has_stopped = (went_on or bool(first_by_accuser)) and not activity.is_log_cut
    is_silent = activity.last_time is not None and end is None and has_stopped
    step = activity.last_step
    return HardFact(
        node=activity.name,
        task=only_task(activity),
        attempt=max((_count_starts(times) for times in activity.start_times.values()), default=1),
        end=end,
        last_line=activity.last_event,
        last_step=read_whole(step.captures.get("step")) if step else None,
        last_step_time=timeline.corrected_time(step) if step else None,
        last_step_line=step,
        silent_since=activity.last_time if is_silent else None,
        core=core,
        accusations=tuple(activity.accusations_received[position] for position in first_by_accuser.values()),
    )


def _count_starts(times: Sequence[float]) -> int:
    """Return the number of starts in sorted times. Times close together are lines of one start."""
    return 1 + sum(later > earlier + MIN_RESTART_GAP_S for earlier, later in itertools.pairwise(times))
