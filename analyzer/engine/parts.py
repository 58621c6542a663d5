"""What can be read apart: files that lie together stay together, in the order in which one process would read them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from analyzer.bundle import InputFile, Loss
from analyzer.engine.shards import WHOLE, Shard
from analyzer.model import Kind, Source

MAX_GROUPED_BYTES = 8 << 20  # bytes: what follows each other is put together up to here, for a part costs milliseconds
MIN_BYTES_PER_FORK = (
    16 << 20
)  # bytes for each further process: its fork costs as much as to read so many of a quiet log …
MIN_BYTES_PER_SPAWN = 48 << 20  # … and to start it anew, which takes a third of a second, so many
MIN_BYTES_PER_SHARD = 8 << 20  # bytes of an archive for each further process that walks through it
MAX_SHARDED_TIME_RATIO = 0.7  # of the time that one process takes, to which sharing has to bring it
InputItem = InputFile | Loss


@dataclass(frozen=True, slots=True)
class Part:
    """Files of one node's folder, an archive or a share of one, or a few small ones.

    `size` is what they have on disk, in bytes; of an archive that is shared, a part of it.
    """

    items: tuple[InputItem, ...]
    size: int
    shard: Shard = WHOLE

    @property
    def names(self) -> list[str]:
        return [item.path if isinstance(item, Loss) else item.label or item.name for item in self.items]


def split_into_parts(items: Iterable[InputItem]) -> list[Part]:
    """Folders are never torn at the level at which the bundle first branches: their files may be checked together."""
    found = list(items)
    depth = _common_depth([_label(item) for item in found])
    parts: list[Part] = []
    for _, group in groupby(found, key=lambda item: _label(item).split("/")[: depth + 1]):
        members, last = tuple(group), parts[-1] if parts else None
        size = sum(map(_size, members))
        if last and last.size + size <= MAX_GROUPED_BYTES:
            parts[-1] = Part((*last.items, *members), last.size + size)
        else:
            parts.append(Part(members, size))
    return parts


@dataclass(frozen=True, slots=True)
class PartPlan:
    """Parts, and processes for them; `short`: there is no memory for as many as could be used."""

    parts: Sequence[Part]
    jobs: int = 1
    is_memory_limited: bool = False


def plan_parts(parts: Sequence[Part], requested: int | None) -> PartPlan:
    """`asked`: processes; None: as many as there are cores and the input is worth."""
    most = choose_process_count(parts, requested)
    dealt = shard_archives(parts, most)
    wanted = min(most, len(dealt))
    jobs = limit_to_memory(wanted)
    return PartPlan(dealt if jobs == wanted else shard_archives(parts, jobs), jobs, jobs < wanted)


def choose_process_count(parts: Sequence[Part], requested: int | None) -> int:
    """No more (unless `wanted` says so) than there are cores, nor than the input is worth."""
    if requested is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        worth = MIN_BYTES_PER_FORK if can_fork() else MIN_BYTES_PER_SPAWN
        requested = min(cores, 1 + sum(part.size for part in parts) // worth)
    return max(1, requested)


def can_fork() -> bool:
    """Whether this process has one thread, by Linux's count. Of others a fork would copy the locks that they hold, and
    nobody to open them; and what macOS's own libraries do in threads may not be forked at all.
    """
    with suppress(OSError):
        return len([*Path("/proc/self/task").iterdir()]) == 1
    return False


def shard_archives(parts: Sequence[Part], jobs: int) -> list[Part]:
    """The same for so many processes: archives that would keep the others waiting are shared among several."""
    total = sum(part.size for part in parts)
    found: list[Part] = []
    for part in parts:
        count = min(jobs, -(-part.size * jobs // (total or 1)), 1 + part.size // MIN_BYTES_PER_SHARD)
        if count > 1 and _walk_cost(part) + 1 / count < MAX_SHARDED_TIME_RATIO:
            found += [replace(part, size=part.size // count, shard=Shard(number, count)) for number in range(count)]
        else:
            found.append(part)
    return found


def _walk_cost(part: Part) -> float:
    place = part.items[0]
    if len(part.items) > 1 or isinstance(place, Loss) or not isinstance(place.path, Path):
        return math.inf  # what comes over a network would come several times
    from analyzer.bundle.walk_cost import relative_walk_cost  # what a small bundle does without

    return relative_walk_cost(place.path, place.is_input)


def limit_to_memory(jobs: int) -> int:
    """No more than there is memory for: one process reads alone, where several would be ended."""
    if jobs == 1:
        return 1
    from analyzer.engine.memory import max_processes_by_memory  # what a small bundle does without

    fitting = max_processes_by_memory()
    return jobs if fitting is None else max(1, min(jobs, fitting))


def _label(item: InputItem) -> str:
    return item.path if isinstance(item, Loss) else item.label


def _common_depth(labels: Sequence[str]) -> int:
    """How many leading folders all labels share: `bundle/nodes/n1/x`, `bundle/nodes/n2/x` share two."""
    split_labels = [label.split("/")[:-1] for label in labels]
    depth = 0
    while split_labels and all(len(one) > depth and one[depth] == split_labels[0][depth] for one in split_labels):
        depth += 1
    return depth


def _size(item: InputItem) -> int:
    return 0 if isinstance(item, Loss) else item.size or 0


def unread_source(item: InputItem, reason: str = "") -> Source:
    """A file of which nothing is read, as a source; `reason` where the item has none of its own."""
    loss = item if isinstance(item, Loss) else Loss(item.label or item.name, item.size, reason)
    return Source(loss.path, None, Kind.UNKNOWN, loss.size or 0, loss.status, problem=loss.reason, unread=loss.size)
