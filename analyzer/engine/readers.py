"""Processes that read parts, each at the other end of a pipe."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from typing import Any

from analyzer.apart import die_first
from analyzer.bundle import Limits
from analyzer.engine.board import Board
from analyzer.engine.members import Intake, read_places
from analyzer.engine.parts import Part, can_fork
from analyzer.engine.watch import Silent, Watch
from analyzer.interrupts import die_with, held
from analyzer.paths import cache_dir
from analyzer.reading import Plan, build_plan
from analyzer.rules.types import Packs


@dataclass(frozen=True, slots=True)
class Order:
    """What is read, and with what. `scratch` is the parent's: it goes away also where a reader is killed."""

    parts: Sequence[Part]
    packs: Packs
    limits: Limits
    sysroots: tuple[Path, ...]
    scratch: Path


@dataclass(frozen=True, slots=True)
class Ready:
    """An order, and what was compiled for it."""

    order: Order
    plan: Plan

    def read(self, index: int, watch: Watch) -> Intake:
        order, part = self.order, self.order.parts[index]
        if part.share.number:
            watch = Silent(watch)
        return read_places(part.items, self.plan, order.limits, order.sysroots, watch, order.scratch, part.share)


@dataclass(frozen=True, slots=True)
class Reader:
    """One process, from outside."""

    process: BaseProcess
    pipe: Connection

    def give(self, index: int) -> None:
        """The part that it shall read; that it has died, `take` tells."""
        with suppress(OSError):
            self.pipe.send(index)

    def take(self) -> Intake | None:
        """What it read, or None where it died. Raises what reading raised there."""
        try:
            said = self.pipe.recv()
        except (EOFError, OSError):  # OSError: in the middle of its answer
            return None
        if isinstance(said, Exception):
            raise said
        assert isinstance(said, Intake)
        return said


@contextmanager
def start_readers(count: int, ready: Ready, board: Board) -> Iterator[Sequence[Reader]]:
    """As many as the machine lets start, which end here, also in the middle of their work."""
    readers: list[Reader] = []
    start = _fork if can_fork() else _spawn
    if start is _spawn:
        with held(), suppress(OSError), _safe_path():  # by itself, as it lets signals through when it is done
            resource_tracker.ensure_running()  # later it would not outlive a terminal's SIGHUP, and complain
    try:
        with held(), suppress(OSError), _safe_path():  # a terminal's Ctrl-C is for this process alone
            readers.extend(start(count, ready, board))
        yield readers
    finally:
        for reader in readers:
            reader.process.kill()
        for reader in readers:
            reader.process.join()
            reader.pipe.close()


@contextmanager
def _safe_path() -> Iterator[None]:
    """A Python that is started meanwhile imports nothing from the current folder, which may be an unpacked incident,

    unless this one does: its PYTHONPATH has no more than our `sys.path`.
    """
    before = {name: os.environ.get(name) for name in ("PYTHONSAFEPATH", "PYTHONPATH")}
    ours = {os.path.realpath(place) for place in sys.path if place}
    places = (before["PYTHONPATH"] or "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(place for place in places if place and os.path.realpath(place) in ours)
    os.environ["PYTHONSAFEPATH"] = "1"  # as -P
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _fork(count: int, ready: Ready, board: Board) -> Iterator[Reader]:
    """With all that is loaded here, in memory that is shared until somebody writes to it."""
    context = multiprocessing.get_context("fork")
    for number in range(count):
        ours, theirs = context.Pipe()
        with theirs:
            process = context.Process(target=_serve, args=(theirs, ready, board.reader(number)))
            process.start()
        yield Reader(process, ours)


def _spawn(count: int, ready: Ready, board: Board) -> Iterator[Reader]:
    """Which load all anew. The order is in shared memory: what a pipe does not take at once waits, with signals held,
    for a process to start.
    """
    context, data = multiprocessing.get_context("spawn"), pickle.dumps(ready.order)
    told: Any = RawArray("c", len(data))
    told.raw = data
    for number in range(count):
        ours, theirs = context.Pipe()
        with theirs:
            process = context.Process(target=_load, args=(theirs, told, board, number))
            process.start()
        yield Reader(process, ours)


def _load(pipe: Connection, told: Any, board: Board, number: int) -> None:
    """In a reader. The program's start has left the automaton in the cache."""
    order: Order = pickle.loads(told.raw)
    _serve(pipe, Ready(order, build_plan(order.packs, cache_dir())), board.reader(number))


def _serve(pipe: Connection, ready: Ready, watch: Watch) -> None:
    """In a reader, which hears no signal but SIGKILL: a scheduler sends SIGTERM to all processes of a job, and what was
    read shall be told. The parent's end is its own.
    """
    if (parent := multiprocessing.parent_process()) and parent.pid:
        die_with(parent.pid)
    die_first()
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            pipe.send(_read(ready, pipe.recv(), watch))


def _read(ready: Ready, index: int, watch: Watch) -> Intake | Exception:
    try:
        return ready.read(index, watch)
    except Exception as error:  # noqa: BLE001  raised where it is told
        return error
