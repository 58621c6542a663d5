"""The identity that each stream of each file states about itself: task, host, addresses, pid, cluster spec."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from analyzer.facts.cluster_spec import (
    ClusterSpec,
    read_cluster_spec,
    read_member_list,
    read_task,
    read_tf_config,
    split_address,
)
from analyzer.model import Event, Kind
from analyzer.reading.source_result import SourceResult
from analyzer.signal_semantics import SignalSemantics
from analyzer.untrusted.numbers import read_whole

StreamKey = tuple[str, str]  # file, stream
_match_task_stream = re.compile(r"(?:chief|master|worker|ps|evaluator):\d{1,5}").fullmatch  # of a launcher's prefix
_log = logging.getLogger("analyzer.facts")


@dataclass(slots=True)
class StreamIdentity:
    """What a stream states about its own program, collected from identity events.

    `addresses` are those at which it serves, `clusters` the cluster specs that it was given, with their events.
    """

    file: str
    stream: str
    kind: Kind
    label: str | None = None
    tasks: frozenset[str] = frozenset()
    last_task: str | None = None  # of `tasks`, in the order of its lines
    words_for_task: tuple[str, int] | None = None  # a task that it states in words of its own, and the line
    addresses: frozenset[str] = frozenset()
    ports: frozenset[str] = frozenset()  # on which it listens at an address that it does not state
    machine_addresses: frozenset[str] = frozenset()  # of its machine; it need not serve there
    hosts: frozenset[str] = frozenset()
    prefix_hosts: frozenset[str] = frozenset()  # in the prefixes of its lines
    pids: frozenset[str] = frozenset()
    container_ids: frozenset[str] = frozenset()  # that a listing states beside its name
    standalone_event: Event | None = None  # states that it trains without others
    is_leader: bool = False  # it runs the coordination service
    awaited_tasks: frozenset[str] = frozenset()  # that its lines wait for, so it is not one of them
    clusters: tuple[tuple[ClusterSpec, Event], ...] = ()
    _ids_of_events: set[int] | None = field(default=None, repr=False, compare=False)  # those of `clusters`, as read
    member_lists: tuple[tuple[ClusterSpec, Event], ...] = ()  # of addresses, which may be those of other servers
    lines: tuple[tuple[str, int], ...] = ()  # a task, a host or an address, and the first line that states it

    def evidence_of(self, value: str) -> str:
        """Return where the stream states a task, a host or an address, in words."""
        line = next((line for stated, line in self.lines if stated == value), None)
        return f"{self.file}:{line} states it" if line else "its lines or its name state it"

    @property
    def host(self) -> str | None:
        """The one host on which it runs; None if it states none or several."""
        hosts = self.hosts or self.prefix_hosts or self._served_hosts
        return next(iter(hosts)) if len(hosts) == 1 else None

    @property
    def stated_host(self) -> str | None:
        """The one host that its own lines state, whatever stands before them; None if they state none or several."""
        hosts = self.hosts or self._served_hosts or (self.prefix_hosts if self.label else frozenset())
        return next(iter(hosts)) if len(hosts) == 1 else None

    @property
    def _served_hosts(self) -> frozenset[str]:
        hosts = (split_address(address)[0] for address in self.addresses)
        return frozenset(host for host in hosts if re.search("[A-Za-z]", host))

    @property
    def is_recorded(self) -> bool:
        """Whether it is a recorder's own file that states the host on which it started the program."""
        return self.kind is Kind.SAMPLES and bool(self.hosts)

    @property
    def is_shared(self) -> bool:
        """Whether several programs write to the stream and no prefix tells them apart."""
        return len(self.tasks) > 1 or len({split_address(a)[0] for a in self.addresses}) > 1

    def replace_event(self, read_event: Event, placed_event: Event) -> None:
        """Replace an event by the same event with node and time, which are known later.

        The identity is complete when the first event is replaced.
        """
        if self._ids_of_events is None:
            self._ids_of_events = {id(event) for _, event in self.clusters}
        if id(read_event) in self._ids_of_events:
            self.clusters = tuple(
                (cluster, placed_event if event is read_event else event) for cluster, event in self.clusters
            )
        if self.standalone_event is read_event:
            self.standalone_event = placed_event


