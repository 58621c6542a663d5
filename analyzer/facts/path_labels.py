"""Which node a file belongs to, by its path alone."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from analyzer.facts.common_name_parts import drop_common_parts
from analyzer.facts.kind_folders import find_kind_folders

# Words that name a kind of file or a place for files, never a machine.
_GENERIC_WORDS = frozenset(
    """
    all app application attempt bash bin bmc bundle case cases cluster code codes collect collected compose
    conda config conserver console container containers core cores crash current dask data debug describe df
    dmesg docker dstat dump dumps env environ environment err error errors etc events exit exitcode free freeze get
    hdfs home horovod hosts ifconfig incident incidents info ip ipmi ipmitool iptables job jobs journal
    journalctl json jsonl k8s kern kernel kmsg kubectl launch launcher lib lib64 limits local log logfile logs
    logs_all lscpu main manifest master-log meminfo messages mnt mount mounts mpi mpirun nccl net netstat
    network new nft nodes notes nvidia nvidia-smi old operations opt out output outputs pip pod podman pods previous
    proc process ps py python ray rc readme report restart result results retry root run runs sacct sar scontrol
    script sel sensors service sh share show slurm slurmctld slurmd slurmdbd slurmstepd smi spark squeue srv
    standard status std stderr stdio stdout supervisor supervisord switch switches sys syslog sysroot system
    task tasks text tf tf_config tfconfig tmp top trace train trainer-log training txt ulimit uname user usr var
    version versions warn warning worker worker_log workers wrk yaml yarn
    """.split()  # noqa: SIM905
)
_EXTENSION = re.compile(
    r"\.(?:gz|zst|xz|bz2|lz4|tgz|zip|tar|txt|log|tail|out|err|er|ou|stdout|stderr|json|jsonl|ndjson|yaml|yml|conf|cfg|con|csv|core|crash)$",
    re.I,
)
# What PBS and Grid Engine call a job's output: `bert.o4711`, `bert.e4711.3` of an array's third task, `bert.po4711`.
_BATCH_OUTPUT = re.compile(r"^.+\.p?[oe](\d{1,18})(?:[.-](\d{1,18}))?$")
_ROTATION = re.compile(r"[.-](?:\d{1,3}|20\d{6}(?:-\d+)?)$")
_ROTATED = re.compile(_EXTENSION.pattern.removesuffix("$") + _ROTATION.pattern, re.I)  # worker-0.log.2
_CONTAINER = re.compile(r"^(?P<pod>[a-z0-9][a-z0-9.-]*?)_[a-z0-9-]+_[a-z0-9.-]+-[0-9a-f]{20,}$")
_POD_DIR = re.compile(r"^[a-z0-9-]+_(?P<pod>[a-z0-9][a-z0-9.-]*)_[0-9a-f-]{30,}$")
PathParts = tuple[str, ...]  # folders and the name of a file, without extensions
SERVER_NAME = re.compile(
    r"(ps|chief|master|evaluator|param\w*)(?:[-_.\d]|$)", re.I
)  # names of machines that train nothing
_SEPARATOR = re.compile(r"([-_. ])")
_DIGITS = re.compile(r"[\d\W_]+")
# Words that name a kind of process and, with a number, a task: `worker-0`. Before a machine's name they are a kind of
# file.
_TASK_WORDS = frozenset({"worker", "ps", "master", "task", "job", "chief", "evaluator", "trainer", "rank", "pod"})
_MAX_NUMBER_SPREAD = (
    2  # a folder of numbered logs may lack every other one; numbers further apart are jobs' or processes'
)
_TASK_NAME = re.compile(
    r"(?:^|[-_.])(?P<job>chief|master|coordinator|worker|ps|evaluator)[-_.:/]?(?P<index>\d{1,5})$", re.I
)
# `node_gx07` is the folder of gx07: no host's name has an underscore (RFC 952).
_KIND_OF_MACHINE = re.compile(r"^(?:node|host|machine|server|vm|pod|from|logs?)_(?=[a-z][\w.-]*$)", re.I)
# Output of a command that tells of all containers: `docker_ps_a.txt`.
_is_container_listing = re.compile(
    r"(?:docker|podman|nerdctl|crictl)[-_ ](?:ps|images?|stats|info|version|events)(?:[-_ ]\w{1,3})?"
).fullmatch
_match_sosreport = re.compile(
    r"sosreport-([\w.-]+?)(?:-\d{3,12})?-\d{4}-\d\d-\d\d-\w+"
).fullmatch  # host, case, day, suffix
_NUMBERED = re.compile(
    r"^(?:attempt|try|run|job|restart|retry|pid|slurm|step|version|v|log|out|core|proc)[-_.]?\d*$", re.I
)


def task_of_label(name: str) -> str | None:
    """`worker_1`, `ps0`, `tfjob-mnist-worker-2` → the task that a file, a pod or a machine is named for."""
    match = _TASK_NAME.search(name)
    return f"{match['job'].lower()}:{int(match['index'])}" if match else None


def job_of_label(name: str) -> str:
    """`tfjob-mnist-worker-2` → tfjob-mnist; "" where the name is a task's alone, or none's."""
    match = _TASK_NAME.search(name)
    return name[: match.start()].lower() if match else ""


def stem_of(path: str) -> str:
    """The file's name as whoever collected it may use it for what wrote it, without extensions and rotation."""
    return _split_path(path)[-1] if path.strip("/.") else ""


