"""Collectives that members call differently, or that one member does not join in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from analyzer.diagnosis.derivation_context import DerivationContext, derives
from analyzer.facts.cluster_spec import read_task
from analyzer.model import Event
from analyzer.signals.derived import LATE_MEMBER, ODD_MEMBER
from analyzer.timeline.precedence import DYING_PROCESS_S, Order, compare_times
from analyzer.untrusted.numbers import read_whole

TENSOR_MISMATCH, TURN_TIMEOUT = "tensor", "turn"  # values of the capture `what`
MAX_PROOFS = 4


@derives(ODD_MEMBER)
def derive_odd_members(context: DerivationContext) -> Iterator[Event]:
    """One member of a collective has a different value than the others, or is the only one that no line quotes.

    Signals that feed `member` capture `task` (the member of the line), `value` (what it has), `other` (what another
    member has), and `what` the values are if they are not of a tensor: those of the group itself.
    """
    members_by_kind: dict[str, list[Event]] = {}
    for event in context.collective_members:
        members_by_kind.setdefault(event.captures.get("what", TENSOR_MISMATCH), []).append(event)
    for what, members in sorted(members_by_kind.items()):
        yield from _derive_odd_member(context, what, members)


@derives(LATE_MEMBER)
def derive_late_member(context: DerivationContext) -> Iterator[Event]:
    """All members but one waited in a collective until the timeout (`what: turn`): that one is late."""
    arrived = {
        event.node: event
        for event in reversed(context.collective_members)
        if event.captures.get("what") == TURN_TIMEOUT
    }
    if not arrived:
        return
    jobs = {task.partition(":")[0] for name in arrived for task in context.activities[name].node.tasks}
    peers = [
        activity
        for activity in context.activities.values()
        if {task.partition(":")[0] for task in activity.node.tasks} & jobs
    ]
    late = [activity for activity in peers if activity.name not in arrived]
    is_known = len(late) == 1 and (late[0].node.present or len(arrived) > 1)  # known by elimination if it left no log
    if is_known and len(late[0].node.tasks) == 1 and not late[0].causes:
        proofs = [arrived[name] for name in sorted(arrived)][:MAX_PROOFS]
        left = None if late[0].node.present else "no line"
        yield from context.derive(LATE_MEMBER, late[0].name, proofs, task=late[0].node.tasks[0], left=left)


def _derive_odd_member(context: DerivationContext, what: str, members: Sequence[Event]) -> Iterator[Event]:
    """Derive the event of the odd member from the lines about values of one kind (`what`)."""
    stated: dict[str, tuple[str, Event]] = {}
    other_values: set[str] = set()
    for event in members:
        if (task := read_task(event.captures.get("task"))) and (value := event.captures.get("value")):
            stated.setdefault(task, (value, event))
            if other := event.captures.get("other"):
                other_values.add(other)
    values = Counter(value for value, _ in stated.values())
    if not values:
        return
    common, _ = values.most_common(1)[0]
    stated |= {task: (common, event) for task, event in _members_beyond(members, stated, common).items()}
    votes = sum(value == common for value, _ in stated.values())
    odd = [task for task, (value, _) in stated.items() if value != common]
    if not odd and other_values - {common}:
        everyone = set(context.registry.task_owners) | set(stated)
        jobs = {task.partition(":")[0] for task in stated}
        odd = [task for task in everyone if task not in stated and task.partition(":")[0] in jobs]
    # The first member sets the expected value, and one other is quoted: of three or more members, this is usually the
    # odd one.
    is_lone_report = len(stated) == 1 and bool(other_values - {common}) and len(context.registry.task_owners) > 2
    odd = list(stated) if is_lone_report else odd
    is_certain = len(odd) == 1 and (votes > 1 or is_lone_report)
    proofs = [event for _, event in stated.values()][:MAX_PROOFS]
    node = context.registry.node_of_task(odd[0]) if is_certain else None
    if node and not _ended_before(node, proofs, context):
        yield from context.derive(
            ODD_MEMBER,
            node,
            proofs,
            task=odd[0],
            value=common if is_lone_report else ", ".join(sorted(other_values - {common})) or None,
            common=", ".join(sorted(other_values)) if is_lone_report else common,
            quoted=str(len(stated)),
            what=what,
        )


def _members_beyond(members: Sequence[Event], stated: Mapping[str, tuple[str, Event]], size: str) -> dict[str, Event]:
    """Return the tasks that state no value, but whose number a group of `size` members has: theirs is as large."""
    return {
        task: event
        for event in members
        if not event.captures.get("value") and (task := read_task(event.captures.get("task"))) and task not in stated
        if (read_whole(task.partition(":")[2]) or 0) < (read_whole(size) or 0)
    }


def _ended_before(node: str, proofs: Sequence[Event], context: DerivationContext) -> bool:
    """Return whether the node's log ends before the first proof. If so, it may be missing for that reason alone."""
    times = [time for proof in proofs if (time := context.timeline.corrected_time(proof)) is not None]
    slack = DYING_PROCESS_S + context.timeline.clock_error(node)
    return compare_times(context.activities[node].last_time, min(times, default=None), slack) is Order.BEFORE
