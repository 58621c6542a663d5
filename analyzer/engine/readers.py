"""Processes that read parts; the parent talks to each through a pipe."""

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
    """What is read, and with what.

    `scratch` is a folder of the parent, which removes it even if a reader is killed.
    """

    parts: Sequence[Part]
    packs: Packs
    limits: BundleLimits
    sysroots: tuple[Path, ...]
    scratch: Path


@dataclass(frozen=True, slots=True)
class PartReader:
    """Reads parts: the configuration and the plan that was compiled for it."""

    config: ReadConfig
    plan: ReadPlan

    def read(self, index: int, monitor: ProgressMonitor) -> IngestResult:
        """Read the part with this index."""
        config, part = self.config, self.config.parts[index]
        if part.shard.number:
            monitor = SilentMonitor(monitor)
        return read_input_files(
            part.items, self.plan, config.limits, config.sysroots, monitor, config.scratch, part.shard
        )


@dataclass(frozen=True, slots=True)
class ReaderProcess:
    """A reading process, seen from the parent."""

    process: BaseProcess
    pipe: Connection

    def assign(self, index: int) -> None:
        """Tell the process which part to read. If it is dead, `receive` says so."""
        with suppress(OSError):
            self.pipe.send(index)

    def receive(self) -> IngestResult | None:
        """Return what it read, or None if it died. Raises the error that reading raised in the process."""
        try:
            reply = self.pipe.recv()
        except (EOFError, OSError):  # OSError: it died in the middle of its reply
            return None
        if isinstance(reply, Exception):
            raise reply
        assert isinstance(reply, IngestResult)
        return reply


@contextmanager
def start_readers(count: int, part_reader: PartReader, progress: SharedProgress) -> Iterator[Sequence[ReaderProcess]]:
    """Start up to `count` readers, as many as the machine allows, and kill them at the end of the block."""
    readers: list[ReaderProcess] = []
    start = _fork_readers if can_fork() else _spawn_readers
    if start is _spawn_readers:
        # In a block of its own, because ensure_running unblocks signals when it is done. If the tracker started later,
        # a terminal's SIGHUP would end it, and it would complain.
        with signals_held(), suppress(OSError), _safe_import_path():
            resource_tracker.ensure_running()
    try:
        with signals_held(), suppress(OSError), _safe_import_path():  # only this process handles a terminal's Ctrl-C
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
    """Keep a Python that starts meanwhile from importing from the current folder, which may be an unpacked incident.

    A folder of PYTHONPATH stays if this process imports from it too.
    """
    before = {name: os.environ.get(name) for name in ("PYTHONSAFEPATH", "PYTHONPATH")}
    ours = {os.path.realpath(folder) for folder in sys.path if folder}
    folders = (before["PYTHONPATH"] or "").split(os.pathsep)
    safe = [folder for folder in folders if folder and os.path.realpath(folder) in ours]
    os.environ["PYTHONPATH"] = os.pathsep.join(safe)
    os.environ["PYTHONSAFEPATH"] = "1"  # like `python -P`
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _fork_readers(count: int, part_reader: PartReader, progress: SharedProgress) -> Iterator[ReaderProcess]:
    """Start readers that share all loaded memory with this process until either writes to it."""
    context = multiprocessing.get_context("fork")
    for number in range(count):
        ours, theirs = context.Pipe()
        with theirs:
            process = context.Process(target=_serve_parts, args=(theirs, part_reader, progress.monitor_for(number)))
            process.start()
        yield ReaderProcess(process, ours)


def _spawn_readers(count: int, part_reader: PartReader, progress: SharedProgress) -> Iterator[ReaderProcess]:
    """Start readers that load everything anew.

    The configuration is in shared memory: a pipe would block once it is full, with signals held, until the process
    starts.
    """
    context, data = multiprocessing.get_context("spawn"), pickle.dumps(part_reader.config)
    shared_config: Any = RawArray("c", len(data))
    shared_config.raw = data
    for number in range(count):
        ours, theirs = context.Pipe()
        with theirs:
            process = context.Process(
                target=_run_spawned, args=(theirs, shared_config, progress, number, log_settings())
            )
            process.start()
        yield ReaderProcess(process, ours)


def _run_spawned(
    pipe: Connection, shared_config: Any, progress: SharedProgress, number: int, log: LogSettings | None
) -> None:
    """The main function of a spawned reader. The program's start has left the compiled plan in the cache."""
    continue_log(log)
    config: ReadConfig = pickle.loads(shared_config.raw)
    _serve_parts(pipe, PartReader(config, build_plan(config.packs, cache_dir())), progress.monitor_for(number))


def _serve_parts(pipe: Connection, part_reader: PartReader, monitor: ProgressMonitor) -> None:
    """The main loop of a reader: read each part that the parent assigns.

    A reader blocks every signal but SIGKILL, because a scheduler sends SIGTERM to all processes of a job and what was
    read must still reach the report. It dies with its parent.
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
    except Exception as error:  # noqa: BLE001  the parent raises it
        return error
