"""Labels of paths that name no machine: a job, a run or an export whose folder holds the files of several tasks."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping

from analyzer.facts.cluster_spec import LOCALHOST, ClusterSpec, split_address
from analyzer.facts.path_labels import is_generic, label_paths, stem_of, task_of_label
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Event, Kind

MIN_COLLECTED_HOSTS = 3  # stated by files of one folder, a different one by each: the folder is none of them
MIN_ID_CHARS = 12  # of an opaque id; `docker ps` shows twelve
MACHINE_KINDS = frozenset({Kind.KERNEL, Kind.SYSTEM})
_TASK_NAME = r"(?:worker|ps|chief|master|evaluator|trainer|rank|task|replica|process|proc)[-_.]?\d*"
_WEAK_NAME = re.compile(
    rf"{_TASK_NAME}|\d+"
    r"|(?:.*[^A-Za-z0-9])?\d{4,}(?:[^A-Za-z0-9].*)?"  # the number of a job or a process stands alone
    r"|(?:.*[-_.])?(?=[a-f]*\d)[0-9a-f]{10,}(?:[-_.].*)?"  # digits of a container, a run or an allocation
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    re.I,
)
_is_rank = re.compile(
    r"(?:.{1,60}[-_])?(?:rank|trainer|task|replica|node|host|pod|machine|process|proc|instance)[-_]?\d{1,5}", re.I
).fullmatch
_ends_in_number = re.compile(r"(?:\.|^rank )\d{1,9}$").search  # `fit.811.3`: no last part of a host is a number
_log = logging.getLogger("analyzer.facts")


def is_weak_name(label: str) -> bool:
    """Whether a label is the name of a task, a number or an opaque id: any other name of its writer is better."""
    if "_" in label and task_of_label(label):  # no host or pod has an underscore: a job's and a task's name
        return True
    if _ends_in_number(label):
        return True
    words = re.split(r"[-_. ]", label)
    return _WEAK_NAME.fullmatch(label) is not None or all(word.isdecimal() or is_generic(word) for word in words)


def drop_lone_numbers(labels: Mapping[str, str | None]) -> Mapping[str, str | None]:
    """Return `labels` (path → label) without that of a file alone which is a number beside words for kinds of files.

    `0_train.txt` among other files is one task of several. Alone, it is whatever a console or an export was called.
    """
    return {
        path: None if label and len(labels) == 1 and _is_bare_number(label) else label for path, label in labels.items()
    }


def _is_bare_number(label: str) -> bool:
    words = re.split(r"[-_. ]", label)
    is_named = task_of_label(label) or _is_rank(label)
    return not is_named and all(word.isdecimal() or is_generic(word) for word in words)


def drop_job_labels(
    labels: Mapping[str, str | None],
    identities: Iterable[StreamIdentity],
    known_hosts: frozenset[str],
    cluster: ClusterSpec | None,
) -> Mapping[str, str | None]:
    """Return `labels` (path → label) without those that name the whole job and not a machine of it.

    Such a label is of files of several tasks, which ran on several hosts, or which are all that the label could be an
    opaque id for. Files below a folder of that name get the label that they would have without the folder.
    `known_hosts` are the hosts, in lower case, that contents of files name.
    """
    by_label: dict[str, list[StreamIdentity]] = {}
    for identity in identities:
        if label := labels.get(identity.file):
            by_label.setdefault(label, []).append(identity)
    folders = {label for path, label in labels.items() if label and label in path.split("/")[:-1]}
    job_labels = {
        label
        for label, writers in by_label.items()
        if label.lower() not in known_hosts and _names_job(label, writers, cluster, is_lone=folders == {label})
    }
    if not job_labels:
        return labels
    _log.debug("Labels that hold files of several machines: %s", ", ".join(sorted(job_labels)[:20]))
    return {**labels, **_relabel([path for path, label in labels.items() if label in job_labels], labels)}


def name_containers(labels: Mapping[str, str | None], placements: Iterable[Event]) -> Mapping[str, str | None]:
    """Return `labels`, with the name of the container for each file whose path holds its opaque id.

    `placements` are listings that give a container's or pod's id (`alias`) and its name (`host`). A name that each of
    several machines has for one of its containers (`docker run --name train`) is none of a node.
    """
    names: dict[str, set[str]] = {}
    for event in placements:
        alias, name = event.captures.get("alias", ""), event.captures.get("host", "")
        if name and len(alias) >= MIN_ID_CHARS:
            names.setdefault(alias.lower(), set()).add(name)
            names.setdefault(alias.lower()[:MIN_ID_CHARS], set()).add(name)
    single = {alias: next(iter(nodes)) for alias, nodes in names.items() if len(nodes) == 1}
    if not single:
        return labels
    containers = {path: _container_of_path(path, single) for path in labels}
    everywhere = _find_names_everywhere(containers, labels)
    return {
        path: label if (container := containers[path]) is None or container in everywhere else container
        for path, label in labels.items()
    }


def _find_names_everywhere(containers: Mapping[str, str | None], labels: Mapping[str, str | None]) -> frozenset[str]:
    """Return the names of containers that all of several machines have; `labels` are those of the files' machines."""
    names: dict[str, set[str]] = {}
    for path, container in containers.items():
        if container and (label := labels[path]):
            names.setdefault(label, set()).add(container)
    return frozenset(set.intersection(*names.values())) if len(names) > 1 else frozenset()


