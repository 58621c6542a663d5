"""Contradictions between what nodes claim: which task they are, at which address, and in which cluster."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from analyzer.diagnosis.derivation_context import DerivationContext, derives, waiting_members
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.facts.cluster_spec import LOCALHOST, ClusterSpec, split_address
from analyzer.facts.registry import NUMERIC_ADDRESS
from analyzer.model import Event
from analyzer.signals.derived import (
    ADDRESS_MISMATCH,
    CLUSTER_DIFFERS,
    DUPLICATE_TASK,
    LOCALHOST_CLUSTER,
    REPEATED_ADDRESS,
    TRAINED_APART,
    TRAINS_ALONE,
)
from analyzer.untrusted.numbers import read_whole
from analyzer.wording import join_names

MAX_CLUSTER_CHARS = 300  # length of the cluster that a finding quotes
MAX_STAGGER_S = 1800.0  # most seconds between the starts of one job's members, by hand or by a busy scheduler
MIN_SHARED_LOSSES = 2  # so many equal losses are no coincidence
MIN_LOSS_DIGITS = 4
MAX_OWNERS = 20  # nodes of one task that one finding names: there may be as many findings as nodes


@derives(DUPLICATE_TASK)
def derive_duplicate_tasks(context: DerivationContext) -> Iterator[Event]:
    """Several nodes claim one task at the same time: derive an event for each except the rightful owner."""
    proofs_by_node: dict[str | None, list[Event]] = {}
    clusters_by_node: dict[str | None, ClusterSpec] = {}
    for identity in context.identities:
        node = context.node_of(identity)
        proofs_by_node.setdefault(node, []).extend(event for _, event in identity.clusters[:1])
        if identity.clusters:
            clusters_by_node[node] = identity.clusters[-1][0]
    waiting = waiting_members(context)
    for task, claimants in context.registry.task_owners.items():
        named = filter(None, claimants)  # lines without a known node may be copies of an owner's lines
        own = [name for name in named if not _is_foreign(proofs_by_node.get(name, ()), context)]
        owners = _last_owners(own, context)
        if len(owners) < 2:
            continue
        rightful_owner = _rightful_owner(task, owners, context)
        cluster = clusters_by_node.get(rightful_owner)
        rivals = [owner for owner in owners if not _are_apart(cluster, clusters_by_node.get(owner))]
        names = join_names(sorted(rivals), MAX_OWNERS)
        others = join_names([name for name in waiting if name not in rivals], MAX_OWNERS) or None
        for owner in rivals:
            if owner == rightful_owner:
                continue
            proofs = proofs_by_node.get(owner) or list(islice(_find_claims(owner, task, context), 1))
            yield from context.derive(DUPLICATE_TASK, owner, proofs, task=task, nodes=names, waiting=others)


def _find_claims(owner: str, task: str, context: DerivationContext) -> Iterator[Event]:
    """Yield the events in which a node claims a task: its start, and lines that set the task's number."""
    if event := context.activities[owner].start_event:
        yield event
    index = task.rpartition(":")[2]
    yield from (
        event for event in context.timeline.events if event.node == owner and event.captures.get("task_index") == index
    )


def _are_apart(cluster: ClusterSpec | None, other: ClusterSpec | None) -> bool:
    """Return whether both clusters are known and their first members are all different: two jobs."""
    if cluster is None or other is None:
        return False
    heads = [
        {address for members in spec.jobs.values() for address in members[:MAX_OWNERS]} for spec in (cluster, other)
    ]
    return heads[0].isdisjoint(heads[1])


def _is_foreign(proofs: Sequence[Event], context: DerivationContext) -> bool:
    """Return whether all proofs of the claim belong to another job or an earlier run."""
    return bool(proofs) and all(map(context.timeline.scope.why_foreign, proofs))


