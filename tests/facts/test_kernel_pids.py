"""A node known by an address or a rank alone is the machine whose kernel names its process."""

from __future__ import annotations

import pytest

from analyzer.facts.kernel_pids import join_by_kernel_pids
from analyzer.facts.registry import Registry
from analyzer.model import Event, Kind, Locus


def registry_of(owner: str, *machines: str, pid: str = "44450") -> Registry:
    registry = Registry()
    for name in (owner, *machines):
        registry.ensure_draft(name).present = True
        registry.by_host[name] = name
    registry.by_stream.update({(f"{name}/kern.log", ""): name for name in machines})
    registry.by_pid[pid] = {owner}
    return registry


def killed(machine: str, pid: str = "44450") -> Event:
    return Event("oom_kill", Locus(f"{machine}/kern.log", 1), "", kind=Kind.KERNEL, captures={"pid": pid})


@pytest.mark.parametrize("owner", ["10.40.2.21", "rank 6", "worker:6"])
def test_the_kernel_names_a_process_of_the_node(owner: str) -> None:
    registry = registry_of(owner, "gx11", "gx12")
    join_by_kernel_pids(registry, [killed("gx11"), killed("gx12", "77")])
    assert owner not in registry.drafts
    assert registry.node_of_pid("44450") == "gx11"


@pytest.mark.parametrize(
    ("registry", "events"),
    [
        (registry_of("rank 6", "gx11", "gx12"), [killed("gx11"), killed("gx12")]),  # two machines
        (registry_of("rank 6", "gx11", pid="12"), [killed("gx11", "12")]),  # of a container
        (registry_of("oak", "gx11"), [killed("gx11")]),  # a host of its own
    ],
)
def test_what_may_be_another_process_joins_nothing(registry: Registry, events: list[Event]) -> None:
    before = set(registry.drafts)
    join_by_kernel_pids(registry, events)
    assert set(registry.drafts) == before
