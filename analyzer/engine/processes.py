"""Parts in several processes of this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path

from analyzer.bundle import BundleLimits
from analyzer.engine.event_budget import EventBudget, new_event_budget
from analyzer.engine.ingest import IngestResult
from analyzer.engine.merge import merge_shards, results_with_events
from analyzer.engine.monitor import ProgressMonitor
from analyzer.engine.parts import Part
from analyzer.engine.readers import PartReader, ReadConfig, ReaderProcess, start_readers
from analyzer.engine.shared_progress import SharedProgress
from analyzer.reading import ReadPlan, SourceResult
from analyzer.rules.types import Packs
from analyzer.scratch import scratch_folder

POLL_INTERVAL_S = 0.1  # seconds between two looks at how far the processes are


class _NoProcessError(Exception):
    """The machine lets no process start."""


@dataclass(slots=True)
class _PartResults:
    """What was read of each part. What waits to be put together is as bounded as what is: a part may fill all room."""

    parts: Sequence[Part]
    event_budget: EventBudget
    results: dict[int, IngestResult] = field(default_factory=dict)

    def add(self, index: int, intake: IngestResult) -> None:
        if intake.event_budget.level > self.event_budget.level:
            self.event_budget.tighten_to(intake.event_budget.level, self._results_with_events())
        for result in intake.results.with_events:
            self.event_budget.trim_and_count(result)
        self.results[index] = intake
        intake.event_budget.level = self.event_budget.level
        if self.event_budget.is_full:
            self.event_budget.tighten_to_fit(self._results_with_events())
            for each in self.results.values():
                each.event_budget.level = self.event_budget.level

    def _results_with_events(self) -> list[SourceResult]:
        return results_with_events(self.parts, self.results)


def read_parts_in_processes(
    parts: Sequence[Part],
    packs: Packs,
    plan: ReadPlan,
    limits: BundleLimits,
    sysroots: Sequence[Path],
    jobs: int,
    monitor: ProgressMonitor | None = None,
) -> IngestResult:
    """As one process would read them, to the bit. A part whose process was killed is tried again, alone.

    Where no process can be had (a limit of processes or files, no shared memory), this one reads.
    """
    monitor = monitor or ProgressMonitor()
    done = _PartResults(parts, new_event_budget(packs.signals.values()))
    largest_first = sorted(range(len(parts)), key=lambda index: -parts[index].size)
    with scratch_folder() as scratch:
        ready = PartReader(ReadConfig(parts, packs, limits, tuple(sysroots), scratch), plan)
        try:
            _read_in_processes(largest_first, ready, jobs, monitor, done)
            for index in (index for index in largest_first if index not in done.results and not monitor.should_stop()):
                _read_in_processes([index], ready, 1, monitor, done)
            if monitor.should_stop():  # what is left is named, for which no process need start
                _read_remaining_here(ready, monitor, done)
        except _NoProcessError:
            _read_remaining_here(ready, monitor, done)
    merged = IngestResult(event_budget=new_event_budget(packs.signals.values()))
    for intake in merge_shards(parts, done.results, monitor.should_stop()):
        merged.merge(intake)
    return merged


def _read_in_processes(
    indexes: Sequence[int], part_reader: PartReader, jobs: int, monitor: ProgressMonitor, done: _PartResults
) -> None:
    """Of these parts those whose readers do not die, unless the word to stop comes before any reader has begun."""
    try:
        board = SharedProgress(jobs)
    except OSError as error:
        raise _NoProcessError from error
    waiting = deque(indexes)
    with start_readers(jobs, part_reader, board) as readers:
        if not readers:
            raise _NoProcessError
        idle, busy = list(readers), dict[ReaderProcess, int]()
        while (idle and waiting) or busy:
            while idle and waiting:
                busy[reader := idle.pop()] = waiting.popleft()
                reader.assign(busy[reader])
            answered = wait([reader.pipe for reader in busy], POLL_INTERVAL_S)
            for reader in [reader for reader in busy if reader.pipe in answered]:
                index, intake = busy.pop(reader), reader.receive()
                if intake is not None:
                    done.add(index, intake)
                    idle.append(reader)
            board.forward_to(monitor)
            if monitor.should_stop() and not board.has_started():
                return


def _read_remaining_here(part_reader: PartReader, monitor: ProgressMonitor, done: _PartResults) -> None:
    """What is not read yet."""
    for index in range(len(done.parts)):
        if index not in done.results:
            done.add(index, part_reader.read(index, monitor))