def _last_owners(claimants: Sequence[str], context: DerivationContext) -> Sequence[str]:
    """Return the claimants except those of earlier attempts, which were over before the last one began."""
    began = max((context.activities[name].first_activity or 0.0 for name in claimants), default=0.0)
    return [name for name in claimants if not _is_over(context.activities[name], began)]


def _is_over(activity: NodeActivity, time: float) -> bool:
    """Return whether a node had ended well before a time, or had long been silent by then (as waiting members are)."""
    if activity.last_time is None:
        return False
    return activity.last_time + (0.0 if activity.ended_well else MAX_STAGGER_S) < time


def _rightful_owner(task: str, owners: Sequence[str], context: DerivationContext) -> str | None:
    """Return the owner to which the task belongs.

    The criteria, in this order: the task's address in the cluster is an address or the name of its machine; the number
    in its name, or its position among the nodes, equals the task's index. If all nodes of the cluster are present, the
    position comes before the number. Positions count only if they fit the tasks of the other nodes. If no criterion
    selects one owner, the first one at work is returned: the other claimed a task that was taken.
    """
    cluster = context.registry.cluster
    address = cluster.address_of(task) if cluster else None
    host = split_address(address)[0].lower() if address else ""
    is_there = [owner for owner in owners if host in context.machine_addresses.get(owner, ())]
    called_so = [owner for owner in owners if host and _short_name(host) in _short_names(owner, context)]
    for candidates in (is_there, called_so):
        if len(candidates) == 1:
            return candidates[0]
    index = read_whole(task.rpartition(":")[2])
    # In natural order, like the activities.
    members = (activity for activity in context.activities.values() if activity.node.tasks)
    present = [activity for activity in members if activity.node.present]
    positions = {activity.name: position for position, activity in enumerate(present)}
    are_in_order = all(
        read_whole(own.rpartition(":")[2]) == positions[activity.name]
        for activity in present
        if activity.name not in owners
        for own in activity.node.tasks[:1]
    )
    by_position = [owner for owner in owners if are_in_order and positions.get(owner) == index]
    by_number = [
        owner for owner in owners if (match := re.search(r"(?<!\d)(\d{1,18})$", owner)) and int(match[1]) == index
    ]
    is_complete = cluster is not None and len(positions) >= cluster.task_count
    attempts = (by_position, by_number) if is_complete else (by_number, by_position)
    return next((matches[0] for matches in attempts if len(matches) == 1), _first_at_work(owners, context))


def _short_names(node: str, context: DerivationContext) -> set[str]:
    names = (node, *context.activities[node].node.hosts)
    return {_short_name(name.lower()) for name in names}


def _short_name(host: str) -> str:
    return host if NUMERIC_ADDRESS.search(host) else host.partition(".")[0]


def _first_at_work(owners: Sequence[str], context: DerivationContext) -> str:
    """Return the first owner at work; if none has a time, the first by name."""
    times = {owner: context.activities[owner].first_activity for owner in owners}
    return min(owners, key=lambda owner: math.inf if (time := times[owner]) is None else time)


@derives(LOCALHOST_CLUSTER, CLUSTER_DIFFERS)
def derive_cluster_differences(context: DerivationContext) -> Iterator[Event]:
    """A node's cluster specification names localhost for other machines, or differs from that of most nodes."""
    common = context.registry.cluster
    if common is None:
        return
    stated = [
        (node, *identity.clusters[-1])
        for identity in context.identities
        if identity.clusters and (node := context.node_of(identity)) is not None
    ]
    # A leader joins itself. If another node joined a cluster at localhost, all nodes run on one machine.
    leaders = {context.node_of(identity) for identity in context.identities if identity.is_leader}
    joined = any(
        _own_localhost(cluster) and context.activities[node].join_event
        for node, cluster, _ in stated
        if node not in leaders
    )
    several_nodes = not joined and len(set(context.registry.by_stream.values())) > 1
    for node, cluster, proof in stated:
        activity = context.activities[node]
        local_name = None
        if several_nodes:
            local_name = _own_localhost(cluster) or _localhost_of_other_task(cluster, common, node, context)
        local_name = local_name or _localhost_beside_own_address(cluster, activity.node.tasks)
        if local_name and not activity.last_step:  # a step needs all members, so the cluster was right
            owner = _owner_of_localhost(common, local_name, context)
            misled = join_names(sorted({name for name, _, _ in stated}), MAX_OWNERS) if owner else None
            yield from context.derive(LOCALHOST_CLUSTER, owner or node, [proof], address=local_name, nodes=misled)
        if clusters_differ(cluster.jobs, common.jobs):
            value = _describe_cluster(cluster)
            yield from context.derive(CLUSTER_DIFFERS, node, [proof], key="cluster", value=value)


