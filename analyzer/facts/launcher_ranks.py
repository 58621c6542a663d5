"""Ranks: the numbers that launchers (`srun -l`, `mpirun --tag-output`) print before the lines of each process."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from analyzer.facts.cluster_spec import ClusterSpec
from analyzer.facts.registry import Registry
from analyzer.facts.stream_identities import StreamIdentity, StreamKey
from analyzer.formats.line_format import rank_of_stream
from analyzer.reading.source_result import SourceResult
from analyzer.reading.stream_tails import join_tails
from analyzer.wording import natural_key

# The order in which launchers start the jobs of a cluster spec.
_LAUNCH_ORDER = {"chief": 0, "master": 0, "worker": 1, "ps": 2, "evaluator": 3}
match_rank_name = re.compile(r"(?:global[-_.]?)?rank[-_. ]?(\d{1,6})", re.I).fullmatch


def ranks_by_file(identities: Iterable[StreamIdentity]) -> dict[str, dict[int, StreamIdentity]]:
    """Return file → rank → identity of the rank's stream."""
    ranks: dict[str, dict[int, StreamIdentity]] = {}
    for identity in identities:
        if rank := rank_of_stream(identity.stream):
            ranks.setdefault(identity.file, {})[int(rank)] = identity
    return ranks


def _known_nodes(registry: Registry, file: str, by_rank: Mapping[int, StreamIdentity]) -> dict[int, str]:
    """Return rank → node for the ranks of a file whose node is known."""
    return {
        rank: node for rank, identity in by_rank.items() if (node := registry.by_stream.get((file, identity.stream)))
    }


def tasks_in_launch_order(cluster: ClusterSpec | None) -> list[str]:
    """Return the tasks of a cluster spec in the order in which launchers number them; [] without a spec."""
    tasks = cluster.task_addresses() if cluster else {}
    return sorted(tasks, key=lambda task: (_LAUNCH_ORDER.get(task.partition(":")[0], 1), natural_key(task)))


def assign_by_rank(registry: Registry, identities: Iterable[StreamIdentity]) -> None:
    """Give the streams of silent ranks to nodes if the ranks of the others follow the order of the tasks.

    Launchers number their processes in that order, so a process that died before it named its task is known by rank.
    """
    tasks = tasks_in_launch_order(registry.cluster)
    for file, by_rank in ranks_by_file(identities).items():
        task_of_rank = dict(enumerate(tasks)) if tasks else {rank: f"worker:{rank}" for rank in by_rank}
        node_of_rank = {rank: node for rank in by_rank if (node := registry.node_of_task(task_of_rank.get(rank, "")))}
        known_nodes = _known_nodes(registry, file, by_rank)
        is_in_order = all(node_of_rank.get(rank) == node for rank, node in known_nodes.items())
        if (known_nodes or len(by_rank) == len(tasks)) and is_in_order:
            for rank in node_of_rank.keys() - known_nodes.keys():
                registry.by_stream[file, by_rank[rank].stream] = node_of_rank[rank]


def assign_silent_ranks(registry: Registry, identities: Iterable[StreamIdentity]) -> None:
    """Without a cluster spec: if every known rank is the worker of its number, so are the silent ranks of its file."""
    for file, by_rank in ranks_by_file(identities).items() if registry.cluster is None else ():
        known_nodes = _known_nodes(registry, file, by_rank)
        if known_nodes and all(registry.drafts[node].tasks == {f"worker:{rank}"} for rank, node in known_nodes.items()):
            for rank in by_rank.keys() - known_nodes.keys():
                task = f"worker:{rank}"
                registry.by_stream[file, by_rank[rank].stream] = registry.node_of_task(task) or task
                if task not in registry.task_owners:
                    registry.ensure_draft(task)
                    registry.assign_task(task, task, f"every other rank of {file} is the worker of its number")


def name_unnamed_ranks(registry: Registry, identities: Iterable[StreamIdentity]) -> None:
    """Name the node of each rank that is still unknown after its number."""
    for file, by_rank in ranks_by_file(identities).items():
        nameless = [rank for rank, identity in by_rank.items() if (file, identity.stream) not in registry.by_stream]
        for rank in nameless if len(by_rank) > 1 else ():
            registry.by_stream[file, by_rank[rank].stream] = registry.ensure_draft(f"rank {rank}").name