def label_paths(paths: Sequence[str], known_names: frozenset[str] = frozenset()) -> Mapping[str, str | None]:
    """A node label for each path, or None. `known` holds host and task names that the contents mention, lower case.

    Folders that differ between files name nodes; else the file names do, less the words that every collector uses.
    """
    interned: dict[str | None, str | None] = {}  # each text once: a node may have thousands of files
    split: Mapping[str, PathParts] = {
        path: tuple(str(interned.setdefault(part, part)) for part in _split_path(path)) for path in paths
    }
    split = drop_common_parts(split, is_generic)
    folders = list(dict.fromkeys(parts[:-1] for parts in split.values()))
    depth = _node_depth(folders)
    kinds, machines = _find_folders_naming_others([parts for parts in split.values() if len(parts) > depth + 1], depth)
    known_names |= machines
    kinds |= find_kind_folders(split.values(), depth, is_generic)
    known_depths = {at for parts in folders for at, part in enumerate(parts) if part.lower() in known_names}
    known_machine = functools.cache(lambda parts: _machine_of_folders(parts, known_names))
    node_folder = functools.cache(lambda parts: _node_folder(parts, depth, known_depths, kinds))
    name_counts = functools.cache(lambda: _count_name_candidates(parts[-1] for parts in split.values() if parts))

    def label(parts: PathParts) -> str | None:
        stem = _pod_name(parts[-1]) or parts[-1] if parts else ""
        name = known_machine(parts[:-1]) or (stem if stem.lower() in known_names else None) or node_folder(parts[:-1])
        # If all lies in one folder of a machine's name, that is the node; but that would be known by now.
        return name if name is not None or is_generic(stem) else _label_of_stem(stem, known_names, name_counts())

    labels = {path: interned.setdefault(text := label(parts), text) for path, parts in split.items()}
    label_count = len(set(labels.values()) - {None})  # a record beside them (`qacct.txt`) is named for itself
    numbers = _number_labels(split)
    if len(set(numbers.values()) - {None}) > label_count:
        return {path: numbers[path] or text for path, text in labels.items()}
    if not label_count:
        # One machine's files only: the folder that holds them all is its name, if it is a name.
        common = next(iter(split.values()), ())[:depth]
        name = next((part for part in reversed(common) if not is_generic(part)), None)
        return dict.fromkeys(paths, name)
    return labels


