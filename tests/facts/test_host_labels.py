"""Files that are named in their own way get the name by which the job knows their machine."""

from __future__ import annotations

import pytest

from analyzer.facts.host_labels import name_by_hosts
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Kind

HOSTS = frozenset({"hw101", "hw107", "kepco-c1", "kepco-c7"})


def identity(file: str, *hosts: str, address: str = "") -> StreamIdentity:
    addresses = frozenset(filter(None, [address]))
    return StreamIdentity(file, "", Kind.UNKNOWN, prefix_hosts=frozenset(hosts), addresses=addresses)


@pytest.mark.parametrize(
    ("label", "stated", "name"),
    [
        ("k_c7", ["kepco-c7"], "kepco-c7"),  # one of several alike
        ("sel_107", [], "hw107"),  # the only host with that number
        ("10.41.3.33_sel", [], "192.168.41.33"),  # the only machine with that host part
        ("north", ["kepco-c7", "kepco-c1"], "north"),  # several state it
        ("sel_999", [], "sel_999"),
        ("turbine_107", [], "turbine_107"),  # a word of its own
        ("hw107", ["kepco-c7"], "hw107"),  # known already
    ],
)
def test_the_host_that_a_label_means(label: str, stated: list[str], name: str) -> None:
    writers = [
        identity("a", *stated),
        identity("b", "kepco-c1", address="192.168.41.33:2222"),
        identity("c", "kepco-c7", address="192.168.41.34:2222"),
    ]
    assert name_by_hosts({"a": label, "b": None}, writers, HOSTS) == {"a": name, "b": None}


def test_two_hosts_with_the_number_name_none() -> None:
    assert name_by_hosts({"a": "sel_107"}, [], HOSTS | {"db107"}) == {"a": "sel_107"}
