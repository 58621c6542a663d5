"""Labels, hosts, addresses and tasks joined: "/job:worker/task:2", "10.0.0.13:2222" and "ip-10-0-0-13" are one node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from analyzer.facts.cluster import ClusterSpec, read_task, split_address
from analyzer.facts.labels import label_paths, task_of_label
from analyzer.facts.voices import Key, Voice
from analyzer.model import Event, Kind, Node
from analyzer.reading.result import SourceResult

_LOOPBACK = re.compile(r"^(?:localhost.*|127\.0\.0\.1|::1|0\.0\.0\.0|\*|)$", re.I)
_TASK_LABEL = re.compile(r"^(?:worker|ps|chief|master|evaluator|trainer|rank|task|replica)[-_.]?\d*$", re.I)
_JOBS = {"chief": 0, "master": 0, "worker": 1, "ps": 2, "evaluator": 3}  # as launchers start them
_ADDRESS = re.compile(r"^\d+\.\d+\.\d+\.\d+$|:")


@dataclass(slots=True)
class Draft:
    """A node while its names are collected."""

    name: str
    present: bool = True
    hosts: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    tasks: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Registry:
    """Every name by which a node is known. `owners` of a task are several where two nodes claim it."""

    drafts: dict[str, Draft] = field(default_factory=dict)
    by_voice: dict[Key, str] = field(default_factory=dict)
    by_host: dict[str, str] = field(default_factory=dict)
    by_address: dict[str, str] = field(default_factory=dict)
    by_pid: dict[str, set[str]] = field(default_factory=dict)
    owners: dict[str, list[str]] = field(default_factory=dict)
    many_hosts: frozenset[str] = frozenset()
    cluster: ClusterSpec | None = None

    def node_of(self, event: Event) -> str:
        """The node that an event happened on, "" where nothing tells."""
        if event.host and (
            event.locus.file in self.many_hosts or (event.locus.file, event.stream) not in self.by_voice
        ):
            return self.host(event.host) or self.by_voice.get((event.locus.file, event.stream), "")
        return self.by_voice.get((event.locus.file, event.stream)) or ""

    def whose_exit(self, event: Event, node: str) -> str:
        """The node whose end the event states: that of the task, host or supervised program that it names.

        Without a name it is `node`, on which the event was said; "" where a name is known to nobody, and where the
        supervisor of several tasks names none of them.
        """
        task, host, program = (event.captures.get(name, "") for name in ("task", "host", "program"))
        if not (task or host or program):
            return node
        machine = event.captures.get("machine", "")  # on which a pod ran
        named = self.task(task) or self.host(host) or self.host(machine) or self.task(task_of_label(program) or "")
        lone = program and node and len(self.drafts[node].tasks) <= 1
        return named or (node if lone else "")

    def ensure(self, name: str) -> str:
        """The node's name as it is known; a new one where nobody has spoken for it."""
        known = self.by_host.get(name.lower()) or name
        self.drafts.setdefault(known, Draft(known))
        return known

    def host(self, name: str) -> str | None:
        short = name.lower().partition(".")[0] if not _ADDRESS.search(name) else name
        return self.by_host.get(name.lower()) or self.by_host.get(short)

    def address(self, text: str) -> str | None:
        host, port = split_address(text)
        if port and (node := self.by_address.get(f"{host}:{port}")):
            return node
        return None if _LOOPBACK.match(host) else self.host(host)

    def task(self, text: str) -> str | None:
        """The one owner of a task; None where nobody or several own it."""
        owners = self.owners.get(read_task(text) or text, [])
        return owners[0] if len(owners) == 1 else None

    def nodes(self) -> list[Node]:
        return [
            Node(
                d.name,
                tuple(sorted(d.hosts)),
                tuple(sorted(d.addresses)),
                tuple(sorted(d.tasks, key=_task_order)),
                present=d.present,
            )
            for d in sorted(self.drafts.values(), key=lambda draft: _natural(draft.name))
        ]


