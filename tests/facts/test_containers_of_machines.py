"""Containers that have their machines' names with one and the same addition are on these machines."""

from __future__ import annotations

from analyzer.facts.containers_of_machines import name_containers_by_machines
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Kind


def kernel_log(machine: str) -> StreamIdentity:
    return StreamIdentity(f"{machine}/dmesg.txt", "", Kind.KERNEL, label=machine)


def writer(host: str) -> StreamIdentity:
    return StreamIdentity("job.out", host, Kind.WORKER, prefix_hosts=frozenset({host}))


def test_each_container_gets_the_name_of_its_machine() -> None:
    writers = [writer("gx7-fit"), writer("gx8-fit")]
    assert name_containers_by_machines([*writers, kernel_log("gx7"), kernel_log("gx8"), kernel_log("gx9")]) == {
        "gx7-fit": "gx7",
        "gx8-fit": "gx8",
    }
    assert [set(identity.prefix_hosts) for identity in writers] == [{"gx7"}, {"gx8"}]


def test_what_may_be_chance_joins_nothing() -> None:
    assert not name_containers_by_machines([writer("gx7-fit"), kernel_log("gx7")])  # one alone
    assert not name_containers_by_machines([writer("gx7-a"), writer("gx8-b"), kernel_log("gx7"), kernel_log("gx8")])
    machines = [kernel_log(name) for name in ("gx7", "gx8", "gx7-ib", "gx8-ib")]  # these are machines themselves
    assert not name_containers_by_machines([writer("gx7-ib"), writer("gx8-ib"), *machines])
