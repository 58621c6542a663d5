"""Parts in several processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from pathlib import Path

from analyzer.bundle import Limits
from analyzer.engine.members import Intake, Progress, read_places
from analyzer.engine.parts import Part
from analyzer.model import Kind, Source
from analyzer.paths import cache_dir
from analyzer.reading import Plan, build_plan
from analyzer.rules.types import Packs

WORTH = 48 << 20  # bytes for each further process: a process costs half a second before it reads
LOST = "the process that read it was ended twice, perhaps for memory"


def choose_jobs(parts: Sequence[Part], wanted: int | None) -> int:
    """No more than there are parts, nor (unless `wanted` says so) than cores or than the input is worth."""
    if wanted is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        wanted = min(cores, 1 + sum(part.size for part in parts) // WORTH)
    return max(1, min(wanted, len(parts)))


def read_parts(
    parts: Sequence[Part],
    packs: Packs,
    limits: Limits,
    sysroots: Sequence[Path],
    jobs: int,
    progress: Progress | None = None,
) -> Intake:
    """As one process would read them, to the bit. A part whose process was killed is tried again, alone."""
    tell = progress or (lambda name, size: None)
    done: dict[int, Intake] = {}
    largest_first = sorted(range(len(parts)), key=lambda index: -parts[index].size)
    with suppress(BrokenProcessPool), _pool(jobs, packs, limits, sysroots) as pool:
        futures = {pool.submit(_read, parts[index]): index for index in largest_first}
        for future in as_completed(futures):
            index = futures[future]
            done[index] = future.result()  # one process ended by a signal breaks the whole pool
            tell(parts[index].names[-1], parts[index].size)
    for index in (index for index in largest_first if index not in done):
        with suppress(BrokenProcessPool), _pool(1, packs, limits, sysroots) as pool:
            done[index] = pool.submit(_read, parts[index]).result()
            tell(parts[index].names[-1], parts[index].size)
    merged = Intake()
    for index, part in enumerate(parts):
        merged.add(done.get(index) or _lost(part))
    return merged


def _lost(part: Part) -> Intake:
    return Intake(others=[Source(name, None, Kind.UNKNOWN, 0, "failed", problem=LOST) for name in part.names])


@contextmanager
def _pool(jobs: int, packs: Packs, limits: Limits, sysroots: Sequence[Path]) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with this one, also in the middle of their work.

    They are spawned: a progress bar has a thread, and a fork of threads may hang.
    """
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, _prepare, (packs, limits, tuple(sysroots)))
    try:
        yield pool
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_ready: tuple[Plan, Limits, Sequence[Path]] | None = None


def _prepare(packs: Packs, limits: Limits, sysroots: Sequence[Path]) -> None:
    """Each process loads the automaton once; the first start has left it in the cache."""
    global _ready  # a pool's initializer has no other way to hand on
    _ready = build_plan(packs, cache_dir()), limits, sysroots


def _read(part: Part) -> Intake:
    assert _ready is not None
    plan, limits, sysroots = _ready
    return read_places(part.items, plan, limits, sysroots)
