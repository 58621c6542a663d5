"""Parts in several processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from typing import Any

from analyzer.apart import die_first
from analyzer.bundle import Limits
from analyzer.engine.board import Board
from analyzer.engine.join import in_order, telling
from analyzer.engine.members import Intake, read_places
from analyzer.engine.parts import Part
from analyzer.engine.room import Room, make_room
from analyzer.engine.watch import Silent, Watch
from analyzer.interrupts import die_with, held
from analyzer.paths import cache_dir, scratch_folder
from analyzer.reading import Plan, SourceResult, build_plan
from analyzer.rules.types import Packs


class _NothingBegunError(Exception):
    """The word to stop came before a process was ready to read: nothing is lost with it."""


class _NoProcessError(Exception):
    """The machine lets no process start."""


LOOK = 0.1  # seconds between two looks at how far the processes are


@dataclass(frozen=True, slots=True)
class _Order:
    """What every part is read with. `scratch` is the parent's: it goes away also where a reader is killed."""

    packs: Packs
    limits: Limits
    sysroots: tuple[Path, ...]
    scratch: Path


@dataclass(frozen=True, slots=True)
class _Ready:
    """An order, and what was compiled for it."""

    order: _Order
    plan: Plan

    def read(self, part: Part, watch: Watch) -> Intake:
        order = self.order
        if part.share.number:
            watch = Silent(watch)
        return read_places(part.items, self.plan, order.limits, order.sysroots, watch, order.scratch, part.share)


@dataclass(slots=True)
class _Done:
    """What was read of each part. What waits to be put together is as bounded as what is: a part may fill all room."""

    parts: Sequence[Part]
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
        return telling(self.parts, self.intakes)


def read_parts(
    parts: Sequence[Part],
    packs: Packs,
    plan: Plan,
    limits: Limits,
    sysroots: Sequence[Path],
    jobs: int,
    watch: Watch | None = None,
) -> Intake:
    """As one process would read them, to the bit. A part whose process was killed is tried again, alone.

    Where no process can be had (a limit of processes, threads or files, no shared memory), this one reads.
    """
    watch = watch or Watch()
    done = _Done(parts, make_room(packs.signals.values()))
    largest_first = sorted(range(len(parts)), key=lambda index: -parts[index].size)
    with scratch_folder() as scratch:
        ready = _Ready(_Order(packs, limits, tuple(sysroots), scratch), plan)
        try:
            with suppress(BrokenProcessPool, _NothingBegunError):  # one process ended by a signal breaks the whole pool
                _read_all(parts, largest_first, ready, jobs, watch, done)
            for index in (index for index in largest_first if index not in done.intakes and not watch.stopped()):
                with suppress(BrokenProcessPool, _NothingBegunError):
                    _read_all(parts, [index], ready, 1, watch, done)
            if watch.stopped():  # what is left is named, for which no process need start
                _read_here(parts, ready, watch, done)
        except _NoProcessError:
            _read_here(parts, ready, watch, done)
    merged = Intake(room=make_room(packs.signals.values()))
    for intake in in_order(parts, done.intakes, watch.stopped()):
        merged.add(intake)
    return merged


def _read_all(
    parts: Sequence[Part],
    indexes: Sequence[int],
    ready: _Ready,
    jobs: int,
    watch: Watch,
    done: _Done,
) -> None:
    with _need_process():
        board = Board(jobs)
    with _pool(jobs, ready, board) as pool:
        with held(), _need_process():  # a terminal's Ctrl-C is for this process alone
            futures = {pool.submit(_read, parts[index]): index for index in indexes}
        waiting: Iterable[Future[Intake]] = futures
        while waiting:
            finished, waiting = wait(waiting, LOOK, FIRST_COMPLETED)
            board.pass_on(watch)
            if watch.stopped() and not board.begun():
                raise _NothingBegunError
            for future in finished:
                done.put(futures[future], future.result())


def _read_here(parts: Sequence[Part], ready: _Ready, watch: Watch, done: _Done) -> None:
    """What is not read yet."""
    for index, part in enumerate(parts):
        if index not in done.intakes:
            done.put(index, ready.read(part, watch))


@contextmanager
def _pool(jobs: int, ready: _Ready, board: Board) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with this one, also in the middle of their work."""
    others = {*multiprocessing.active_children()}  # of a program that has us as a library
    with _need_process():
        pool = _forked(jobs, ready, board) if _is_alone() else _spawned(jobs, ready.order, board)
    try:
        yield pool
    except BaseException:
        for process in {*multiprocessing.active_children()} - others:
            process.kill()  # its private copies are in this one's folder, and it may not hear anything else yet
        raise
    finally:
        with suppress(RuntimeError):  # its thread, which could not be started, is joined
            pool.shutdown(cancel_futures=True)


def _is_alone() -> bool:
    """Whether this process has one thread, by Linux's count. Of others a fork would copy the locks that they hold, and
    nobody to open them; and what macOS's own libraries do in threads may not be forked at all.
    """
    with suppress(OSError):
        return len([*Path("/proc/self/task").iterdir()]) == 1
    return False


def _forked(jobs: int, ready: _Ready, board: Board) -> ProcessPoolExecutor:
    """With all that is loaded here, in memory that is shared until somebody writes to it."""
    context = multiprocessing.get_context("fork")
    return ProcessPoolExecutor(jobs, context, _begin, (ready, board, context.Value("i", 0)))


def _spawned(jobs: int, order: _Order, board: Board) -> ProcessPoolExecutor:
    """Which load all anew. The order is in shared memory: what a pipe does not take at once waits, with signals held,
    for a process to start.
    """
    with held(), suppress(OSError):
        resource_tracker.ensure_running()  # it would not outlive a terminal's SIGHUP, and complain
    context, data = multiprocessing.get_context("spawn"), pickle.dumps(order)
    told: Any = RawArray("c", len(data))
    told.raw = data
    return ProcessPoolExecutor(jobs, context, _prepare, (told, board, context.Value("i", 0)))


@contextmanager
def _need_process() -> Iterator[None]:
    """What is done to start processes, and what a machine says that lets none start."""
    try:
        yield
    except (OSError, RuntimeError) as error:  # RuntimeError: "can't start new thread"
        if isinstance(error, BrokenProcessPool):
            raise
        raise _NoProcessError from error


_reads: tuple[_Ready, Watch] | None = None


def _prepare(told: Any, board: Board, started: Any) -> None:
    """Each process loads the automaton once; the first start has left it in the cache."""
    order: _Order = pickle.loads(told.raw)
    _begin(_Ready(order, build_plan(order.packs, cache_dir())), board, started)


def _begin(ready: _Ready, board: Board, started: Any) -> None:
    process = multiprocessing.parent_process()
    parent = (process and process.pid) or os.getppid()
    die_with(parent)
    threading.Thread(target=_heed, args=(parent,), daemon=True).start()
    die_first()
    with started.get_lock():
        number, started.value = started.value, started.value + 1
    global _reads  # a pool's initializer has no other way to hand on
    _reads = ready, board.reader(number)


def _heed(parent: int) -> None:
    """A scheduler sends SIGTERM to all processes of a job, and what was read shall be told: the parent alone ends this.

    It is blocked since the start, in all threads.
    """
    while signal.sigwaitinfo({signal.SIGTERM}).si_pid != parent:
        pass
    os._exit(128 + signal.SIGTERM)


def _read(part: Part) -> Intake:
    assert _reads is not None
    ready, watch = _reads
    return ready.read(part, watch)