def _describe_cluster(cluster: ClusterSpec) -> str:
    """Return the jobs with their addresses: `worker: a:2222, b:2222; ps: c:2222`."""
    jobs = (f"{job}: {', '.join(address or '-' for address in members)}" for job, members in cluster.jobs.items())
    return "; ".join(jobs)[:MAX_CLUSTER_CHARS]


def _own_localhost(cluster: ClusterSpec) -> str | None:
    """Return the name for this machine (localhost, 127.0.0.1 …) in a cluster, if it is the only such name and several
    of the members share a host."""
    hosts = [split_address(address)[0] for address in cluster.task_addresses().values()]
    local_names = {host for host in hosts if LOCALHOST.match(host)}
    return min(local_names) if len(local_names) == 1 and 1 < len(hosts) > len(set(hosts)) else None


def _localhost_of_other_task(
    cluster: ClusterSpec, common: ClusterSpec, node: str, context: DerivationContext
) -> str | None:
    """Return the name for this machine that the cluster gives to another node's task, for which most nodes state a
    real address."""
    own_tasks = context.activities[node].node.tasks
    for task, address in cluster.task_addresses().items():
        host, common_address = split_address(address)[0], common.address_of(task)
        is_foreign = (
            bool(own_tasks) and task not in own_tasks and context.registry.node_of_task(task) not in (None, node)
        )
        has_real_address = bool(common_address) and not LOCALHOST.match(split_address(common_address or "")[0])
        if is_foreign and LOCALHOST.match(host) and has_real_address:
            return host
    return None


def _localhost_beside_own_address(cluster: ClusterSpec, own_tasks: Collection[str]) -> str | None:
    """Return the name for this machine that the cluster gives to another task, if its own task has a real address."""
    hosts = {task: split_address(address)[0] for task, address in cluster.task_addresses().items()}
    own_hosts = [hosts[task] for task in own_tasks if task in hosts]
    local_names = {host for task, host in hosts.items() if task not in own_tasks and LOCALHOST.match(host)}
    return min(local_names) if local_names and own_hosts and not any(map(LOCALHOST.match, own_hosts)) else None


def _owner_of_localhost(common: ClusterSpec, local_name: str, context: DerivationContext) -> str | None:
    """Return the only node whose tasks all members expect at localhost: it has the wrong address."""
    tasks = [task for task, address in common.task_addresses().items() if split_address(address)[0] == local_name]
    owners = {context.registry.node_of_task(task) for task in tasks}
    owner = owners.pop() if len(owners) == 1 else None
    return owner if owner and context.activities[owner].node.present else None


