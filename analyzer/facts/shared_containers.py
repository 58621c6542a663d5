"""Containers that have the same name on several machines of one file.

    gx-1 | CHANGED | rc=0 >>
    trainer-1  | step 3 loss 0.5          stream gx-1/trainer-1
    gx-2 | CHANGED | rc=0 >>
    trainer-1  | step 3 loss 0.5          stream gx-2/trainer-1

`trainer-1` names no machine then: each line is of the machine whose name stands outside.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from analyzer.model import Event
from analyzer.reading.source_result import SourceResult


def place_shared_containers(results: Iterable[SourceResult]) -> None:
    """Put the machine in the place of the container's name, where several machines have it. Changes `results`."""
    for result in results:
        if machines := _machines_of_containers(result):
            _rename_hosts(result, machines)


def _machines_of_containers(result: SourceResult) -> dict[str, str]:
    """Return stream → its machine, for the streams of containers whose names several machines have."""
    machines: dict[str, set[str]] = defaultdict(set)
    for stream in result.streams:
        machine, _, container = stream.partition("/")
        if result.stream_hosts.get(stream) == frozenset({container}):
            machines[container].add(machine)
    return {
        f"{machine}/{container}": machine
        for container, names in machines.items()
        if len(names) > 1
        for machine in names
    }


def _rename_hosts(result: SourceResult, machines: Mapping[str, str]) -> None:
    containers = {stream.partition("/")[2] for stream in machines}
    result.hosts = Counter({host: lines for host, lines in result.hosts.items() if host not in containers})
    for stream, machine in machines.items():
        result.stream_hosts[stream] = frozenset({machine})
        result.hosts[machine] += result.streams[stream]
    result.events = [_place_event(event, machines, containers) for event in result.events]


def _place_event(event: Event, machines: Mapping[str, str], containers: Collection[str]) -> Event:
    """Return the event with its machine. A line about a container, outside of its own lines, names it too."""
    captures = event.captures
    machine = machines.get(event.stream) or event.stream
    if captures.get("host", "") in containers and machine in machines.values():
        captures = {**captures, "host": machine}
    host = machine if event.stream in machines else event.host
    return event._replace(host=host, captures=captures)
