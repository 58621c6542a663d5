"""Labels, hosts and addresses of all sources joined to nodes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from analyzer.facts.cluster import ClusterSpec, split_address
from analyzer.facts.labels import is_generic, label_paths, stem_of, task_of_label
from analyzer.facts.launched import rank_of
from analyzer.facts.nodes import ADDRESS, LOOPBACK, Registry
from analyzer.facts.placement import place_ranks
from analyzer.facts.seats import find_seats, name_leaders
from analyzer.facts.settings import INET
from analyzer.facts.voices import Key, Voice, hosts_of
from analyzer.model import Kind
from analyzer.reading.result import SourceResult
from analyzer.reading.results import Results

_TASK_LABEL = re.compile(r"^(?:worker|ps|chief|master|evaluator|trainer|rank|task|replica)[-_.]?\d*$|^\d+$", re.I)
_OF_MACHINE = re.compile(
    r"(?:^|[._-])(?:slurmd|kubelet|pbs_mom|sbatchd|nodemanager|containerd|dockerd)(?:[._-]|$)", re.I
)


def register(
    results: Results,
    heard: Mapping[Key, Voice],
    mentioned: Iterable[str] = (),
    joins: frozenset[str] = frozenset(),
    places: frozenset[str] = frozenset(),
) -> Registry:
    """Joins what paths, prefixes and identity lines say. `heard` are the voices of the loud sources, which get their
    labels; `mentioned` are host names that others accuse; `joins` are the
    signals by which a task is said to have joined, `places` those that list the job's hosts.
    """
    registry = Registry()
    hosts = {host.lower() for voice in heard.values() for host in voice.hosts | voice.line_hosts}
    hosts |= {host.lower() for host in results.hosts()}
    mentioned = list(mentioned)
    hosts |= {host.lower() for host in mentioned if not is_generic(host)}
    hosts |= {split_address(address)[0].lower() for voice in heard.values() for address in voice.addresses}
    labels = label_paths(list(results.files()), frozenset(host for host in hosts if not ADDRESS.search(host)))
    registry.many_hosts = frozenset(result.file for result in results.loud if len(result.hosts) > 1)
    registry.cluster = majority_cluster(heard.values())
    voices = _fold(results, heard, labels, registry.alike, places)
    crowded = _crowded(voices.values())
    name_leaders(registry, voices.values(), results.loud)
    renamed = _hosts_of_tasks(voices.values())
    for key, voice in voices.items():
        name = _name(voice, voice.file in crowded, renamed)
        if name:
            registry.by_voice[key] = name
            registry.by_host.setdefault(name.lower(), name)
    for voice in voices.values():  # what they say of themselves comes second: a server may be called by another's name
        if name := registry.by_voice.get((voice.file, voice.stream)):
            _add(registry, name, voice)
    _add_stems(registry, voices.values())
    _add_inets(registry, voices.values(), results)
    for result in results.loud:
        if result.file in registry.many_hosts:
            for host in result.hosts:
                registry.draft(registry.host(host) or host).hosts.add(host)
                registry.by_host.setdefault(host.lower(), registry.host(host) or host)
    find_seats(registry, voices.values(), results.loud, joins)
    place_ranks(registry, list(voices.values()), results.loud, places)
    for voice in voices.values():
        if voice.shared:
            for address in voice.addresses:
                registry.mention(split_address(address)[0])
    for host in mentioned:
        registry.mention(host)
    return registry


def _fold(
    results: Results,
    heard: Mapping[Key, Voice],
    labels: Mapping[str, str | None],
    alike: dict[str, str],
    places: frozenset[str],
) -> dict[Key, Voice]:
    """Labels voices, in the order of the sources. Files that said nothing differ by their names alone: the first one's
    voice speaks for all of which these tell the same, and `alike` says which that is.
    """
    of_file: dict[str, list[Voice]] = {}
    for voice in heard.values():
        of_file.setdefault(voice.file, []).append(voice)
    voices: dict[Key, Voice] = {}
    first: dict[object, str] = {}
    for result in results:
        label = labels.get(result.file)
        label = None if _names_no_machine(result, label, places) else label
        if (found := of_file.get(result.file)) is None:
            [stream] = result.streams
            said = (label, result.kind, stream, *result.hosts, _tasks_of_path(result.file))
            alike[result.file] = file = first.setdefault(said, result.file)
            found = (
                [Voice(file, stream, result.kind, line_hosts=hosts_of(result, stream))] if file == result.file else []
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
    return says_nothing or (result.kind is Kind.SCHEDULER and not _OF_MACHINE.search(result.file.rpartition("/")[2]))


def majority_cluster(voices: Iterable[Voice]) -> ClusterSpec | None:
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
            if voice.leads:
                led.add(key)
    if not votes:
        return None
    clusters = {key: ClusterSpec(dict(key)) for key in votes}
    return clusters[
        max(votes, key=lambda key: (votes[key], clusters[key].tasks().keys() <= seen, key in led, clusters[key].size))
    ]


def _crowded(voices: Iterable[Voice]) -> frozenset[str]:
    """Files in which several streams belong to different programs: the path then names the job, not a node."""
    said: dict[str, set[str]] = {}
    voices = list(voices)
    headed = {voice.file for voice in voices if voice.stream and voice.line_hosts == {voice.stream}}  # some lines only
    for voice in voices:
        if len(voice.line_hosts) == 1:
            said.setdefault(voice.file, set()).update(voice.line_hosts)
        if rank := rank_of(voice.stream):
            said.setdefault(voice.file, set()).add(f"rank {rank}")
        own = next(iter(sorted(voice.tasks)), None) or next(iter(sorted(voice.addresses)), None)
        if own:
            said.setdefault(voice.file, set()).update({own} if not voice.shared else {*voice.addresses, *voice.tasks})
        elif not voice.stream and not voice.line_hosts and voice.file in headed:
            said.setdefault(voice.file, set()).add("")
    return frozenset(file for file, own in said.items() if len(own) > 1)


def _name(voice: Voice, crowded: bool, renamed: Mapping[str, str]) -> str | None:
    if not crowded:
        if voice.label:
            return renamed.get(voice.label, voice.label)
        if len(voice.line_hosts) == 1:
            return voice.host
    if voice.shared:
        return None
    named = [voice.host] if voice.host and not LOOPBACK.match(voice.host) else []
    served = [host for address in sorted(voice.addresses) if not LOOPBACK.match(host := split_address(address)[0])]
    return next(iter([*named, *served, *sorted(voice.tasks)]), None)


def _hosts_of_tasks(voices: Iterable[Voice]) -> dict[str, str]:
    """Files named for tasks (`worker-1.log`) whose lines name their machines: the machine's name is the node's.

    Only where each such file has a machine of its own; several tasks on one machine keep their files' names.
    """
    hosts: dict[str, set[str]] = {}
    for voice in voices:
        if voice.label and _TASK_LABEL.match(voice.label) and voice.host and not LOOPBACK.match(voice.host):
            hosts.setdefault(voice.label, set()).add(voice.host)
    single = {label: next(iter(found)) for label, found in hosts.items() if len(found) == 1}
    uses = Counter(single.values())
    return {label: host for label, host in single.items() if uses[host] == 1 and not ADDRESS.search(host)}


def _add_stems(registry: Registry, voices: Iterable[Voice]) -> None:
    """Who lists containers calls `tf_a_1` what is a_1 by the names of files: whole names of files are names, too."""
    claims: dict[str, set[str]] = {}
    for voice in voices:
        name, stem = registry.by_voice.get((voice.file, voice.stream)), stem_of(voice.file).lower()
        if name and voice.label and name.lower() in stem and voice.label not in voice.file.split("/")[:-1]:
            claims.setdefault(stem, set()).add(name)
    for stem, names in claims.items():
        if len(names) == 1 and not is_generic(stem):
            registry.by_host.setdefault(stem, *names)


def _add_inets(registry: Registry, voices: Iterable[Voice], results: Results) -> None:
    """Addresses of which one node alone says that they are its machine's: a bridge of containers is alike on all."""
    claims: dict[str, set[str]] = {}
    for voice in voices:
        for inet in voice.inets:
            claims.setdefault(inet, set()).add(registry.by_voice.get((voice.file, voice.stream), ""))
    for result in results.loud:  # `ip addr` of a machine, which may have several
        file = registry.alike.get(result.file, result.file)
        node = registry.by_voice.get((file, ""))
        for setting in result.settings:
            if node and setting.name == INET and not setting.whose:
                claims.setdefault(setting.value, set()).add(node)
    for inet, names in claims.items():
        if len(names) == 1 and "" not in names:
            registry.by_host.setdefault(inet.lower(), *names)


def _add(registry: Registry, name: str, voice: Voice) -> None:
    draft = registry.draft(name)
    if voice.label:
        registry.by_host.setdefault(voice.label.lower(), name)
    for host in voice.hosts | (voice.line_hosts if voice.host else set()):
        draft.hosts.add(host)
        registry.by_host.setdefault(host.lower(), name)
        if not ADDRESS.search(host):
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
        owners = registry.owners.setdefault(task, [])
        if name not in owners:
            owners.append(name)
    for pid in voice.pids:
        registry.by_pid.setdefault(pid, set()).add(name)
