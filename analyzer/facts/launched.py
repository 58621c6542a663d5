"""Which node is which task, by the numbers that launchers put before lines (`srun -l`, `mpirun --tag-output`)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from analyzer.facts.nodes import Registry, natural
from analyzer.facts.voices import Voice

_JOBS = {"chief": 0, "master": 0, "worker": 1, "ps": 2, "evaluator": 3}  # as launchers start them
_RANK_NAME = re.compile(r"(?:global[-_.]?)?rank[-_. ]?(\d{1,6})", re.I).fullmatch


def rank_of(stream: str) -> str | None:
    """The number that a launcher put before the lines of a stream."""
    found = re.search(r"(?:^|[,/])(\d{1,5})$", stream)
    return found[1] if found else None


def ranks_of_files(voices: Iterable[Voice]) -> dict[str, dict[int, Voice]]:
    """File → number that a launcher put before lines → who wrote them."""
    ranks: dict[str, dict[int, Voice]] = {}
    for voice in voices:
        if rank := rank_of(voice.stream):
            ranks.setdefault(voice.file, {})[int(rank)] = voice
    return ranks


def seat_ranks(registry: Registry, voices: Iterable[Voice]) -> None:
    """Launchers number their processes in the order of the tasks (`srun -l`, `mpirun --tag-output`): where all that say
    who they are fit that order, one that died before it could say so is known by its number."""
    ranks = ranks_of_files(voices)
    tasks = (
        sorted(registry.cluster.tasks(), key=lambda task: (_JOBS.get(task.partition(":")[0], 1), natural(task)))
        if registry.cluster
        else []
    )
    for file, by_rank in ranks.items():
        order = dict(enumerate(tasks)) if tasks else {rank: f"worker:{rank}" for rank in by_rank}
        seats = {rank: node for rank in by_rank if (node := registry.task(order.get(rank, "")))}
        known = {rank: node for rank, voice in by_rank.items() if (node := registry.by_voice.get((file, voice.stream)))}
        if (known or len(by_rank) == len(tasks)) and all(seats.get(rank) == node for rank, node in known.items()):
            for rank in seats.keys() - known.keys():
                registry.by_voice[file, by_rank[rank].stream] = seats[rank]


def seat_silent(registry: Registry, voices: Iterable[Voice]) -> None:
    """Without a cluster: where every rank that is known is the worker of its number, so is one that never said who
    it is.
    """
    for file, by_rank in ranks_of_files(voices).items() if registry.cluster is None else ():
        known = {rank: node for rank, voice in by_rank.items() if (node := registry.by_voice.get((file, voice.stream)))}
        if known and all(registry.drafts[node].tasks == {f"worker:{rank}"} for rank, node in known.items()):
            for rank in by_rank.keys() - known.keys():
                task = f"worker:{rank}"
                registry.by_voice[file, by_rank[rank].stream] = registry.task(task) or task
                if task not in registry.owners:
                    registry.draft(task)
                    registry.own(task, task)


def number_ranks(registry: Registry, voices: Iterable[Voice]) -> None:
    """A launcher's rank that never said who it is goes by its number."""
    for file, by_rank in ranks_of_files(voices).items():
        nameless = [rank for rank, voice in by_rank.items() if (file, voice.stream) not in registry.by_voice]
        for rank in nameless if len(by_rank) > 1 else ():
            registry.by_voice[file, by_rank[rank].stream] = registry.draft(f"rank {rank}").name


def seat_numbered(registry: Registry, voices: Iterable[Voice], named: set[str]) -> None:
    """Where nobody says who he is, and all tasks that lines name are workers of a launcher's numbers, so they are."""
    named = {task for task in named if task.partition(":")[0] in _JOBS}
    for file, by_rank in ranks_of_files(voices).items() if named else ():
        seats = {f"worker:{rank}": registry.by_voice.get((file, one.stream), "") for rank, one in by_rank.items()}
        if registry.owners or "" in seats.values() or not len(set(seats.values())) == len(seats) > 1:
            continue
        if named <= seats.keys():
            for task, node in seats.items():
                registry.own(task, node)


def know_ranks(registry: Registry, voices: Iterable[Voice]) -> None:
    """Whom a line means that names a rank by its number alone: who wrote behind that number, in whatever file."""
    nodes: dict[str, set[str]] = {}
    for file, by_rank in ranks_of_files(voices).items():
        for rank, voice in by_rank.items() if len(by_rank) > 1 else ():
            nodes.setdefault(str(rank), set()).add(registry.by_voice.get((file, voice.stream), ""))
    for name in registry.drafts if not nodes else ():  # a file or a folder a rank: `mpirun --output-filename`
        if found_rank := _RANK_NAME(name):
            nodes.setdefault(str(int(found_rank[1])), set()).add(name)
    for number, found in nodes.items():
        if len(found) == 1 and "" not in found:
            registry.by_rank[number] = found.pop()
