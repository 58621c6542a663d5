"""Who claims to be which task, where, and in which cluster."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from analyzer.diagnosis.derivation_context import DerivationContext
from analyzer.facts.cluster_spec import LOCALHOST, ClusterSpec, split_address
from analyzer.model import Event
from analyzer.untrusted.numbers import read_whole


def derive_duplicate_tasks(context: DerivationContext) -> Iterator[Event]:
    for task, owners in context.registry.task_owners.items():
        if len(owners) < 2:
            continue
        rightful_owner = _rightful_owner(task, owners, context)
        for owner in owners:
            if owner == rightful_owner:
                continue
            proofs = [
                event
                for identity in context.identities
                if context.registry.by_stream.get((identity.file, identity.stream)) == owner
                for _, event in identity.clusters[:1]
            ] or [event for event in [context.activities[owner].start_event] if event]
            yield from context.derive(
                "derived.duplicate_task", owner, proofs, task=task, nodes=", ".join(sorted(owners))
            )


def _rightful_owner(task: str, owners: Sequence[str], context: DerivationContext) -> str | None:
    """The claimant whose place among the machines is the task's index, or whose number is; else the first by name."""
    index = read_whole(task.rpartition(":")[2])
    present_nodes = [
        name for name, activity in context.activities.items() if name and activity.node.present
    ]  # natural order
    by_position = [owner for owner in owners if present_nodes.index(owner) == index]
    by_number = [
        owner for owner in owners if (match := re.search(r"(?<!\d)(\d{1,18})$", owner)) and int(match[1]) == index
    ]
    is_complete = (
        context.registry.cluster is not None and len(present_nodes) >= context.registry.cluster.task_count
    )  # else places have shifted
    attempts = (by_position, by_number) if is_complete else (by_number, by_position)
    return next((matches[0] for matches in attempts if len(matches) == 1), owners[0])


def derive_cluster_differences(context: DerivationContext) -> Iterator[Event]:
    common = context.registry.cluster
    if common is None:
        return
    stated = [
        (node, *identity.clusters[-1])
        for identity in context.identities
        if identity.clusters and (node := context.registry.by_stream.get((identity.file, identity.stream))) is not None
    ]
    # Who leads joins itself; where another came to a cluster at localhost, all of them are of one machine.
    leaders = {
        context.registry.by_stream.get((identity.file, identity.stream))
        for identity in context.identities
        if identity.is_leader
    }
    joined = any(
        _own_localhost(cluster) and context.activities[node].join_event
        for node, cluster, _ in stated
        if node not in leaders
    )
    several_nodes = not joined and len(set(context.registry.by_stream.values())) > 1
    for node, cluster, proof in stated:
        local_name = (
            _own_localhost(cluster) or _localhost_of_other_task(cluster, common, node, context)
            if several_nodes
            else None
        )
        local_name = local_name or _localhost_beside_own_address(cluster, context.activities[node].node.tasks)
        if local_name and not context.activities[node].last_step:  # a step takes all members
            yield from context.derive("derived.localhost_cluster", node, [proof], address=local_name)
        if clusters_differ(cluster.jobs, common.jobs):
            yield from context.derive(
                "derived.cluster_differs", node, [proof], key="cluster", value=str(dict(cluster.jobs))[:300]
            )


def _own_localhost(cluster: ClusterSpec) -> str | None:
    """The one name of this machine itself that a cluster of several members is told to meet at."""
    hosts = [split_address(address)[0] for address in cluster.task_addresses().values()]
    local_names = {host for host in hosts if LOCALHOST.match(host)}
    return min(local_names) if len(local_names) == 1 and 1 < len(hosts) > len(set(hosts)) else None


def _localhost_of_other_task(
    cluster: ClusterSpec, common: ClusterSpec, node: str, context: DerivationContext
) -> str | None:
    """This machine's own name in the place of a task that is of another, to which the others give a true address."""
    own_tasks = context.activities[node].node.tasks
    for task, address in cluster.task_addresses().items():
        host, common_address = split_address(address)[0], common.address_of(task)
        is_foreign = (
            bool(own_tasks) and task not in own_tasks and context.registry.node_of_task(task) not in (None, node)
        )
        if (
            is_foreign
            and LOCALHOST.match(host)
            and common_address
            and not LOCALHOST.match(split_address(common_address)[0])
        ):
            return host
    return None


def _localhost_beside_own_address(cluster: ClusterSpec, own_tasks: Collection[str]) -> str | None:
    """This machine's own name in the place of another task, while its own task has a true address."""
    hosts = {task: split_address(address)[0] for task, address in cluster.task_addresses().items()}
    own_hosts = [hosts[task] for task in own_tasks if task in hosts]
    local_names = {host for task, host in hosts.items() if task not in own_tasks and LOCALHOST.match(host)}
    return min(local_names) if local_names and own_hosts and not any(map(LOCALHOST.match, own_hosts)) else None


