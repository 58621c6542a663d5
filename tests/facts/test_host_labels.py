"""Files that are named in their own way get the name by which the job knows their machine."""

from __future__ import annotations

import pytest

from analyzer.facts.host_labels import name_by_hosts
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Kind

HOSTS = frozenset({"gx201", "gx207", "mill-c1", "mill-c7"})


def identity(file: str, *hosts: str, address: str = "", machine: str = "") -> StreamIdentity:
    addresses, machines = frozenset(filter(None, [address])), frozenset(filter(None, [machine]))
    return StreamIdentity(
        file, "", Kind.UNKNOWN, prefix_hosts=frozenset(hosts), addresses=addresses, machine_addresses=machines
    )


@pytest.mark.parametrize(
    ("label", "stated", "name"),
    [
        ("m_c7", ["mill-c7"], "mill-c7"),  # one of several alike
        ("sel_207", [], "gx207"),  # the only host with that number
        ("10.1.9.53_sel", [], "192.168.7.53"),  # the only machine with that host part
        ("nc-192.168.7.53", [], "192.168.7.53"),  # a member's address, whatever stands beside it
        ("ping-192.168.7.53", [], "ping-192.168.7.53"),  # written by another machine
        ("north", ["mill-c7", "mill-c1"], "north"),  # several state it
        ("sel_999", [], "sel_999"),
        ("turbine_207", [], "turbine_207"),  # a word of its own
        ("gx207", ["mill-c7"], "gx207"),  # known already
    ],
)
def test_the_host_that_a_label_means(label: str, stated: list[str], name: str) -> None:
    writers = [
        identity("a", *stated),
        identity("b", "mill-c1", address="192.168.7.53:2222"),
        identity("c", "mill-c7", address="192.168.7.54:2222"),
    ]
    assert name_by_hosts({"a": label, "b": None}, writers, HOSTS, {}) == {"a": name, "b": None}


def test_two_hosts_with_the_number_name_none() -> None:
    assert name_by_hosts({"a": "sel_207"}, [], HOSTS | {"db207"}, {}) == {"a": "sel_207"}


def test_a_file_named_for_the_address_of_a_machine_is_its_own() -> None:
    writers = [identity("a"), identity("b", "gx207", machine="10.1.9.7"), identity("c", "gx201", machine="10.1.9.1")]
    assert name_by_hosts({"a": "10.1.9.7"}, writers, HOSTS, {}) == {"a": "gx207"}
    shared = [*writers, identity("d", "gx201", machine="10.1.9.7")]  # a bridge of containers
    assert name_by_hosts({"a": "10.1.9.7"}, shared, HOSTS, {}) == {"a": "10.1.9.7"}


def test_a_folder_named_for_a_part_of_a_host_is_its_own() -> None:
    writers = [identity("birch/log", "mill-birch"), identity("birch/ps"), identity("alder/log", "mill-alder")]
    labels = {"birch/log": "birch", "birch/ps": "birch", "alder/log": "alder"}
    assert name_by_hosts(labels, writers, HOSTS, {}) == {
        "birch/log": "mill-birch",
        "birch/ps": "mill-birch",
        "alder/log": "mill-alder",
    }
    shared = [*writers, identity("notes", "kiln-birch")]  # nobody knows which of the two
    assert name_by_hosts(labels, shared, HOSTS, {})["birch/ps"] == "birch"


def test_an_address_in_a_files_name_is_the_host_that_has_it() -> None:
    labels = {"a": "netconsole-10.0.3.12", "b": "ping-10.0.3.12"}
    assert name_by_hosts(labels, [], HOSTS, {"10.0.3.12": "mill-c7"}) == {**labels, "a": "mill-c7"}