def assign_numbered_workers(registry: Registry, identities: Iterable[StreamIdentity], named_tasks: set[str]) -> None:
    """If no task has an owner and the tasks that lines name are workers with the numbers of ranks, pair the two."""
    named_tasks = {task for task in named_tasks if task.partition(":")[0] in _LAUNCH_ORDER}
    for file, by_rank in ranks_by_file(identities).items() if named_tasks else ():
        node_of_worker = {
            f"worker:{rank}": registry.by_stream.get((file, identity.stream), "") for rank, identity in by_rank.items()
        }
        nodes = set(node_of_worker.values())
        if registry.task_owners or "" in nodes or not len(nodes) == len(node_of_worker) > 1:
            continue
        if named_tasks <= node_of_worker.keys():
            for task, node in node_of_worker.items():
                registry.assign_task(task, node, f"its index is the rank in {file}")


def index_ranks(registry: Registry, identities: Iterable[StreamIdentity]) -> None:
    """Fill `by_rank`, which tells the node of a rank that a line names by its number alone.

    A rank is indexed if all files agree on its node. Without ranks before lines, a node named like a rank is taken:
    `mpirun --output-filename` writes a file or folder for each.
    """
    nodes: dict[str, set[str]] = {}
    for file, by_rank in ranks_by_file(identities).items():
        for rank, identity in by_rank.items() if len(by_rank) > 1 else ():
            nodes.setdefault(str(rank), set()).add(registry.by_stream.get((file, identity.stream), ""))
    for name in registry.drafts if not nodes else ():
        if match := match_rank_name(name):
            nodes.setdefault(str(int(match[1])), set()).add(name)
    for number, nodes_of_rank in nodes.items():
        if len(nodes_of_rank) == 1 and "" not in nodes_of_rank:
            registry.by_rank[number] = nodes_of_rank.pop()


def merge_false_ranks(results: Iterable[SourceResult], identities: dict[StreamKey, StreamIdentity]) -> None:
    """Merge streams whose number is text of a program, not a launcher's rank, into the unlabelled stream of their file.

    `9: ""` in a printed protobuf or `0: shard-0` in a listing reads like a rank. A launcher labels all lines of its
    tasks. So there was none if the lines without a number are the majority and identify their writer, and no line with
    a number does. Nor was there one if the program's own logger alone states its rank: then the only number of the
    file and the lines without one are of the same task, as far as they tell.
    """
    for result in results:
        numbers = {stream for stream in result.streams if stream.isdecimal()}
        if numbers and _is_one_program(result, identities, numbers):
            _merge_streams(result, numbers)
            for number in numbers:
                del identities[result.file, number]


def _is_one_program(result: SourceResult, identities: Mapping[StreamKey, StreamIdentity], numbers: set[str]) -> bool:
    unlabelled = identities.get((result.file, ""))
    if unlabelled is None or not _identifies_itself(unlabelled) or unlabelled.is_shared:
        return False
    labelled = [identities[result.file, number] for number in numbers]
    if len(labelled) == 1:
        return len(unlabelled.tasks | labelled[0].tasks) <= 1
    labelled_lines = sum(result.streams[number] for number in numbers)
    return labelled_lines < result.streams[""] and not any(map(_identifies_itself, labelled))


def _identifies_itself(identity: StreamIdentity) -> bool:
    return bool(identity.tasks or identity.addresses or identity.is_leader)


def _merge_streams(result: SourceResult, numbers: set[str]) -> None:
    """Move all that `result` holds of the streams `numbers` to the stream ""."""
    result.events = [event._replace(stream="") if event.stream in numbers else event for event in result.events]
    result.statements = [
        statement._replace(stream="") if statement.stream in numbers else statement for statement in result.statements
    ]
    result.timings = [timing._replace(stream="") if timing.stream in numbers else timing for timing in result.timings]
    for number in numbers:
        result.streams[""] += result.streams.pop(number)
        result.ends.pop(number, None)
        hosts = result.stream_hosts
        hosts[""] = hosts.get("", frozenset()) | hosts.pop(number, frozenset())
    merged = [result.tails[stream] for stream in ("", *numbers) if stream in result.tails]
    result.tails = {stream: tail for stream, tail in result.tails.items() if stream not in numbers}
    if merged:
        result.tails[""] = join_tails(*merged)
    for signal, stream in [key for key in result.counts if key[1] in numbers]:
        result.counts[signal, ""] += result.counts.pop((signal, stream))
    for stream, shape in [key for key in result.shapes if key[0] in numbers]:
        result.shapes["", shape] = result.shapes.get(("", shape), 0) + result.shapes.pop((stream, shape))
