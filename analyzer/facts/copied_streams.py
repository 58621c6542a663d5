"""Joins nodes that hold copies of one program's output.

    slurm-4711.out          0: 2026-03-01 10:00:00.123456: I …] Started server with target: grpc://gx7:2222
    ranks/slurm-4711-0.out  2026-03-01 10:00:00.123456: I …] Started server with target: grpc://gx7:2222

Launchers write the output of all tasks into one file (`srun --label`, `mpirun --tag-output`) and that of each into one
of its own. A line that names its own task or address, at the same microsecond in both, is one line.
"""

from __future__ import annotations

from collections.abc import Iterable

from analyzer.facts.machine_labels import is_weak_name
from analyzer.facts.registry import Registry
from analyzer.formats import read_line
from analyzer.model import Event

MAX_COPIES = 2000  # each is sought in all indexes of the registry
_NAMING_CAPTURES = ("address", "task", "target")


def join_copies(registry: Registry, events: Iterable[Event]) -> None:
    """Give the files of a node to the other node that holds the same lines, which name their writer.

    The node that keeps its name is the one that is named after more than its task or the number of a file.
    """
    writer_by_line: dict[object, tuple[str, bool]] = {}  # node, and whether a launcher labels the line
    joined: dict[str, str] = {}
    for event in events:
        node = registry.node_of_event(event) if any(map(event.captures.get, _NAMING_CAPTURES)) else ""
        line = read_line(event.text) if node else None
        if line is None or not any(stamp.value % 1 for stamp in line.stamps):
            continue  # in one second, several tasks may write the same
        is_labelled = bool(event.stream)
        first_node, was_labelled = writer_by_line.setdefault((line.message, line.stamps), (node, is_labelled))
        while first_node in joined:
            first_node = joined[first_node]
        is_copy = first_node != node and was_labelled is not is_labelled
        if is_copy and len(joined) < MAX_COPIES and (is_weak_name(first_node) or is_weak_name(node)):
            copy, original = (first_node, node) if is_weak_name(first_node) else (node, first_node)
            joined[copy] = original
            registry.join_nodes(copy, original, f"both have the line {line.message[:80]}")
