"""Builds the registry of nodes from paths, line prefixes, identity lines and what lines say about other nodes."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice

from analyzer.facts.address_tables import read_address_table
from analyzer.facts.claims import resolve_names
from analyzer.facts.cluster_spec import ClusterSpec, split_address
from analyzer.facts.containers_of_machines import name_containers_by_machines
from analyzer.facts.copied_streams import join_copies
from analyzer.facts.file_kinds import join_file_kinds
from analyzer.facts.host_labels import name_by_hosts
from analyzer.facts.kernel_pids import join_by_kernel_pids
from analyzer.facts.kubelet_folders import place_pods_of_kubelets
from analyzer.facts.launcher_ranks import match_rank_name
from analyzer.facts.listed_hosts import HOST_CAPTURE, LISTED_HOST_SIGNAL
from analyzer.facts.machine_labels import drop_job_labels, drop_lone_numbers, name_containers
from analyzer.facts.name_claims import claim_names
from analyzer.facts.numbered_addresses import add_numbered_addresses
from analyzer.facts.numbered_labels import join_numbered_labels
from analyzer.facts.numbered_writers import assign_numbered_tasks
from analyzer.facts.paired_writers import add_other_names, choose_names, split_tasks_from_machines
from analyzer.facts.path_labels import is_generic, label_paths, stem_of, task_of_label
from analyzer.facts.rank_hosts import map_ranks_to_hosts
from analyzer.facts.registry import LOOPBACK, NUMERIC_ADDRESS, Registry
from analyzer.facts.settings import MACHINE_ADDRESS
from analyzer.facts.stream_identities import StreamIdentity, StreamKey, hosts_in_prefixes
from analyzer.facts.task_assignment import assign_tasks, name_leader_tasks
from analyzer.formats.line_format import rank_of_stream
from analyzer.formats.records.writer_names import family_of
from analyzer.formats.writer_pairs import split_pair
from analyzer.model import Kind
from analyzer.reading.event_objects import object_of
from analyzer.reading.source_result import SourceResult
from analyzer.reading.source_results import SourceResults

MAX_LOGGED_NODES = 20  # at level INFO
_MACHINE_DAEMON = re.compile(
    r"(?:^|[._-])(?:slurmd|kubelet|pbs_mom|sbatchd|nodemanager|containerd|dockerd)(?:[._-]|$)", re.I
)
_CLUSTER_COMMAND = re.compile(
    r"(?:kubectl|oc|k8s|kube|helm|vcctl)[-_. ](?!logs?[-_. ])"
    r"|(?:docker[-_. ])?(?:stack|service|swarm)[-_. ](?:ps|ls)[-_. ]",
    re.I,
)
_log = logging.getLogger("analyzer.facts")
_match_address = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}").fullmatch


def build_registry(
    results: SourceResults,
    stated_identities: Mapping[StreamKey, StreamIdentity],
    mentioned_hosts: Iterable[str] = (),
    join_signals: frozenset[str] = frozenset(),
    placement_signals: frozenset[str] = frozenset(),
) -> Registry:
    """Return the nodes that paths, line prefixes and identity lines name.

    `stated_identities` come from `collect_identities` and get their labels here. `mentioned_hosts` are named by lines
    of other hosts. Events of `join_signals` report that a task connected, those of `placement_signals` list the job's
    hosts.
    """
    registry = Registry()
    mentioned_hosts = list(mentioned_hosts)
    choose_names(stated_identities.values())
    events = [event for result in results for event in result.events]
    registry.cluster = choose_cluster_spec(stated_identities.values())
    members = registry.cluster.host_names() if registry.cluster else frozenset[str]()
    listed = [event.captures[HOST_CAPTURE] for event in events if event.signal == LISTED_HOST_SIGNAL]
    known_hosts = _known_names(results, stated_identities.values(), [*mentioned_hosts, *members, *listed])
    machines = split_tasks_from_machines(stated_identities.values(), known_hosts)
    registry.multi_host_files = frozenset(result.file for result in results if _has_several_hosts(result))
    assign_numbered_tasks(stated_identities.values(), registry.cluster)
    labels = label_paths(list(results.files()), known_hosts)
    labels = drop_job_labels(labels, stated_identities.values(), known_hosts, registry.cluster)
    labels = join_numbered_labels(join_file_kinds(labels), known_hosts)
    labels = {path: _tidy_rank(label) for path, label in drop_lone_numbers(labels).items()}
    addresses = read_address_table(events, placement_signals, known_hosts)
    labels = name_by_hosts(labels, stated_identities.values(), known_hosts, addresses)
    labels = name_containers(labels, [event for event in events if event.signal in placement_signals])
    twins: dict[str, str] = {}
    identities = _label_identities(results, stated_identities, labels, twins, placement_signals)
    everybody = list(identities.values())
    machines |= name_containers_by_machines(everybody)
    assign_numbered_tasks(everybody, registry.cluster)
    name_leader_tasks(registry.cluster.jobs if registry.cluster else (), everybody, events)
    _name_nodes(registry, identities)
    for identity in everybody:  # after all names: a server may be stated under a name that is another node's
        if name := registry.by_stream.get((identity.file, identity.stream)):
            _add_identity(registry, name, identity)
    _set_shared_names_apart(registry, everybody)
    add_other_names(registry, everybody, results)
    _add_file_stems(registry, everybody)
    _add_machine_addresses(registry, everybody, results)
    for result in results:
        if result.file in registry.multi_host_files:
            for host in result.hosts:
                name = machines.get(host, host)
                node = registry.node_of_host(name) or name
                registry.ensure_draft(node).hosts.add(name)
                registry.by_host.setdefault(host.lower(), node)
            for event in result.events:
                if event.pid and event.kind is Kind.WORKER and (name := registry.node_of_event(event)):
                    registry.by_pid.setdefault(str(event.pid), set()).add(name)
    join_copies(registry, events)
    assign_tasks(registry, everybody, events, join_signals)
    map_ranks_to_hosts(registry, everybody, events, placement_signals, addresses)
    place_pods_of_kubelets(registry, everybody)
    join_by_kernel_pids(registry, events)
    add_numbered_addresses(registry, events)
    for identity in everybody:
        if identity.is_shared:
            for address in identity.addresses:
                registry.add_mentioned_host(split_address(address)[0])
    objects = (object_of(event.captures) for event in events)
    for host in [*mentioned_hosts, *(name for kind, name in objects if kind == "pod")]:
        registry.add_mentioned_host(host)
    _add_twins(registry, results, twins)
    _log_nodes(registry)
    return registry


def _known_names(
    results: Iterable[SourceResult], identities: Iterable[StreamIdentity], mentioned_hosts: Iterable[str]
) -> frozenset[str]:
    """Return the host names, in lower case, that lines state; `label_paths` looks for them in paths."""
    hosts = {host.lower() for result in results for host in result.hosts}
    hosts |= {host.lower() for host in mentioned_hosts if not is_generic(host)}
    for identity in identities:
        hosts |= {host.lower() for host in identity.hosts | identity.prefix_hosts}
        hosts |= {split_address(address)[0].lower() for address in identity.addresses}
    names = {host for host in hosts if not NUMERIC_ADDRESS.search(host)}
    return frozenset(names | {short for name in names if not is_generic(short := name.partition(".")[0])})


def _label_identities(
    results: Iterable[SourceResult],
    stated_identities: Mapping[StreamKey, StreamIdentity],
    labels: Mapping[str, str | None],
    twins: dict[str, str],
    placement_signals: frozenset[str],
) -> dict[StreamKey, StreamIdentity]:
    """Return the identities of all streams, with the labels of their files, in the order of the sources.

    A bundle may have a hundred thousand files without events. Of those that do not differ in anything that names a
    node, only the first one gets an identity; `twins` is filled with file → that first file.
    """
    by_file: dict[str, list[StreamIdentity]] = {}
    for identity in stated_identities.values():
        by_file.setdefault(identity.file, []).append(identity)
    labelled: dict[StreamKey, StreamIdentity] = {}
    first_files: dict[object, str] = {}
    siblings = Counter(family_of(label) for label in set(labels.values()) if label)
    for result in results:
        label = labels.get(result.file)
        is_empty_sibling = label is not None and not result.lines and siblings[family_of(label)] > 1
        label = None if not is_empty_sibling and _names_no_machine(result, label, placement_signals) else label
        if (identities := by_file.get(result.file)) is None:
            [stream] = result.streams
            description = (label, result.kind, stream, *result.hosts, _tasks_of_path(result.file))
            if (first := first_files.setdefault(description, result.file)) != result.file:
                twins[result.file] = first
                continue
            identities = [StreamIdentity(first, stream, result.kind, prefix_hosts=hosts_in_prefixes(result, stream))]
        for identity in identities:
            identity.label = label
            labelled[identity.file, identity.stream] = identity
    return labelled


def _tidy_rank(label: str | None) -> str | None:
    """Return `rank 6` for `rank.06` and the like (`mpirun --output-filename`), any other label as it is."""
    return f"rank {int(match[1])}" if label and (match := match_rank_name(label)) else label


def _add_twins(registry: Registry, results: Iterable[SourceResult], twins: Mapping[str, str]) -> None:
    """Give each file that got no identity of its own the node of the file that it is like."""
    for result in results if twins else ():
        if first := twins.get(result.file):
            [stream] = result.streams
            if node := registry.by_stream.get((first, stream)):
                registry.by_stream[result.file, stream] = node


def _tasks_of_path(path: str) -> frozenset[str]:
    return frozenset(task for part in path.split("/") if (task := task_of_label(part.partition(".")[0])))


def _names_no_machine(result: SourceResult, label: str | None, placement_signals: frozenset[str]) -> bool:
    """Whether the label is the name of the file and not that of a machine.

    So it is for what people wrote (a ticket), a stray note (`ranks.txt`), a list of hosts (`hostfile`), a scheduler's
    file (`squeue-4711.txt`) and output of a cluster's command (`kubectl_paste.txt`); not if a folder has that name too,
    nor for a daemon that runs on each machine (`slurmd-n7.log`).
    """
    if label is None or label in result.file.split("/")[:-1]:
        return False
    if result.has_remarks and not result.hosts:
        return True
    only_lists_hosts = all(event.signal in placement_signals for event in result.events)
    states_nothing = only_lists_hosts and not result.timed_lines and result.kind is Kind.UNKNOWN
    name = result.file.rpartition("/")[2]
    return (
        states_nothing
        or _CLUSTER_COMMAND.match(name) is not None
        or (result.kind is Kind.SCHEDULER and not _MACHINE_DAEMON.search(name))
    )


def choose_cluster_spec(identities: Iterable[StreamIdentity]) -> ClusterSpec | None:
    """Return the cluster spec that most streams state.

    Ties: the one whose every member states its task; then the leader's, for whose members the others wait; then the
    largest.
    """
    votes: Counter[tuple[tuple[str, tuple[str | None, ...]], ...]] = Counter()
    leader_keys: set[object] = set()
    seen_tasks: set[str] = set()
    for identity in identities:
        seen_tasks |= identity.tasks
        for cluster, _ in identity.clusters[-1:]:
            key = tuple(sorted(cluster.jobs.items()))
            votes[key] += 1
            if identity.is_leader:
                leader_keys.add(key)
    if not votes:
        return None
    clusters = {key: ClusterSpec(dict(key)) for key in votes}
    best = max(
        votes,
        key=lambda key: (
            votes[key],
            clusters[key].task_addresses().keys() <= seen_tasks,
            key in leader_keys,
            clusters[key].task_count,
        ),
    )
    if len(votes) > 1:
        _log.info("%d cluster specs differ; the one that %d streams state is used", len(votes), votes[best])
    return clusters[best]


def _has_several_hosts(result: SourceResult) -> bool:
    """Return whether lines name several hosts. A container whose lines name its machine too is one writer."""
    if len(result.stream_hosts) != 1:
        return len(result.hosts) > 1
    ((stream, hosts),) = result.stream_hosts.items()
    return len(hosts - {stream}) > 1 or not result.hosts.keys() <= hosts


def _find_multi_program_files(identities: Iterable[StreamIdentity]) -> frozenset[str]:
    """Return the files whose streams belong to several programs: their path names the job, not a node."""
    programs: dict[str, set[str]] = {}
    identities = list(identities)
    services = _find_service_names(identities)
    # Files in which only some lines have a host, which is then the name of their stream.
    partly_prefixed = {
        identity.file
        for identity in identities
        if identity.stream
        and (identity.prefix_hosts == {identity.stream} or split_pair(identity.stream))
        and identity.stream not in services
    }
    tasks_logs = {
        identity.file for identity in identities if not identity.stream and identity.tasks and not identity.is_shared
    }
    for identity in identities:
        states_nothing = not identity.tasks and not identity.addresses
        if identity.stream and identity.file in tasks_logs and states_nothing and not rank_of_stream(identity.stream):
            continue  # a program beside the task, such as `consul-template: `, that writes into its log
        if len(identity.prefix_hosts) == 1 and not identity.prefix_hosts <= services:
            programs.setdefault(identity.file, set()).update(identity.prefix_hosts)
        if rank := rank_of_stream(identity.stream):
            programs.setdefault(identity.file, set()).add(f"rank {rank}")
        if name := next(iter([*sorted(identity.tasks), *sorted(identity.addresses)]), None):
            programs.setdefault(identity.file, set()).update(
                {name} if not identity.is_shared else {*identity.addresses, *identity.tasks}
            )
        elif not identity.stream and not identity.prefix_hosts and identity.file in partly_prefixed:
            programs.setdefault(identity.file, set()).add("")
    return frozenset(file for file, names in programs.items() if len(names) > 1)


def _find_service_names(identities: Iterable[StreamIdentity]) -> frozenset[str]:
    """Return the names before lines that are those of a service, the same on several machines, and of no machine.

    `docker compose logs` or `docker inspect` of each machine calls its only trainer `trainer-1`. The files are named
    for the machines, no file has another such program, and the programs serve at different addresses, are different
    tasks or have different ids. What else runs beside it on several machines (`metrics-1`) is a service, too.
    """
    prefixes_of_file: dict[str, set[str]] = {}
    programs: dict[str, dict[str, set[str]]] = {}  # name → label of the path → what its program says of itself
    for identity in identities:
        prefixes_of_file.setdefault(identity.file, set()).update(identity.prefix_hosts)
        for name in identity.prefix_hosts if identity.label else ():
            stated = programs.setdefault(name, {}).setdefault(identity.label or "", set())
            stated.update(identity.addresses, identity.tasks, identity.container_ids)
    repeated = {name for name, by_label in programs.items() if len(by_label) > 1}
    training = {name for name in repeated if any(programs[name].values())}
    shared = {name for names in prefixes_of_file.values() if len(names & training) > 1 for name in names}
    services = {name for name in training - shared if len(set(map(frozenset, programs[name].values()))) > 1}
    sidecars = {name for names in prefixes_of_file.values() if names & services for name in names & repeated - training}
    return frozenset(services | sidecars)


def _name_nodes(registry: Registry, identities: Mapping[StreamKey, StreamIdentity]) -> None:
    """Give each stream the name of its node, as its claims decide."""
    is_traced = _log.isEnabledFor(logging.DEBUG)
    claims = list(claim_names(identities, _find_multi_program_files(identities.values())))
    for claim in claims if is_traced else ():
        _log.debug("Claim: %s", claim)
    resolution = resolve_names(claims)
    registry.conflicts = resolution.conflicts
    for key in identities:
        if name := resolution.names.get(key):
            registry.by_stream[key] = name
            registry.by_host.setdefault(name.lower(), name)
            claim = resolution.deciding[key]
            if name != claim.object:
                registry.by_host[claim.object.lower()] = name  # a task that is known by the name of its node
            registry.named_by.setdefault(name, claim)
        if is_traced:
            claim_text = f"node {name}, by {resolution.deciding[key].evidence}" if name else "no claim names its node"
            _log.debug("%s%s: %s", key[0], f", stream {key[1]}" if key[1] else "", claim_text)


def _add_file_stems(registry: Registry, identities: Iterable[StreamIdentity]) -> None:
    """Add whole file names as names of their nodes: a list of containers may say `tf_a_1` for the node a_1."""
    nodes_of_stem: dict[str, set[str]] = {}
    for identity in identities:
        name, stem = registry.by_stream.get((identity.file, identity.stream)), stem_of(identity.file).lower()
        if name and identity.label and name.lower() in stem and identity.label not in identity.file.split("/")[:-1]:
            nodes_of_stem.setdefault(stem, set()).add(name)
    for stem, names in nodes_of_stem.items():
        if len(names) == 1 and not is_generic(stem):
            registry.by_host.setdefault(stem, *names)


def _add_machine_addresses(
    registry: Registry, identities: Iterable[StreamIdentity], results: Iterable[SourceResult]
) -> None:
    """Add the addresses that exactly one node states as its machine's; a bridge of containers has the same on all.

    A log server sorts the files of machines by their addresses: `remote/10.0.3.7/messages`.
    """
    nodes_of_address: dict[str, set[str]] = {}
    for identity in identities:
        for address in {*identity.machine_addresses, *filter(_match_address, identity.file.split("/"))}:
            nodes_of_address.setdefault(address, set()).add(
                registry.by_stream.get((identity.file, identity.stream), "")
            )
    for result in results:  # `ip addr` lists all of a machine's
        node = registry.by_stream.get((result.file, "")) if result.settings else None
        for setting in result.settings:
            if node and setting.name == MACHINE_ADDRESS and not setting.owner:
                nodes_of_address.setdefault(setting.value, set()).add(node)
    for address, names in nodes_of_address.items():
        if len(names) == 1 and "" not in names:
            registry.by_host.setdefault(address.lower(), *names)


def _add_identity(registry: Registry, name: str, identity: StreamIdentity) -> None:
    """Add all names of a stream to the node `name`."""
    draft = registry.ensure_draft(name)
    if identity.label:
        registry.by_host.setdefault(identity.label.lower(), name)
    for host in identity.hosts | (identity.prefix_hosts if identity.host else set()):
        draft.hosts.add(host)
        registry.by_host.setdefault(host.lower(), name)
        if not NUMERIC_ADDRESS.search(host):
            registry.by_host.setdefault(host.lower().partition(".")[0], name)
    for address in identity.addresses:
        host, port = split_address(address)
        draft.addresses.add(address)
        if port and host.lower() != "localhost":
            registry.by_address.setdefault(address, name)
        if not LOOPBACK.match(host):
            registry.by_host.setdefault(host.lower(), name)
    for task in identity.tasks:
        registry.add_claim(task, name, "its lines state it")
    for pid in identity.pids:
        registry.by_pid.setdefault(pid, set()).add(name)


def _set_shared_names_apart(registry: Registry, identities: Iterable[StreamIdentity]) -> None:
    """Let a name before the lines of several nodes be the name of none: it means the node whose file has it."""
    nodes_of_prefix: dict[str, set[str]] = {}
    for identity in identities:
        if node := registry.node_of_stream(identity.file, identity.stream):
            for name in identity.prefix_hosts:
                nodes_of_prefix.setdefault(name.lower(), set()).add(node)
    names_of_nodes = {name.lower() for name in registry.drafts}
    for name, nodes in nodes_of_prefix.items():
        if len(nodes) > 1 and name not in names_of_nodes:
            registry.by_host.pop(name, None)
            registry.shared_names.add(name)


def _log_nodes(registry: Registry) -> None:
    if not _log.isEnabledFor(logging.INFO):
        return
    present = sum(draft.present for draft in registry.drafts.values())
    _log.info("%d nodes with files, %d that are only mentioned", present, len(registry.drafts) - present)
    shown = None if _log.isEnabledFor(logging.DEBUG) else MAX_LOGGED_NODES
    for node in islice(registry.build_nodes(), shown):
        names = ("task", node.tasks), ("host", node.hosts), ("address", node.addresses)
        _log.info(
            "Node %s: %s", node.name, "; ".join(f"{word} {', '.join(values)}" for word, values in names if values)
        )
    for task, owners in registry.task_owners.items():
        if len(owners) > 1:
            _log.info("Task %s is claimed by several nodes: %s", task, ", ".join(owners))
