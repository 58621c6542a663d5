"""Reading parts in several processes of this machine."""

from __future__ import annotations

import logging
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

POLL_INTERVAL_S = 0.1  # seconds between two updates of the progress
_log = logging.getLogger("analyzer.engine")


class _NoProcessError(Exception):
    """The machine does not let a process start."""


@dataclass(slots=True)
class _PartResults:
    """What was read of each part.

    Results that wait to be merged are bounded like the merged ones, because one part alone may use the whole event
    budget.
    """

    parts: Sequence[Part]
    event_budget: EventBudget
    results: dict[int, IngestResult] = field(default_factory=dict)

    def add(self, index: int, ingested: IngestResult) -> None:
        """Add the result of the part `index` and trim all results to one level."""
        if ingested.event_budget.level > self.event_budget.level:
            self.event_budget.tighten_to(ingested.event_budget.level, self._results_with_events())
        for result in ingested.results.with_events:
            self.event_budget.trim_and_count(result)
        self.results[index] = ingested
        ingested.event_budget.level = self.event_budget.level
        if self.event_budget.is_full:
            self.event_budget.tighten_to_fit(self._results_with_events())
            for part_result in self.results.values():
                part_result.event_budget.level = self.event_budget.level

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
    """Read `parts` with exactly the result that one process would have.

    A part whose process was killed is tried once more, alone. If no process can be started (a limit of processes or
    files, no shared memory), this process reads.
    """
    monitor = monitor or ProgressMonitor()
    part_results = _PartResults(parts, new_event_budget(packs.signals.values()))
    largest_first = sorted(range(len(parts)), key=lambda index: -parts[index].size)
    with scratch_folder() as scratch:
        config = ReadConfig(parts=parts, packs=packs, limits=limits, sysroots=tuple(sysroots), scratch=scratch)
        part_reader = PartReader(config, plan)
        try:
            _read_in_processes(largest_first, part_reader, jobs, monitor, part_results)
            for index in (
                index for index in largest_first if index not in part_results.results and not monitor.should_stop()
            ):
                _log.info("the process that read %s was killed; trying again", parts[index].names[0])
                _read_in_processes([index], part_reader, 1, monitor, part_results)
            if monitor.should_stop():  # only names what is left, so no process is needed
                _read_remaining_here(part_reader, monitor, part_results)
        except _NoProcessError:
            _log.info("no process can be started; this one reads")
            _read_remaining_here(part_reader, monitor, part_results)
    merged = IngestResult(event_budget=new_event_budget(packs.signals.values()))
    for ingested in merge_shards(parts, part_results.results, monitor.should_stop()):
        merged.merge(ingested)
    return merged


def _read_in_processes(
    indexes: Sequence[int], part_reader: PartReader, jobs: int, monitor: ProgressMonitor, part_results: _PartResults
) -> None:
    """Read the parts of these indexes and add them to `part_results`, except those whose process dies.

    Returns early if the user stops before any reader has begun.
    """
    try:
        progress = SharedProgress(jobs)
    except OSError as error:
        raise _NoProcessError from error
    waiting = deque(indexes)
    with start_readers(jobs, part_reader, progress) as readers:
        if not readers:
            raise _NoProcessError
        idle, busy = list(readers), dict[ReaderProcess, int]()
        while (idle and waiting) or busy:
            while idle and waiting:
                busy[reader := idle.pop()] = waiting.popleft()
                reader.assign(busy[reader])
            answered = wait([reader.pipe for reader in busy], POLL_INTERVAL_S)
            for reader in [reader for reader in busy if reader.pipe in answered]:
                index, ingested = busy.pop(reader), reader.receive()
                if ingested is not None:
                    part_results.add(index, ingested)
                    idle.append(reader)
            progress.forward_to(monitor)
            if monitor.should_stop() and not progress.has_started():
                return


def _read_remaining_here(part_reader: PartReader, monitor: ProgressMonitor, part_results: _PartResults) -> None:
    """Read in this process the parts that are not in `part_results`."""
    for index in range(len(part_results.parts)):
        if index not in part_results.results:
            part_results.add(index, part_reader.read(index, monitor))
