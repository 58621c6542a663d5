"""Addresses that nobody explains belong to the machines with their numbers, if all of them fit."""

from __future__ import annotations

import pytest

from analyzer.facts.numbered_addresses import add_numbered_addresses
from analyzer.facts.registry import Registry
from analyzer.model import Event, Locus


def registry_of(*names: str, **node_of_address: str) -> Registry:
    registry = Registry()
    for name in names:
        registry.ensure_draft(name).present = True
    registry.by_host.update({address.replace("_", ".").strip("a"): node for address, node in node_of_address.items()})
    return registry


def events(*addresses: str) -> list[Event]:
    return [Event("lost", Locus("n.log", at), "", captures={"address": text}) for at, text in enumerate(addresses)]


def test_the_numbers_of_machines_are_those_of_their_addresses() -> None:
    registry = registry_of("gx-04", "gx-14", "gx-15")
    add_numbered_addresses(registry, events("10.1.9.14:4711", "10.1.9.4", "10.1.9.14:4712"))
    assert registry.node_of_address("10.1.9.14:99") == "gx-14"
    assert registry.node_of_address("10.1.9.4") == "gx-04"
    assert registry.node_of_address("10.1.9.15") is None  # no line names it


def test_the_numbers_may_differ_by_one_distance() -> None:
    registry = registry_of("gx-03", "gx-04", "gx-09", "gx-14")
    add_numbered_addresses(registry, events("10.1.9.113", "10.1.9.114", "10.1.9.119"))
    assert registry.node_of_address("10.1.9.119:99") == "gx-09"


def test_a_node_known_by_its_address_alone_is_the_machine() -> None:
    registry = registry_of("gx-03", "gx-04", "gx-11", "10.1.9.13", "10.1.9.14", "10.1.9.21")
    registry.by_host.update({address: address for address in ("10.1.9.13", "10.1.9.14", "10.1.9.21")})
    registry.add_claim("worker:2", "10.1.9.21", "its lines state it")
    add_numbered_addresses(registry, [])
    assert registry.node_of_task("worker:2") == "gx-11"


@pytest.mark.parametrize(
    ("registry", "addresses"),
    [
        (registry_of("gx-14", "gx-15"), ["10.1.9.14"]),  # by chance
        (registry_of("gx-14", "gx-15"), ["10.1.9.14", "10.1.9.16"]),  # one does not fit
        (registry_of("gx-14", "gx-15", "io-14", "io-15"), ["10.1.9.14", "10.1.9.15"]),  # of two families
        (registry_of("gx-4", "gx-5", "gx-6"), ["10.1.9.14", "10.1.9.15"]),  # too few to have another distance
        (registry_of("gx-4", "gx-5", "gx-6", "gx-7"), ["10.1.9.14", "10.1.9.15", "10.1.9.16"]),  # of two distances
        (registry_of("gx-14", "gx-15", "gx-16", a10_1_9_17="gx-16"), ["10.1.9.14", "10.1.9.15"]),  # numbered otherwise
    ],
)
def test_addresses_that_may_be_numbered_otherwise_stay_unknown(registry: Registry, addresses: list[str]) -> None:
    add_numbered_addresses(registry, events(*addresses))
    assert registry.node_of_address(addresses[0]) is None
