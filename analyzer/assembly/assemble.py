"""From the results of all sources to one timeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from analyzer.assembly.homes import Homes
from analyzer.assembly.inventory import collect_series, collect_stated, count_lines, list_nodes, list_sources
from analyzer.assembly.notes import find_unzoned, note
from analyzer.assembly.placing import attach_facts, hand_down, place_cores, place_events
from analyzer.assembly.types import Assembly
from analyzer.bundle import group_rotations
from analyzer.cores.words import Core
from analyzer.facts.exits import EXIT_OF
from analyzer.facts.files import EXIT, HOST, IDENTITY, LAUNCH, POD
from analyzer.facts.nodes import Registry
from analyzer.facts.parcels import CLOCK
from analyzer.facts.ranks import join_false_ranks
from analyzer.facts.register import register
from analyzer.facts.times import Times
from analyzer.facts.voices import Key, Voice, hear
from analyzer.feeds import Feeds
from analyzer.model import Clock, Event, Source
from analyzer.reading.results import Results
from analyzer.rules.types import Packs
from analyzer.timeline.clocks import align
from analyzer.timeline.instants import collect_bounds, collect_readings, span_of
from analyzer.timeline.order import Timeline
from analyzer.timeline.statements import collect_statements

FED_BY_FILES = {  # what small files state, which no pack declares
    EXIT: "exit",
    EXIT_OF: "exit",
    IDENTITY: "identity",
    LAUNCH: "identity",
    CLOCK: "clock",
    HOST: "placement",
    POD: "job",
}


def assemble(results: Results, cores: Sequence[Core], others: Sequence[Source], packs: Packs) -> Assembly:
    feeds = _feeds(packs)
    rotations = [group for group in group_rotations(results.files()) if len(group) > 1]
    hand_down(results, rotations)
    attach_facts(results.loud)
    voices = hear(results.loud, feeds)
    join_false_ranks(results.loud, voices)
    registry = _register(results, voices, feeds)
    homes = Homes(registry)
    times = Times(results, homes.of_file, feeds)
    cores = place_cores(cores, results, homes)
    events = place_events(results, cores, registry, times, voices, feeds)
    clocks = _align(events, feeds, registry)
    sources = list_sources(results, others, homes, times)
    counts = count_lines(results, registry)
    unzoned = find_unzoned(results, times)
    stated, inets = collect_stated(results.loud, registry, homes)
    return Assembly(
        _order(events, clocks, registry, sources, rotations, counts),
        registry,
        feeds,
        list(voices.values()),
        list_nodes(registry, clocks, sources, homes, times),
        sources,
        cores,
        counts,
        {(result.file, line): around for result in results.loud for line, around in result.context.items()},
        list(note(results, times, unzoned, sources)),
        list(collect_series(results.loud, homes, times, clocks)),
        {(result.file, *key): count for result in results for key, count in result.shapes.items()},
        stated,
        inets,
        frozenset(unzoned),
    )


def _feeds(packs: Packs) -> Feeds:
    said = {name: signal.feeds for name, signal in packs.signals.items() if signal.feeds}
    return Feeds({**said, **{name: frozenset({word}) for name, word in FED_BY_FILES.items()}})


def _register(results: Results, voices: Mapping[Key, Voice], feeds: Feeds) -> Registry:
    accused = [
        event.captures["host"]
        for result in results.loud
        for event in result.events
        if feeds.says("accuses", event) and event.captures.get("host")
    ]
    return register(results, voices, accused, feeds.signals("connected"), feeds.signals("placement"))


def _align(events: Sequence[Event], feeds: Feeds, registry: Registry) -> dict[str, Clock]:
    return align(
        collect_readings(events, feeds, registry),
        list(registry.drafts),
        span_of(events),
        collect_statements(events, feeds),
        collect_bounds(events, feeds, registry),
    )


def _order(
    events: Sequence[Event],
    clocks: Mapping[str, Clock],
    registry: Registry,
    sources: Sequence[Source],
    rotations: Iterable[Sequence[str]],
    counts: Counter[tuple[str, str]],
) -> Timeline:
    rotation = {file: (group[-1], place) for group in rotations for place, file in enumerate(group)}
    dropped = counts - Counter((event.signal, event.node) for event in events)
    return Timeline(events, clocks, [node.name for node in registry.nodes()], sources, rotation, dropped)
