"""Assemble the results of all sources into one timeline."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from analyzer.assembly.file_owners import FileOwners
from analyzer.assembly.inventory import collect_series, collect_stated_settings, count_lines, list_nodes, list_sources
from analyzer.assembly.notes import find_zoneless, list_notes
from analyzer.assembly.placing import (
    attach_facts,
    inherit_stamps_across_rotation,
    place_cores,
    place_events,
    stamp_listed_rows,
)
from analyzer.assembly.types import Assembly
from analyzer.bundle import group_rotations
from analyzer.core_dump import CoreDump
from analyzer.facts.address_tables import HOST_LINE_SIGNAL, NOTED_HOST_SIGNAL
from analyzer.facts.collection_manifests import CLOCK_SIGNAL
from analyzer.facts.exit_tables import EXIT_OF_SIGNAL
from analyzer.facts.fact_files import (
    CONTAINER_SIGNAL,
    EXIT_CODE_SIGNAL,
    HOST_SIGNAL,
    LAUNCH_SIGNAL,
    POD_SIGNAL,
    TF_CONFIG_SIGNAL,
)
from analyzer.facts.launcher_ranks import merge_false_ranks
from analyzer.facts.listed_hosts import LISTED_HOST_SIGNAL
from analyzer.facts.odd_numbers import find_odd_numbers
from analyzer.facts.odd_timings import find_odd_timings
from analyzer.facts.registration import build_registry
from analyzer.facts.registry import Registry
from analyzer.facts.shared_containers import place_shared_containers
from analyzer.facts.stated_tasks import note_stated_tasks
from analyzer.facts.stream_identities import StreamIdentity, StreamKey, collect_identities
from analyzer.facts.time_resolution import TimeResolver
from analyzer.model import Clock, Event, Source
from analyzer.reading.own_names import OWN_TASK_SIGNAL
from analyzer.reading.source_results import SourceResults
from analyzer.rules.types import Packs
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.clocks import align_clocks
from analyzer.timeline.ntp_reports import collect_ntp_reports
from analyzer.timeline.sync_points import collect_bounds, collect_readings, training_spans
from analyzer.timeline.timeline import Timeline

FILE_SIGNAL_MEANINGS = {  # signals of small files; no pack declares them
    EXIT_CODE_SIGNAL: "exit",
    EXIT_OF_SIGNAL: "exit",
    TF_CONFIG_SIGNAL: "identity",
    LAUNCH_SIGNAL: "identity",
    OWN_TASK_SIGNAL: "identity",
    CLOCK_SIGNAL: "clock",
    HOST_SIGNAL: "placement",
    HOST_LINE_SIGNAL: "placement",
    LISTED_HOST_SIGNAL: "placement",
    NOTED_HOST_SIGNAL: "placement",
    CONTAINER_SIGNAL: "placement",
    POD_SIGNAL: "job",
}
_log = logging.getLogger("analyzer.assembly")


def assemble(
    results: SourceResults, cores: Sequence[CoreDump], other_sources: Sequence[Source], packs: Packs
) -> Assembly:
    """Return the material of an incident: nodes, times, clocks, and all events in one order.

    `other_sources`: sources that are not text, such as cores, binaries and losses.
    """
    semantics = signal_semantics(packs)
    rotations = [group for group in group_rotations(results.files()) if len(group) > 1]
    inherit_stamps_across_rotation(results, rotations)
    stamp_listed_rows(results)
    attach_facts(results)
    place_shared_containers(results.with_events)
    identities = collect_identities(results, semantics)
    merge_false_ranks(results, identities)
    note_stated_tasks(results, identities)
    registry = _build_registry(results, identities, semantics)
    owners = FileOwners(registry)
    for file, node in owners.by_file.items() if _log.isEnabledFor(logging.DEBUG) else ():
        _log.debug("%s belongs to node %s, because all its lines do", file, node)
    times = TimeResolver(results, owners.by_file, semantics)
    cores = place_cores(cores, results, registry, owners)
    events = place_events(results, cores, registry, times, identities, semantics)
    clocks = _align_clocks(events, semantics, registry)
    sources = list_sources(results, other_sources, owners, times)
    counts = count_lines(results, registry)
    zoneless = find_zoneless(results, times)
    settings, own_addresses = collect_stated_settings(results, registry, owners)
    _log.info("%d events of %d sources are on %d nodes", len(events), len(sources), len(registry.drafts))
    return Assembly(
        timeline=_build_timeline(events, clocks, registry, sources, rotations, counts.lines),
        registry=registry,
        semantics=semantics,
        identities=list(identities.values()),
        nodes=list_nodes(registry, clocks, sources, owners, times),
        sources=sources,
        cores=cores,
        line_counts=counts,
        context={(result.file, line): around for result in results for line, around in result.context.items()},
        tails={(result.file, stream): tail for result in results for stream, tail in result.tails.items()},
        notes=list(list_notes(results, times, zoneless, sources)),
        series=list(collect_series(results, owners, times, clocks)),
        error_shapes={(result.file, *key): count for result in results for key, count in result.shapes.items()},
        settings=settings,
        odd_numbers=find_odd_numbers(results, registry.node_of_stream),
        odd_timings=find_odd_timings(results, registry.node_of_stream),
        own_addresses=own_addresses,
        zoneless_files=frozenset(zoneless),
    )


def signal_semantics(packs: Packs) -> SignalSemantics:
    """Return the meaning of each signal of the packs and of small files."""
    declared = {name: signal.feeds for name, signal in packs.signals.items() if signal.feeds}
    of_files = {name: frozenset({meaning}) for name, meaning in FILE_SIGNAL_MEANINGS.items()}
    return SignalSemantics({**declared, **of_files})


def _build_registry(
    results: SourceResults, identities: Mapping[StreamKey, StreamIdentity], semantics: SignalSemantics
) -> Registry:
    accused = [
        event.captures["host"]
        for result in results
        for event in result.events
        if semantics.has_meaning("accuses", event) and event.captures.get("host")
    ]
    return build_registry(
        results, identities, accused, semantics.signals_with("connected"), semantics.signals_with("placement")
    )


def _align_clocks(events: Sequence[Event], semantics: SignalSemantics, registry: Registry) -> dict[str, Clock]:
    return align_clocks(
        collect_readings(events, semantics, registry),
        list(registry.drafts),
        training_spans(events),
        collect_ntp_reports(events, semantics),
        collect_bounds(events, semantics, registry),
    )


def _build_timeline(
    events: Sequence[Event],
    clocks: Mapping[str, Clock],
    registry: Registry,
    sources: Sequence[Source],
    rotations: Iterable[Sequence[str]],
    counts: Counter[tuple[str, str]],
) -> Timeline:
    rotation = {file: (group[-1], position) for group in rotations for position, file in enumerate(group)}
    dropped = counts - Counter((event.signal, event.node) for event in events)
    nodes = [node.name for node in registry.build_nodes()]
    return Timeline(events, clocks, nodes, sources=sources, rotation=rotation, dropped_counts=dropped)
