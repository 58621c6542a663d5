"""Splitting the input into parts that processes can read independently.

Files of one folder stay together, and parts keep the order in which one process would read the files.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from analyzer.bundle import InputFile, Loss
from analyzer.collect.free_memory import read_free_memory
from analyzer.engine.shards import ONLY_SHARD, Shard
from analyzer.model import Kind, Source

MAX_GROUPED_BYTES = 8 << 20  # neighbouring small files form one part up to this size, because a part costs milliseconds
MIN_BYTES_PER_FORK = (
    16 << 20
)  # of input for each further process: a fork costs as much as to read 16 MiB of a quiet log
MIN_BYTES_PER_SPAWN = 48 << 20  # of input for each further process that starts anew, which takes a third of a second
MIN_BYTES_PER_SHARD = 8 << 20  # of an archive for each further process that walks through it
MAX_SHARDED_TIME_RATIO = 0.7  # shards must bring the time below this part of what one process takes
READER_MEMORY_BYTES = 100 << 20  # memory of one reading process that it does not share with others
InputItem = InputFile | Loss
_log = logging.getLogger("analyzer.engine")


@dataclass(frozen=True, slots=True)
class Part:
    """What one process reads at a time: the files of one node's folder, an archive or a shard of it, or small files.

    `size` is the size on disk in bytes; for a shard, its portion of the archive's size.
    """

    items: tuple[InputItem, ...]
    size: int
    shard: Shard = ONLY_SHARD

    @property
    def names(self) -> list[str]:
        """The paths of its files in the bundle."""
        return [item.path if isinstance(item, Loss) else item.label or item.name for item in self.items]


def split_into_parts(items: Iterable[InputItem]) -> list[Part]:
    """Group `items` into parts.

    A folder at the level where the bundle first branches is never split, because its files may be checked against each
    other.
    """
    listed = list(items)
    depth = _common_depth([_label(item) for item in listed])
    parts: list[Part] = []
    for _, group in groupby(listed, key=lambda item: _label(item).split("/")[: depth + 1]):
        members, last = tuple(group), parts[-1] if parts else None
        size = sum(map(_size, members))
        if last and last.size + size <= MAX_GROUPED_BYTES:
            parts[-1] = Part((*last.items, *members), last.size + size)
        else:
            parts.append(Part(members, size))
    return parts


@dataclass(frozen=True, slots=True)
class PartPlan:
    """Parts and how many processes read them; `is_memory_limited`: memory allows fewer processes than would help."""

    parts: Sequence[Part]
    jobs: int = 1
    is_memory_limited: bool = False


def plan_parts(parts: Sequence[Part], requested: int | None) -> PartPlan:
    """Return the parts to read, large archives split into shards, and the number of processes.

    `requested`: the number of processes that the user asks for; None: as many as there are cores and the input is
    worth.
    """
    most = choose_process_count(parts, requested)
    sharded = shard_archives(parts, most)
    wanted = min(most, len(sharded))
    jobs = limit_to_memory(wanted)
    if jobs < wanted:
        _log.info("memory allows %d of %d reading processes", jobs, wanted)
        sharded = shard_archives(parts, jobs)
    _log.info("parts of the input: %d; reading processes: %d", len(sharded), jobs)
    return PartPlan(sharded, jobs, jobs < wanted)


def choose_process_count(parts: Sequence[Part], requested: int | None) -> int:
    """Return `requested`, else the number of cores, but no more processes than the input's size is worth."""
    if requested is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        worth = MIN_BYTES_PER_FORK if can_fork() else MIN_BYTES_PER_SPAWN
        requested = min(cores, 1 + sum(part.size for part in parts) // worth)
    return max(1, requested)


def can_fork() -> bool:
    """Return whether this process may fork: it has exactly one thread, as Linux counts.

    A fork copies the locks that other threads hold, and nobody releases the copies. On macOS the system's own libraries
    have threads, so there the answer is always False.
    """
    with suppress(OSError):
        return len([*Path("/proc/self/task").iterdir()]) == 1
    return False


def shard_archives(parts: Sequence[Part], jobs: int) -> list[Part]:
    """Return `parts` for `jobs` processes: an archive that the others would wait for is split into shards."""
    total = sum(part.size for part in parts)
    sharded: list[Part] = []
    for part in parts:
        count = min(jobs, -(-part.size * jobs // (total or 1)), 1 + part.size // MIN_BYTES_PER_SHARD)
        if count > 1 and _walk_cost(part) + 1 / count < MAX_SHARDED_TIME_RATIO:
            _log.debug("%s is read by %d processes, each of its own members", part.names[0], count)
            sharded += [replace(part, size=part.size // count, shard=Shard(number, count)) for number in range(count)]
        else:
            sharded.append(part)
    return sharded


def _walk_cost(part: Part) -> float:
    item = part.items[0]
    if len(part.items) > 1 or isinstance(item, Loss) or not isinstance(item.path, Path):
        return math.inf  # a remote file would be transferred once for each shard
    from analyzer.bundle.opener import relative_walk_cost

    return relative_walk_cost(item.path, item.is_input)


def limit_to_memory(jobs: int) -> int:
    """Return `jobs`, or the smaller number of processes that memory allows; one process needs no further memory."""
    if jobs == 1:
        return 1
    fitting = max_processes_by_memory()
    return jobs if fitting is None else max(1, min(jobs, fitting))


def max_processes_by_memory() -> int | None:
    """Return how many more processes the free memory allows; None if nothing reports it."""
    free_bytes = read_free_memory()
    return None if free_bytes is None else free_bytes // READER_MEMORY_BYTES


def _label(item: InputItem) -> str:
    return item.path if isinstance(item, Loss) else item.label


def _common_depth(labels: Sequence[str]) -> int:
    """Return how many leading folders all labels share: `bundle/nodes/n1/x` and `bundle/nodes/n2/x` share two."""
    folders = [label.split("/")[:-1] for label in labels]
    depth = 0
    while folders and all(len(path) > depth and path[depth] == folders[0][depth] for path in folders):
        depth += 1
    return depth


def _size(item: InputItem) -> int:
    return 0 if isinstance(item, Loss) else item.size or 0


def unread_source(item: InputItem, reason: str = "") -> Source:
    """Return the source for a file of which nothing is read; `reason` serves if the item states none of its own."""
    loss = item if isinstance(item, Loss) else Loss(item.label or item.name, item.size, reason)
    return Source(
        file=loss.path,
        node=None,
        kind=Kind.UNKNOWN,
        bytes=loss.size or 0,
        status=loss.status,
        problem=loss.reason,
        unread=loss.size,
    )
