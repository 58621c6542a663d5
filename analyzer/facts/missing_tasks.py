"""Tasks that must exist although the bundle holds no file of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from analyzer.facts.cluster_spec import read_task, read_tasks
from analyzer.facts.host_series import learn_host_series, task_in_series
from analyzer.facts.path_labels import SERVER_NAME
from analyzer.facts.registry import Registry
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Event, Kind
from analyzer.untrusted.numbers import read_whole
from analyzer.wording import natural_key

JOBS = frozenset({"ps", "chief", "master", "coordinator", "worker", "evaluator"})
_GONE = ("lost", "refused", "unreachable", "silent")
MAX_MISSING_TASKS = 1000  # that the gaps in one job's numbers may stand for


def add_awaited_tasks(registry: Registry, identities: Iterable[StreamIdentity], events: Iterable[Event]) -> None:
    """Give the only task that others wait for to the only node of a program without a task, which failed at its start.

    Without such nodes, add each task without an owner that others wait for.
    """
    late = [event for event in events if event.captures.get("how") == "late"]
    waiting = {registry.node_of_event(event) for event in late}
    awaited = {task for event in late for task in read_tasks(event.captures.get("task"), event.block)}
    awaited -= set(registry.task_owners)
    programs = {
        name
        for identity in identities
        if identity.kind is Kind.WORKER and (name := registry.by_stream.get((identity.file, identity.stream)))
    }
    idle = sorted(name for name in programs - waiting if not registry.drafts[name].tasks)
    if len(awaited) == len(idle) == 1 and not _is_named_for_other_job(idle[0], min(awaited)):
        registry.assign_task(awaited.pop(), idle[0], "others wait for it, and only this node's program has no task")
        return
    unassigned = [
        draft
        for draft in registry.drafts.values()
        if draft.present and not draft.tasks and draft.addresses and draft.name not in waiting
    ]
    if any(not SERVER_NAME.match(draft.name) for draft in unassigned):
        return
    for task in sorted(awaited, key=natural_key):
        registry.add_missing_task(task, "others wait for it, and no node of the bundle can be it")


def _is_named_for_other_job(node: str, task: str) -> bool:
    """Return whether a node such as `train_ps` is named for a job that is not the task's."""
    jobs = {word for word in re.split(r"[^a-z]+", node.lower()) if word in JOBS}
    return bool(jobs) and task.partition(":")[0] not in jobs


def add_lost_tasks(registry: Registry, events: Iterable[Event], joined: set[str]) -> None:
    """Find the node of each task that other nodes report as lost. A node does not report itself.

    If all nodes but one report it, it is that one's. If all of them do, and more tasks joined than nodes are present,
    it belongs to a node of which the bundle holds nothing.

    `joined` are the tasks that the coordination service reports as connected. Without that report, the highest number
    of a worker that others name tells how many there are at least.
    """
    present = {draft.name for draft in registry.drafts.values() if draft.present and draft.addresses}
    reporters: dict[str, set[str]] = {}
    for event in events:
        if event.captures.get("how") == "lost" and (task := read_task(event.captures.get("task"))):
            reporters.setdefault(task, set()).add(registry.node_of_event(event))
    for task, nodes in reporters.items():
        silent = present - nodes
        count = len(joined) or _count_workers(reporters)
        if task in registry.task_owners or (joined and task not in joined) or len(present) < 2:
            continue
        if len(silent) == 1 < len(present & nodes) and count <= len(present):
            (name,) = silent
            if not registry.drafts[name].tasks:
                registry.assign_task(task, name, "all other nodes report it as lost")
        elif not silent and joined and count > len(present):
            registry.add_missing_task(task, "all nodes report it as lost, and more tasks joined than nodes are here")


def _count_workers(tasks: Iterable[str]) -> int:
    """Return how many workers a job with these tasks has at least."""
    numbers = (read_whole(task.partition(":")[2]) for task in tasks if task.startswith("worker:"))
    return max((number + 1 for number in numbers if number is not None), default=0)


def add_reported_tasks(registry: Registry, events: Iterable[Event]) -> None:
    """Add each task without an owner that others cannot reach or miss, if no node of the bundle can be it.

    A node that reports it is another one. A node without a task and without such a report may be it, and so may any
    process that writes into a file which names no node.
    """
    reporters: dict[str, set[str]] = {}
    for event in events:
        if event.captures.get("how") in _GONE and (task := read_task(event.captures.get("task"))):
            reporters.setdefault(task, set()).add(registry.node_of_event(event))
    unassigned = {draft.name for draft in registry.drafts.values() if draft.present and not draft.tasks}
    everybody = set().union(*reporters.values())
    for task in sorted(reporters.keys() - set(registry.task_owners), key=natural_key):
        may_be_it = {name for name in unassigned - everybody if registry.drafts[name].addresses}
        if not may_be_it and "" not in reporters[task]:
            registry.add_missing_task(task, "others report it as gone, and no node of the bundle can be it")


def join_absent_members(registry: Registry) -> None:
    """Give the task of which no file is here to the node that has no task and is numbered as the members are."""
    members = [draft for draft in registry.drafts.values() if draft.present and len(draft.tasks) == 1]
    series = learn_host_series((draft.name, task) for draft in members for task in draft.tasks)
    for draft in list(registry.drafts.values()) if series else ():
        task = task_in_series(draft.name, series)
        is_absent = task in registry.drafts and not registry.drafts[task].present and task != draft.name
        if task and is_absent and draft.present and not draft.tasks and not draft.addresses:
            registry.join_nodes(task, draft.name, "its name continues the members' numbers, and it has no task")


def add_skipped_tasks(registry: Registry, joined: set[str]) -> None:
    """Add the tasks that the numbers of the joined ones skip: if 0 and 2 joined, 1 is missing.

    Only without a cluster spec, and only if every present node has a task that joined. If no line says who joined, the
    present tasks count, if they skip a single one: of a large job, people send a few logs.
    """
    owned = {task for draft in registry.drafts.values() if draft.present for task in draft.tasks}
    present = {task for draft in registry.drafts.values() if draft.present and draft.addresses for task in draft.tasks}
    has_unassigned = any(draft.present and draft.addresses and not draft.tasks for draft in registry.drafts.values())
    if registry.cluster is not None or has_unassigned or not present <= joined:
        return
    reason = f"the numbers of the tasks that {'joined' if joined else 'left files'} skip it"
    for job in sorted({task.partition(":")[0] for task in joined or owned}):
        indexes = {int(task.partition(":")[2]) for task in joined or owned if task.startswith(f"{job}:")}
        first = 0 if joined else min(indexes)  # names may count from one
        skipped = sorted(set(range(first, max(indexes))) - indexes)[:MAX_MISSING_TASKS]
        for index in skipped if joined or len(skipped) == 1 else ():
            if (task := f"{job}:{index}") not in registry.task_owners:
                registry.add_missing_task(task, reason)
