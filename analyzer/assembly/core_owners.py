"""Find the node of a core, wherever its file is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from analyzer.assembly.file_owners import FileOwners
from analyzer.core_dump import CoreDump
from analyzer.cores.gpu_places import GPU_CORE_NAME
from analyzer.facts.cluster_spec import read_tf_config
from analyzer.facts.path_labels import label_paths
from analyzer.facts.registry import Registry
from analyzer.reading.source_results import SourceResults

MAX_COMM_CHARS = 15  # of a thread's name in the kernel
# The kernel's `core.%e.%p`, and the same joined in other ways.
_match_core_name = re.compile(r"core[._-](?P<middle>.+)[._-](?P<pid>\d{1,10})(?P<rest>(?:\.[a-z]\w{0,4})*)").fullmatch
_HOST_VARIABLES = ("HOSTNAME", "NODE_NAME", "SLURMD_NODENAME", "POD_NAME")


class CoreOwners:
    """Finds the nodes of cores."""

    def __init__(self, registry: Registry, owners: FileOwners, results: SourceResults, cores: Sequence[CoreDump]):
        self._registry, self._owners = registry, owners
        shown = {core.file: name_without_program(core) for core in cores}
        labels = label_paths([*results.files(), *shown.values()]) if cores else {}
        self._labels = {file: labels.get(name) for file, name in shown.items()}
        self._writers = _nodes_by_thread(cores, registry, results)

    def node_of(self, core: CoreDump) -> str | None:
        """Return the node of the logs in the core's folder, else the node of its worker, else the node in its path.

        Its worker states its pid, has its task, or is the only one that logged lines with its thread ids.
        """
        node = next((node for node in self._candidates(core) if node), None)
        return self._registry.ensure_node(node) if node else None

    def _candidates(self, core: CoreDump) -> Iterator[str | None]:
        yield self._owners.nearest_node(core.file)
        yield _only(self._registry.by_pid.get(str(core.pid), ()))
        environment = core.facts.command.environment if core.facts.command else {}
        config = read_tf_config(environment.get("TF_CONFIG", ""))
        yield _only(self._registry.task_owners.get(config.task, ())) if config and config.task else None
        yield _only({node for tid in _numbers(core) for node in self._writers.get(tid, ())})
        named = GPU_CORE_NAME.search(core.file)
        hosts = [*([named["host"]] if named else []), *map(environment.get, _HOST_VARIABLES)]
        yield from (self._registry.node_of_host(host) for host in hosts if host)
        yield self._labels.get(core.file)
        yield named["host"] if named else None


def name_without_program(core: CoreDump) -> str:
    """Return the path without the parts that name no machine: the program or thread, and the pid."""
    folder, slash, name = core.file.rpartition("/")
    if GPU_CORE_NAME.search(core.file):
        return f"{folder}{slash}core"
    match = _match_core_name(name)
    if match is None or int(match["pid"]) not in _numbers(core):
        return core.file
    middle, program = match["middle"], (core.executable or "").rpartition("/")[2]
    is_program = bool(program) and program.startswith(middle[:MAX_COMM_CHARS])
    is_thread = re.search(r"[A-Z_ :]", middle) is not None  # no machine name has these characters
    return f"{folder}{slash}core{match['rest']}" if is_program or is_thread else core.file


def _numbers(core: CoreDump) -> set[int]:
    return {number for number in (core.pid, *(thread.tid for thread in core.threads)) if number}


def _nodes_by_thread(
    cores: Sequence[CoreDump], registry: Registry, results: SourceResults
) -> Mapping[int, frozenset[str]]:
    """Return thread id → the nodes of lines by this thread. TensorFlow's logger states thread ids."""
    wanted = {number for core in cores for number in _numbers(core)}
    nodes: dict[int, set[str]] = {}
    for result in results if wanted else ():
        for event in result.events:
            for number in (event.pid, event.tid):
                if number in wanted and number is not None and (node := registry.node_of_event(event)):
                    nodes.setdefault(number, set()).add(node)
    return {number: frozenset(nodes_of_thread) for number, nodes_of_thread in nodes.items()}


def _only(nodes: Iterable[str]) -> str | None:
    names = list(dict.fromkeys(nodes))
    return names[0] if len(names) == 1 else None
