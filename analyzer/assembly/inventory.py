"""What the bundle holds: its sources, its nodes, its samples, and what files state of their nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from analyzer.assembly.homes import Homes
from analyzer.facts.nodes import Registry
from analyzer.facts.settings import INET, JOB
from analyzer.facts.skew import Stated
from analyzer.facts.times import Times, pick
from analyzer.formats.resolve import TimeContext
from analyzer.model import Clock, Node, Series, Source, Stamp
from analyzer.reading.result import SourceResult
from analyzer.reading.results import Results


def list_sources(results: Results, others: Sequence[Source], homes: Homes, times: Times) -> list[Source]:
    """In the order of their names. `others` are those that are no text."""
    sources = [_source(result, homes.of_file.get(result.file), times.of(result)) for result in results]
    sources += [replace(source, node=homes.nearest(source.file)) for source in others]
    return sorted(sources, key=lambda source: source.file)


def _source(result: SourceResult, node: str | None, context: TimeContext) -> Source:
    return Source(
        result.file,
        node,
        result.kind,
        result.bytes + result.unread if result.unread else result.bytes,
        result.status,
        result.lines,
        result.timed_lines,
        pick(result.first, context),
        pick(result.last, context),
        result.problem,
        result.unread,
    )


def list_nodes(
    registry: Registry, clocks: Mapping[str, Clock], sources: Iterable[Source], homes: Homes, times: Times
) -> list[Node]:
    """With their clocks, their zones, and the times from which they have lines."""
    of_node: dict[str | None, list[Source]] = {}
    for source in sources:
        of_node.setdefault(source.node, []).append(source)
    zones = {node: zone for file, node in homes.of_file.items() if (zone := times.zone(file)) is not None}
    return [
        replace(_complete(node, clocks.get(node.name), of_node.get(node.name, ())), zone=zones.get(node.name))
        for node in registry.nodes()
    ]


def _complete(node: Node, clock: Clock | None, sources: Sequence[Source]) -> Node:
    clock = clock or Clock()
    firsts = [clock.correct(source.first_time) for source in sources if source.first_time is not None]
    lasts = [clock.correct(source.last_time) for source in sources if source.last_time is not None]
    return replace(node, clock=clock, first_time=min(firsts, default=None), last_time=max(lasts, default=None))


def count_lines(results: Iterable[SourceResult], registry: Registry) -> Counter[tuple[str, str]]:
    """(signal, node) → exact number of lines."""
    counts: Counter[tuple[str, str]] = Counter()
    for result in results:
        for (signal, stream), count in result.counts.items():
            counts[signal, registry.speaker(result.file, stream)] += count
    return counts


def collect_series(
    results: Iterable[SourceResult], homes: Homes, times: Times, clocks: Mapping[str, Clock]
) -> Iterator[Series]:
    """Resource samples with their node and in corrected time."""
    for result in results:
        node = homes.of_file.get(result.file, "")
        clock = clocks.get(node, Clock())
        for series in result.series:
            start = series.points[0].time
            if (moved := pick((Stamp(start, series.basis),), times.of(result))) is not None:
                points = tuple(replace(each, time=clock.correct(each.time + moved - start)) for each in series.points)
                yield replace(series, node=node, points=points)


def collect_stated(
    results: Iterable[SourceResult], registry: Registry, homes: Homes
) -> tuple[list[Stated], dict[str, frozenset[str]]]:
    """(what files state, node → addresses of its own). A setting of somebody unknown stands under the name given."""
    stated: list[Stated] = []
    inets: dict[str, frozenset[str]] = {}
    for result in results:
        own = (homes.of(result.file) or "") if result.settings else ""
        alone = len({setting.whose for setting in result.settings}) == 1
        for setting in result.settings:
            node = (registry.host(setting.whose) or (alone and own) or setting.whose) if setting.whose else own
            node = "the job" if setting.name.startswith(JOB) else node
            if node and setting.name == INET:
                inets[node] = inets.get(node, frozenset()) | {setting.value}
            elif node:
                stated.append(Stated(node, result.file, setting))
    return stated, inets
