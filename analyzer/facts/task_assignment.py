"""Assigns tasks to the nodes that do not state their own."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from analyzer.facts.cluster_spec import read_task, read_tasks, split_address
from analyzer.facts.launcher_ranks import (
    assign_by_rank,
    assign_numbered_workers,
    assign_silent_ranks,
    index_ranks,
    name_unnamed_ranks,
)
from analyzer.facts.missing_tasks import (
    add_awaited_tasks,
    add_lost_tasks,
    add_reported_tasks,
    add_skipped_tasks,
    join_absent_members,
)
from analyzer.facts.path_labels import SERVER_NAME, task_of_label
from analyzer.facts.registry import LOOPBACK, NUMERIC_ADDRESS, Registry
from analyzer.facts.stated_tasks import assign_stated_tasks
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Event, Kind
from analyzer.wording import natural_key


def assign_tasks(
    registry: Registry,
    identities: Sequence[StreamIdentity],
    events: Sequence[Event],
    join_signals: frozenset[str],
) -> None:
    """Assign tasks to nodes, the surest conclusions first: later steps only fill what earlier ones left open.

    `events` are those of all sources; those of `join_signals` report that a task connected to the coordination service.
    """
    joined = {
        task for event in events if event.signal in join_signals and (task := read_task(event.captures.get("task")))
    }
    _assign_by_cluster_spec(registry)
    assign_by_rank(registry, identities)
    _merge_task_files(registry)
    _assign_by_errors(registry, events)
    _add_served_ports(registry, identities, events)
    assign_stated_tasks(registry, identities)
    _assign_by_names(registry, identities, events)
    _assign_servers_by_name(registry, events)
    _assign_by_elimination(registry, joined)
    add_lost_tasks(registry, events, joined)
    _assign_by_order(registry, identities, events)
    assign_silent_ranks(registry, identities)
    name_unnamed_ranks(registry, identities)
    assign_numbered_workers(registry, identities, set(_named_tasks(events)))
    index_ranks(registry, identities)
    add_awaited_tasks(registry, identities, events)
    add_skipped_tasks(registry, joined)
    add_reported_tasks(registry, events)
    join_absent_members(registry)


def name_leader_tasks(
    cluster_jobs: Iterable[str], identities: Iterable[StreamIdentity], events: Iterable[Event]
) -> None:
    """Give each stream that runs the coordination service, and states no task, the first task of its job.

    The first task starts the service (multi_worker_util.coordination_leader). In TensorFlow 1 any task may start one
    for its session, so a stream whose file is named for another task is left out, and one that waits for the first
    task. `cluster_jobs` are the jobs of the cluster spec.
    """
    leaders = [
        identity
        for identity in identities
        if identity.is_leader
        and not identity.tasks
        and not identity.is_shared
        and (task_of_label(identity.label or "") or ":0").endswith(":0")
    ]
    if len(leaders) > 1:  # of sessions, then: nothing but its name tells which is the first task
        leaders = [identity for identity in leaders if task_of_label(identity.label or "")]
    if leaders:
        jobs = {*cluster_jobs, *(task.partition(":")[0] for task in _named_tasks(events))}
        first_task = "chief:0" if "chief" in jobs else "worker:0"
        for identity in leaders:
            if first_task not in identity.awaited_tasks:
                identity.tasks |= {first_task}


def _named_tasks(events: Iterable[Event]) -> Iterator[str]:
    """Yield every task that a line or its block names. Events with `peer_task` name two tasks of which one is meant."""
    for event in events:
        if "peer_task" not in event.captures:
            yield from read_tasks(event.captures.get("task"), event.block)


def _assign_by_cluster_spec(registry: Registry) -> None:
    """Assign the tasks of the cluster spec by their addresses; a task without files gets a node of its own.

    A node that has no name but its task (a file with TF_CONFIG) is the one that serves at the task's address.
    """
    if registry.cluster is None:
        return
    for task, address in registry.cluster.task_addresses().items():
        host, port = split_address(address)
        machine = None if LOOPBACK.match(host) else registry.node_of_host(host)
        if machine and machine != task and {machine, task} <= set(registry.task_owners.get(task, ())):
            registry.join_nodes(task, machine, f"both claim {task}, and {address} is its address")
        server = None if LOOPBACK.match(host) else registry.node_of_address(address)
        is_server_free = server in registry.drafts and not registry.drafts[server].tasks
        if server and is_server_free and server != task == registry.node_of_task(task):
            registry.join_nodes(task, server, f"it serves at {address}, the address of {task}")
        owner = registry.node_of_task(task) or (
            None if LOOPBACK.match(host) else server or registry.node_of_ec2_address(host)
        )
        if owner is None and task in registry.task_owners:
            continue  # several nodes claim it
        draft = registry.ensure_draft(owner or (task if LOOPBACK.match(host) else registry.name_as_siblings(host)))
        if owner is None:
            draft.present = False
        if task not in registry.task_owners:
            registry.assign_task(task, draft.name, f"the cluster spec gives it the address {address}")
        draft.addresses.add(address)
        if port:
            registry.by_address.setdefault(f"{host}:{port}", draft.name)
        if not LOOPBACK.match(host):
            registry.by_host.setdefault(host.lower(), draft.name)


def _merge_task_files(registry: Registry) -> None:
    """Give a file that is named for a task and states nothing else (`worker-1.exit_code`) to the task's owner."""
    for draft in list(registry.drafts.values()):
        if draft.tasks or draft.addresses or draft.hosts or not draft.present:
            continue
        owner = registry.node_of_task(task) if (task := read_task(draft.name) or task_of_label(draft.name)) else None
        if owner and owner != draft.name and not registry.drafts[owner].present:
            registry.rename_to_host(owner, draft.name, f"a file is named after its task {task}")
        elif owner and owner != draft.name:
            del registry.drafts[draft.name]
            registry.by_host[draft.name.lower()] = owner
            for key, name in registry.by_stream.items():
                if name == draft.name:
                    registry.by_stream[key] = owner


