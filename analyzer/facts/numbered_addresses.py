"""Assigns addresses without an owner to the machines with their numbers: 10.1.9.14 and .15 are gx14 and gx15.

Machines and their addresses usually have the same numbers. This counts only if it fits every address of that network.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from analyzer.facts.cluster_spec import split_address
from analyzer.facts.registry import LOOPBACK, Registry
from analyzer.model import Event

MIN_ADDRESSES = 2  # one address may fit by chance
_match_address = re.compile(r"(?P<network>(?:\d{1,3}\.){3})(?P<number>\d{1,3})").fullmatch
_match_numbered = re.compile(r"[a-z](?:[\w-]{0,60}[a-z_-])?0{0,3}(?P<number>[1-9]\d{0,2}|0)", re.I).fullmatch


def add_numbered_addresses(registry: Registry, events: Iterable[Event]) -> None:
    """Add the addresses that lines or the cluster name, and that belong to no node with files, to the nodes with their
    numbers.
    """
    unknown: dict[str, set[str]] = defaultdict(set)  # network → numbers
    members = {
        host
        for host, node in registry.by_host.items()
        if (draft := registry.drafts.get(node)) is not None and not draft.present
    }
    named = (split_address(event.captures["address"])[0] for event in events if event.captures.get("address"))
    for host in members.union(host for host in named if registry.node_of_host(host) is None):
        if (match := _match_address(host)) and not LOOPBACK.match(host):
            unknown[match["network"]].add(match["number"])
    if not unknown:
        return
    nodes: dict[str, list[str]] = defaultdict(list)
    for draft in registry.drafts.values():
        if draft.present and (match := _match_numbered(draft.name.partition(".")[0])):
            nodes[match["number"]].append(draft.name)
    for network, numbers in unknown.items():
        is_contradicted = any(
            node not in nodes[match["number"]]
            for host, node in registry.by_host.items()
            if host not in members and (match := _match_address(host)) and match["network"] == network
        )
        if len(numbers) >= MIN_ADDRESSES and not is_contradicted and all(len(nodes[number]) == 1 for number in numbers):
            for number in numbers:
                _add_address(registry, f"{network}{number}", nodes[number][0])


def _add_address(registry: Registry, address: str, node: str) -> None:
    """Add an address to a node, with the member of the cluster that has it."""
    member = registry.by_host.get(address)
    if member is None or member not in registry.drafts:
        registry.by_host[address] = node
    elif not registry.drafts[node].tasks:
        registry.join_nodes(member, node, f"its number is that of {address}, as for the other members")
