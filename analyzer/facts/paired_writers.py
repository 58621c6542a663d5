"""Writers that a collector names twice, by pod or container and by machine: which of the names is the node's.

A pod's name is its own. A container's may be the same on each machine (`trainer_1`), and a machine may run several
containers of the job. The other name is one more name of the node, if it belongs to no other writer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analyzer.facts.pod_tables import KUBERNETES_NODE
from analyzer.facts.registry import Registry
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.formats.writer_pairs import split_pair
from analyzer.reading.source_result import SourceResult

_match_task_and_machine = re.compile(
    r"(?P<job>chief|master|worker|ps|evaluator)[-_]?(?P<index>\d{1,5})[-_.@](?P<machine>[a-z][\w.-]{1,100})", re.I
).fullmatch


@dataclass(frozen=True, slots=True)
class _Writer:
    identity: StreamIdentity
    name: str
    machine: str

    @property
    def has_pod(self) -> bool:
        """Whether the name is a pod's: only that stands as the host before the lines."""
        return self.name in self.identity.prefix_hosts

    @property
    def trains(self) -> bool:
        return bool(self.identity.tasks or self.identity.addresses)


def choose_names(identities: Iterable[StreamIdentity]) -> None:
    """Set `prefix_hosts` of each paired writer to the one of its names that is its node's."""
    writers = list(_paired(identities))
    machines = _group((writer.name, writer.machine) for writer in writers)
    containers = _group((writer.machine, writer.name) for writer in writers if writer.trains and not writer.has_pod)
    for writer in writers:
        is_one_of_several = len(containers.get(writer.machine, ())) > 1 and len(machines[writer.name]) == 1
        is_named_itself = writer.has_pod or (writer.trains and is_one_of_several)
        writer.identity.prefix_hosts = frozenset({writer.name if is_named_itself else writer.machine})


def split_tasks_from_machines(identities: Iterable[StreamIdentity], known_hosts: frozenset[str]) -> dict[str, str]:
    """Give each writer that is named for its task and its machine (`worker-0.gx7`) that task, and the machine's name.

    Return the machine of each such name. `known_hosts`: names that lines state, in lower case.
    """
    machines: dict[str, str] = {}
    for identity in identities:
        name = next(iter(identity.prefix_hosts)) if len(identity.prefix_hosts) == 1 else ""
        match = _match_task_and_machine(name)
        if match and match["machine"].lower() in known_hosts:
            identity.prefix_hosts = frozenset({match["machine"]})
            identity.tasks = identity.tasks or frozenset({f"{match['job'].lower()}:{int(match['index'])}"})
            machines[name] = match["machine"]
    return machines


def add_other_names(registry: Registry, identities: Iterable[StreamIdentity], results: Iterable[SourceResult]) -> None:
    """Add the second names of paired writers, and the machines of pods that listings name, to their nodes.

    A machine of one pod alone, or of one pod of the job, is the same node as the pod.
    """
    nodes: dict[str, set[str]] = {}  # second name → nodes
    training_nodes: dict[str, set[str]] = {}
    for name, node in _second_names(registry, identities, results):
        nodes.setdefault(name, set()).add(node)
        draft = registry.drafts.get(node)
        if draft and (draft.tasks or draft.addresses):
            training_nodes.setdefault(name, set()).add(node)
    for name, owners in nodes.items():
        [*owner] = training_nodes.get(name, owners)
        if len(owner) == 1 and owner[0] in registry.drafts:
            _add_name(registry, owner[0], name)


def _second_names(
    registry: Registry, identities: Iterable[StreamIdentity], results: Iterable[SourceResult]
) -> Iterator[tuple[str, str]]:
    """Yield a second name and the node that has it, or a text that is no node's."""
    for writer in _paired(identities):
        node = registry.node_of_stream(writer.identity.file, writer.identity.stream)
        yield from ((name, node) for name in {writer.name, writer.machine} - {node})
    for result in results:
        for setting in result.settings:
            if setting.name == KUBERNETES_NODE and setting.owner:
                node = registry.node_of_host(setting.owner) or setting.owner
                if node != setting.value:
                    yield setting.value, node


def _add_name(registry: Registry, node: str, name: str) -> None:
    machine = name if name in registry.drafts else registry.node_of_host(name)  # a listing may add the domain
    if machine in registry.drafts and machine != node and not registry.drafts[machine].tasks:
        registry.rename_to_host(machine, node, "no other writer has this machine")
    registry.by_host[name.lower()] = node
    registry.drafts[node].hosts.add(name)


def _paired(identities: Iterable[StreamIdentity]) -> Iterator[_Writer]:
    for identity in identities:
        if pair := split_pair(identity.stream):
            yield _Writer(identity, *pair)


def _group(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, set()).add(value)
    return groups
