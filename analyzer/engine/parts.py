"""What can be read apart: files that lie together stay together, in the order in which one process would read them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from analyzer.bundle import Loss, Place
from analyzer.engine.shares import ALL, Share
from analyzer.model import Kind, Source

SMALL = 8 << 20  # bytes: what follows each other is put together up to here, for a part costs milliseconds
WORTH = 16 << 20  # bytes for each further process: its fork costs as much as to read so many of a quiet log …
WORTH_LOADING = 48 << 20  # … and to start it anew, which takes a third of a second, so many
WORTH_SHARING = 8 << 20  # bytes of an archive for each further process that walks through it
GAIN = 0.7  # of the time that one process takes, to which sharing has to bring it
Item = Place | Loss


@dataclass(frozen=True, slots=True)
class Part:
    """Files of one node's folder, an archive or a share of one, or a few small ones.

    `size` is what they have on disk, in bytes; of an archive that is shared, a part of it.
    """

    items: tuple[Item, ...]
    size: int
    share: Share = ALL

    @property
    def names(self) -> list[str]:
        return [item.path if isinstance(item, Loss) else item.label or item.name for item in self.items]


def split(items: Iterable[Item]) -> list[Part]:
    """Folders are never torn at the level at which the bundle first branches: their files may be checked together."""
    found = list(items)
    depth = _branching([_label(item) for item in found])
    parts: list[Part] = []
    for _, group in groupby(found, key=lambda item: _label(item).split("/")[: depth + 1]):
        members, last = tuple(group), parts[-1] if parts else None
        size = sum(map(_size, members))
        if last and last.size + size <= SMALL:
            parts[-1] = Part((*last.items, *members), last.size + size)
        else:
            parts.append(Part(members, size))
    return parts


@dataclass(frozen=True, slots=True)
class Dealt:
    """Parts, and processes for them; `short`: there is no memory for as many as could be used."""

    parts: Sequence[Part]
    jobs: int = 1
    short: bool = False


def deal_out(parts: Sequence[Part], asked: int | None) -> Dealt:
    """`asked`: processes; None: as many as there are cores and the input is worth."""
    most = choose_jobs(parts, asked)
    dealt = share_out(parts, most)
    wanted = min(most, len(dealt))
    jobs = limit_jobs(wanted)
    return Dealt(dealt if jobs == wanted else share_out(parts, jobs), jobs, jobs < wanted)


def choose_jobs(parts: Sequence[Part], wanted: int | None) -> int:
    """No more (unless `wanted` says so) than there are cores, nor than the input is worth."""
    if wanted is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        worth = WORTH if can_fork() else WORTH_LOADING
        wanted = min(cores, 1 + sum(part.size for part in parts) // worth)
    return max(1, wanted)


def can_fork() -> bool:
    """Whether this process has one thread, by Linux's count. Of others a fork would copy the locks that they hold, and
    nobody to open them; and what macOS's own libraries do in threads may not be forked at all.
    """
    with suppress(OSError):
        return len([*Path("/proc/self/task").iterdir()]) == 1
    return False


def share_out(parts: Sequence[Part], jobs: int) -> list[Part]:
    """The same for so many processes: archives that would keep the others waiting are shared among several."""
    total = sum(part.size for part in parts)
    found: list[Part] = []
    for part in parts:
        count = min(jobs, -(-part.size * jobs // (total or 1)), 1 + part.size // WORTH_SHARING)
        if count > 1 and _cost_of_walking(part) + 1 / count < GAIN:
            found += [replace(part, size=part.size // count, share=Share(number, count)) for number in range(count)]
        else:
            found.append(part)
    return found


def _cost_of_walking(part: Part) -> float:
    place = part.items[0]
    if len(part.items) > 1 or isinstance(place, Loss) or not isinstance(place.path, Path):
        return math.inf  # what comes over a network would come several times
    from analyzer.bundle.walk import cost_of_walking  # what a small bundle does without

    return cost_of_walking(place.path, place.given)


def limit_jobs(jobs: int) -> int:
    """No more than there is memory for: one process reads alone, where several would be ended."""
    if jobs == 1:
        return 1
    from analyzer.engine.memory import count_fitting  # what a small bundle does without

    fitting = count_fitting()
    return jobs if fitting is None else max(1, min(jobs, fitting))


def _label(item: Item) -> str:
    return item.path if isinstance(item, Loss) else item.label


def _branching(labels: Sequence[str]) -> int:
    """How many leading folders all labels share: `bundle/nodes/n1/x`, `bundle/nodes/n2/x` share two."""
    split_labels = [label.split("/")[:-1] for label in labels]
    depth = 0
    while split_labels and all(len(one) > depth and one[depth] == split_labels[0][depth] for one in split_labels):
        depth += 1
    return depth


def _size(item: Item) -> int:
    return 0 if isinstance(item, Loss) else item.size or 0


def lose(item: Item, reason: str = "") -> Source:
    """A file of which nothing is read, as a source; `reason` where the item has none of its own."""
    loss = item if isinstance(item, Loss) else Loss(item.label or item.name, item.size, reason)
    return Source(loss.path, None, Kind.UNKNOWN, loss.size or 0, loss.status, problem=loss.reason, unread=loss.size)