def collect_identities(results: Iterable[SourceResult], semantics: SignalSemantics) -> dict[StreamKey, StreamIdentity]:
    """Return the identity of each stream of the sources, except those that hold nothing but numbers."""
    identities: dict[StreamKey, StreamIdentity] = {}
    is_traced = _log.isEnabledFor(logging.DEBUG)
    for result in results:
        if result.is_eventless:
            continue
        for stream in result.streams or {"": 0}:
            identities[result.file, stream] = StreamIdentity(
                result.file,
                stream,
                result.kind,
                tasks=frozenset({stream} if _match_task_stream(stream) else ()),
                prefix_hosts=hosts_in_prefixes(result, stream),
            )
        for event in result.events:
            if (identity := identities.get((result.file, event.stream))) is None:
                hosts = frozenset({event.host} if event.host else ())
                identity = StreamIdentity(result.file, event.stream, result.kind, prefix_hosts=hosts)
                identities[result.file, event.stream] = identity
            meanings = semantics.meanings_of(event)
            if "identity" in meanings:
                _add_claims(identity, event)
                if is_traced:
                    _log.debug("%s:%s states %s", result.file, event.locus.line, _format_captures(event.captures))
            if alias := event.captures.get("alias"):
                identity.container_ids |= {alias}
            waits = "accuses" in meanings and event.captures.get("how") == "late"
            if waits and (task := read_task(event.captures.get("task"))):
                identity.awaited_tasks |= {task}
            if "connected" in meanings and event.captures.get("task"):
                identity.is_leader = True  # only the service reports that a task connected
    for identity in identities.values():
        _keep_last_attempt(identity)
        _take_member_lists(identity)
    return identities


def _format_captures(captures: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value[:100]}" for name, value in captures.items()) or "nothing"


def hosts_in_prefixes(result: SourceResult, stream: str) -> frozenset[str]:
    """Return the hosts in the prefixes of a stream's lines."""
    return frozenset(result.stream_hosts.get(stream, ()))


def _add_claims(identity: StreamIdentity, event: Event) -> None:
    """Add what an identity event captures to the identity of its stream."""
    captures = event.captures
    if task := read_own_task(captures):
        _add_task(identity, task, event)
    if address := captures.get("address"):
        identity.addresses |= {_note(identity, _strip_scheme(address), event)}
    if port := captures.get("port"):
        identity.ports |= {port}
    if machine_address := captures.get("inet"):
        identity.machine_addresses |= {machine_address}
    if (host := captures.get("host")) and not captures.get("hosts"):  # of several hosts it is on none
        identity.hosts |= {_note(identity, host, event)}
    identity.is_leader |= bool(captures.get("leads"))
    if captures.get("alone"):
        identity.standalone_event = event
    if pid := captures.get("pid") or (event.pid and captures.get("address")):  # its main thread starts the server
        identity.pids |= {str(pid)}
    if (text := captures.get("tf_config")) and (config := read_tf_config(text)):
        if config.task:
            _add_task(identity, config.task, event)
        if config.cluster.task_count:
            identity.clusters += ((config.cluster, event),)
    if (text := captures.get("cluster")) and (cluster := read_cluster_spec(text, captures.get("job"))):
        _add_cluster(identity, cluster, event, is_one_job="job" in captures)
    if (text := captures.get("members")) and (cluster := read_member_list(text)):
        identity.member_lists += ((cluster, event),)


def _add_task(identity: StreamIdentity, task: str, event: Event) -> None:
    identity.tasks |= {_note(identity, task, event)}
    identity.last_task = task


def _keep_last_attempt(identity: StreamIdentity) -> None:
    """Keep the last task of a stream whose programs all served at one address: one behind the other, they are attempts
    of one job, whose cluster was written anew."""
    if len(identity.addresses) == 1 and len(identity.tasks) > 1 and identity.last_task is not None:
        identity.tasks = frozenset({identity.last_task})


def _take_member_lists(identity: StreamIdentity) -> None:
    """Take the lists of addresses that hold one at which the program serves as its cluster, if it states no other."""
    if not identity.clusters:
        identity.clusters = tuple(
            (cluster, event)
            for cluster, event in identity.member_lists
            if identity.addresses.intersection(cluster.task_addresses().values())
        )


def _add_cluster(identity: StreamIdentity, cluster: ClusterSpec, event: Event, is_one_job: bool) -> None:
    """Add a cluster that a line states, or the one job of it that the line has to the cluster stated before."""
    last, proof = identity.clusters[-1] if identity.clusters else (None, event)
    if is_one_job and last is not None and (joined := last.with_jobs(cluster)) is not None:
        identity.clusters = (*identity.clusters[:-1], (joined, proof))
    else:
        identity.clusters += ((cluster, event),)


def _note(identity: StreamIdentity, value: str, event: Event) -> str:
    """Note the first line that states a value, and return the value."""
    is_known = value in identity.tasks or value in identity.addresses or value in identity.hosts
    if event.locus.line and not is_known:
        identity.lines += ((value, event.locus.line),)
    return value


def read_own_task(captures: Mapping[str, str]) -> str | None:
    """Return the task that an event states as its own: by type and index, else by name."""
    kind = captures.get("task_type")
    index = captures.get("task_id", captures.get("task_index"))
    if kind and (number := read_whole(index)) is not None:
        return f"{kind}:{number}"
    return read_task(captures.get("task"))


def _strip_scheme(address: str) -> str:
    host, port = split_address(address)
    return f"{host}:{port}" if port else host