def _assign_by_errors(registry: Registry, events: Iterable[Event]) -> None:
    """Assign the task that an error names to the node at the address that the error names too.

    A host that is named for another task is one that the task could not reach.
    """
    for event in events:
        task, address = read_task(event.captures.get("task")), event.captures.get("address")
        if not task or not address or task in registry.task_owners or _task_of_host(address) not in (None, task):
            continue
        if node := registry.node_of_address(address):
            registry.assign_task(task, node, f"{event.locus.file}:{event.locus.line} names it with {address}")


def _task_of_host(address: str) -> str | None:
    """Return the task that the host of an address is named for: `worker-4.train.svc:2222`."""
    return task_of_label(split_address(address)[0].partition(".")[0])


def _add_served_ports(registry: Registry, identities: Iterable[StreamIdentity], events: Iterable[Event]) -> None:
    """Add addresses of a node that alone listens on a port, if the others call that port at one machine only.

    One machine means one host name, one numeric address, or one of each.
    """
    servers: dict[str, set[str]] = {}
    for identity in identities:
        if node := registry.by_stream.get((identity.file, identity.stream)):
            for port in identity.ports:
                servers.setdefault(port, set()).add(node)
    hosts_of_port: dict[str, set[str]] = {}
    for address in {event.captures.get("address", "") for event in events}:
        host, called_port = split_address(address)
        if called_port in servers and not LOOPBACK.match(host):
            hosts_of_port.setdefault(called_port, set()).add(host)
    for port, hosts in hosts_of_port.items():
        addresses = {host for host in hosts if NUMERIC_ADDRESS.search(host)}
        is_one_machine = max(len(addresses), len(hosts - addresses)) == 1
        known_nodes = {node for host in hosts if (node := registry.node_of_address(f"{host}:{port}"))}
        if len(servers[port]) == 1 and is_one_machine and known_nodes <= servers[port]:
            for host in hosts:
                registry.by_address.setdefault(f"{host}:{port}", *servers[port])


def _assign_by_names(registry: Registry, identities: Iterable[StreamIdentity], events: Iterable[Event]) -> None:
    """Assign a task to the one node whose file or host is named for it (`worker_1.log`, `ps0`), if it has no owner.

    The host at which a node says that it serves counts before its other names; several nodes that serve there all
    claim the task.
    """
    tasks_of_node: dict[str, set[str]] = {}
    served_tasks: dict[str, set[str]] = {}
    labels = {(identity.file, identity.stream): identity.label or "" for identity in identities}
    for (file, stream), node in registry.by_stream.items():
        if not registry.drafts[node].tasks:
            names = [node, labels.get((file, stream), ""), *(part.partition(".")[0] for part in file.split("/"))]
            named = map(task_of_label, names)
            served = {task for task in map(_task_of_host, registry.drafts[node].addresses) if task}
            served_tasks[node] = served
            tasks_of_node.setdefault(node, set()).update(served or {task for task in named if task})
    claim_counts = Counter(task for tasks in tasks_of_node.values() for task in tasks)
    first_task_of_job = {task.partition(":")[0]: f"{task.partition(':')[0]}:0" for task in claim_counts}
    mentioned = {read_task(event.captures.get("task")) for event in events}
    for node, tasks in tasks_of_node.items():
        if len(tasks) != 1:
            continue
        (task,) = tasks
        first_task = first_task_of_job[task.partition(":")[0]]
        is_numbered_from_one = (
            first_task in mentioned and first_task not in claim_counts and first_task not in registry.task_owners
        )
        claimants = {name for name, named_tasks in tasks_of_node.items() if named_tasks == {task}}
        is_sole_claim = claim_counts[task] == 1 or all(task in served_tasks[name] for name in claimants)
        is_free = task not in registry.task_owners or set(registry.task_owners[task]) <= claimants
        if is_sole_claim and is_free and not is_numbered_from_one:
            registry.add_claim(task, node, "its file or host is named after it")