@derives(LOCALHOST_CLUSTER)
def derive_localhost_servers(context: DerivationContext) -> Iterator[Event]:
    """A node serves at localhost, others serve at names, and they never meet: its cluster has only itself.

    Or all nodes serve at localhost, on several machines, and their leader waits for members that run. With a
    coordination service, TensorFlow prints the name that the cluster gives to the task; TensorFlow 1 always prints
    localhost.
    """
    serving = {
        activity.name: activity for activity in context.activities.values() if activity.name and activity.address_event
    }
    hosts = {
        name: split_address(activity.address_event.captures["address"])[0]
        for name, activity in serving.items()
        if activity.address_event
    }
    # 0.0.0.0 stands for all addresses of the machine.
    local_nodes = {name for name, host in hosts.items() if LOCALHOST.match(host) and host != "0.0.0.0"}
    for name in local_nodes if len(local_nodes) < len(hosts) else ():
        activity = serving[name]
        if activity.node.present and activity.address_event and not activity.join_event and not activity.last_step:
            yield from context.derive(LOCALHOST_CLUSTER, name, [activity.address_event], address=hosts[name])
    joined = [name for name in local_nodes if serving[name].join_event]
    if len(local_nodes) == len(hosts) and 0 < len(joined) < len(local_nodes):
        members = [serving[name] for name in sorted(local_nodes)]
        if all(activity.node.present and not activity.last_step for activity in members):
            starts = [activity.address_event for activity in members if activity.address_event]
            named = join_names(sorted(local_nodes), MAX_OWNERS)
            yield from context.derive(LOCALHOST_CLUSTER, "", starts[:2], address=hosts[members[0].name], nodes=named)


@derives(TRAINS_ALONE)
def derive_lone_trainers(context: DerivationContext) -> Iterator[Event]:
    """A node without a cluster specification trains alone, while others wait for its task or for one without a node."""
    missing_tasks = [
        task for activity in context.activities.values() if not activity.node.present for task in activity.node.tasks
    ]
    for identity in context.identities:
        node = context.node_of(identity)
        if identity.standalone_event is None or identity.clusters or not node:
            continue
        activity = context.activities[node]
        awaited = (activity.node.tasks if activity.accusations_received else ()) or (
            () if activity.node.tasks else missing_tasks
        )
        if awaited:
            task = awaited[0] if len(awaited) == 1 else None
            yield from context.derive(TRAINS_ALONE, node, [identity.standalone_event], task=task)


@derives(TRAINED_APART)
def derive_separate_trainers(context: DerivationContext) -> Iterator[Event]:
    """Each training node is the only worker of its own job, yet the losses of equal steps are equal.

    Members of one job also log equal losses, but they know each other. The runs of a search over hyperparameters have
    different losses.
    """
    proofs: dict[str, Event] = {}
    for identity in context.identities:
        node = context.node_of(identity)
        if identity.clusters:
            return
        if identity.standalone_event is not None and node:
            proofs.setdefault(node, identity.standalone_event)
    trainers = [name for name, activity in context.activities.items() if name and activity.step_events]
    if len(trainers) < 2 or not proofs.keys() >= set(trainers):
        return
    losses = [dict(_losses_by_step(context.activities[name])) for name in trainers]
    shared = set.intersection(*(set(own.items()) for own in losses))
    if len(shared) < MIN_SHARED_LOSSES:
        return
    step, loss = max(shared)
    names = join_names(sorted(trainers), MAX_OWNERS)
    first_two = [proofs[name] for name in trainers[:2]]
    yield from context.derive(TRAINED_APART, "", first_two, nodes=names, step=str(step), loss=loss)


def _losses_by_step(activity: NodeActivity) -> Iterator[tuple[int, str]]:
    """Yield each step with its printed loss, if the loss has too many digits to be equal by chance."""
    for event in activity.step_events:
        step, loss = read_whole(event.captures.get("step")), event.captures.get("loss", "")
        if step is not None and sum(map(str.isdigit, loss)) >= MIN_LOSS_DIGITS:
            yield step, loss


def clusters_differ(first: Mapping[str, tuple[str | None, ...]], second: Mapping[str, tuple[str | None, ...]]) -> bool:
    """Return whether two clusters (job → addresses by index) disagree on a member that both name.

    TensorFlow 1 writes its own address as localhost, which is no difference.
    """
    for job in first.keys() & second.keys():
        if len(first[job]) != len(second[job]):
            return True
        for first_address, second_address in zip(first[job], second[job], strict=True):
            if not first_address or not second_address or first_address == second_address:
                continue
            if not any(LOCALHOST.match(split_address(address)[0]) for address in (first_address, second_address)):
                return True
    return False


