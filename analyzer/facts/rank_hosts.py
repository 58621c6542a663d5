"""Which machine a launcher's rank ran on, by the list of hosts that the scheduler gave to the job.

NodeList=gpu[001-003,007],login1      Slurm's hostlist (src/common/hostlist.c), in the order of the ranks
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from analyzer.facts.cluster_spec import split_address
from analyzer.facts.launcher_ranks import ranks_by_file
from analyzer.facts.registry import NUMERIC_ADDRESS, Registry
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Event, Kind
from analyzer.reading.source_result import SourceResult
from analyzer.untrusted.numbers import read_whole
from analyzer.wording import natural_key

MAX_HOSTS = 10_000  # hosts that one list may stand for
_HOST_ENTRY = re.compile(r"(?P<head>[\w.-]+)(?:\[(?P<ranges>[\d,-]+)\](?P<tail>[\w.-]*))?")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def map_ranks_to_hosts(
    registry: Registry,
    voices: Sequence[StreamIdentity],
    results: Sequence[SourceResult],
    placement_signals: frozenset[str],
) -> None:
    """Ranks of a file that are as many as the job's hosts ran on these, one on each, in this order.

    `says` are the signals that capture such a list as `hosts`, one `rank` and its `host`, an address (`inet`) and
    its `host`, what the cloud calls it (`alias`), or how many ranks it takes (`seats`). Without a list, machines of
    which there is no more than a kernel's log are taken in the order of their names.
    """
    _name_by_address_tables(registry, results, placement_signals)
    _add_aliases(registry, results, placement_signals)
    _place_named_ranks(registry, voices, results, placement_signals)
    _place_by_slots(registry, results, placement_signals)
    lists = {
        event.captures["hosts"]
        for result in results
        for event in result.events
        if event.signal in placement_signals and event.captures.get("hosts")
    }
    orders = {tuple(expand_hosts(text)) for text in lists} or {_machines_without_job_files(registry, voices)}
    for file, by_rank in ranks_by_file(voices).items() if len(orders) == 1 else ():
        (hosts,) = orders
        ran = {
            hosts[rank]: node
            for rank, voice in by_rank.items()
            if rank < len(hosts) and (node := registry.by_stream.get((file, voice.stream)))
        }
        if sorted(by_rank) == list(range(len(hosts))) and len(set(ran.values())) == len(ran):
            for host, node in ran.items():
                if _has_no_host_name(registry, node) and not _has_task(registry, host):
                    registry.rename_to_host(node, host)


def _name_by_address_tables(registry: Registry, results: Sequence[SourceResult], says: frozenset[str]) -> None:
    """Who is known by an address alone is the host that a table of names (/etc/hosts, getent) gives it."""
    pairs = set(_host_pairs(results, says, "inet"))
    inets, hosts = Counter(inet for inet, _ in pairs), Counter(host for _, host in pairs)
    called = {split_address(event.captures.get("address", ""))[0] for result in results for event in result.events}
    for inet, host in sorted(pair for pair in pairs if inets[pair[0]] == hosts[pair[1]] == 1):
        node = registry.node_of_host(inet)
        if node is None and inet in called:
            registry.add_mentioned_host(host)
            registry.by_host[inet.lower()] = registry.node_of_host(host) or host
        if (
            node
            and node != registry.node_of_host(host)
            and _has_no_host_name(registry, node)
            and not _has_task(registry, host)
        ):
            registry.rename_to_host(node, host)


def _add_aliases(registry: Registry, results: Sequence[SourceResult], says: frozenset[str]) -> None:
    """`i-0123456789abcdef0` is the machine that stands beside it in a listing."""
    hosts: dict[str, set[str]] = {}
    for alias, host in _host_pairs(results, says, "alias"):
        hosts.setdefault(alias.lower(), set()).add(registry.node_of_host(host) or host)
    for alias, found in hosts.items():
        if len(found) == 1:
            registry.add_mentioned_host(*found)
            if node := registry.node_of_host(*found):
                registry.by_host.setdefault(alias, node)


def _place_by_slots(registry: Registry, results: Sequence[SourceResult], says: frozenset[str]) -> None:
    """`n1 slots=4`, `n2 slots=4`: ranks 0 to 3 are of n1, 4 to 7 of n2: mpirun and horovodrun fill them so (`--map-by
    slot`, their default). Not where files differ or a host stands twice."""
    told = [found for result in results if (found := _read_slots(result, says))]
    if not told or any(found != told[0] for found in told) or len(dict(told[0])) < max(2, len(told[0])):
        return
    named = {n for r in results for e in r.events for n in re.findall(r"\d{1,6}", e.captures.get("rank", "")[:200])}
    seats = [host for host, count in told[0] for _ in range(min(count, MAX_HOSTS))][:MAX_HOSTS]
    several = Counter(seats)
    for rank, host in enumerate(seats):
        node = registry.by_rank.get(str(rank))
        known = registry.node_of_host(host)
        if node is None and str(rank) in named:
            registry.add_mentioned_host(host)
            registry.by_rank[str(rank)] = registry.node_of_host(host) or host
        elif node and known != node and node.startswith("rank "):
            if (known or several[host] == 1) and not _has_task(registry, host):
                registry.rename_to_host(node, host)
            else:  # ranks that share a machine stay apart, and it is told where they ran
                registry.ensure_draft(node).hosts.add(host)


def _read_slots(result: SourceResult, says: frozenset[str]) -> list[tuple[str, int]]:
    """(host, ranks that it takes) in their order: a line each, or all in one (`n1:4,n2:4`)."""
    found: list[tuple[str, int]] = []
    for event in result.events if any(event.signal in says for event in result.events) else ():
        if event.signal in says and (seats := event.captures.get("seats")):
            host = event.captures.get("host")
            each = [f"{host}:{seats}"] if host else seats.split(",")
            found += [(name, int(count)) for name, _, count in (one.rpartition(":") for one in each) if name]
    return found


def _host_pairs(results: Sequence[SourceResult], says: frozenset[str], name: str) -> Iterator[tuple[str, str]]:
    """(what a line calls a machine by `name`, the host beside it)"""
    for result in results:
        for event in result.events:
            if event.signal in says and (said := event.captures.get(name)) and (host := event.captures.get("host")):
                yield said, host


def _machines_without_job_files(registry: Registry, voices: Sequence[StreamIdentity]) -> tuple[str, ...]:
    """Nodes that have a machine's files alone, none of the job's."""
    kinds: dict[str, set[Kind]] = {}
    for voice in voices:
        kinds.setdefault(registry.by_stream.get((voice.file, voice.stream), ""), set()).add(voice.kind)
    of_machines = {Kind.KERNEL, Kind.SYSTEM, Kind.ENVIRONMENT}
    bare = [name for name, found in kinds.items() if name and found <= of_machines]
    return tuple(sorted((name for name in bare if not registry.drafts[name].tasks), key=natural_key))


def _place_named_ranks(
    registry: Registry, voices: Sequence[StreamIdentity], results: Sequence[SourceResult], says: frozenset[str]
) -> None:
    """A launcher that names rank and host of a task that ended tells where that rank ran."""
    hosts = _hosts_by_rank(event for result in results for event in result.events if event.signal in says)
    for file, by_rank in ranks_by_file(voices).items():
        for rank in by_rank.keys() & hosts.keys():
            node, host = registry.by_stream.get((file, by_rank[rank].stream)), hosts[rank]
            if node and _has_no_host_name(registry, node) and not _has_task(registry, host):
                registry.rename_to_host(node, host)


def _hosts_by_rank(events: Iterable[Event]) -> dict[int, str]:
    """Rank → host, where each is named with one other only."""
    pairs = {
        (rank, host)
        for event in events
        if (rank := read_whole(event.captures.get("rank"))) is not None and (host := event.captures.get("host"))
    }
    ranks, hosts = Counter(rank for rank, _ in pairs), Counter(host for _, host in pairs)
    return {rank: host for rank, host in pairs if ranks[rank] == hosts[host] == 1}


def _has_no_host_name(registry: Registry, node: str) -> bool:
    """Known by an address, a rank or a task alone."""
    return all(NUMERIC_ADDRESS.search(host) for host in registry.drafts[node].hosts) and bool(
        NUMERIC_ADDRESS.search(node) or re.match(r"(?:rank|worker|ps|chief)[ :]\d", node)
    )


def _has_task(registry: Registry, host: str) -> bool:
    known = registry.node_of_host(host)
    return known is not None and bool(registry.drafts[known].tasks)


def expand_hosts(text: str) -> Iterator[str]:
    """`n[1-3,7],m1` → n1, n2, n3, n7, m1; numbers keep their width. At most MOST names."""
    made = 0
    for found in _HOST_ENTRY.finditer(text):
        for index in _expand_ranges(found["ranges"]) if found["ranges"] else [""]:
            if (made := made + 1) > MAX_HOSTS:
                return
            yield f"{found['head']}{index}{found['tail'] or ''}"


def _expand_ranges(ranges: str) -> Iterator[str]:
    for first, last in _RANGE.findall(ranges):
        for number in range(int(first), min(int(last or first), int(first) + MAX_HOSTS) + 1):
            yield str(number).zfill(len(first))
