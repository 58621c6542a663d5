"""Which node is which task, where it does not say so itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from analyzer.facts.cluster_spec import read_task, read_tasks, split_address
from analyzer.facts.launcher_ranks import (
    assign_by_rank,
    assign_numbered_workers,
    assign_silent_ranks,
    index_ranks,
    name_unnamed_ranks,
)
from analyzer.facts.missing_tasks import add_awaited_tasks, add_lost_tasks, add_skipped_tasks
from analyzer.facts.path_labels import SERVER_NAME, task_of_label
from analyzer.facts.registry import LOOPBACK, NUMERIC_ADDRESS, Registry
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.reading.source_result import SourceResult
from analyzer.wording import natural_key


def assign_tasks(
    registry: Registry, voices: Iterable[StreamIdentity], results: Sequence[SourceResult], join_signals: frozenset[str]
) -> None:
    """Tasks for nodes, by what is surest first."""
    voices = list(voices)
    _assign_by_cluster_spec(registry)
    assign_by_rank(registry, voices)
    _merge_task_files(registry)
    _assign_by_errors(registry, results)
    _add_served_ports(registry, voices, results)
    _assign_by_names(registry, voices, results)
    _assign_servers_by_name(registry, results)
    _assign_by_elimination(registry, results, join_signals)
    joined = _joined_tasks(results, join_signals)
    add_lost_tasks(registry, results, joined)
    _assign_by_order(registry, results)
    assign_silent_ranks(registry, voices)
    name_unnamed_ranks(registry, voices)
    assign_numbered_workers(registry, voices, set(_named_tasks(results)))
    index_ranks(registry, voices)
    add_awaited_tasks(registry, results)
    add_skipped_tasks(registry, joined)


def name_leader_tasks(registry: Registry, voices: Iterable[StreamIdentity], results: Sequence[SourceResult]) -> None:
    """Who starts the coordination service is its job's first task (multi_worker_util.coordination_leader). Any task
    of TensorFlow 1 may start one for its session: a file that is named for another task says which.
    """
    leaders = [voice for voice in voices if voice.is_leader and not voice.tasks and not voice.is_shared]
    leaders = [voice for voice in leaders if (task_of_label(voice.label or "") or ":0").endswith(":0")]
    if leaders:
        jobs = {task.partition(":")[0] for task in _named_tasks(results)} | set(
            registry.cluster.jobs if registry.cluster else ()
        )
        for voice in leaders:
            voice.tasks |= {"chief:0" if "chief" in jobs else "worker:0"}


def _named_tasks(results: Sequence[SourceResult]) -> Iterator[str]:
    """Every task that a line names, those of its block too. A guess at two tasks (`peer_task` is one) names none."""
    for result in results:
        for event in (each for each in result.events if "peer_task" not in each.captures):
            yield from read_tasks(event.captures.get("task"), event.block)


def _assign_by_cluster_spec(registry: Registry) -> None:
    """Gives tasks their addresses; a task that the cluster names and no file speaks for gets a node of its own."""
    if registry.cluster is None:
        return
    for task, address in registry.cluster.task_addresses().items():
        host, port = split_address(address)
        owner = registry.node_of_task(task) or (
            None if LOOPBACK.match(host) else registry.node_of_address(address) or _node_of_ec2_address(registry, host)
        )
        if owner is None and task in registry.task_owners:
            continue  # several claim it
        draft = registry.ensure_draft(owner or (task if LOOPBACK.match(host) else host))
        if owner is None:
            draft.present = False
        if task not in registry.task_owners:
            registry.task_owners[task] = [draft.name]
            draft.tasks.add(task)
        draft.addresses.add(address)
        if port:
            registry.by_address.setdefault(f"{host}:{port}", draft.name)
        if not LOOPBACK.match(host):
            registry.by_host.setdefault(host.lower(), draft.name)


def _merge_task_files(registry: Registry) -> None:
    """`worker-1.exit_code` beside a joined log is of the node that owns worker:1."""
    for draft in list(registry.drafts.values()):
        if draft.tasks or draft.addresses or draft.hosts or not draft.present:
            continue
        owner = registry.node_of_task(task) if (task := read_task(draft.name) or task_of_label(draft.name)) else None
        if owner and owner != draft.name and not registry.drafts[owner].present:
            registry.rename_to_host(owner, draft.name)  # its file has a better name than the cluster's address
        elif owner and owner != draft.name:
            del registry.drafts[draft.name]
            registry.by_host[draft.name.lower()] = owner
            for key, name in registry.by_stream.items():
                if name == draft.name:
                    registry.by_stream[key] = owner


def _assign_by_errors(registry: Registry, results: Sequence[SourceResult]) -> None:
    """An error that names a task and the address it tried tells who owns the task."""
    for result in results:
        for event in result.events:
            task, address = read_task(event.captures.get("task")), event.captures.get("address")
            if task and address and task not in registry.task_owners and (node := registry.node_of_address(address)):
                registry.assign_task(task, node)


def _add_served_ports(registry: Registry, voices: Iterable[StreamIdentity], results: Sequence[SourceResult]) -> None:
    """Who alone listens at a port is whom others call there, if they mean one: by one name, one address, or both."""
    servers: dict[str, set[str]] = {}
    for voice in voices:
        if node := registry.by_stream.get((voice.file, voice.stream)):
            for port in voice.ports:
                servers.setdefault(port, set()).add(node)
    called: dict[str, set[str]] = {}
    for address in {event.captures.get("address", "") for result in results for event in result.events}:
        host, called_port = split_address(address)
        if called_port in servers and not LOOPBACK.match(host):
            called.setdefault(called_port, set()).add(host)
    for port, hosts in called.items():
        numbers = {host for host in hosts if NUMERIC_ADDRESS.search(host)}
        known = {node for host in hosts if (node := registry.node_of_address(f"{host}:{port}"))}
        if len(servers[port]) == 1 and max(len(numbers), len(hosts - numbers)) == 1 and known <= servers[port]:
            for host in hosts:
                registry.by_address.setdefault(f"{host}:{port}", *servers[port])


def _assign_by_names(registry: Registry, voices: Iterable[StreamIdentity], results: Sequence[SourceResult]) -> None:
    """A file or machine named for a task (`worker_1.log`, `ps0`) that nobody else claims is that task's."""
    claims: dict[str, set[str]] = {}
    labels = {(voice.file, voice.stream): voice.label or "" for voice in voices}
    for (file, stream), node in registry.by_stream.items():
        if not registry.drafts[node].tasks:
            names = [node, labels.get((file, stream), ""), *(part.partition(".")[0] for part in file.split("/"))]
            claims.setdefault(node, set()).update(task for name in names if (task := task_of_label(name)))
    counted = Counter(task for tasks in claims.values() for task in tasks)
    jobs = {task.partition(":")[0]: f"{task.partition(':')[0]}:0" for task in counted}
    mentioned = {read_task(event.captures.get("task")) for result in results for event in result.events}
    for node, tasks in claims.items():
        task = next(iter(tasks), "")
        first = jobs.get(task.partition(":")[0], "")
        from_one = first in mentioned and first not in counted and first not in registry.task_owners  # numbered from 1
        if len(tasks) == 1 and counted[task] == 1 and task not in registry.task_owners and not from_one:
            registry.assign_task(task, node)


