"""Each module renders a run as one platform hands it over; it is found by its name in this folder.

A module has `COLLECTORS`, a tuple of `Collector`, and says in its docstring where the format is described.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from accuracy.identities import Identities
from accuracy.runs import Carried, Process, Run

Files = Mapping[str, bytes]
GroupLine = tuple[str, bytes]  # (whose lines they are, see Collector.group; the text of one line)


def _every(run: Run, process: Process) -> bool:
    return True


def _by_itself(run: Run, process: Process) -> str:
    return process.name


def _unchanged(text: bytes) -> bytes | None:
    return text


@dataclass(frozen=True)
class Collector:
    """How one platform hands over a run.

    `render` gives the files of the bundle by path. `read_back` finds in them the lines of processes again, in order, by
    the format's own escaping, as (group, text): the proof that nothing was lost or changed. `group` says which lines
    can be told apart: by process unless stated. `keeps` says of which processes the lines are handed over, `escape`
    what the format does to bytes that cannot be undone, such as U+FFFD in the place of what is no UTF-8; None where the
    platform leaves the line out, as the journal does with empty ones; a line feed in its result is where the format
    breaks the line.
    `names` is what the bundle calls the place of a task, beside its host and task: a pod, a container, an allocation.
    """

    name: str
    render: Callable[[Run, Identities, random.Random], Files]
    read_back: Callable[[Files], Iterator[GroupLine]]
    carries: frozenset[Carried] = frozenset({"lines"})
    keeps: Callable[[Run, Process], bool] = _every
    group: Callable[[Run, Process], str] = _by_itself
    escape: Callable[[bytes], bytes | None] = _unchanged
    ends: Callable[[Run, Process], bool] = _every  # whose end the bundle states, where it carries "exit" at all
    names: Callable[[Identities, Process], frozenset[str]] = field(default=lambda identities, process: frozenset())
    stamps: bool = True  # whether the format itself gives each line a time
    ordered: bool = True  # whether lines of a group come in the order in which they were received


@cache
def load_collectors() -> Mapping[str, Collector]:
    """By name."""
    collectors: dict[str, Collector] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        for collector in getattr(importlib.import_module(f"{__name__}.{module}"), "COLLECTORS", ()):
            if collector.name in collectors:
                raise ValueError(f"two collectors are called {collector.name}")
            collectors[collector.name] = collector
    return collectors


def find_losses(collector: Collector, run: Run, files: Files) -> list[str]:
    """What the round trip lost or changed, in sentences; empty where nothing was."""
    wanted: dict[str, list[bytes]] = {}
    for line in run.lines:
        process = run.by_name[line.process]
        if collector.keeps(run, process) and (text := collector.escape(line.text)) is not None:
            wanted.setdefault(collector.group(run, process), []).extend(text.split(b"\n"))
    texts_by_group: dict[str, list[bytes]] = {}
    for group, text in collector.read_back(files):
        texts_by_group.setdefault(group, []).append(text)
    losses = [f"{collector.name}: a group of no process: {group}" for group in texts_by_group.keys() - wanted.keys()]
    for group, lines in wanted.items():
        got = texts_by_group.get(group, [])
        if got == lines or (not collector.ordered and Counter(got) == Counter(lines)):
            continue
        at = next((i for i, (a, b) in enumerate(zip(lines, got, strict=False)) if a != b), min(len(lines), len(got)))
        losses.append(
            f"{collector.name}: {group}: line {at + 1} of {len(lines)}: {lines[at : at + 1]} became {got[at : at + 1]}"
        )
    return losses
