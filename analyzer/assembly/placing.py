"""Assign nodes and times to events, and nodes to cores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from analyzer.assembly.core_owners import CoreOwners
from analyzer.assembly.file_owners import FileOwners
from analyzer.assembly.shared_streams import place_shared_errors
from analyzer.core_dump import CoreDump
from analyzer.facts.core_events import crash_events
from analyzer.facts.crash_matching import find_odd_waits, join_truncated_crashes, match_kernel_crashes
from analyzer.facts.fact_files import FINISHED_CAPTURE
from analyzer.facts.registry import Registry
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.facts.time_resolution import TimeResolver, resolve_line_time
from analyzer.formats.dates import to_iso
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.formats.time_resolution import TimeContext
from analyzer.model import Event, Kind, Stamp
from analyzer.reading.event_objects import object_of
from analyzer.reading.source_result import SourceResult
from analyzer.reading.source_results import SourceResults
from analyzer.signal_semantics import SignalSemantics

_KINDS_OF_LISTINGS = frozenset({Kind.UNKNOWN, Kind.SCHEDULER, Kind.ENVIRONMENT})
_find_times = re.compile(
    r"(?<![\w.-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)(?![\w.])"
).findall


def inherit_stamps_across_rotation(results: SourceResults, rotations: Sequence[Sequence[str]]) -> None:
    """Give lines before the first stamp of a rotated log the last stamp of the older file, which it continues.

    Changes the stamps of `results`.
    """
    files = {file for group in rotations for file in group}
    by_file = {result.file: result for result in results if result.file in files}
    for group in rotations:
        for older, newer in pairwise(group):
            before, result = by_file[older], by_file[newer]
            for index, event in enumerate(result.events):
                if not result.stamps[index] and (stamps := before.last_stamps_of(event.stream)):
                    result.stamps[index] = stamps


def stamp_listed_rows(results: Iterable[SourceResult]) -> None:
    """Give rows of listings, which have no time of their own, the last time in their text: `vm-2  DONE  2026-03-…`.

    That time must state its zone, since the scheduler's zone may differ from the job's. Changes the stamps of
    `results`.
    """
    for result in results:
        if result.timed_lines or result.kind not in _KINDS_OF_LISTINGS:
            continue
        for index, event in enumerate(result.events):
            if not result.stamps[index] and (times := _find_times(event.text)):
                result.stamps[index] = as_stamps(read_iso(to_iso(times[-1]) or times[-1]))


def attach_facts(results: Iterable[SourceResult]) -> None:
    """Append the facts that small files state to the events of their results. Changes `results`."""
    for result in results:
        if result.facts:
            result.events = [*result.events, *result.facts]
            result.stamps = [*result.stamps, *map(_stamps_of_fact, result.facts)]


def _stamps_of_fact(event: Event) -> tuple[Stamp, ...]:
    """Return the stamp of the end of a container, if the listing states it."""
    finished = event.captures.get(FINISHED_CAPTURE, "")
    return as_stamps(read_iso(to_iso(finished) or finished))


def place_cores(
    cores: Sequence[CoreDump], results: SourceResults, registry: Registry, owners: FileOwners
) -> list[CoreDump]:
    """Return the cores with their nodes. Pieces of one core are joined."""
    core_owners = CoreOwners(registry, owners, results, cores)
    return join_truncated_crashes([replace(core, node=core_owners.node_of(core)) for core in cores])


def place_events(
    results: SourceResults,
    cores: Sequence[CoreDump],
    registry: Registry,
    times: TimeResolver,
    identities: Mapping[tuple[str, str], StreamIdentity],
    semantics: SignalSemantics,
) -> list[Event]:
    """Return the events of all lines and cores, with node, task and time."""
    lines = [
        event
        for result in results
        if result.events
        for event in _place_result(result, registry, times.context_of(result), identities, semantics)
    ]
    odd_waits = find_odd_waits(cores)
    crashes = (event for core in cores for event in crash_events(core, core.node or "", odd_waits.get(core.file)))
    placed = place_shared_errors(lines, identities, registry, semantics)
    return [*match_kernel_crashes(placed, cores), *crashes]


def _place_result(
    result: SourceResult,
    registry: Registry,
    context: TimeContext,
    identities: Mapping[tuple[str, str], StreamIdentity],
    semantics: SignalSemantics,
) -> Iterator[Event]:
    for event, stamps in zip(result.events, result.stamps, strict=True):
        node = registry.node_of_event(event)
        kind, name = object_of(event.captures)
        if kind:  # an accusation names the pod that it is about; the event has no writer
            is_nobodys = kind == "pod" and semantics.has_meaning("accuses", event)
            node = "" if is_nobodys else registry.node_of_host(name) or ""
        if event.kind is Kind.UNKNOWN and (owner := registry.node_of_pid(event.captures.get("pid", ""))):
            node = owner  # notes of a person about a process, whose own log states the pid
        if semantics.has_meaning("exit", event):
            node = registry.node_of_exit(event, node)
        elif "code" in event.captures and semantics.has_meaning("placement", event):
            node = registry.node_of_exit(event, "") or node  # a launcher's or a daemon's line about another node
        identity = identities.get((result.file, event.stream))
        task = next(iter(identity.tasks)) if identity and len(identity.tasks) == 1 else None
        if task is None and (draft := registry.drafts.get(node)) and len(draft.tasks) == 1:
            task = next(iter(draft.tasks))
        placed = event.with_placement(node, task, resolve_line_time(stamps, context))
        if identity and semantics.has_meaning("identity", event):
            identity.replace_event(event, placed)
        yield placed
