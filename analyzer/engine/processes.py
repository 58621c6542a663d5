"""Parts in several processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from analyzer.apart import die_first
from analyzer.bundle import Limits
from analyzer.engine.board import Board
from analyzer.engine.members import Intake, read_places
from analyzer.engine.parts import Part, lose
from analyzer.engine.room import Room, make_room
from analyzer.engine.watch import Watch
from analyzer.paths import cache_dir, scratch_folder
from analyzer.reading import Plan, SourceResult, build_plan
from analyzer.rules.types import Packs


class _NoProcessError(Exception):
    """The machine lets no process start."""


_ENDS = {signal.SIGTERM, signal.SIGHUP}
PATIENCE = 0.4  # seconds that a process has to clear up
LOOK = 0.1  # seconds between two looks at how far the processes are
LOST = "the process that read it was ended twice, perhaps for memory"


@dataclass(frozen=True, slots=True)
class _Order:
    """What every part is read with. `scratch` is the parent's: it goes away also where a reader is killed."""

    packs: Packs
    limits: Limits
    sysroots: tuple[Path, ...]
    scratch: Path


@dataclass(slots=True)
class _Done:
    """What was read of each part. What waits to be put together is as bounded as what is: a part may fill all room."""

    room: Room
    intakes: dict[int, Intake] = field(default_factory=dict)

    def put(self, index: int, intake: Intake) -> None:
        if intake.room.level > self.room.level:
            self.room.adopt(intake.room.level, self._loud())
        for result in intake.results.loud:
            self.room.fit(result)
        self.intakes[index] = intake
        intake.room.level = self.room.level
        if self.room.full:
            self.room.close(self._loud())
            for each in self.intakes.values():
                each.room.level = self.room.level

    def _loud(self) -> list[SourceResult]:
        """In the order of the files."""
        return [result for index in sorted(self.intakes) for result in self.intakes[index].results.loud]


def read_parts(
    parts: Sequence[Part],
    packs: Packs,
    limits: Limits,
    sysroots: Sequence[Path],
    jobs: int,
    watch: Watch | None = None,
) -> Intake:
    """As one process would read them, to the bit. A part whose process was killed is tried again, alone.

    Where no process can be had (a limit of processes, threads or files, no shared memory), this one reads.
    """
    watch = watch or Watch()
    done = _Done(make_room(packs.signals.values()))
    largest_first = sorted(range(len(parts)), key=lambda index: -parts[index].size)
    with _signals_wait(), suppress(OSError):
        resource_tracker.ensure_running()  # it would not outlive a terminal's SIGHUP, and complain
    with scratch_folder() as scratch:
        order = _Order(packs, limits, tuple(sysroots), scratch)
        try:
            with suppress(BrokenProcessPool):  # one process ended by a signal breaks the whole pool
                _read_all(parts, largest_first, order, jobs, watch, done)
            for index in (index for index in largest_first if index not in done.intakes):
                with suppress(BrokenProcessPool):
                    _read_all(parts, [index], order, 1, watch, done)
        except _NoProcessError:
            _read_here(parts, order, watch, done)
    merged = Intake(room=make_room(packs.signals.values()))
    for index, part in enumerate(parts):
        merged.add(done.intakes.pop(index) if index in done.intakes else _lost(part))
    return merged


def _read_all(
    parts: Sequence[Part],
    indexes: Sequence[int],
    order: _Order,
    jobs: int,
    watch: Watch,
    done: _Done,
) -> None:
    with _need_process():
        board = Board(jobs)
    with _pool(jobs, order, board) as pool:
        with _signals_wait(), _need_process():
            futures = {pool.submit(_read, parts[index]): index for index in indexes}
        waiting: Iterable[Future[Intake]] = futures
        while waiting:
            finished, waiting = wait(waiting, LOOK, FIRST_COMPLETED)
            board.pass_on(watch)
            for future in finished:
                done.put(futures[future], future.result())


def _read_here(parts: Sequence[Part], order: _Order, watch: Watch, done: _Done) -> None:
    """What is not read yet."""
    plan = build_plan(order.packs, cache_dir())
    for index, part in enumerate(parts):
        if index not in done.intakes:
            done.put(index, read_places(part.items, plan, order.limits, order.sysroots, watch, order.scratch))


def _lost(part: Part) -> Intake:
    return Intake(others=[lose(item, LOST) for item in part.items])


@contextmanager
def _pool(jobs: int, order: _Order, board: Board) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with this one, also in the middle of their work.

    They are spawned: a progress bar has a thread, and a fork of threads may hang.
    """
    context = multiprocessing.get_context("spawn")
    with _need_process():
        pool = ProcessPoolExecutor(jobs, context, _prepare, (order, board, context.Value("i", 0)))
    try:
        yield pool
    except BaseException:
        _end(multiprocessing.active_children())
        raise
    finally:
        with suppress(RuntimeError):  # its thread, which could not be started, is joined
            pool.shutdown(cancel_futures=True)


def _end(processes: Sequence[BaseProcess]) -> None:
    """One that still starts hears no signal until it is ready, and has nothing yet that it should clear up."""
    for process in processes:
        process.terminate()
    end = time.monotonic() + PATIENCE
    for process in processes:
        process.join(max(0.0, end - time.monotonic()))
        process.kill()


@contextmanager
def _need_process() -> Iterator[None]:
    """What is done to start processes, and what a machine says that lets none start."""
    try:
        yield
    except (OSError, RuntimeError) as error:  # RuntimeError: "can't start new thread"
        if isinstance(error, BrokenProcessPool):
            raise
        raise _NoProcessError from error


@contextmanager
def _signals_wait() -> Iterator[None]:
    """What is started meanwhile never sees Ctrl-C: a terminal sends it to all, and only the first is to act.

    Nor does a signal cut off what a process is told at its start.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *_ENDS})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_ready: tuple[_Order, Plan, Watch] | None = None


def _prepare(order: _Order, board: Board, started: Any) -> None:
    """Each process loads the automaton once; the first start has left it in the cache."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDS)
    die_first()
    global _ready  # a pool's initializer has no other way to hand on
    with started.get_lock():
        number, started.value = started.value, started.value + 1
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _ready = order, build_plan(order.packs, cache_dir()), board.reader(number)


def _end_with_parent() -> None:
    """A parent that is killed outright cannot end its children."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _read(part: Part) -> Intake:
    assert _ready is not None
    order, plan, watch = _ready
    return read_places(part.items, plan, order.limits, order.sysroots, watch, order.scratch)
