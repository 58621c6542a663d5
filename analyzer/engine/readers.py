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

from analyzer.bundle import BundleLimits
from analyzer.crash_isolation import prefer_as_oom_victim
from analyzer.engine.ingest import IngestResult, read_input_files
from analyzer.engine.monitor import ProgressMonitor, SilentMonitor
from analyzer.engine.parts import Part, can_fork
from analyzer.engine.shared_progress import SharedProgress
from analyzer.interrupts import die_with_parent, signals_held
from analyzer.paths import cache_dir
from analyzer.reading import ReadPlan, build_plan
from analyzer.redact.log_output import LogSettings, continue_log, log_settings
from analyzer.rules.types import Packs


@dataclass(frozen=True, slots=True)
class ReadConfig:
    """What is read, and with what. `scratch` is the parent's: it goes away also where a reader is killed."""

    parts: Sequence[Part]
    packs: Packs
    limits: BundleLimits
    sysroots: tuple[Path, ...]
    scratch: Path


@dataclass(frozen=True, slots=True)
class PartReader:
    """An order, and what was compiled for it."""

    config: ReadConfig
    plan: ReadPlan

    def read(self, index: int, monitor: ProgressMonitor) -> IngestResult:
        order, part = self.config, self.config.parts[index]
        if part.shard.number:
            monitor = SilentMonitor(monitor)
        return read_input_files(part.items, self.plan, order.limits, order.sysroots, monitor, order.scratch, part.shard)


@dataclass(frozen=True, slots=True)
class ReaderProcess:
    """One process, from outside."""

    process: BaseProcess
    pipe: Connection

    def assign(self, index: int) -> None:
        """The part that it shall read; that it has died, `take` tells."""
        with suppress(OSError):
            self.pipe.send(index)

    def receive(self) -> IngestResult | None:
        """What it read, or None where it died. Raises what reading raised there."""
        try:
            said = self.pipe.recv()
        except (EOFError, OSError):  # OSError: in the middle of its answer
            return None
        if isinstance(said, Exception):
            raise said
        assert isinstance(said, IngestResult)
        return said


@contextmanager
def start_readers(count: int, part_reader: PartReader, progress: SharedProgress) -> Iterator[Sequence[ReaderProcess]]:
    """As many as the machine lets start, which end here, also in the middle of their work."""
    readers: list[ReaderProcess] = []
    start = _fork_readers if can_fork() else _spawn_readers
    if start is _spawn_readers:
        with (
            signals_held(),
            suppress(OSError),
            _safe_import_path(),
        ):  # by itself, as it lets signals through when it is done
            resource_tracker.ensure_running()  # later it would not outlive a terminal's SIGHUP, and complain
    try:
        with signals_held(), suppress(OSError), _safe_import_path():  # a terminal's Ctrl-C is for this process alone
            readers.extend(start(count, part_reader, progress))
        yield readers
    finally:
        for reader in readers:
            reader.process.kill()
        for reader in readers:
            reader.process.join()
            reader.pipe.close()


@contextmanager
def _safe_import_path() -> Iterator[None]:
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


def _fork_readers(count: int, part_reader: PartReader, progress: SharedProgress) -> Iterator[ReaderProcess]:
    """With all that is loaded here, in memory that is shared until somebody writes to it."""
    context = multiprocessing.get_context("fork")
    for number in range(count):
        ours, theirs = context.Pipe()
        with theirs:
            process = context.Process(target=_serve_parts, args=(theirs, part_reader, progress.monitor_for(number)))
            process.start()
        yield ReaderProcess(process, ours)


def _spawn_readers(count: int, part_reader: PartReader, progress: SharedProgress) -> Iterator[ReaderProcess]:
    """Which load all anew. The order is in shared memory: what a pipe does not take at once waits, with signals held,
    for a process to start.
    """
    context, data = multiprocessing.get_context("spawn"), pickle.dumps(part_reader.config)
    told: Any = RawArray("c", len(data))
    told.raw = data
    for number in range(count):
        ours, theirs = context.Pipe()
        with theirs:
            process = context.Process(target=_run_spawned, args=(theirs, told, progress, number, log_settings()))
            process.start()
        yield ReaderProcess(process, ours)


def _run_spawned(
    pipe: Connection, shared_config: Any, progress: SharedProgress, number: int, log: LogSettings | None
) -> None:
    """In a reader. The program's start has left the automaton in the cache."""
    continue_log(log)
    order: ReadConfig = pickle.loads(shared_config.raw)
    _serve_parts(pipe, PartReader(order, build_plan(order.packs, cache_dir())), progress.monitor_for(number))


def _serve_parts(pipe: Connection, part_reader: PartReader, monitor: ProgressMonitor) -> None:
    """In a reader, which hears no signal but SIGKILL: a scheduler sends SIGTERM to all processes of a job, and what was
    read shall be told. The parent's end is its own.
    """
    if (parent := multiprocessing.parent_process()) and parent.pid:
        die_with_parent(parent.pid)
    prefer_as_oom_victim()
    with suppress(EOFError, OSError):  # the parent is gone
        while True:
            pipe.send(_read_or_error(part_reader, pipe.recv(), monitor))


def _read_or_error(part_reader: PartReader, index: int, monitor: ProgressMonitor) -> IngestResult | Exception:
    try:
        return part_reader.read(index, monitor)
    except Exception as error:  # noqa: BLE001  raised where it is told
        return error
