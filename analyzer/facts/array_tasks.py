"""The host of each task of a batch job's array, by the batch system's own records.

001 (4711.003.000) … Job executing on host: … SlotName: slot1@n14     HTCondor: bert.4711.3.err is of n14
hostname n13 … taskid 2                                               qacct of Grid Engine: bert.e4711.2 is of n13
[2] started 8 Task(s) on Host(s) <8*n13>                              bjobs -l of LSF: out.4711.2 is of n13

A file that is named after the number of its task names its machine only by that number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from analyzer.facts.machine_labels import is_weak_name
from analyzer.facts.path_labels import stem_of
from analyzer.facts.registry import NUMERIC_ADDRESS, Registry
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Event
from analyzer.untrusted.numbers import read_whole

ARRAY_INDEX_CAPTURE = "array_index"
_ends_in_number = re.compile(r"_\d{1,9}$").search
_find_last_number = re.compile(r"(?:^|[-_.])0*(\d{1,9})$").search


def place_array_tasks(registry: Registry, identities: Iterable[StreamIdentity], placements: Iterable[Event]) -> None:
    """Rename nodes that are known by the number of an array's task alone to the hosts on which these tasks ran, and
    remember where each ran.

    Nothing is renamed if a number has several hosts or several nodes, or if the host wrote files of its own.
    """
    hosts = _single_values(
        (index, host)
        for event in placements
        if (index := read_whole(event.captures.get(ARRAY_INDEX_CAPTURE))) is not None
        and (host := event.captures.get("host"))
    )
    if not hosts:
        return
    nodes = _single_values(_numbered_nodes(registry, identities))
    for index in sorted(hosts.keys() & nodes.keys()):
        node, host = nodes[index], hosts[index]
        node_of_host = registry.node_of_host(host)
        if node_of_host != node and not (node_of_host and registry.drafts[node_of_host].present):
            registry.rename_to_host(node, host, f"the batch system ran task {index} of the array there")
    for index, host in hosts.items():
        registry.by_array_index[index] = registry.node_of_host(host) or ""


def _numbered_nodes(registry: Registry, identities: Iterable[StreamIdentity]) -> Iterable[tuple[int, str]]:
    """Yield (number in the file's name, node) for nodes that have no better name than such a number."""
    for identity in identities:
        node = registry.by_stream.get((identity.file, identity.stream))
        if node is None or not (is_weak_name(node) or _ends_in_number(node)) or _has_host_name(registry, node):
            continue
        if match := _find_last_number(stem_of(identity.file)):
            yield int(match[1]), node


def _has_host_name(registry: Registry, node: str) -> bool:
    return not all(NUMERIC_ADDRESS.search(host) for host in registry.drafts[node].hosts)


def _single_values(pairs: Iterable[tuple[int, str]]) -> Mapping[int, str]:
    """Return number → name for those numbers that have exactly one."""
    names: dict[int, set[str]] = defaultdict(set)
    for number, name in pairs:
        names[number].add(name)
    return {number: next(iter(own)) for number, own in names.items() if len(own) == 1}