def register(results: Sequence[SourceResult], voices: Mapping[Key, Voice], mentioned: Iterable[str] = ()) -> Registry:
    """Joins what paths, prefixes and identity lines say. `mentioned` are host names that others accuse."""
    registry = Registry()
    hosts = {host.lower() for voice in voices.values() for host in voice.hosts | voice.line_hosts}
    hosts |= {host.lower() for result in results for host in result.hosts}
    hosts |= {split_address(address)[0].lower() for voice in voices.values() for address in voice.addresses}
    labels = label_paths(
        [result.file for result in results], frozenset(host for host in hosts if not _ADDRESS.search(host))
    )
    registry.many_hosts = frozenset(result.file for result in results if len(result.hosts) > 1)
    registry.cluster = majority_cluster(voices.values())
    crowded = _crowded(voices.values())
    nameless = {result.file for result in results if _names_no_machine(result, labels.get(result.file))}
    for voice in voices.values():
        voice.label = None if voice.file in nameless else labels.get(voice.file)
    renamed = _hosts_of_tasks(voices.values())
    for voice in voices.values():
        name = _name(voice, voice.file in crowded, renamed)
        if name:
            _add(registry, name, voice)
    for result in results:
        if result.file in registry.many_hosts:
            for host in result.hosts:
                _draft(registry, registry.host(host) or host).hosts.add(host)
                registry.by_host.setdefault(host.lower(), registry.host(host) or host)
    _add_cluster(registry)
    _seat(registry, voices.values())
    _merge_tasks(registry)
    _pair(registry, results)
    _name_tasks(registry, results)
    _number(registry, results)
    _seat_silent(registry, voices.values())
    for voice in voices.values():
        if voice.shared:
            for address in voice.addresses:
                _mention(registry, split_address(address)[0])
    for host in mentioned:
        _mention(registry, host)
    return registry


def _names_no_machine(result: SourceResult, label: str | None) -> bool:
    """A stray note (`ranks.txt`) or a scheduler's file (`squeue-4711.txt`) is named for itself, unless its folder
    is a machine's.
    """
    if label is None or label in result.file.split("/")[:-1]:
        return False
    says_nothing = not result.events and not result.timed_lines and result.kind is Kind.UNKNOWN
    return says_nothing or result.kind is Kind.SCHEDULER


def majority_cluster(voices: Iterable[Voice]) -> ClusterSpec | None:
    votes: Counter[tuple[tuple[str, tuple[str | None, ...]], ...]] = Counter()
    for voice in voices:
        for cluster, _ in voice.clusters[-1:]:
            votes[tuple(sorted(cluster.jobs.items()))] += 1
    if not votes:
        return None
    most = max(votes.items(), key=lambda pair: (pair[1], sum(len(members) for _, members in pair[0])))
    return ClusterSpec(dict(most[0]))


def _crowded(voices: Iterable[Voice]) -> frozenset[str]:
    """Files in which several streams belong to different programs: the path then names the job, not a node."""
    said: dict[str, set[str]] = {}
    for voice in voices:
        own = next(iter(sorted(voice.tasks)), None) or next(iter(sorted(voice.addresses)), None)
        if own:
            said.setdefault(voice.file, set()).update({own} if not voice.shared else {*voice.addresses, *voice.tasks})
    return frozenset(file for file, own in said.items() if len(own) > 1)


def _name(voice: Voice, crowded: bool, renamed: Mapping[str, str]) -> str | None:
    if not crowded:
        if voice.label:
            return renamed.get(voice.label, voice.label)
        if len(voice.line_hosts) == 1:
            return voice.host
    if voice.shared:
        return None
    named = [voice.host] if voice.host and not _LOOPBACK.match(voice.host) else []
    served = [host for address in sorted(voice.addresses) if not _LOOPBACK.match(host := split_address(address)[0])]
    return next(iter([*named, *served, *sorted(voice.tasks)]), None)


def _hosts_of_tasks(voices: Iterable[Voice]) -> dict[str, str]:
    """Files named for tasks (`worker-1.log`) whose lines name their machines: the machine's name is the node's.

    Only where each such file has a machine of its own; several tasks on one machine keep their files' names.
    """
    hosts: dict[str, set[str]] = {}
    for voice in voices:
        if voice.label and _TASK_LABEL.match(voice.label) and voice.host and not _LOOPBACK.match(voice.host):
            hosts.setdefault(voice.label, set()).add(voice.host)
    single = {label: next(iter(found)) for label, found in hosts.items() if len(found) == 1}
    uses = Counter(single.values())
    return {label: host for label, host in single.items() if uses[host] == 1 and not _ADDRESS.search(host)}


