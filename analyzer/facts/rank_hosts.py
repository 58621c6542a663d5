"""The host on which each launcher rank ran, by the lists of hosts that schedulers and launchers write.

NodeList=gpu[001-003,007],login1      Slurm's hostlist (src/common/hostlist.c), in the order of the ranks
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice

from analyzer.facts.array_tasks import place_array_tasks
from analyzer.facts.cluster_spec import split_address
from analyzer.facts.launcher_ranks import ranks_by_file
from analyzer.facts.machine_labels import is_weak_name
from analyzer.facts.path_labels import task_of_label
from analyzer.facts.registry import Registry
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Event, Kind
from analyzer.untrusted.numbers import read_whole
from analyzer.wording import natural_key

MAX_HOSTS = 10_000  # hosts that one list may stand for
_MACHINE_KINDS = frozenset({Kind.KERNEL, Kind.SYSTEM, Kind.ENVIRONMENT})
_HOST_ENTRY = re.compile(r"(?P<head>[\w.-]+)(?:\[(?P<ranges>[\d,-]+)\](?P<tail>[\w.-]*))?")
_drop_cores = re.compile(r"/\d{1,6}(?:\*\d{1,6})?(?=\+|$)").sub  # PBS: gx7/0*36+gx8/0*36
_drop_counts = re.compile(r"(?<=[\w.-]) \d{1,4}(?= |$)").sub  # LSF: LSB_MCPU_HOSTS="gx7 8 gx8 8"
_is_container_id = re.compile(r"[0-9a-f]{12,64}").fullmatch
_LSF_HOST = re.compile(r"<(\d{1,4})\*([\w.-]{1,120})>")
_ends_in_replica = re.compile(r"[-_]\d{1,4}").fullmatch  # number of a service's container
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def map_ranks_to_hosts(
    registry: Registry,
    identities: Sequence[StreamIdentity],
    events: Sequence[Event],
    placement_signals: frozenset[str],
    addresses: Mapping[str, str],
) -> None:
    """Rename nodes that are known by an address, a rank or a task alone to the hosts on which they ran.

    If a file has as many ranks as the job has hosts, one rank ran on each host, in the order of the list. Without a
    list, machines that left nothing but a kernel's log or the like are taken in the order of their names.

    `events` are those of all sources, source by source. Those of `placement_signals` capture a list of `hosts`; one
    `rank` or one `array_index` and its `host`; the cloud's name of a machine (`alias`) and its `host`; or the number of
    ranks that a host takes (`seats`). `addresses`: address → host.
    """
    placements = [event for event in events if event.signal in placement_signals]
    _name_by_services(registry)
    _join_tasks_with_machines(registry, identities, addresses)
    _name_by_addresses(registry, events, addresses)
    _join_with_ec2_machines(registry)
    _add_aliases(registry, placements)
    _place_named_ranks(registry, identities, placements)
    place_array_tasks(registry, identities, placements)
    _place_by_slots(registry, events, placements)
    lists = {event.captures["hosts"] for event in placements if event.captures.get("hosts")}
    orders: set[tuple[str, ...]] = set()
    for text in lists:
        orders.add(tuple(expand_hosts(text)))
        if len(orders) > 1:  # there is no order to go by, and twenty bytes may stand for MAX_HOSTS names
            return
    orders = orders or {_machines_without_job_files(registry, identities)}
    (hosts,) = orders
    for file, by_rank in ranks_by_file(identities).items():
        node_of_host = {
            hosts[rank]: node
            for rank, identity in by_rank.items()
            if rank < len(hosts) and (node := registry.by_stream.get((file, identity.stream)))
        }
        if sorted(by_rank) == list(range(len(hosts))) and len(set(node_of_host.values())) == len(node_of_host):
            for host, node in node_of_host.items():
                if registry.has_no_host_name(node) and not _has_task(registry, host):
                    registry.rename_to_host(node, host, f"{file} has one rank for each of the {len(hosts)} hosts")
    if lists:
        _place_tasks_in_order(registry, hosts)


def _place_tasks_in_order(registry: Registry, hosts: Sequence[str]) -> None:
    """Give each node the host at its place in the list, if the job has as many nodes as hosts and nothing names them.

    Nodes are ordered by their first tasks: schedulers give each host a block of ranks, or one rank to each in turn. A
    job with servers is left out: its tasks are in no one order.
    """
    tasks = sorted(registry.task_owners, key=lambda task: (task.startswith("worker"), natural_key(task)))
    nodes = [registry.node_of_task(task) for task in tasks]
    are_workers = all(task.partition(":")[0] in ("chief", "worker") for task in tasks)
    if not are_workers or any(node is None or not registry.has_no_host_name(node) for node in nodes):
        return
    if len(set(nodes)) == len(set(hosts)) == len(hosts):
        for node, host in zip(dict.fromkeys(filter(None, nodes)), hosts, strict=True):
            if not _has_task(registry, host):
                registry.rename_to_host(node, host, "the list of hosts has it at the place of its first task")


def _name_by_services(registry: Registry) -> None:
    """Give a container of Docker Compose the name of its service, by which the others reach it.

    `bert-eva-1` serves at eva:2222. Nothing is renamed if the service has several such containers.
    """
    services = [
        (host, name)
        for name, draft in registry.drafts.items()
        for host in {split_address(address)[0] for address in draft.addresses}
        if f"-{host}-" in name or f"_{host}_" in name
    ]
    counts = Counter(host for host, _ in services)
    for host, name in services:
        if counts[host] == 1 and name in registry.drafts and _ends_in_replica(name.rpartition(host)[2]):
            if registry.by_host.get(host.lower()) == name:
                del registry.by_host[host.lower()]
            registry.rename_to_host(name, host, f"it is the container of the service {host}")


def _join_tasks_with_machines(
    registry: Registry, identities: Iterable[StreamIdentity], host_of_address: Mapping[str, str]
) -> None:
    """Join a node that is named after its task with the machine of that task's address in the cluster.

    `ps1.log` is of the task ps:1 at n7:2222, and the kernel's log of n7 lies beside it, or a scheduler states that n7
    has the address 10.0.3.7. Nothing is joined if several tasks run on the machine, or if it has a training log of its
    own. `host_of_address`: as schedulers and tables state it.
    """
    addresses = registry.cluster.task_addresses() if registry.cluster else {}
    tasks_of_host = Counter(split_address(address)[0].lower() for address in addresses.values() if address)
    kinds = _kinds_by_node(registry, identities)
    for task, address in addresses.items():
        served_host = split_address(address)[0] if address else ""
        host = host_of_address.get(served_host, served_host)
        node, machine = registry.node_of_task(task), registry.node_of_host(host) if host else None
        is_shared = tasks_of_host[served_host.lower()] > 1
        if node is None or node == machine or is_shared or (machine is None and host == served_host):
            continue
        is_bare_machine = machine is None or (
            not registry.ensure_draft(machine).tasks and Kind.WORKER not in kinds.get(machine, ())
        )
        is_called_for_task = is_weak_name(node) or task_of_label(node) == task
        if is_bare_machine and is_called_for_task and len(registry.drafts[node].tasks) == 1:
            registry.rename_to_host(node, host, f"the cluster has {task} at {address}")


def _name_by_addresses(registry: Registry, events: Iterable[Event], addresses: Mapping[str, str]) -> None:
    """Give a node that is known by an address alone the host name that has the address."""
    named_addresses = {split_address(event.captures.get("address", ""))[0] for event in events}
    for address, host in addresses.items():
        node = registry.node_of_host(address)
        if node is None:
            if address in named_addresses:
                registry.add_mentioned_host(host)
                registry.by_host[address.lower()] = registry.node_of_host(host) or host
            continue
        is_other_node = node != registry.node_of_host(host)
        are_two_tasks = _has_task(registry, host) and bool(registry.drafts[node].tasks)
        if is_other_node and registry.has_no_host_name(node) and not are_two_tasks:
            registry.rename_to_host(node, host, f"it is stated to have the address {address}")


def _join_with_ec2_machines(registry: Registry) -> None:
    """Join a node with the machine that is called for its address: EC2 calls 10.0.3.7 ip-10-0-3-7.

    The machine's name stays if the node is known by an opaque id, an address or a rank alone. Nothing is joined if
    several nodes serve there, or if the machine has a task.
    """
    servers: dict[str, set[str]] = {}
    for name, draft in registry.drafts.items():
        for address in draft.addresses:
            servers.setdefault(split_address(address)[0], set()).add(name)
    for host, nodes in servers.items():
        machine, node = registry.node_of_ec2_address(host), min(nodes)
        are_known = machine in registry.drafts and node in registry.drafts  # a node with two addresses is joined once
        if machine and are_known and len(nodes) == 1 and node != machine and not registry.drafts[machine].tasks:
            if registry.has_no_host_name(node) or is_weak_name(node):
                registry.rename_to_host(node, machine, f"it serves at {host}")
            else:
                registry.join_nodes(machine, node, f"it serves at {host}")


def _add_aliases(registry: Registry, placements: Iterable[Event]) -> None:
    """Add the cloud's names of machines (`i-0123456789abcdef0`) and containers' ids, from listings that pair them with
    hosts. A machine that lists its containers lists those of others, too, which become no nodes of the job.
    """
    hosts: dict[str, set[str]] = {}
    for alias, host in _host_pairs(placements, "alias"):
        hosts.setdefault(alias.lower(), set()).add(registry.node_of_host(host) or host)
    for alias, named_hosts in hosts.items():
        if len(named_hosts) == 1:
            if not _is_container_id(alias):
                registry.add_mentioned_host(*named_hosts)
            if node := registry.node_of_host(*named_hosts):
                registry.by_host.setdefault(alias, node)


def _place_by_slots(registry: Registry, events: Iterable[Event], placements: Iterable[Event]) -> None:
    """Place ranks by a hostfile: after `n1 slots=4`, `n2 slots=4`, n1 has the ranks 0 to 3 and n2 has 4 to 7.

    mpirun and horovodrun fill slots in this order by default (`--map-by slot`). Nothing is placed if hostfiles differ
    or one of them names a host twice.
    """
    by_file = (_read_slots(group) for _, group in groupby(placements, key=lambda event: event.locus.file))
    slot_lists = [slots for slots in by_file if slots]
    if not slot_lists or any(slots != slot_lists[0] for slots in slot_lists):
        return
    slots = slot_lists[0]
    if len(dict(slots)) < max(2, len(slots)):
        return
    named_ranks = {
        number for event in events for number in re.findall(r"\d{1,6}", event.captures.get("rank", "")[:200])
    }
    host_of_rank = list(islice((host for host, count in slots for _ in range(min(count, MAX_HOSTS))), MAX_HOSTS))
    rank_counts = Counter(host_of_rank)
    for rank, host in enumerate(host_of_rank):
        node = registry.by_rank.get(str(rank))
        known_node = registry.node_of_host(host)
        if node is None and str(rank) in named_ranks:
            registry.add_mentioned_host(host)
            registry.by_rank[str(rank)] = registry.node_of_host(host) or host
        elif node and known_node != node and registry.has_no_host_name(node):
            if (known_node or rank_counts[host] == 1) and not _has_task(registry, host):
                registry.rename_to_host(node, host, f"by the slots of the hostfile, rank {rank} ran there")
            else:  # ranks that share a machine stay nodes of their own; their host is only noted
                registry.ensure_draft(node).hosts.add(host)


def _read_slots(placements: Iterable[Event]) -> list[tuple[str, int]]:
    """Return (host, number of ranks) in the order of a file, with a line for each or one for all (`n1:4,n2:4`)."""
    slots: list[tuple[str, int]] = []
    for event in placements:
        if count_text := event.captures.get("seats"):
            host = event.captures.get("host")
            entries = [f"{host}:{count_text}"] if host else _hosts_of_lsf(count_text) or count_text.split(",")
            slots += [(name, int(count)) for name, _, count in (entry.rpartition(":") for entry in entries) if name]
    return slots


def _hosts_of_lsf(text: str) -> list[str]:
    """Return `n1:2`, `n2:2` for `<2*n1> <2*n2>`; [] for any other text."""
    return [f"{host}:{count}" for count, host in _LSF_HOST.findall(text)]


def _host_pairs(placements: Iterable[Event], capture_name: str) -> Iterator[tuple[str, str]]:
    """Yield (value of the capture, host) of each event that captures both."""
    for event in placements:
        if (value := event.captures.get(capture_name)) and (host := event.captures.get("host")):
            yield value, host


def _machines_without_job_files(registry: Registry, identities: Sequence[StreamIdentity]) -> tuple[str, ...]:
    """Return the nodes, in order of name, whose files are all those of a machine and none of the job."""
    kinds = _kinds_by_node(registry, identities)
    names = [name for name, node_kinds in kinds.items() if name and node_kinds <= _MACHINE_KINDS]
    return tuple(sorted((name for name in names if not registry.drafts[name].tasks), key=natural_key))


def _kinds_by_node(registry: Registry, identities: Iterable[StreamIdentity]) -> dict[str, set[Kind]]:
    kinds: dict[str, set[Kind]] = {}
    for identity in identities:
        kinds.setdefault(registry.by_stream.get((identity.file, identity.stream), ""), set()).add(identity.kind)
    return kinds


def _place_named_ranks(registry: Registry, identities: Sequence[StreamIdentity], placements: Iterable[Event]) -> None:
    """Place the ranks that a launcher names together with their host, as for a task that ended."""
    hosts = _hosts_by_rank(placements)
    for file, by_rank in ranks_by_file(identities).items():
        for rank in by_rank.keys() & hosts.keys():
            node, host = registry.by_stream.get((file, by_rank[rank].stream)), hosts[rank]
            if node and registry.has_no_host_name(node) and not _has_task(registry, host):
                registry.rename_to_host(node, host, f"the launcher names it with rank {rank}")


def _hosts_by_rank(placements: Iterable[Event]) -> dict[int, str]:
    """Return rank → host for the pairs in which each is named with one other only."""
    pairs = {
        (rank, host)
        for event in placements
        if (rank := read_whole(event.captures.get("rank"))) is not None and (host := event.captures.get("host"))
    }
    rank_counts, host_counts = Counter(rank for rank, _ in pairs), Counter(host for _, host in pairs)
    return {rank: host for rank, host in pairs if rank_counts[rank] == host_counts[host] == 1}


def _has_task(registry: Registry, host: str) -> bool:
    node = registry.node_of_host(host)
    return node is not None and bool(registry.drafts[node].tasks)


def expand_hosts(text: str) -> Iterator[str]:
    """Yield the hosts of a list, MAX_HOSTS at most: `n[1-3,07],m1` → n1, n2, n3, n07, m1; numbers keep their width."""
    count = 0
    for match in _HOST_ENTRY.finditer(_drop_counts("", _drop_cores("", text))):
        for index in _expand_ranges(match["ranges"]) if match["ranges"] else [""]:
            if (count := count + 1) > MAX_HOSTS:
                return
            yield f"{match['head']}{index}{match['tail'] or ''}"


def _expand_ranges(ranges: str) -> Iterator[str]:
    for first, last in _RANGE.findall(ranges):
        for number in range(int(first), min(int(last or first), int(first) + MAX_HOSTS) + 1):
            yield str(number).zfill(len(first))