def _assign_servers_by_name(registry: Registry, results: Sequence[SourceResult]) -> None:
    """`ps-a` is the parameter server, where lines name one that nobody claims and one machine is called so."""
    taken = {task.partition(":")[0] for task in registry.task_owners}
    free = [draft.name for draft in registry.drafts.values() if draft.present and not draft.tasks]
    called = Counter(found[1].lower() for name in free if (found := SERVER_NAME.match(name)))
    tasks = set(_named_tasks(results))
    named = Counter(task.partition(":")[0] for task in tasks)
    for name in free:
        job = found[1].lower() if (found := SERVER_NAME.match(name)) else ""
        if called[job] == named[job] == 1 and job not in taken and f"{job}:0" in tasks:
            registry.assign_task(f"{job}:0", name)


def _assign_by_elimination(registry: Registry, results: Sequence[SourceResult], joins: frozenset[str]) -> None:
    """One task joined of which nobody knows whose it is, and one node is there of which nobody knows what it is."""
    joined = _joined_tasks(results, joins)
    left = sorted(joined - set(registry.task_owners))
    free = [draft.name for draft in registry.drafts.values() if draft.present and not draft.tasks and draft.addresses]
    if len(left) == len(free) == 1:
        registry.assign_task(left[0], free[0])


def _assign_by_order(registry: Registry, results: Sequence[SourceResult]) -> None:
    """Where lines name tasks and nothing says whose they are, machines in the order of their names are tasks in theirs.

    Cluster specs are written so everywhere; used only if it contradicts nothing that is known.
    """
    mentioned = {
        task for result in results for event in result.events if (task := read_task(event.captures.get("task")))
    }
    mentioned = {task for task in mentioned if task.startswith("worker:")} - set(registry.task_owners)
    if not mentioned:
        return
    present = [draft for draft in registry.drafts.values() if draft.present]
    workers = sorted(
        (d.name for d in present if all(t.startswith("worker:") for t in d.tasks) and not SERVER_NAME.match(d.name)),
        key=natural_key,
    )
    known = {task: names[0] for task, names in registry.task_owners.items() if task.startswith("worker:")}
    guess = {f"worker:{index}": name for index, name in _find_numbered_names(workers) or enumerate(workers)}
    if mentioned <= guess.keys() and all(guess.get(task) == name for task, name in known.items()):
        for task, name in guess.items():
            if task not in registry.task_owners:
                registry.assign_task(task, name)


def _find_numbered_names(names: Sequence[str]) -> list[tuple[int, str]]:
    """Names that differ by a number from 0 on alone, with it: `process_0`, `process_2` beside a `wrapper`."""
    stems: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        if found := re.fullmatch(r"(.*?)(\d{1,5})", name):
            stems.setdefault(found[1], []).append((int(found[2]), name))
    fitting = [found for found in stems.values() if len(found) > 1 and min(found)[0] == 0]
    return fitting[0] if len(fitting) == 1 else []


def _node_of_ec2_address(registry: Registry, host: str) -> str | None:
    """`ip-10-0-0-13` (EC2's default host name) is 10.0.0.13."""
    return registry.by_host.get("ip-" + host.replace(".", "-")) if re.fullmatch(r"[\d.]+", host) else None


def _joined_tasks(results: Sequence[SourceResult], joins: frozenset[str]) -> set[str]:
    return {
        task
        for result in results
        for event in result.events
        if event.signal in joins and (task := read_task(event.captures.get("task")))
    }
