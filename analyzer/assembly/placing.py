"""Events and cores on their nodes, and in the time of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from analyzer.assembly.file_owners import FileOwners
from analyzer.core_dump import CoreDump
from analyzer.facts.core_events import crash_events
from analyzer.facts.crash_matching import join_truncated_crashes, match_kernel_crashes
from analyzer.facts.path_labels import label_paths
from analyzer.facts.registry import Registry
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.facts.time_resolution import TimeResolver, resolve_line_time
from analyzer.formats.time_resolution import TimeContext
from analyzer.model import Event
from analyzer.reading.source_result import SourceResult
from analyzer.reading.source_results import SourceResults
from analyzer.signal_semantics import SignalSemantics


def inherit_stamps_across_rotation(results: SourceResults, rotations: Sequence[Sequence[str]]) -> None:
    """A rotated log goes on where its older part ended: lines before the first stamp take the last one of that part."""
    files = {file for group in rotations for file in group}
    by_file = {result.file: result for result in results if result.file in files}
    for group in rotations:
        for older, newer in pairwise(group):
            before, result = by_file[older], by_file[newer]
            for index, event in enumerate(result.events):
                if not result.stamps[index] and (stamps := before.last_stamps_of(event.stream)):
                    result.stamps[index] = stamps


def attach_facts(results: Iterable[SourceResult]) -> None:
    """What a small file states by being there are events of it."""
    for result in results:
        if result.facts:
            result.events = [*result.events, *result.facts]
            result.stamps = [*result.stamps, *((),) * len(result.facts)]


def place_cores(cores: Sequence[CoreDump], results: SourceResults, owners: FileOwners) -> list[CoreDump]:
    """With their nodes, and each whose pieces came apart as one."""
    labels = label_paths([*results.files(), *(core.file for core in cores)]) if cores else {}
    return join_truncated_crashes([replace(core, node=owners.node_of_core(core, labels)) for core in cores])


def place_events(
    results: SourceResults,
    cores: Sequence[CoreDump],
    registry: Registry,
    times: TimeResolver,
    identities: Mapping[tuple[str, str], StreamIdentity],
    semantics: SignalSemantics,
) -> list[Event]:
    """Those of all lines, and those that cores are."""
    lines = [
        event
        for result in results
        if result.events
        for event in _place_result(result, registry, times.context_of(result), identities, semantics)
    ]
    crashes = (event for core in cores for event in crash_events(core, core.node or ""))
    return [*match_kernel_crashes(lines, cores), *crashes]


def _place_result(
    result: SourceResult,
    registry: Registry,
    context: TimeContext,
    identities: Mapping[tuple[str, str], StreamIdentity],
    semantics: SignalSemantics,
) -> Iterator[Event]:
    for event, stamps in zip(result.events, result.stamps, strict=True):
        node = registry.node_of_event(event)
        if semantics.has_meaning("exit", event):
            node = registry.node_of_exit(event, node)
        voice = identities.get((result.file, event.stream))
        task = next(iter(voice.tasks)) if voice and len(voice.tasks) == 1 else None
        if task is None and (draft := registry.drafts.get(node)) and len(draft.tasks) == 1:
            task = next(iter(draft.tasks))
        placed = event.with_placement(node, task, resolve_line_time(stamps, context))
        if voice and semantics.has_meaning("identity", event):
            voice.replace_event(event, placed)
        yield placed
