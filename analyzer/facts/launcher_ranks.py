"""Which node is which task, by the numbers that launchers put before lines (`srun -l`, `mpirun --tag-output`)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from analyzer.facts.registry import Registry, natural_key
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.formats.line_format import rank_of_stream

_LAUNCH_ORDER = {"chief": 0, "master": 0, "worker": 1, "ps": 2, "evaluator": 3}  # as launchers start them
_match_rank_name = re.compile(r"(?:global[-_.]?)?rank[-_. ]?(\d{1,6})", re.I).fullmatch


def ranks_by_file(voices: Iterable[StreamIdentity]) -> dict[str, dict[int, StreamIdentity]]:
    """File → number that a launcher put before lines → who wrote them."""
    ranks: dict[str, dict[int, StreamIdentity]] = {}
    for voice in voices:
        if rank := rank_of_stream(voice.stream):
            ranks.setdefault(voice.file, {})[int(rank)] = voice
    return ranks


def assign_by_rank(registry: Registry, voices: Iterable[StreamIdentity]) -> None:
    """Launchers number their processes in the order of the tasks (`srun -l`, `mpirun --tag-output`): where all that say
    who they are fit that order, one that died before it could say so is known by its number."""
    ranks = ranks_by_file(voices)
    tasks = (
        sorted(
            registry.cluster.task_addresses(),
            key=lambda task: (_LAUNCH_ORDER.get(task.partition(":")[0], 1), natural_key(task)),
        )
        if registry.cluster
        else []
    )
    for file, by_rank in ranks.items():
        order = dict(enumerate(tasks)) if tasks else {rank: f"worker:{rank}" for rank in by_rank}
        seats = {rank: node for rank in by_rank if (node := registry.node_of_task(order.get(rank, "")))}
        known = {
            rank: node for rank, voice in by_rank.items() if (node := registry.by_stream.get((file, voice.stream)))
        }
        if (known or len(by_rank) == len(tasks)) and all(seats.get(rank) == node for rank, node in known.items()):
            for rank in seats.keys() - known.keys():
                registry.by_stream[file, by_rank[rank].stream] = seats[rank]


def assign_silent_ranks(registry: Registry, voices: Iterable[StreamIdentity]) -> None:
    """Without a cluster: where every rank that is known is the worker of its number, so is one that never said who
    it is.
    """
    for file, by_rank in ranks_by_file(voices).items() if registry.cluster is None else ():
        known = {
            rank: node for rank, voice in by_rank.items() if (node := registry.by_stream.get((file, voice.stream)))
        }
        if known and all(registry.drafts[node].tasks == {f"worker:{rank}"} for rank, node in known.items()):
            for rank in by_rank.keys() - known.keys():
                task = f"worker:{rank}"
                registry.by_stream[file, by_rank[rank].stream] = registry.node_of_task(task) or task
                if task not in registry.task_owners:
                    registry.ensure_draft(task)
                    registry.assign_task(task, task)


def name_unnamed_ranks(registry: Registry, voices: Iterable[StreamIdentity]) -> None:
    """A launcher's rank that never said who it is goes by its number."""
    for file, by_rank in ranks_by_file(voices).items():
        nameless = [rank for rank, voice in by_rank.items() if (file, voice.stream) not in registry.by_stream]
        for rank in nameless if len(by_rank) > 1 else ():
            registry.by_stream[file, by_rank[rank].stream] = registry.ensure_draft(f"rank {rank}").name


def assign_numbered_workers(registry: Registry, voices: Iterable[StreamIdentity], named_tasks: set[str]) -> None:
    """Where nobody says who he is, and all tasks that lines name are workers of a launcher's numbers, so they are."""
    named_tasks = {task for task in named_tasks if task.partition(":")[0] in _LAUNCH_ORDER}
    for file, by_rank in ranks_by_file(voices).items() if named_tasks else ():
        seats = {f"worker:{rank}": registry.by_stream.get((file, one.stream), "") for rank, one in by_rank.items()}
        if registry.task_owners or "" in seats.values() or not len(set(seats.values())) == len(seats) > 1:
            continue
        if named_tasks <= seats.keys():
            for task, node in seats.items():
                registry.assign_task(task, node)


def index_ranks(registry: Registry, voices: Iterable[StreamIdentity]) -> None:
    """Whom a line means that names a rank by its number alone: who wrote behind that number, in whatever file."""
    nodes: dict[str, set[str]] = {}
    for file, by_rank in ranks_by_file(voices).items():
        for rank, voice in by_rank.items() if len(by_rank) > 1 else ():
            nodes.setdefault(str(rank), set()).add(registry.by_stream.get((file, voice.stream), ""))
    for name in registry.drafts if not nodes else ():  # a file or a folder a rank: `mpirun --output-filename`
        if found_rank := _match_rank_name(name):
            nodes.setdefault(str(int(found_rank[1])), set()).add(name)
    for number, found in nodes.items():
        if len(found) == 1 and "" not in found:
            registry.by_rank[number] = found.pop()
