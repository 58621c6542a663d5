"""List the contents of the bundle: sources, nodes, samples, and what files state about their nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.assembly.file_owners import FileOwners
from analyzer.assembly.types import LineCounts
from analyzer.facts.registry import Registry
from analyzer.facts.settings import JOB_SETTING_PREFIX, MACHINE_ADDRESS
from analyzer.facts.skew import StatedSetting
from analyzer.facts.time_resolution import TimeResolver, resolve_line_time
from analyzer.formats.time_resolution import TimeContext
from analyzer.model import Clock, Node, Series, Source, Stamp
from analyzer.reading.source_result import SourceResult
from analyzer.reading.source_results import SourceResults


def list_sources(
    results: SourceResults, other_sources: Sequence[Source], owners: FileOwners, times: TimeResolver
) -> list[Source]:
    """Return all sources with their nodes, sorted by name. `other_sources` are those that are not text."""
    sources = [_build_source(result, owners.by_file.get(result.file), times.context_of(result)) for result in results]
    sources += [replace(source, node=owners.nearest_node(source.file)) for source in other_sources]
    return sorted(sources, key=lambda source: source.file)


def _build_source(result: SourceResult, node: str | None, context: TimeContext) -> Source:
    return Source(
        file=result.file,
        node=node,
        kind=result.kind,
        bytes=result.bytes + result.unread if result.unread else result.bytes,
        status=result.status,
        lines=result.lines,
        timed_lines=result.timed_lines,
        first_time=resolve_line_time(result.first_stamps, context),
        last_time=resolve_line_time(result.last_stamps, context),
        problem=result.problem,
        unread=result.unread,
        line_order=result.line_order,
    )


def list_nodes(
    registry: Registry, clocks: Mapping[str, Clock], sources: Iterable[Source], owners: FileOwners, times: TimeResolver
) -> list[Node]:
    """Return all nodes with their clocks, their zones, and the times of their first and last lines."""
    by_node: dict[str | None, list[Source]] = {}
    for source in sources:
        by_node.setdefault(source.node, []).append(source)
    zones = {node: zone for file, node in owners.by_file.items() if (zone := times.zone_of(file)) is not None}
    return [
        replace(
            _with_clock_and_times(node, clocks.get(node.name), by_node.get(node.name, ())), zone=zones.get(node.name)
        )
        for node in registry.build_nodes()
    ]


def _with_clock_and_times(node: Node, clock: Clock | None, sources: Sequence[Source]) -> Node:
    clock = clock or Clock()
    firsts = [clock.correct(source.first_time) for source in sources if source.first_time is not None]
    lasts = [clock.correct(source.last_time) for source in sources if source.last_time is not None]
    return replace(node, clock=clock, first_time=min(firsts, default=None), last_time=max(lasts, default=None))


def count_lines(results: Iterable[SourceResult], registry: Registry) -> LineCounts:
    """Return the number of lines of each (signal, node)."""
    counts: Counter[tuple[str, str]] = Counter()
    scanner_counted: set[tuple[str, str]] = set()
    for result in results:
        for (signal, stream), count in result.counts.items():
            key = signal, registry.node_of_stream(result.file, stream)
            counts[key] += count
            if signal in result.scanner_counted:
                scanner_counted.add(key)
    return LineCounts(counts, frozenset(scanner_counted))


def collect_series(
    results: Iterable[SourceResult], owners: FileOwners, times: TimeResolver, clocks: Mapping[str, Clock]
) -> Iterator[Series]:
    """Yield resource samples with their node and in corrected time."""
    for result in results:
        node = owners.by_file.get(result.file, "")
        clock = clocks.get(node, Clock())
        for series in result.series:
            start = series.points[0].time
            if (resolved := resolve_line_time((Stamp(start, series.basis),), times.context_of(result))) is not None:
                points = tuple(
                    replace(point, time=clock.correct(point.time + resolved - start)) for point in series.points
                )
                yield replace(series, node=node, points=points)


def collect_stated_settings(
    results: Iterable[SourceResult], registry: Registry, owners: FileOwners
) -> tuple[list[StatedSetting], dict[str, frozenset[str]]]:
    """Return the settings that files state, and {node: its own addresses}.

    A setting of an unknown owner is listed under the name that the file gives.
    """
    stated: list[StatedSetting] = []
    addresses: dict[str, frozenset[str]] = {}
    for result in results:
        own = (owners.node_of(result.file) or "") if result.settings else ""
        has_one_owner = len({setting.owner for setting in result.settings}) == 1
        for setting in result.settings:
            node = own
            if setting.owner:
                node = registry.node_of_host(setting.owner) or (has_one_owner and own) or setting.owner
            node = "the job" if setting.name.startswith(JOB_SETTING_PREFIX) else node
            if node and setting.name == MACHINE_ADDRESS:
                addresses[node] = addresses.get(node, frozenset()) | {setting.value}
            elif node:
                stated.append(StatedSetting(node, result.file, setting))
    return stated, addresses
