"""Events and cores on their nodes, and in the time of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from analyzer.assembly.homes import Homes
from analyzer.cores.words import Core
from analyzer.facts.alike import join_cut, name_kernel_crashes
from analyzer.facts.crashes import crash_events
from analyzer.facts.labels import label_paths
from analyzer.facts.nodes import Registry
from analyzer.facts.times import Times, pick
from analyzer.facts.voices import Voice
from analyzer.feeds import Feeds
from analyzer.formats.resolve import TimeContext
from analyzer.model import Event
from analyzer.reading.result import SourceResult
from analyzer.reading.results import Results


def hand_down(results: Results, rotations: Sequence[Sequence[str]]) -> None:
    """A rotated log goes on where its older part ended: lines before the first stamp take the last one of that part."""
    files = {file for group in rotations for file in group}
    by_file = {result.file: result for result in results if result.file in files}
    for group in rotations:
        for older, newer in pairwise(group):
            before, result = by_file[older], by_file[newer]
            for index, event in enumerate(result.events):
                if not result.stamps[index] and (stamps := before.end_of(event.stream)):
                    result.stamps[index] = stamps


def attach_facts(results: Iterable[SourceResult]) -> None:
    """What a small file states by being there are events of it."""
    for result in results:
        if result.facts:
            result.events = [*result.events, *result.facts]
            result.stamps = [*result.stamps, *((),) * len(result.facts)]


def place_cores(cores: Sequence[Core], results: Results, homes: Homes) -> list[Core]:
    """With their nodes, and each whose pieces came apart as one."""
    labels = label_paths([*results.files(), *(str(core["file"]) for core in cores)]) if cores else {}
    return join_cut([{**core, "node": homes.of_core(core, labels)} for core in cores])


def place_events(
    results: Results,
    cores: Sequence[Core],
    registry: Registry,
    times: Times,
    voices: Mapping[tuple[str, str], Voice],
    feeds: Feeds,
) -> list[Event]:
    """Those of all lines, and those that cores are."""
    lines = [event for result in results.loud for event in _place(result, registry, times.of(result), voices, feeds)]
    crashes = (event for core in cores for event in crash_events(core, str(core["node"] or "")))
    return [*name_kernel_crashes(lines, cores), *crashes]


def _place(
    result: SourceResult,
    registry: Registry,
    context: TimeContext,
    voices: Mapping[tuple[str, str], Voice],
    feeds: Feeds,
) -> Iterator[Event]:
    for event, stamps in zip(result.events, result.stamps, strict=True):
        node = registry.node_of(event)
        if feeds.says("exit", event):
            node = registry.whose_exit(event, node)
        voice = voices.get((result.file, event.stream))
        task = next(iter(voice.tasks)) if voice and len(voice.tasks) == 1 else None
        if task is None and (draft := registry.drafts.get(node)) and len(draft.tasks) == 1:
            task = next(iter(draft.tasks))
        placed = event.placed(node, task, pick(stamps, context))
        if voice and feeds.says("identity", event):
            voice.place(event, placed)
        yield placed