@derives(REPEATED_ADDRESS)
def derive_repeated_addresses(context: DerivationContext) -> Iterator[Event]:
    """The cluster gives one address to two tasks. Without a port, or with port 0, each task takes a free port."""
    if context.registry.cluster is None:
        return
    tasks: dict[str, list[str]] = {}
    for task, address in context.registry.cluster.task_addresses().items():
        if split_address(address)[1] not in (None, "0"):
            tasks.setdefault(address, []).append(task)
    proof = next((identity.clusters[-1][1] for identity in context.identities if identity.clusters), None)
    for address, sharing_tasks in tasks.items():
        if len(sharing_tasks) > 1 and proof is not None:
            first, second = sharing_tasks[:2]
            yield from context.derive(REPEATED_ADDRESS, proof.node, [proof], address=address, task=second, other=first)


@derives(ADDRESS_MISMATCH)
def derive_foreign_addresses(context: DerivationContext) -> Iterator[Event]:
    """The address of a task in the cluster belongs to another machine, as the output of `ip` there shows."""
    owners: dict[str, set[str]] = {}
    for node, addresses in context.machine_addresses.items():
        for address in addresses:
            owners.setdefault(address, set()).add(node)
    for identity in context.identities:
        node = context.node_of(identity) or ""
        if not identity.clusters or len(identity.tasks) != 1 or node not in context.machine_addresses:
            continue
        (cluster, proof), (task,) = identity.clusters[-1], identity.tasks
        address = split_address(cluster.address_of(task) or "")[0]
        other_owners = owners.get(address, set()) - {node}
        if len(other_owners) == 1 and address not in context.machine_addresses[node]:
            yield from context.derive(
                ADDRESS_MISMATCH, node, [proof], address=address, task=task, host=next(iter(other_owners))
            )


@derives(ADDRESS_MISMATCH)
def derive_wrong_addresses(context: DerivationContext) -> Iterator[Event]:
    """A server listens on an address that the cluster gives to another task."""
    if context.registry.cluster is None:
        return
    owners = {address: task for task, address in context.registry.cluster.task_addresses().items()}
    for identity in context.identities:
        node = context.node_of(identity)
        start_event = context.activities[node].start_event if node else None
        if not node or start_event is None or len(identity.tasks) != 1:
            continue
        (own_task,) = identity.tasks
        for address in identity.addresses:
            if owners.get(address, own_task) != own_task:
                yield from context.derive(ADDRESS_MISMATCH, node, [start_event], address=address, task=own_task)


@derives(DUPLICATE_TASK)
def derive_shared_addresses(context: DerivationContext) -> Iterator[Event]:
    """Two nodes say that they serve one address: all except its owner got another node's task."""
    claims: dict[str, dict[str, Event]] = {}
    for activity in context.activities.values():
        if activity.start_event is None or not activity.name or not activity.node.present:
            continue
        address = activity.start_event.captures.get("address")
        if address and not LOCALHOST.match(split_address(address)[0]):
            claims.setdefault(address, {})[activity.name] = activity.start_event
    if any(len(task_owners) > 1 for task_owners in context.registry.task_owners.values()):
        return  # `derive_duplicate_tasks` reports them
    for address, nodes in claims.items():
        owner = context.registry.node_of_host(split_address(address)[0])
        if len(nodes) < 2 or owner not in nodes:
            continue
        tasks = context.activities[owner].node.tasks
        task = tasks[0] if len(tasks) == 1 else address
        names = join_names(sorted(nodes), MAX_OWNERS)
        for node, proof in nodes.items():
            if node != owner:
                for event in context.derive(DUPLICATE_TASK, node, [proof], task=task, nodes=names):
                    yield event if task in tasks else event._replace(task=None)  # an address is no task
