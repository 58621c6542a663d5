"""Tasks that must exist although nobody speaks for them."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.facts.cluster_spec import read_task, read_tasks
from analyzer.facts.path_labels import SERVER_NAME
from analyzer.facts.registry import Registry
from analyzer.reading.source_result import SourceResult
from analyzer.wording import natural_key

MAX_MISSING_TASKS = 1000  # nodes that a gap in the numbers may stand for


def add_awaited_tasks(registry: Registry, results: Sequence[SourceResult]) -> None:
    """A task that others wait for and that nobody can be, because all who are there are others."""
    waiting = {
        registry.node_of_event(event)
        for result in results
        for event in result.events
        if event.captures.get("how") == "late"
    }
    free = [d for d in registry.drafts.values() if d.present and not d.tasks and d.addresses and d.name not in waiting]
    if any(not SERVER_NAME.match(draft.name) for draft in free):
        return
    waited = {
        task
        for result in results
        for event in result.events
        if event.captures.get("how") == "late"
        for task in read_tasks(event.captures.get("task"), event.block)
    }
    for task in sorted(waited - set(registry.task_owners), key=natural_key):
        registry.ensure_draft(task).present = False
        registry.assign_task(task, task)


def add_lost_tasks(registry: Registry, results: Sequence[SourceResult], joined: set[str]) -> None:
    """A task that all name as lost is who does not: nobody loses himself. Where all who are there do, and more joined
    than are there, it is of a node of which nothing is at hand.
    """
    there = {draft.name for draft in registry.drafts.values() if draft.present and draft.addresses}
    accusers: dict[str, set[str]] = {}
    for result in results:
        for event in result.events:
            if event.captures.get("how") == "lost" and (task := read_task(event.captures.get("task"))):
                accusers.setdefault(task, set()).add(registry.node_of_event(event))
    for task, nodes in accusers.items():
        silent = there - nodes
        if task in registry.task_owners or task not in joined or len(there) < 2:
            continue
        if len(silent) == 1 < len(there & nodes) and len(joined) <= len(there):
            (name,) = silent
            if not registry.drafts[name].tasks:
                registry.assign_task(task, name)
        elif not silent and len(joined) > len(there):
            registry.ensure_draft(task).present = False
            registry.assign_task(task, task)


def add_skipped_tasks(registry: Registry, joined: set[str]) -> None:
    """Tasks are numbered from 0: where 0 and 2 joined, and everybody who is there did, 1 is missing."""
    present = {task for draft in registry.drafts.values() if draft.present and draft.addresses for task in draft.tasks}
    homeless = any(draft.present and draft.addresses and not draft.tasks for draft in registry.drafts.values())
    if registry.cluster is not None or homeless or not present <= joined:
        return
    for job in sorted({task.partition(":")[0] for task in joined}):
        known = {int(task.partition(":")[2]) for task in joined if task.startswith(f"{job}:")}
        for index in sorted(set(range(max(known))) - known)[:MAX_MISSING_TASKS]:
            if (task := f"{job}:{index}") not in registry.task_owners:
                registry.ensure_draft(task).present = False
                registry.assign_task(task, task)