def _number_labels(split: Mapping[str, PathParts]) -> Mapping[str, str | None]:
    """Nothing but a number tells folders or files apart (`out/0.txt`, `tasks/00/stderr`): each is of its own task."""
    depth = _common_depth(list(split.values()))
    names = {path: parts[depth] if len(parts) > depth else "" for path, parts in split.items()}
    numbers = {text for text in names.values() if text.isdecimal()}
    if len(numbers) < 2 or max(map(int, numbers)) > _MAX_NUMBER_SPREAD * len(numbers):
        return {}
    return {path: text if text in numbers else None for path, text in names.items()}


def _split_path(path: str) -> list[str]:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if parts and (job := _BATCH_OUTPUT.match(parts[-1])):
        parts[-1] = job[2] or f"job-{job[1]}"
    return [
        _strip_extensions(part) if _EXTENSION.search(part) or (at == len(parts) - 1 and _ROTATED.search(part)) else part
        for at, part in enumerate(parts)
    ]


def _strip_extensions(name: str) -> str:
    """A file name without its extensions and rotation marks."""
    while True:
        shorter = _EXTENSION.sub("", name)
        if shorter != name or ((shorter := _ROTATION.sub("", name)) != name and not _is_host_like(name)):
            name = shorter
            continue
        return name


def _is_host_like(name: str) -> bool:
    """`node-12`, `out.node-12` and `rank.12` end in a number of the name, `worker.log.1` and `ps.log-1` do not."""
    match = re.fullmatch(r"([A-Za-z][\w.-]*)-\d+|(?i:(?:.*[-_.])?rank)\.\d+", name)
    return match is not None and not _EXTENSION.search(match[1] or "")


def _node_depth(folders: Sequence[PathParts]) -> int:
    """How many folders from the top name no node. Files beside the one folder that holds all nodes (a launcher's log, a
    README) do not make it a node."""
    non_empty = [folder for folder in folders if folder]
    depth = _common_depth(non_empty)
    nodes = {folder[depth] for folder in non_empty if len(folder) > depth and not is_generic(folder[depth])}
    return depth if len(nodes) > 1 else _common_depth(folders)


def _common_depth(folders: Sequence[PathParts]) -> int:
    if not folders:
        return 0
    depth = 0
    for column in zip(*folders, strict=False):
        if len(set(column)) > 1:
            break
        depth += 1
    return depth


def _find_folders_naming_others(split: Sequence[PathParts], depth: int) -> tuple[frozenset[str], frozenset[str]]:
    """(folders that are no machines', machines' names that their files have, lower case): beside the folders of n1 and
    n2 one is no machine's whose every file is named for one of them, as `bmc/n1-sel.txt`."""
    stems: dict[str, list[str]] = {}
    for parts in split:
        if not is_generic(parts[depth]):
            stems.setdefault(parts[depth], []).append(parts[-1])
    names = frozenset(name.lower() for name in stems)
    named_machines = {
        name: others
        for name, file_stems in stems.items()
        if (others := _machines_named_by(name.lower(), file_stems, names))
    }
    if len(names) - len(named_machines) < 2:
        return frozenset(), frozenset()
    return frozenset(named_machines), frozenset().union(*named_machines.values())


def _machines_named_by(folder_name: str, stems: Sequence[str], machine_names: frozenset[str]) -> frozenset[str]:
    """The machines, lower case, for which the files of the folder `own` are named; none if one of them is not."""
    machines: set[str] = set()
    for stem in stems:
        if (machine := _find_known_host(stem, machine_names, folder_name)) is None:
            return frozenset()  # nearly always at the first file: a cluster has more of them than one likes to look at
        machines.add(machine.lower())
    return frozenset(machines)


def _machine_of_folders(folders: PathParts, known_names: frozenset[str]) -> str | None:
    """The innermost folder that has the name of a known machine."""
    return next((name for part in reversed(folders) if (name := _pod_name(part) or part).lower() in known_names), None)


