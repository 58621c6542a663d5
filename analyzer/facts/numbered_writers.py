"""Tasks of writers that differ by a number alone, which is that of a launcher's rank.

slurm-71.0.err  slurm-71.1.err      rank.0/stderr  rank.1/stderr      job.e71.1  job.e71.2 (an array counts from 1)

Launchers number their processes in the order of the tasks. If the writers that state their task agree with such an
order, each silent one has the task of its number.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from analyzer.bundle import log_names
from analyzer.facts.cluster_spec import ClusterSpec
from analyzer.facts.launcher_ranks import tasks_in_launch_order
from analyzer.facts.path_labels import split_path
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Kind

MAX_NUMBERS_PER_PATH = 8
MAX_NUMBER_SPREAD = 2  # numbers of ranks are close together, those of jobs and processes are not
MAX_RANK = 10_000_000
_STANDARD_STREAM = re.compile(r"(?:std)?(?:out|err)(?![a-z])|(?<=\.)p?[oe](?=\d)", re.I)
_NUMBER = re.compile(r"\d+")
_log = logging.getLogger("analyzer.facts")
Series = Mapping[int, Sequence[StreamIdentity]]  # number → the writers that have it


def assign_numbered_tasks(identities: Iterable[StreamIdentity], cluster: ClusterSpec | None) -> None:
    """Give each silent writer of a series the task of its number, unless another writer states that task.

    Stream identities are changed. `cluster` is the cluster spec of the job, if one is known.
    """
    writers = [identity for identity in identities if identity.kind in (Kind.WORKER, Kind.UNKNOWN)]
    stated = {task for identity in writers for task in identity.tasks}
    launch_order = tasks_in_launch_order(cluster)
    candidates: dict[int, set[str]] = {}  # by position in `silent`
    silent: dict[int, StreamIdentity] = {}
    for series in _find_series(writers):
        tasks = _tasks_of_numbers(series, launch_order)
        for number, task in tasks.items():
            for identity in series[number]:
                if not identity.tasks and task not in stated:
                    silent[id(identity)] = identity
                    candidates.setdefault(id(identity), set()).add(task)
    for key, identity in silent.items():
        if len(candidates[key]) == 1:
            identity.tasks |= candidates[key]
            _log.debug("%s: its number is that of %s among files numbered alike", identity.file, *candidates[key])


def _find_series(writers: Sequence[StreamIdentity]) -> Iterator[Series]:
    """Yield the series of files and folders whose paths differ by one number. A writer may be in several."""
    names = log_names(dict.fromkeys(identity.file for identity in writers if not identity.stream))
    series: dict[str, dict[int, list[StreamIdentity]]] = {}
    for identity in writers:
        for form, number in _numbered_forms(names[identity.file]) if identity.file in names else ():
            series.setdefault(form, {}).setdefault(number, []).append(identity)
    for numbered in series.values():
        if len(numbered) > 1 and max(numbered) - min(numbered) < MAX_NUMBER_SPREAD * len(numbered):
            yield numbered


def _numbered_forms(path: str) -> Iterator[tuple[str, int]]:
    """Yield (path with `#` for one of its numbers, that number). Behind a numbered folder the rest is left out."""
    bare = _STANDARD_STREAM.sub("", "/".join(split_path(path)))
    for match in list(_NUMBER.finditer(bare))[-MAX_NUMBERS_PER_PATH:]:
        end = bare.find("/", match.end())
        if len(match[0]) < len(str(MAX_RANK)):
            yield f"{bare[: match.start()]}#{bare[match.end() : end if end >= 0 else None]}", int(match[0])


def _tasks_of_numbers(series: Series, launch_order: Sequence[str]) -> Mapping[int, str]:
    """Return number → task for the silent writers of a series; {} unless all that state a task agree on an order."""
    stated: dict[int, str] = {}
    for number, writers in series.items():
        tasks = {task for identity in writers for task in identity.tasks}
        if len(tasks) > 1:
            return {}
        if tasks:
            stated[number] = tasks.pop()
    if not stated or len(set(stated.values())) < len(stated):
        return {}
    silent = sorted(series.keys() - stated.keys())
    for first in (0, 1):
        task_of = {first + position: task for position, task in enumerate(launch_order)}
        if all(task_of.get(number) == task for number, task in stated.items()):
            return {number: task_of[number] for number in silent if number in task_of}
    return {} if launch_order else dict(_count_on(stated, silent))


def _count_on(stated: Mapping[int, str], silent: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield (number, task) by counting within one job. A lone statement counts only if the job begins with 0 or 1."""
    jobs = {task.partition(":")[0] for task in stated.values()}
    offsets = {number - int(task.partition(":")[2]) for number, task in stated.items()}
    if len(jobs) > 1 or len(offsets) > 1 or (len(stated) == 1 and offsets.isdisjoint((0, 1))):
        return
    (job,), (offset,) = jobs, offsets
    yield from ((number, f"{job}:{number - offset}") for number in silent if number >= offset)
