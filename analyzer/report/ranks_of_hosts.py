"""Ranks and tasks that share a machine, under the machine's name.

The diagnosis keeps each rank apart: one may die while its neighbour lives. People call the place by its host and the
process by its task, so the written incident does both: `node` is the host, and `task` is the rank or task.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from analyzer.report.document import WrittenIncident, WrittenNode

_NODE_FIELDS = frozenset({"node", "accuser", "accused"})
_is_rank = re.compile(r"rank \d+").fullmatch


def name_ranks_by_hosts(written: WrittenIncident) -> WrittenIncident:
    """Return the incident with one node for each host whose ranks were nodes of their own. `written` is changed."""
    hosts = _hosts_of_ranks(written.nodes)
    if hosts:
        written.nodes = _join_nodes(written.nodes, hosts)
        _rename(written, hosts)
    return written


def _hosts_of_ranks(nodes: Sequence[WrittenNode]) -> dict[str, str]:
    """Return node → host, for the nodes that are named after a rank or a task and ran on one known host."""
    return {
        node.name: node.hosts[0]
        for node in nodes
        if len(node.hosts) == 1 and node.hosts[0] != node.name and (node.name in node.tasks or _is_rank(node.name))
    }


def _join_nodes(nodes: Sequence[WrittenNode], hosts: Mapping[str, str]) -> list[WrittenNode]:
    joined: dict[str, WrittenNode] = {}
    for node in nodes:
        name = hosts.get(node.name, node.name)
        ranks = [node.name] if node.name in hosts and node.name not in node.tasks else []
        own = msgspec.structs.replace(node, name=name, tasks=[*node.tasks, *ranks])
        joined[name] = _join(joined[name], own) if name in joined else own
    return list(joined.values())


def _join(first: WrittenNode, second: WrittenNode) -> WrittenNode:
    """Return two ranks of one host as one node: the clock is the same, and it is silent if both are."""
    silent = [first.silent_since, second.silent_since]
    return msgspec.structs.replace(
        first,
        hosts=_merge(first.hosts, second.hosts),
        addresses=_merge(first.addresses, second.addresses),
        tasks=_merge(first.tasks, second.tasks),
        first_time=min(filter(None, (first.first_time, second.first_time)), default=None),
        last_time=max(filter(None, (first.last_time, second.last_time)), default=None),
        silent_since=None if None in silent else max(filter(None, silent)),
        progress=first.progress or second.progress,
        present=first.present or second.present,
        names=_merge(first.names, second.names),
    )


def _merge(first: Sequence[str], second: Sequence[str]) -> list[str]:
    return list(dict.fromkeys((*first, *second)))


def _rename(value: Any, hosts: Mapping[str, str]) -> None:
    """Put the host for each node's name below `value`, and the name as the task where none is stated."""
    if isinstance(value, Struct) and not isinstance(value, WrittenNode):
        for name in value.__struct_fields__:
            item = getattr(value, name)
            if name in _NODE_FIELDS and isinstance(item, str):
                if item in hosts and "task" in value.__struct_fields__ and not value.task:  # type: ignore[attr-defined]
                    value.task = item  # type: ignore[attr-defined]
                setattr(value, name, hosts.get(item, item))
            elif name == "nodes" and isinstance(item, list) and all(isinstance(node, str) for node in item):
                setattr(value, name, list(dict.fromkeys(hosts.get(node, node) for node in item)))
            else:
                _rename(item, hosts)
    elif isinstance(value, list | tuple):
        for item in value:
            _rename(item, hosts)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, list) and all(isinstance(node, str) for node in item):
                value[key] = list(dict.fromkeys(hosts.get(node, node) for node in item))
            else:
                _rename(item, hosts)