def _node_folder(folders: PathParts, depth: int, known_depths: set[int], kinds: frozenset[str]) -> str | None:
    """`places` are the depths at which folders have the names of known machines, `kinds` folders that are no
    machine's."""
    names = [_pod_name(part) or part for part in folders]
    for at, part in enumerate(names):
        if at in known_depths and _NUMBERED.match(part):  # `v3` is a version, but not beside the machines v1 and v2
            return part
    folder = next((part for part in names[depth:] if not is_generic(part) and part not in kinds), None)
    if folder is None:
        return None
    return report[1] if (report := _match_sosreport(folder)) else _KIND_OF_MACHINE.sub("", folder)


def _pod_name(name: str) -> str | None:
    match = _CONTAINER.match(name) or _POD_DIR.match(name)
    return match["pod"] if match else None


def is_generic(name: str) -> bool:
    is_partition = "=" in name  # `attempt=1`, `dt=2026-11-21`
    if is_partition or name.isdecimal() or _NUMBERED.match(name) or _is_container_listing(name):
        return True
    return all(token.lower() in _GENERIC_WORDS or token == "" for token in re.split(r"[-_. ]", name))


def _label_of_stem(stem: str, known_names: frozenset[str], name_counts: Counter[str]) -> str | None:
    """The file name less generic words at its ends: `dmesg-gpu07` → gpu07, `worker-0.stderr` → worker-0.

    A host that the contents mention is its own name; else what several files' names have in common is more likely a
    machine's than what only this one has: `k8s-0-env` beside `k8s-0-dmesg` is of k8s-0.
    """
    if is_generic(stem):
        return None
    if known_host := _find_known_host(stem, known_names):
        return known_host
    candidates = list(_name_candidates(stem))
    if not candidates:
        return stem
    highest = max(name_counts[candidate] for candidate in candidates)
    return (
        next(candidate for candidate in candidates if name_counts[candidate] == highest)
        if highest > 1
        else list(_name_candidates(stem, is_unconfirmed=True))[-1]
    )


def _ends_in_domain(tokens: Sequence[str]) -> bool:
    """`n3.hpc.local` ends in a domain (RFC 6762), `n3.local` may be a kind of log."""
    return tokens[-1].lower() == "local" and [*tokens[1::2]][-2:] == [".", "."]


def _find_known_host(stem: str, known_names: frozenset[str], excluded: str = "") -> str | None:
    """The longest run of whole words in the stem that is a known host's name, and not that of the host `but`."""
    tokens = _SEPARATOR.split(stem)
    words = range(0, len(tokens), 2)
    runs = ("".join(tokens[start : stop + 1]) for start in words for stop in words if stop >= start)
    hosts = (run for run in runs if (name := run.lower()) in known_names and name != excluded and not is_generic(run))
    return max(hosts, key=len, default=None)


def _count_name_candidates(stems: Iterable[str]) -> Counter[str]:
    """How many files' names may mean the same machine."""
    return Counter(
        candidate for stem in set(map(str, stems)) if not is_generic(stem) for candidate in _name_candidates(stem)
    )


def _name_candidates(stem: str, is_unconfirmed: bool = False) -> Iterator[str]:
    """What may be the machine's name in a file's, the longest first: without generic words behind, then without each
    before. Bare numbers name nothing. `alone`: no other file confirms it, so `worker-a` stays; `worker_a` does not,
    for no host's name has an underscore (RFC 952)."""
    tokens = _SEPARATOR.split(stem)
    while len(tokens) > 1 and tokens[-1].lower() in _GENERIC_WORDS and not _ends_in_domain(tokens):
        tokens = tokens[:-2]
    while tokens:
        candidate = "".join(tokens)
        if _DIGITS.fullmatch(candidate):
            return
        yield candidate
        rest = "".join(tokens[2:])
        first = tokens[0].lower()
        is_job_number = len(first) > 2 and first.isdecimal()  # a job's, as in `slurm-48213-cn14.out`
        if len(tokens) == 1 or not (is_job_number or first in _GENERIC_WORDS | _TASK_WORDS):
            return
        if first in _TASK_WORDS and (_DIGITS.fullmatch(rest) or (is_unconfirmed and tokens[1] == "-")):
            return
        tokens = tokens[2:]
