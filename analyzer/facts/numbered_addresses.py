"""Assigns addresses without an owner to the machines with their numbers: 10.1.9.14 and .15 are gx14 and gx15.

Machines and their addresses usually have the same numbers, or numbers that differ by one and the same distance:
.114 and .115. This counts only if it fits every address of that network.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Set

from analyzer.facts.cluster_spec import split_address
from analyzer.facts.registry import LOOPBACK, NUMERIC_ADDRESS, Registry
from analyzer.model import Event

MIN_ADDRESSES = 2  # one address may fit by chance …
MIN_SHIFTED_ADDRESSES = 3  # … and two at any distance
_match_address = re.compile(r"(?P<network>(?:\d{1,3}\.){3})(?P<number>\d{1,3})").fullmatch
_match_numbered = re.compile(r"(?P<stem>[a-z](?:[\w-]{0,60}[a-z_-])?)0{0,3}(?P<number>[1-9]\d{0,2}|0)", re.I).fullmatch

Machines = Mapping[int, str]  # number → node


def add_numbered_addresses(registry: Registry, events: Iterable[Event]) -> None:
    """Add the addresses that belong to no machine to the machines with their numbers.

    They are those that lines or the cluster name, and those by which alone a node with files is known.
    """
    unknown, owned = _find_addresses(registry, events)
    families = _find_machines(registry)
    for network, numbers in unknown.items():
        shifts = {
            (stem, shift)
            for stem, machines in families.items()
            for shift in _find_shifts(numbers, owned.get(network, {}), machines)
        }
        exact = {(stem, shift) for stem, shift in shifts if shift == 0}
        if len(chosen := exact or shifts) == 1:
            [(stem, shift)] = chosen
            for number in numbers:
                _add_address(registry, f"{network}{number}", families[stem][number + shift], shift)


def _find_addresses(
    registry: Registry, events: Iterable[Event]
) -> tuple[Mapping[str, Set[int]], Mapping[str, Mapping[int, str]]]:
    """Return network → numbers of addresses without a machine, and network → number → the machine that has it."""
    unknown: dict[str, set[int]] = defaultdict(set)
    owned: dict[str, dict[int, str]] = defaultdict(dict)
    named = (split_address(event.captures["address"])[0] for event in events if event.captures.get("address"))
    for host in {*registry.by_host, *(host for host in named if registry.node_of_host(host) is None)}:
        if not (match := _match_address(host)) or LOOPBACK.match(host):
            continue
        draft = registry.drafts.get(registry.by_host.get(host, ""))
        if draft is not None and draft.present and not NUMERIC_ADDRESS.search(draft.name):
            owned[match["network"]][int(match["number"])] = draft.name
        elif draft is None or not draft.present or registry.has_no_host_name(draft.name):
            unknown[match["network"]].add(int(match["number"]))
    return unknown, owned


def _find_machines(registry: Registry) -> Mapping[str, Machines]:
    """Return stem → its machines with files by their numbers; without those that share a number."""
    numbered: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for draft in registry.drafts.values():
        if draft.present and (match := _match_numbered(draft.name.partition(".")[0])):
            numbered[match["stem"].lower()][int(match["number"])].append(draft.name)
    return {
        stem: {number: nodes[0] for number, nodes in by_number.items() if len(nodes) == 1}
        for stem, by_number in numbered.items()
    }


def _find_shifts(numbers: Set[int], owned: Mapping[int, str], machines: Machines) -> Set[int]:
    """Return by how much a machine's number may exceed that of its address, so that all addresses have a machine.

    owned: number → machine, of the addresses of this network whose machines are known; their distance is the same.
    """
    first = min(numbers)
    return {
        shift
        for shift in {number - first for number in machines}
        if all(number + shift in machines for number in numbers)
        and all(machines.get(number + shift) == node for number, node in owned.items())
        and len(numbers) + len(owned) >= (MIN_SHIFTED_ADDRESSES if shift else MIN_ADDRESSES)
    }


def _add_address(registry: Registry, address: str, node: str, shift: int) -> None:
    """Add an address to a node, with the member of the cluster that has it."""
    member = registry.by_host.get(address)
    if member is None or member not in registry.drafts:
        registry.by_host[address] = node
    elif not registry.drafts[node].tasks:
        distance = f"exceeds that of {address} by {shift}" if shift else f"is that of {address}"
        registry.join_nodes(member, node, f"its number {distance}, as for the other members")
