"""Who speaks in a file: each (file, stream) with what it says of itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analyzer.facts.cluster_spec import ClusterSpec, read_cluster_spec, read_task, read_tf_config, split_address
from analyzer.model import Event, Kind
from analyzer.reading.source_result import SourceResult
from analyzer.signal_semantics import SignalSemantics
from analyzer.untrusted.numbers import read_whole

StreamKey = tuple[str, str]


@dataclass(slots=True)
class StreamIdentity:
    """Filled from identity events; of a hundred thousand most stay empty.

    `addresses` are its own servers', `clusters` what it was told of the others.
    """

    file: str
    stream: str
    kind: Kind
    label: str | None = None
    tasks: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    ports: frozenset[str] = frozenset()  # that it listens at, under a name that it does not know
    machine_addresses: frozenset[str] = frozenset()  # addresses of its machine, at which it need not serve
    hosts: frozenset[str] = frozenset()
    prefix_hosts: frozenset[str] = frozenset()  # that the prefixes of its lines name
    pids: frozenset[str] = frozenset()
    standalone_event: Event | None = None  # it says that it trains without others
    is_leader: bool = False  # runs the coordination service
    clusters: tuple[tuple[ClusterSpec, Event], ...] = ()

    @property
    def host(self) -> str | None:
        """The one host that it says it runs on."""
        served = {host for address in self.addresses if re.search("[A-Za-z]", host := split_address(address)[0])}
        hosts = self.hosts or self.prefix_hosts or served
        return next(iter(hosts)) if len(hosts) == 1 else None

    @property
    def is_shared(self) -> bool:
        """Several programs write here and no prefix tells them apart."""
        return len(self.tasks) > 1 or len({split_address(a)[0] for a in self.addresses}) > 1

    def replace_event(self, read_event: Event, placed_event: Event) -> None:
        """What was heard before nodes and times were known is kept as it stands in the timeline."""
        self.clusters = tuple(
            (cluster, placed_event if event is read_event else event) for cluster, event in self.clusters
        )
        if self.standalone_event is read_event:
            self.standalone_event = placed_event


def collect_identities(results: Iterable[SourceResult], semantics: SignalSemantics) -> dict[StreamKey, StreamIdentity]:
    """A voice for each stream of each source; `feeds` tells what each signal is good for."""
    voices: dict[StreamKey, StreamIdentity] = {}
    for result in results:
        for stream in result.streams or {"": 0}:
            voices[result.file, stream] = StreamIdentity(
                result.file, stream, result.kind, prefix_hosts=hosts_in_prefixes(result, stream)
            )
        for event in result.events:
            if (voice := voices.get((result.file, event.stream))) is None:
                hosts = frozenset({event.host} if event.host else ())
                voice = StreamIdentity(result.file, event.stream, result.kind, prefix_hosts=hosts)
                voices[result.file, event.stream] = voice
            good_for = semantics.meanings_of(event)
            if "identity" in good_for:
                _add_claims(voice, event)
            if "connected" in good_for and event.captures.get("task"):
                voice.is_leader = True  # the service alone says who came
    return voices


def hosts_in_prefixes(result: SourceResult, stream: str) -> frozenset[str]:
    """The machines that the prefixes of a stream's lines name."""
    return frozenset(result.stream_hosts.get(stream, ()))


def _add_claims(voice: StreamIdentity, event: Event) -> None:
    said = event.captures
    if task := read_own_task(said):
        voice.tasks |= {task}
    if address := said.get("address"):
        voice.addresses |= {_strip_scheme(address)}
    if port := said.get("port"):
        voice.ports |= {port}
    if inet := said.get("inet"):
        voice.machine_addresses |= {inet}
    if host := said.get("host"):
        voice.hosts |= {host}
    voice.is_leader |= bool(said.get("leads"))
    if said.get("alone"):
        voice.standalone_event = event
    if pid := said.get("pid"):
        voice.pids |= {pid}
    if (text := said.get("tf_config")) and (config := read_tf_config(text)):
        if config.task:
            voice.tasks |= {config.task}
        if config.cluster.task_count:
            voice.clusters += ((config.cluster, event),)
    if (text := said.get("cluster")) and (cluster := read_cluster_spec(text, said.get("job"))):
        voice.clusters += ((cluster, event),)


def read_own_task(captures: Mapping[str, str]) -> str | None:
    kind = captures.get("task_type")
    index = captures.get("task_id", captures.get("task_index"))
    if kind and (number := read_whole(index)) is not None:
        return f"{kind}:{number}"
    return read_task(captures.get("task"))


def _strip_scheme(address: str) -> str:
    host, port = split_address(address)
    return f"{host}:{port}" if port else host
