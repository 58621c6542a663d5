"""Joins a node known by an address or a rank alone with the machine whose kernel names its process.

    6: starting train.py pid=44450                                        the log of rank 6 at 10.40.2.21
    Feb  7 02:58:20 gx11 kernel: Killed process 44450 (python3)           gx11 is 10.40.2.21

Both must be the only ones that state this pid. In a container, which has pids of its own, they are small.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from analyzer.facts.registry import Registry
from analyzer.model import Event, Kind
from analyzer.untrusted.numbers import read_whole

MIN_PID = 300  # smaller pids are of the kernel's own threads (RESERVED_PIDS), or of a container


def join_by_kernel_pids(registry: Registry, events: Iterable[Event]) -> None:
    """Join the nodes of which exactly one states a pid with the only machine, without a task, whose kernel names it."""
    machines: dict[str, set[str]] = defaultdict(set)  # pid → nodes whose kernels name it
    for event in events:
        pid = event.captures.get("pid", "")
        if event.kind is Kind.KERNEL and (read_whole(pid) or 0) >= MIN_PID:
            machines[pid].add(registry.node_of_event(event))
    for pid, nodes in machines.items():
        owner, machine = registry.node_of_pid(pid), min(nodes)
        if (
            len(nodes) == 1
            and machine in registry.drafts
            and owner in registry.drafts
            and owner != machine
            and registry.has_no_host_name(owner)
            and not registry.drafts[machine].tasks
        ):
            registry.rename_to_host(owner, machine, f"its process {pid} is one of {machine}'s kernel")