def _assign_servers_by_name(registry: Registry, events: Iterable[Event]) -> None:
    """Assign `ps:0` to the node `ps-a` if lines name no other task of that job and no other node is named so.

    The same holds for the other jobs that do not train, such as an evaluator.
    """
    assigned_jobs = {task.partition(":")[0] for task in registry.task_owners}
    unassigned = [draft.name for draft in registry.drafts.values() if draft.present and not draft.tasks]
    server_counts = Counter(match[1].lower() for name in unassigned if (match := SERVER_NAME.match(name)))
    tasks = set(_named_tasks(events))
    task_counts = Counter(task.partition(":")[0] for task in tasks)
    for name in unassigned:
        job = match[1].lower() if (match := SERVER_NAME.match(name)) else ""
        if server_counts[job] == task_counts[job] == 1 and job not in assigned_jobs and f"{job}:0" in tasks:
            registry.assign_task(f"{job}:0", name, "it is the only node named for this job")


def _assign_by_elimination(registry: Registry, joined: set[str]) -> None:
    """If exactly one joined task has no owner and exactly one node has no task, pair them."""
    unowned = sorted(joined - set(registry.task_owners))
    unassigned = [
        draft.name for draft in registry.drafts.values() if draft.present and not draft.tasks and draft.addresses
    ]
    if len(unowned) == len(unassigned) == 1:
        registry.assign_task(unowned[0], unassigned[0], "only this task is left to assign, and only this node has none")


def _assign_by_order(registry: Registry, identities: Iterable[StreamIdentity], events: Iterable[Event]) -> None:
    """If lines name workers without owners, assign workers to nodes in the order of their numbers and names.

    Cluster specs are usually written in that order. The numbers in the names of their logs count before those in their
    own. Nothing is assigned if that contradicts a known owner. A node counts if the bundle holds a training process's
    log of it.
    """
    identities = list(identities)
    mentioned = {task for event in events if (task := read_task(event.captures.get("task")))}
    mentioned = {task for task in mentioned if task.startswith("worker:")} - set(registry.task_owners)
    if not mentioned:
        return
    with_logs = {
        registry.by_stream.get((identity.file, identity.stream))
        for identity in identities
        if identity.kind is Kind.WORKER
    }
    may_work = {
        draft.name
        for draft in registry.drafts.values()
        if draft.present and all(task.startswith("worker:") for task in draft.tasks)
        if not SERVER_NAME.match(draft.name)
    }
    workers = sorted(may_work.intersection(filter(None, with_logs)), key=natural_key)
    known_owners = {task: names[0] for task, names in registry.task_owners.items() if task.startswith("worker:")}
    numbered_logs = [pair for pair in _find_numbered_logs(registry, identities) if pair[1] in may_work]
    for numbered in (numbered_logs, _find_numbered_names(workers) or list(enumerate(workers))):
        guess = {f"worker:{index}": name for index, name in numbered}
        if mentioned <= guess.keys() and all(guess.get(task) == name for task, name in known_owners.items()):
            for task, name in guess.items():
                if task not in registry.task_owners:
                    registry.assign_task(task, name, "workers have the order of the nodes' names")
            return


def _find_numbered_logs(registry: Registry, identities: Iterable[StreamIdentity]) -> list[tuple[int, str]]:
    """Return (number, node) of the nodes whose logs' names differ by a number alone; [] if several sets do.

    A log of a series in which others are of training processes is one too, however little is in it.
    """
    by_stem: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    kinds: dict[str, set[Kind]] = defaultdict(set)
    for identity in identities:
        node = registry.by_stream.get((identity.file, identity.stream))
        match = re.fullmatch(r"(.*\D)(\d{1,5})", identity.label or "")
        if node and match and identity.kind in (Kind.WORKER, Kind.UNKNOWN):
            by_stem[match[1]][int(match[2])].add(node)
            kinds[match[1]].add(identity.kind)
    series = [
        [(number, next(iter(nodes))) for number, nodes in sorted(numbered.items())]
        for stem, numbered in by_stem.items()
        if Kind.WORKER in kinds[stem] and set(numbered) == set(range(len(numbered))) and len(numbered) > 1
        if all(len(nodes) == 1 for nodes in numbered.values())
    ]
    return series[0] if len(series) == 1 and len({node for _, node in series[0]}) == len(series[0]) else []


def _find_numbered_names(names: Sequence[str]) -> list[tuple[int, str]]:
    """Return (number, name) of the names that differ by a number alone, counted from 0; [] if several sets do.

    `process_0` and `process_2` beside a `wrapper` are numbered so.
    """
    by_stem: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        if match := re.fullmatch(r"(.*?)(\d{1,5})", name):
            by_stem.setdefault(match[1], []).append((int(match[2]), name))
    numbered_from_zero = [numbered for numbered in by_stem.values() if len(numbered) > 1 and min(numbered)[0] == 0]
    return numbered_from_zero[0] if len(numbered_from_zero) == 1 else []