def derive_localhost_servers(context: DerivationContext) -> Iterator[Event]:
    """One serves at localhost, the others at names, and never meets them: its cluster is of its own machine alone."""
    serving = {
        activity.name: activity for activity in context.activities.values() if activity.name and activity.start_event
    }
    hosts = {
        name: split_address(address)[0]
        for name, activity in serving.items()
        if activity.start_event and (address := activity.start_event.captures.get("address"))
    }
    local_nodes = {
        name for name, host in hosts.items() if LOCALHOST.match(host) and host != "0.0.0.0"
    }  # which is every address
    for name in local_nodes if len(local_nodes) < len(hosts) else ():
        activity = serving[name]
        if activity.node.present and activity.start_event and not activity.join_event and not activity.last_step:
            yield from context.derive("derived.localhost_cluster", name, [activity.start_event], address=hosts[name])


def derive_lone_trainers(context: DerivationContext) -> Iterator[Event]:
    """Trains by itself while others wait for a member that nobody else is: it was not told of the cluster."""
    missing_tasks = [
        task for activity in context.activities.values() if not activity.node.present for task in activity.node.tasks
    ]
    for identity in context.identities if missing_tasks else ():
        node = context.registry.by_stream.get((identity.file, identity.stream), "")
        if identity.standalone_event and node and not identity.clusters and not context.activities[node].node.tasks:
            task = missing_tasks[0] if len(missing_tasks) == 1 else None
            yield from context.derive("derived.trains_alone", node, [identity.standalone_event], task=task)


def clusters_differ(first: Mapping[str, tuple[str | None, ...]], second: Mapping[str, tuple[str | None, ...]]) -> bool:
    """Disagree on a member that both name; TensorFlow 1 writes the own address as localhost, which is no difference."""
    for job in first.keys() & second.keys():
        if len(first[job]) != len(second[job]):
            return True
        for first_address, second_address in zip(first[job], second[job], strict=True):
            if (
                first_address
                and second_address
                and first_address != second_address
                and not any(LOCALHOST.match(split_address(a)[0]) for a in (first_address, second_address))
            ):
                return True
    return False


def derive_repeated_addresses(context: DerivationContext) -> Iterator[Event]:
    """A cluster that gives one address to two tasks; port 0 and no port mean that each takes a free one."""
    if context.registry.cluster is None:
        return
    tasks: dict[str, list[str]] = {}
    for task, address in context.registry.cluster.task_addresses().items():
        if split_address(address)[1] not in (None, "0"):
            tasks.setdefault(address, []).append(task)
    proof = next((identity.clusters[-1][1] for identity in context.identities if identity.clusters), None)
    for address, sharing_tasks in tasks.items():
        if len(sharing_tasks) > 1 and proof is not None:
            yield from context.derive(
                "derived.repeated_address",
                proof.node,
                [proof],
                address=address,
                task=sharing_tasks[1],
                other=sharing_tasks[0],
            )


def derive_foreign_addresses(context: DerivationContext) -> Iterator[Event]:
    """A task whose address in the cluster is, by what `ip` says there, another machine's."""
    owners: dict[str, set[str]] = {}
    for node, addresses in context.machine_addresses.items():
        for address in addresses:
            owners.setdefault(address, set()).add(node)
    for identity in context.identities:
        node = context.registry.by_stream.get((identity.file, identity.stream), "")
        if not identity.clusters or len(identity.tasks) != 1 or node not in context.machine_addresses:
            continue
        (cluster, proof), (task,) = identity.clusters[-1], identity.tasks
        address = split_address(cluster.address_of(task) or "")[0]
        other_owners = owners.get(address, set()) - {node}
        if len(other_owners) == 1 and address not in context.machine_addresses[node]:
            yield from context.derive(
                "derived.address_mismatch", node, [proof], address=address, task=task, host=next(iter(other_owners))
            )


def derive_wrong_addresses(context: DerivationContext) -> Iterator[Event]:
    """A server that listens on an address which the cluster gives to another task."""
    if context.registry.cluster is None:
        return
    owners = {address: task for task, address in context.registry.cluster.task_addresses().items()}
    for identity in context.identities:
        node = context.registry.by_stream.get((identity.file, identity.stream))
        for address in identity.addresses:
            task = owners.get(address)
            if (
                node
                and task
                and len(identity.tasks) == 1
                and task not in identity.tasks
                and (activity := context.activities[node]).start_event
            ):
                yield from context.derive(
                    "derived.address_mismatch",
                    node,
                    [activity.start_event],
                    address=address,
                    task=next(iter(identity.tasks)),
                )


def derive_shared_addresses(context: DerivationContext) -> Iterator[Event]:
    """Two nodes say that they serve one address: all but its owner were given another's task."""
    claims: dict[str, dict[str, Event]] = {}
    for activity in context.activities.values():
        address = activity.start_event.captures.get("address") if activity.start_event else None
        if (
            activity.start_event
            and address
            and activity.node.present
            and not LOCALHOST.match(split_address(address)[0])
        ):
            claims.setdefault(address, {})[activity.name] = activity.start_event
    for address, nodes in claims.items():
        owner = context.registry.node_of_host(split_address(address)[0])
        if (
            len(nodes) < 2
            or owner not in nodes
            or any(len(task_owners) > 1 for task_owners in context.registry.task_owners.values())
        ):
            continue
        tasks = context.activities[owner].node.tasks
        for node, proof in nodes.items():
            if node != owner:
                names = ", ".join(sorted(nodes))
                task = tasks[0] if len(tasks) == 1 else address
                yield from context.derive("derived.duplicate_task", node, [proof], task=task, nodes=names)
