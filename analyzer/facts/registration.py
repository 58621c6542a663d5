"""Labels, hosts and addresses of all sources joined to nodes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from analyzer.facts.cluster_spec import ClusterSpec, split_address
from analyzer.facts.path_labels import is_generic, label_paths, stem_of, task_of_label
from analyzer.facts.rank_hosts import map_ranks_to_hosts
from analyzer.facts.registry import LOOPBACK, NUMERIC_ADDRESS, Registry
from analyzer.facts.settings import MACHINE_ADDRESS
from analyzer.facts.stream_identities import StreamIdentity, StreamKey, hosts_in_prefixes
from analyzer.facts.task_assignment import assign_tasks, name_leader_tasks
from analyzer.formats.line_format import rank_of_stream
from analyzer.model import Kind
from analyzer.reading.source_result import SourceResult
from analyzer.reading.source_results import SourceResults

_TASK_LABEL = re.compile(r"^(?:worker|ps|chief|master|evaluator|trainer|rank|task|replica)[-_.]?\d*$|^\d+$", re.I)
_MACHINE_DAEMON = re.compile(
    r"(?:^|[._-])(?:slurmd|kubelet|pbs_mom|sbatchd|nodemanager|containerd|dockerd)(?:[._-]|$)", re.I
)


def build_registry(
    results: SourceResults,
    identities_of_streams: Mapping[StreamKey, StreamIdentity],
    mentioned_hosts: Iterable[str] = (),
    join_signals: frozenset[str] = frozenset(),
    placement_signals: frozenset[str] = frozenset(),
) -> Registry:
    """Joins what paths, prefixes and identity lines say. `heard` are the voices of the loud sources, which get their
    labels; `mentioned` are host names that others accuse; `joins` are the
    signals by which a task is said to have joined, `places` those that list the job's hosts.
    """
    registry = Registry()
    hosts = {host.lower() for voice in identities_of_streams.values() for host in voice.hosts | voice.prefix_hosts}
    hosts |= {host.lower() for host in results.hosts()}
    mentioned_hosts = list(mentioned_hosts)
    hosts |= {host.lower() for host in mentioned_hosts if not is_generic(host)}
    hosts |= {
        split_address(address)[0].lower() for voice in identities_of_streams.values() for address in voice.addresses
    }
    labels = label_paths(list(results.files()), frozenset(host for host in hosts if not NUMERIC_ADDRESS.search(host)))
    registry.multi_host_files = frozenset(result.file for result in results.with_events if len(result.hosts) > 1)
    registry.cluster = choose_cluster_spec(identities_of_streams.values())
    voices = _label_identities(results, identities_of_streams, labels, registry.representatives, placement_signals)
    crowded = _find_multi_program_files(voices.values())
    name_leader_tasks(registry, voices.values(), results.with_events)
    renamed = _hosts_for_task_labels(voices.values())
    for key, voice in voices.items():
        name = _choose_node_name(voice, voice.file in crowded, renamed)
        if name:
            registry.by_stream[key] = name
            registry.by_host.setdefault(name.lower(), name)
    for voice in voices.values():  # what they say of themselves comes second: a server may be called by another's name
        if name := registry.by_stream.get((voice.file, voice.stream)):
            _add_identity(registry, name, voice)
    _add_file_stems(registry, voices.values())
    _add_machine_addresses(registry, voices.values(), results)
    for result in results.with_events:
        if result.file in registry.multi_host_files:
            for host in result.hosts:
                registry.ensure_draft(registry.node_of_host(host) or host).hosts.add(host)
                registry.by_host.setdefault(host.lower(), registry.node_of_host(host) or host)
    assign_tasks(registry, voices.values(), results.with_events, join_signals)
    map_ranks_to_hosts(registry, list(voices.values()), results.with_events, placement_signals)
    for voice in voices.values():
        if voice.is_shared:
            for address in voice.addresses:
                registry.add_mentioned_host(split_address(address)[0])
    for host in mentioned_hosts:
        registry.add_mentioned_host(host)
    return registry


def _label_identities(
    results: SourceResults,
    heard: Mapping[StreamKey, StreamIdentity],
    labels: Mapping[str, str | None],
    alike: dict[str, str],
    places: frozenset[str],
) -> dict[StreamKey, StreamIdentity]:
    """Labels voices, in the order of the sources. Files that said nothing differ by their names alone: the first one's
    voice speaks for all of which these tell the same, and `alike` says which that is.
    """
    of_file: dict[str, list[StreamIdentity]] = {}
    for voice in heard.values():
        of_file.setdefault(voice.file, []).append(voice)
    voices: dict[StreamKey, StreamIdentity] = {}
    first: dict[object, str] = {}
    for result in results:
        label = labels.get(result.file)
        label = None if _names_no_machine(result, label, places) else label
        if (found := of_file.get(result.file)) is None:
            [stream] = result.streams
            said = (label, result.kind, stream, *result.hosts, _tasks_of_path(result.file))
            alike[result.file] = file = first.setdefault(said, result.file)
            found = (
                [StreamIdentity(file, stream, result.kind, prefix_hosts=hosts_in_prefixes(result, stream))]
                if file == result.file
                else []
            )
        for voice in found:
            voice.label = label
            voices[voice.file, voice.stream] = voice
    return voices


def _tasks_of_path(path: str) -> frozenset[str]:
    return frozenset(task for part in path.split("/") if (task := task_of_label(part.partition(".")[0])))


def _names_no_machine(result: SourceResult, label: str | None, places: frozenset[str]) -> bool:
    """A stray note (`ranks.txt`), a list of hosts (`hostfile`) or a scheduler's file (`squeue-4711.txt`) is named for
    itself, unless its folder is a machine's, or it is of a daemon that each machine has (`slurmd-n7.log`).
    """
    if label is None or label in result.file.split("/")[:-1]:
        return False
    lists_alone = all(event.signal in places for event in result.events)
    says_nothing = lists_alone and not result.timed_lines and result.kind is Kind.UNKNOWN
    return says_nothing or (
        result.kind is Kind.SCHEDULER and not _MACHINE_DAEMON.search(result.file.rpartition("/")[2])
    )


def choose_cluster_spec(voices: Iterable[StreamIdentity]) -> ClusterSpec | None:
    """What most were told of the cluster. Of two that as many were told, that whose every member somebody is; then the
    leader's, for whose members the others wait; then the larger one.
    """
    votes: Counter[tuple[tuple[str, tuple[str | None, ...]], ...]] = Counter()
    led: set[object] = set()
    seen: set[str] = set()
    for voice in voices:
        seen |= voice.tasks
        for cluster, _ in voice.clusters[-1:]:
            key = tuple(sorted(cluster.jobs.items()))
            votes[key] += 1
            if voice.is_leader:
                led.add(key)
    if not votes:
        return None
    clusters = {key: ClusterSpec(dict(key)) for key in votes}
    return clusters[
        max(
            votes,
            key=lambda key: (
                votes[key],
                clusters[key].task_addresses().keys() <= seen,
                key in led,
                clusters[key].task_count,
            ),
        )
    ]


def _find_multi_program_files(voices: Iterable[StreamIdentity]) -> frozenset[str]:
    """Files in which several streams belong to different programs: the path then names the job, not a node."""
    said: dict[str, set[str]] = {}
    voices = list(voices)
    headed = {
        voice.file for voice in voices if voice.stream and voice.prefix_hosts == {voice.stream}
    }  # some lines only
    for voice in voices:
        if len(voice.prefix_hosts) == 1:
            said.setdefault(voice.file, set()).update(voice.prefix_hosts)
        if rank := rank_of_stream(voice.stream):
            said.setdefault(voice.file, set()).add(f"rank {rank}")
        own = next(iter(sorted(voice.tasks)), None) or next(iter(sorted(voice.addresses)), None)
        if own:
            said.setdefault(voice.file, set()).update(
                {own} if not voice.is_shared else {*voice.addresses, *voice.tasks}
            )
        elif not voice.stream and not voice.prefix_hosts and voice.file in headed:
            said.setdefault(voice.file, set()).add("")
    return frozenset(file for file, own in said.items() if len(own) > 1)


def _choose_node_name(voice: StreamIdentity, crowded: bool, renamed: Mapping[str, str]) -> str | None:
    if not crowded:
        if voice.label:
            return renamed.get(voice.label, voice.label)
        if len(voice.prefix_hosts) == 1:
            return voice.host
    if voice.is_shared:
        return None
    named = [voice.host] if voice.host and not LOOPBACK.match(voice.host) else []
    served = [host for address in sorted(voice.addresses) if not LOOPBACK.match(host := split_address(address)[0])]
    return next(iter([*named, *served, *sorted(voice.tasks)]), None)


def _hosts_for_task_labels(voices: Iterable[StreamIdentity]) -> dict[str, str]:
    """Files named for tasks (`worker-1.log`) whose lines name their machines: the machine's name is the node's.

    Only where each such file has a machine of its own; several tasks on one machine keep their files' names.
    """
    hosts: dict[str, set[str]] = {}
    for voice in voices:
        if voice.label and _TASK_LABEL.match(voice.label) and voice.host and not LOOPBACK.match(voice.host):
            hosts.setdefault(voice.label, set()).add(voice.host)
    single = {label: next(iter(found)) for label, found in hosts.items() if len(found) == 1}
    uses = Counter(single.values())
    return {label: host for label, host in single.items() if uses[host] == 1 and not NUMERIC_ADDRESS.search(host)}


def _add_file_stems(registry: Registry, voices: Iterable[StreamIdentity]) -> None:
    """Who lists containers calls `tf_a_1` what is a_1 by the names of files: whole names of files are names, too."""
    claims: dict[str, set[str]] = {}
    for voice in voices:
        name, stem = registry.by_stream.get((voice.file, voice.stream)), stem_of(voice.file).lower()
        if name and voice.label and name.lower() in stem and voice.label not in voice.file.split("/")[:-1]:
            claims.setdefault(stem, set()).add(name)
    for stem, names in claims.items():
        if len(names) == 1 and not is_generic(stem):
            registry.by_host.setdefault(stem, *names)


def _add_machine_addresses(registry: Registry, voices: Iterable[StreamIdentity], results: SourceResults) -> None:
    """Addresses of which one node alone says that they are its machine's: a bridge of containers is alike on all."""
    claims: dict[str, set[str]] = {}
    for voice in voices:
        for inet in voice.machine_addresses:
            claims.setdefault(inet, set()).add(registry.by_stream.get((voice.file, voice.stream), ""))
    for result in results.with_events:  # `ip addr` of a machine, which may have several
        file = registry.representatives.get(result.file, result.file)
        node = registry.by_stream.get((file, ""))
        for setting in result.settings:
            if node and setting.name == MACHINE_ADDRESS and not setting.owner:
                claims.setdefault(setting.value, set()).add(node)
    for inet, names in claims.items():
        if len(names) == 1 and "" not in names:
            registry.by_host.setdefault(inet.lower(), *names)


def _add_identity(registry: Registry, name: str, voice: StreamIdentity) -> None:
    draft = registry.ensure_draft(name)
    if voice.label:
        registry.by_host.setdefault(voice.label.lower(), name)
    for host in voice.hosts | (voice.prefix_hosts if voice.host else set()):
        draft.hosts.add(host)
        registry.by_host.setdefault(host.lower(), name)
        if not NUMERIC_ADDRESS.search(host):
            registry.by_host.setdefault(host.lower().partition(".")[0], name)
    for address in voice.addresses:
        host, port = split_address(address)
        draft.addresses.add(address)
        if port and host.lower() != "localhost":
            registry.by_address.setdefault(address, name)
        if not LOOPBACK.match(host):
            registry.by_host.setdefault(host.lower(), name)
    for task in voice.tasks:
        draft.tasks.add(task)
        owners = registry.task_owners.setdefault(task, [])
        if name not in owners:
            owners.append(name)
    for pid in voice.pids:
        registry.by_pid.setdefault(pid, set()).add(name)