def _draft(registry: Registry, name: str) -> Draft:
    return registry.drafts.setdefault(name, Draft(name))


def _add(registry: Registry, name: str, voice: Voice) -> None:
    draft = _draft(registry, name)
    registry.by_voice[voice.file, voice.stream] = name
    registry.by_host.setdefault(name.lower(), name)
    if voice.label:
        registry.by_host.setdefault(voice.label.lower(), name)
    for host in voice.hosts | (voice.line_hosts if voice.host else set()):
        draft.hosts.add(host)
        registry.by_host.setdefault(host.lower(), name)
        if not _ADDRESS.search(host):
            registry.by_host.setdefault(host.lower().partition(".")[0], name)
    for address in voice.addresses:
        host, port = split_address(address)
        draft.addresses.add(address)
        if port and host.lower() != "localhost":
            registry.by_address.setdefault(address, name)
        if not _LOOPBACK.match(host):
            registry.by_host.setdefault(host.lower(), name)
    for task in voice.tasks:
        draft.tasks.add(task)
        owners = registry.owners.setdefault(task, [])
        if name not in owners:
            owners.append(name)
    for pid in voice.pids:
        registry.by_pid.setdefault(pid, set()).add(name)


def _add_cluster(registry: Registry) -> None:
    """Gives tasks their addresses; a task that the cluster names and no file speaks for gets a node of its own."""
    if registry.cluster is None:
        return
    for task, address in registry.cluster.tasks().items():
        host, port = split_address(address)
        owner = registry.task(task) or (
            None if _LOOPBACK.match(host) else registry.address(address) or _dashed(registry, host)
        )
        if owner is None and task in registry.owners:
            continue  # several claim it
        draft = _draft(registry, owner or (task if _LOOPBACK.match(host) else host))
        if owner is None:
            draft.present = False
        if task not in registry.owners:
            registry.owners[task] = [draft.name]
            draft.tasks.add(task)
        draft.addresses.add(address)
        if port:
            registry.by_address.setdefault(f"{host}:{port}", draft.name)
        if not _LOOPBACK.match(host):
            registry.by_host.setdefault(host.lower(), draft.name)


def _seat(registry: Registry, voices: Iterable[Voice]) -> None:
    """Launchers number their processes in the order of the tasks (`srun -l`, `mpirun --tag-output`): where all that say
    who they are fit that order, one that died before it could say so is known by its number."""
    ranks = _ranks(voices)
    tasks = (
        sorted(registry.cluster.tasks(), key=lambda task: (_JOBS.get(task.partition(":")[0], 1), _task_order(task)))
        if registry.cluster
        else []
    )
    for file, by_rank in ranks.items():
        order = dict(enumerate(tasks)) if tasks else {rank: f"worker:{rank}" for rank in by_rank}
        seats = {rank: node for rank in by_rank if (node := registry.task(order.get(rank, "")))}
        known = {rank: node for rank, voice in by_rank.items() if (node := registry.by_voice.get((file, voice.stream)))}
        if (known or len(by_rank) == len(tasks)) and all(seats.get(rank) == node for rank, node in known.items()):
            for rank in seats.keys() - known.keys():
                registry.by_voice[file, by_rank[rank].stream] = seats[rank]


def _ranks(voices: Iterable[Voice]) -> dict[str, dict[int, Voice]]:
    ranks: dict[str, dict[int, Voice]] = {}
    for voice in voices:
        if found := re.search(r"(?:^|[,/])(\d{1,5})$", voice.stream):
            ranks.setdefault(voice.file, {})[int(found[1])] = voice
    return ranks


def _seat_silent(registry: Registry, voices: Iterable[Voice]) -> None:
    """Without a cluster:

    where every rank that is known is the worker of its number, so is one that never said who it is.
    """
    for file, by_rank in _ranks(voices).items() if registry.cluster is None else ():
        known = {rank: node for rank, voice in by_rank.items() if (node := registry.by_voice.get((file, voice.stream)))}
        if known and all(registry.drafts[node].tasks == {f"worker:{rank}"} for rank, node in known.items()):
            for rank in by_rank.keys() - known.keys():
                task = f"worker:{rank}"
                registry.by_voice[file, by_rank[rank].stream] = registry.task(task) or task
                if task not in registry.owners:
                    _draft(registry, task)
                    _own(registry, task, task)