def _container_of_path(path: str, names: Mapping[str, str]) -> str | None:
    """Return the container in a path: `containers/<id>/<id>-json.log`, `pods/<uid>/…`, `<id>.log`."""
    for part in reversed(path.split("/")):
        stem = part.lower().partition(".")[0].removesuffix("-json")
        if name := names.get(stem):
            return name
    return None


def _names_job(label: str, writers: Iterable[StreamIdentity], cluster: ClusterSpec | None, is_lone: bool) -> bool:
    """Whether the label is of several machines. `is_lone`: no other folder names a machine."""
    tasks: set[str] = set()
    named_tasks: set[str] = set()  # for which files are named
    hosts: set[str] = set()
    stated_hosts: dict[str, set[str]] = {}  # file → the hosts that it says it runs on
    for identity in writers:
        if identity.kind in MACHINE_KINDS:
            return False
        if identity.is_shared or label in (identity.host, *identity.hosts):
            return False
        tasks |= identity.tasks
        if named_task := _match_task_name(stem_of(identity.file)):
            named_tasks.add(named_task)
        hosts |= set(_hosts_of(identity, cluster))
        served_host = identity.stated_host if is_lone else None
        if own_hosts := identity.hosts or ({served_host} if served_host else set()):
            stated_hosts.setdefault(identity.file, set()).update(own_hosts)
    is_collection = len(set().union(*stated_hosts.values())) == len(stated_hosts) >= MIN_COLLECTED_HOSTS
    has_several = max(len(tasks), len(named_tasks)) > 1, len(hosts) > 1, is_weak_name(label)
    return is_collection or sum(has_several) > 1 or (is_lone and len(named_tasks) > 1)


def _match_task_name(stem: str) -> str | None:
    """Return the task or rank that a file is named for, whatever extension the stem still has."""
    name = stem.partition(".")[0]
    return task_of_label(name) or (name.lower() if _is_rank(name) else None)


def _hosts_of(identity: StreamIdentity, cluster: ClusterSpec | None) -> Iterable[str]:
    """Return the host that a writer states, else that of its task's address."""
    if identity.host:
        return [identity.host]
    addresses = [address for task in identity.tasks if cluster and (address := cluster.address_of(task))]
    return [host for address in addresses if not LOCALHOST.match(host := split_address(address)[0])]


def _relabel(paths: Iterable[str], labels: Mapping[str, str | None]) -> Mapping[str, str | None]:
    """Return path → label from the parts below the folder that the old label is."""
    rest_of = {path: path.partition(f"/{labels[path]}/")[2] or _below_first(path, labels[path]) for path in paths}
    below = label_paths(list(dict.fromkeys(inner_path for inner_path in rest_of.values() if inner_path)))
    return {path: below.get(inner_path) for path, inner_path in rest_of.items()}


def _below_first(path: str, folder: str | None) -> str:
    first, _, inner_path = path.partition("/")
    return inner_path if first == folder else ""
