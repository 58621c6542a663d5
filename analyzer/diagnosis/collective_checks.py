"""A collective that its members call differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from analyzer.diagnosis.derivation_context import DYING_PROCESS_SLACK_S, DerivationContext
from analyzer.facts.cluster_spec import read_task
from analyzer.model import Event

TENSOR_MISMATCH, TURN_TIMEOUT = "tensor", "turn"


def derive_odd_members(context: DerivationContext) -> Iterator[Event]:
    """A collective that members call differently: each line tells what one member has; the odd one is who is left.

    `member` signals capture task (whose line it is), value (what it has), other (what another has), and `what` they
    have where it is not a tensor: the group itself.
    """
    members_by_kind: dict[str, list[Event]] = {}
    for event in context.collective_members:
        members_by_kind.setdefault(event.captures.get("what", TENSOR_MISMATCH), []).append(event)
    for what, members in sorted(members_by_kind.items()):
        yield from _derive_odd_member(context, what, members)


def derive_late_member(context: DerivationContext) -> Iterator[Event]:
    """All members but one waited in a collective until their time was up (`what: turn`): that one is late."""
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
    if len(late) == 1 and late[0].node.present and len(late[0].node.tasks) == 1 and not late[0].causes:
        proofs = [arrived[name] for name in sorted(arrived)][:4]
        yield from context.derive("derived.late_member", late[0].name, proofs, task=late[0].node.tasks[0])


def _derive_odd_member(context: DerivationContext, what: str, members: Sequence[Event]) -> Iterator[Event]:
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
    common, votes = values.most_common(1)[0]
    odd = [task for task, (value, _) in stated.items() if value != common]
    if not odd and other_values - {common}:
        everyone = set(context.registry.task_owners) | set(stated)
        odd = [
            task
            for task in everyone
            if task not in stated and task.partition(":")[0] in {t.partition(":")[0] for t in stated}
        ]
    # The first to come sets what is expected, and one other is quoted: of three or more that is the odd one most often.
    is_lone_report = len(stated) == 1 and bool(other_values - {common}) and len(context.registry.task_owners) > 2
    odd = list(stated) if is_lone_report else odd
    is_certain = len(odd) == 1 and (votes > 1 or is_lone_report)
    proofs = [event for _, event in stated.values()][:4]
    node = context.registry.node_of_task(odd[0]) if is_certain else None
    # Whose log ends before the others failed may have been left out for that reason alone.
    first_seen = min(
        (time for proof in proofs if (time := context.timeline.corrected_time(proof)) is not None), default=None
    )
    last = context.activities[node].last_time if node else None
    if node and (
        first_seen is None
        or last is None
        or last >= first_seen - DYING_PROCESS_SLACK_S - context.timeline.clock_error(node)
    ):
        yield from context.derive(
            "derived.odd_member",
            node,
            proofs,
            task=odd[0],
            value=common if is_lone_report else ", ".join(sorted(other_values - {common})) or None,
            common=", ".join(sorted(other_values)) if is_lone_report else common,
            quoted=str(len(stated)),
            what=what,
        )