def _merge_tasks(registry: Registry) -> None:
    """`worker-1.exit_code` beside a joined log is of the node that owns worker:1."""
    for draft in list(registry.drafts.values()):
        if draft.tasks or draft.addresses or draft.hosts or not draft.present:
            continue
        owner = registry.task(task) if (task := read_task(draft.name) or task_of_label(draft.name)) else None
        if owner and owner != draft.name:
            del registry.drafts[draft.name]
            registry.by_host[draft.name.lower()] = owner
            for key, name in registry.by_voice.items():
                if name == draft.name:
                    registry.by_voice[key] = owner


def _pair(registry: Registry, results: Sequence[SourceResult]) -> None:
    """An error that names a task and the address it tried tells who owns the task."""
    for result in results:
        for event in result.events:
            task, address = read_task(event.captures.get("task")), event.captures.get("address")
            if task and address and task not in registry.owners and (node := registry.address(address)):
                _own(registry, task, node)


def _name_tasks(registry: Registry, results: Sequence[SourceResult]) -> None:
    """A file or machine named for a task (`worker_1.log`, `ps0`) that nobody else claims is that task's."""
    claims: dict[str, set[str]] = {}
    for (file, _), node in registry.by_voice.items():
        if not registry.drafts[node].tasks:
            names = [node, *(part.partition(".")[0] for part in file.split("/"))]
            claims.setdefault(node, set()).update(task for name in names if (task := task_of_label(name)))
    counted = Counter(task for tasks in claims.values() for task in tasks)
    jobs = {task.partition(":")[0]: f"{task.partition(':')[0]}:0" for task in counted}
    mentioned = {read_task(event.captures.get("task")) for result in results for event in result.events}
    for node, tasks in claims.items():
        task = next(iter(tasks), "")
        first = jobs.get(task.partition(":")[0], "")
        from_one = first in mentioned and first not in counted and first not in registry.owners  # numbered from 1
        if len(tasks) == 1 and counted[task] == 1 and task not in registry.owners and not from_one:
            _own(registry, task, node)


def _number(registry: Registry, results: Sequence[SourceResult]) -> None:
    """Where lines name tasks and nothing says whose they are, machines in the order of their names are tasks in theirs.

    Cluster specs are written so everywhere; used only if it contradicts nothing that is known.
    """
    mentioned = {
        task for result in results for event in result.events if (task := read_task(event.captures.get("task")))
    }
    mentioned = {task for task in mentioned if task.startswith("worker:")} - set(registry.owners)
    if not mentioned:
        return
    present = [draft for draft in registry.drafts.values() if draft.present]
    workers = sorted((d.name for d in present if all(task.startswith("worker:") for task in d.tasks)), key=_natural)
    known = {task: names[0] for task, names in registry.owners.items() if task.startswith("worker:")}
    guess = {f"worker:{index}": name for index, name in enumerate(workers)}
    if mentioned <= guess.keys() and all(guess.get(task) == name for task, name in known.items()):
        for task, name in guess.items():
            if task not in registry.owners:
                _own(registry, task, name)


def _own(registry: Registry, task: str, node: str) -> None:
    registry.owners[task] = [node]
    registry.drafts[node].tasks.add(task)


def _dashed(registry: Registry, host: str) -> str | None:
    """`ip-10-0-0-13` (EC2's default host name) is 10.0.0.13."""
    return registry.by_host.get("ip-" + host.replace(".", "-")) if re.fullmatch(r"[\d.]+", host) else None


def _mention(registry: Registry, host: str) -> None:
    """A host that lines name and no file speaks for."""
    if host and not _LOOPBACK.match(host) and not _ADDRESS.search(host) and registry.host(host) is None:
        draft = _draft(registry, host)
        draft.present = False
        draft.hosts.add(host)
        registry.by_host[host.lower()] = host
        registry.by_host.setdefault(host.lower().partition(".")[0], host)


def _natural(name: str) -> list[tuple[int, int, str]]:
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def _task_order(task: str) -> list[tuple[int, int, str]]:
    return _natural(task)
