"""Find two runs on the same machines, each with its own folder: simultaneous jobs, or consecutive runs.

    tuesday/moisture/worker0.log   tuesday/defects/worker0.log
    tuesday/moisture/worker1.log   tuesday/defects/worker1.log

If one node wrote files of the same name in two folders, they belong to two runs. If several nodes did, and the runs
overlap, they are two jobs, and the question is not about the job that ended well. If the programs of one run started
after the other run was over, that one is an earlier run, unless the last run ended well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import PurePosixPath

from analyzer.model import Event, Kind
from analyzer.signal_semantics import SignalSemantics
from analyzer.untrusted.numbers import read_whole

MIN_SHARED_NODES = 2  # more than one, because folders of one node may differ for many reasons
MAX_FOLDERS = 8  # of files with one name: few jobs run at the same time


@dataclass(slots=True)
class _Log:
    """The data of one file about its run."""

    nodes: set[str] = field(default_factory=set)
    times: list[float] = field(default_factory=list)  # by the clock of the node that wrote it
    has_start: bool = False
    last_step: int = 0  # line number; 0 if there is none
    last_end: int = 0
    last_error: int = 0

    @property
    def has_failed(self) -> bool:
        return max(self.last_step, self.last_error) > self.last_end


def find_runs_aside(
    events: Iterable[Event], semantics: SignalSemantics, file_kinds: Mapping[str, Kind]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return two maps of file → folder.

    The first is of jobs that ended well while another job on the same nodes did not. The second is of runs that were
    over when the last run on the same nodes began.

    Args:
        events: all events, each with the time of its node's clock.
        semantics: which signals state starts, progress, an end, an error.
        file_kinds: file → kind of its source.
    """
    runs = _find_runs([file for file, kind in file_kinds.items() if kind is not Kind.KERNEL])
    if not runs:
        return {}, {}
    logs = _read_logs(events, semantics)
    at_once = [pair for pair, files in runs.items() if _count_nodes(files, logs, _overlap) >= MIN_SHARED_NODES]
    in_turn = [order for pair, files in runs.items() if (order := _order_of(pair, files, logs))]
    logs_of_run: dict[str, list[_Log]] = {run: [] for pair in (*at_once, *in_turn) for run in pair}
    for file, log in logs.items():
        if run := _folder_among(file, logs_of_run):
            logs_of_run[run].append(log)
    ended = {run: _has_ended_well(of_run) for run, of_run in logs_of_run.items()}
    ended_well = {run for pair in at_once if ended[pair[0]] != ended[pair[1]] for run in pair if ended[run]}
    earlier = {run for run, later in in_turn if not ended[later]}
    return _files_in(ended_well, file_kinds), _files_in(earlier, file_kinds)


def _files_in(folders: Collection[str], files: Iterable[str]) -> dict[str, str]:
    return {file: PurePosixPath(folder).name for file in files if (folder := _folder_among(file, folders))}


def _folder_among(file: str, folders: Collection[str]) -> str:
    """Return the outermost of the folders that contain the file; "" if none does."""
    ends = (at for at, char in enumerate(file) if char == "/") if folders else ()
    return next((file[:end] for end in ends if file[:end] in folders), "")


def _order_of(
    pair: tuple[str, str], files: Sequence[tuple[str, str]], logs: Mapping[str, _Log]
) -> tuple[str, str] | None:
    """Return the folders, the earlier run first: it was over on all nodes when the other began. None if neither was.

    A program must have started in the later run, because logs that are rotated daily are of one run.
    """
    for order, turned in ((pair, files), (pair[::-1], [both[::-1] for both in files])):
        is_over = _count_nodes(turned, logs, _is_before) >= MIN_SHARED_NODES
        if is_over and not _count_nodes(turned, logs, lambda first, second: not _is_before(first, second)):
            return order if any(logs[later].has_start for _, later in turned if later in logs) else None
    return None


def _find_runs(files: Iterable[str]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return (folder, folder) → the pairs of files that have the same path in both."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for file in files:
        by_name[PurePosixPath(file).name].append(file)
    runs: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for same in by_name.values():
        for first, second in combinations(sorted(same), 2) if len(same) <= MAX_FOLDERS else ():
            runs[_folders_that_differ(first, second)].append((first, second))
    return {folders: pairs for folders, pairs in runs.items() if len(pairs) >= MIN_SHARED_NODES and all(folders)}


def _folders_that_differ(first: str, second: str) -> tuple[str, str]:
    """Return `a/x` and `b/x` for `a/x/logs/w.log` and `b/x/logs/w.log`, less what both end with: `a` and `b`."""
    one_path, other_path = list(PurePosixPath(first).parts), list(PurePosixPath(second).parts)
    while one_path and other_path and one_path[-1] == other_path[-1]:
        one_path.pop()
        other_path.pop()
    return "/".join(one_path), "/".join(other_path)


def _read_logs(events: Iterable[Event], semantics: SignalSemantics) -> dict[str, _Log]:
    logs: dict[str, _Log] = defaultdict(_Log)
    for event in events:
        if event.kind is Kind.KERNEL:
            continue
        log, line, meanings = logs[event.locus.file], event.locus.line or 0, semantics.meanings_of(event)
        if event.node:
            log.nodes.add(event.node)
        if event.time is not None:
            log.times.append(event.time)
        log.has_start |= bool(meanings & {"started", "loads"})
        if "progress" in meanings:
            log.last_step = max(log.last_step, line)
        exit_code = read_whole(event.captures.get("code")) if "exit" in meanings else None
        is_of_service = "unit" in event.captures  # of any service; a journal has many
        if ("finished" in meanings and not is_of_service) or exit_code == 0:
            log.last_end = max(log.last_end, line)
        if meanings & {"traceback", "fatal"} or (exit_code or event.captures.get("signal")):
            log.last_error = max(log.last_error, line)
    return logs


def _has_ended_well(logs: Sequence[_Log]) -> bool:
    """Return whether a program of the job logs that it is done, and no other one failed. Servers do not count."""
    return any(log.last_end for log in logs) and not any(log.has_failed for log in logs)


def _count_nodes(
    pairs: Sequence[tuple[str, str]],
    logs: Mapping[str, _Log],
    compare: Callable[[Sequence[float], Sequence[float]], bool],
) -> int:
    """Return the number of nodes that alone wrote both files of a pair, at times for which `compare` holds."""
    return len(
        {
            next(iter(logs[first].nodes))
            for first, second in pairs
            if first in logs
            and second in logs
            and len(logs[first].nodes) == 1
            and logs[first].nodes == logs[second].nodes
            and logs[first].times
            and logs[second].times
            and compare(logs[first].times, logs[second].times)
        }
    )


def _is_before(first: Sequence[float], second: Sequence[float]) -> bool:
    return max(first) < min(second)


def _overlap(first: Sequence[float], second: Sequence[float]) -> bool:
    """Return whether two spans of time overlap; False for copies of one file, which begin at the same time."""
    return min(first) != min(second) and min(first) < max(second) and min(second) < max(first)
