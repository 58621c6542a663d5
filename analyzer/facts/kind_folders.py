"""Finds the folders that sort files by kind or origin and do not name a machine, by what is in them.

fetched/n1/train.log  fetched/n2/train.log  switch/leaf.log       `fetched` holds the machines
logs/n1.txt  logs/n2.txt  conserver/n1.con  conserver/n2.con      the files of both folders are named for machines
n1.txt  n2.txt  conserver/n1.con  conserver/n2.con                so are the files beside the folder
netconsole/10.0.0.6.log  netconsole/10.0.0.8.log       a log server names files for the addresses of the machines
mon/ps0.log  mon/worker0.log  tue/ps0.log  tue/worker0.log …      both folders hold a whole cluster: two runs
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from analyzer.formats.records.writer_names import family_of

# Parts of a machine or of a job, which are numbered in the folder of one machine.
_is_numbered_part = re.compile(
    r"(?:rank|worker|ps|chief|master|task|trainer|evaluator|replica|process|thread|local|gpu|cpu|card|device|dev|nvme|"
    r"disk|sd|ib|eth|mlx|port|numa|socket|shard|part|fold|trial|seed|epoch|ckpt|checkpoint|model|exp|stage|round|day|"
    r"session|batch|cluster|container|app|application)[-_.]?#",
    re.I,
).match
_match_task = re.compile(r"(chief|master|coordinator|worker|ps|evaluator)[-_.]?(\d{1,5})", re.I).fullmatch
_match_address = re.compile(r"\d{1,3}(?:[.-]\d{1,3}){3}").fullmatch
MIN_CLUSTER_TASKS = 3  # that two folders have in common; a server and a worker of local numbers may be on each machine


def find_kind_folders(split: Iterable[Sequence[str]], depth: int, is_generic: Callable[[str], bool]) -> frozenset[str]:
    """Return the folders at `depth` that hold the folders or files of machines. `split` are paths in parts."""
    split = list(split)
    paths = [parts for parts in split if len(parts) > depth + 1]
    beside = _find_numbered_names({parts[-1] for parts in split if len(parts) == depth + 1})
    return (
        _find_folders_of_names(paths, depth, beside)
        | _find_folders_of_machines(paths, depth, is_generic)
        | _find_folders_of_clusters(paths, depth)
        | _find_folders_of_addresses(paths, depth)
    )


def _find_folders_of_names(paths: Iterable[Sequence[str]], depth: int, names: Collection[str]) -> frozenset[str]:
    """Return the folders of which several files have one of these names, and none has another numbered one."""
    stems: dict[str, set[str]] = {}
    for parts in paths if names else ():
        if len(parts) == depth + 2:
            stems.setdefault(parts[depth], set()).add(parts[-1])
    numbered = {folder: _find_numbered_names(files) for folder, files in stems.items()}
    return frozenset(folder for folder, files in numbered.items() if len(files) > 1 and files.issubset(names))


def _find_folders_of_addresses(paths: Iterable[Sequence[str]], depth: int) -> frozenset[str]:
    """Return the folders that hold files named for several addresses."""
    addresses: dict[str, set[str]] = {}
    for parts in paths:
        if len(parts) == depth + 2 and _match_address(parts[-1]):
            addresses.setdefault(parts[depth], set()).add(parts[-1])
    return frozenset(folder for folder, names in addresses.items() if len(names) > 1)


def _find_folders_of_clusters(paths: Iterable[Sequence[str]], depth: int) -> frozenset[str]:
    """Return the folders that hold files of the same tasks, servers and workers: no task runs on two machines."""
    tasks: dict[tuple[str, ...], set[str]] = {}  # folders from `depth` on → the tasks of their files
    for parts in paths:
        if match := _match_task(parts[-1]):
            for end in range(depth + 1, len(parts)):
                tasks.setdefault(tuple(parts[depth:end]), set()).add(f"{match[1].lower()}:{int(match[2])}")
    holders = Counter((len(folder), task) for folder, names in tasks.items() for task in names)
    shared = {folder: {task for task in names if holders[len(folder), task] > 1} for folder, names in tasks.items()}
    return frozenset(
        folder[-1]
        for folder, names in shared.items()
        if len(names) >= MIN_CLUSTER_TASKS and len({name.partition(":")[0] for name in names}) > 1
    )


def _find_folders_of_machines(
    paths: Iterable[Sequence[str]], depth: int, is_generic: Callable[[str], bool]
) -> frozenset[str]:
    folders: dict[str, set[str]] = {}
    files: dict[str, set[str]] = {}
    for parts in paths:
        kind = files if len(parts) == depth + 2 else folders
        kind.setdefault(parts[depth], set()).add(parts[depth + 1])
    all_folders = folders.keys() | files.keys()
    names = {name for name in all_folders if not is_generic(name)}
    if not names or max(Counter(family_of(name) for name in names).values()) > 1:
        return frozenset()  # the folders differ by a number: they are the machines themselves
    numbered_inside = {name: _find_numbered_names(contents) for name, contents in folders.items()}
    holders = {name for name, contents in numbered_inside.items() if contents}
    if len(holders) == 1 < len(all_folders):
        return frozenset(holders & names)
    numbered_files = {name: _find_numbered_names(contents) for name, contents in files.items()}
    return frozenset(names & (_folders_sharing_names(numbered_inside) | _folders_sharing_names(numbered_files)))


def _find_numbered_names(names: Iterable[str]) -> set[str]:
    """Return the names that differ by a number alone and may be those of machines."""
    forms: dict[str, set[str]] = {}
    for name in names:
        forms.setdefault(family_of(name), set()).add(name)
    return {
        name
        for form, same_form in forms.items()
        if len(same_form) > 1 and "#" in form and form[0].isalpha() and not _is_numbered_part(form)
        for name in same_form
    }


def _folders_sharing_names(numbered_inside: Mapping[str, set[str]]) -> set[str]:
    """Return the folders of which at least two names occur in other folders too."""
    holders = Counter(name for numbered in numbered_inside.values() for name in numbered)
    return {folder for folder, numbered in numbered_inside.items() if sum(holders[name] > 1 for name in numbered) > 1}
