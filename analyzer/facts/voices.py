"""Who speaks in a file: each (file, stream) with what it says of itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from analyzer.facts.cluster import ClusterSpec, read_cluster, read_task, read_tf_config, split_address
from analyzer.feeds import Feeds
from analyzer.model import Event, Kind
from analyzer.reading.result import SourceResult
from analyzer.untrusted.numbers import read_whole

Key = tuple[str, str]


@dataclass(slots=True)
class Voice:
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
    inets: frozenset[str] = frozenset()  # addresses of its machine, at which it need not serve
    hosts: frozenset[str] = frozenset()
    line_hosts: frozenset[str] = frozenset()  # that the prefixes of its lines name
    pids: frozenset[str] = frozenset()
    alone: Event | None = None  # it says that it trains without others
    leads: bool = False  # runs the coordination service
    clusters: tuple[tuple[ClusterSpec, Event], ...] = ()

    @property
    def host(self) -> str | None:
        """The one host that it says it runs on."""
        served = {host for address in self.addresses if re.search("[A-Za-z]", host := split_address(address)[0])}
        hosts = self.hosts or self.line_hosts or served
        return next(iter(hosts)) if len(hosts) == 1 else None

    @property
    def shared(self) -> bool:
        """Several programs write here and no prefix tells them apart."""
        return len(self.tasks) > 1 or len({split_address(a)[0] for a in self.addresses}) > 1

    def place(self, heard: Event, placed: Event) -> None:
        """What was heard before nodes and times were known is kept as it stands in the timeline."""
        self.clusters = tuple((cluster, placed if event is heard else event) for cluster, event in self.clusters)
        if self.alone is heard:
            self.alone = placed


def hear(results: Iterable[SourceResult], feeds: Feeds) -> dict[Key, Voice]:
    """A voice for each stream of each source; `feeds` tells what each signal is good for."""
    voices: dict[Key, Voice] = {}
    for result in results:
        for stream in result.streams or {"": 0}:
            voices[result.file, stream] = Voice(result.file, stream, result.kind, line_hosts=hosts_of(result, stream))
        for event in result.events:
            if (voice := voices.get((result.file, event.stream))) is None:
                hosts = frozenset({event.host} if event.host else ())
                voice = Voice(result.file, event.stream, result.kind, line_hosts=hosts)
                voices[result.file, event.stream] = voice
            good_for = feeds.of(event)
            if "identity" in good_for:
                _listen(voice, event)
            if "connected" in good_for and event.captures.get("task"):
                voice.leads = True  # the service alone says who came
    return voices


def hosts_of(result: SourceResult, stream: str) -> frozenset[str]:
    """The machines that the prefixes of a stream's lines name."""
    return frozenset(result.stream_hosts.get(stream, ()))


def _listen(voice: Voice, event: Event) -> None:
    said = event.captures
    if task := own_task(said):
        voice.tasks |= {task}
    if address := said.get("address"):
        voice.addresses |= {_bare(address)}
    if port := said.get("port"):
        voice.ports |= {port}
    if inet := said.get("inet"):
        voice.inets |= {inet}
    if host := said.get("host"):
        voice.hosts |= {host}
    voice.leads |= bool(said.get("leads"))
    if said.get("alone"):
        voice.alone = event
    if pid := said.get("pid"):
        voice.pids |= {pid}
    if (text := said.get("tf_config")) and (config := read_tf_config(text)):
        if config.task:
            voice.tasks |= {config.task}
        if config.cluster.size:
            voice.clusters += ((config.cluster, event),)
    if (text := said.get("cluster")) and (cluster := read_cluster(text, said.get("job"))):
        voice.clusters += ((cluster, event),)


def own_task(said: Mapping[str, str]) -> str | None:
    kind = said.get("task_type")
    index = said.get("task_id", said.get("task_index"))
    if kind and (number := read_whole(index)) is not None:
        return f"{kind}:{number}"
    return read_task(said.get("task"))


def _bare(address: str) -> str:
    host, port = split_address(address)
    return f"{host}:{port}" if port else host
