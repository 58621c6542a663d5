"""Sources put together: nodes, times, clocks, one timeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from analyzer.bundle import group_rotations
from analyzer.diagnosis.blame import Blame
from analyzer.facts.alike import join_cut, name_kernel_crashes
from analyzer.facts.crashes import crash_events
from analyzer.facts.exits import EXIT_OF
from analyzer.facts.labels import label_paths
from analyzer.facts.limits import tell_limits, tell_losses
from analyzer.facts.nodes import Registry
from analyzer.facts.ranks import join_false_ranks
from analyzer.facts.register import register
from analyzer.facts.settings import INET, JOB
from analyzer.facts.skew import Stated
from analyzer.facts.times import Times, pick, set_clocks
from analyzer.facts.voices import Voice, hear
from analyzer.formats.resolve import TimeContext
from analyzer.model import Clock, Event, Node, Series, Source, Stamp
from analyzer.reading.result import SourceResult
from analyzer.reading.results import Results
from analyzer.rules.types import Packs
from analyzer.timeline.clocks import align
from analyzer.timeline.instants import collect_bounds, collect_readings, span_of
from analyzer.timeline.order import Timeline
from analyzer.timeline.statements import collect_statements


@dataclass(slots=True)
class Assembly:
    """The incident's raw material in one order."""

    timeline: Timeline
    registry: Registry
    voices: list[Voice]
    nodes: list[Node]
    sources: list[Source]
    cores: list[dict[str, object]]
    blame: Blame
    feeds: Mapping[str, frozenset[str]]
    counts: Counter[tuple[str, str]]  # (signal, node) → exact number of lines
    context: dict[tuple[str, int], tuple[int, tuple[str, ...]]]
    notes: list[str]
    series: list[Series]
    shapes: Mapping[tuple[str, str, str], int]  # (file, stream, shape) → error lines that no signal names
    stated: list[Stated]
    inets: Mapping[str, frozenset[str]]  # node → its own IP addresses
    vague: frozenset[str]  # files whose local times have no zone


def assemble(
    results: Results,
    cores: Sequence[dict[str, object]],
    others: Sequence[Source],
    packs: Packs,
) -> Assembly:
    feeds = _feeds(packs)
    groups = [group for group in group_rotations(results.files()) if len(group) > 1]
    _hand_down(results, groups)
    _attach_facts(results.loud)
    voices = hear(results.loud, feeds)
    join_false_ranks(results.loud, voices)
    named = [
        event.captures["host"]
        for result in results.loud
        for event in result.events
        if "accuses" in feeds.get(event.signal, ()) and event.captures.get("host")
    ]
    joins, places = (
        frozenset(name for name, said in feeds.items() if word in said) for word in ("connected", "placement")
    )
    registry = register(results, voices, named, joins, places)
    file_nodes = _file_nodes(registry)
    times = Times(results, file_nodes, feeds)
    events = [event for result in results.loud for event in _place(result, registry, times.of(result), voices, feeds)]
    labels = label_paths([*results.files(), *(str(core["file"]) for core in cores)]) if cores else {}
    folders = _folders(file_nodes)
    cores = join_cut([{**core, "node": _node_of_core(core, registry, folders, labels)} for core in cores])
    events = name_kernel_crashes(events, cores)
    events += [event for core in cores for event in crash_events(core, str(core["node"] or ""))]
    blame = Blame(registry, feeds)
    clocks = align(
        collect_readings(events, feeds, registry),
        list(registry.drafts),
        span_of(events),
        collect_statements(events, feeds),
        collect_bounds(events, feeds, registry),
    )
    sources = [_source(result, file_nodes.get(result.file), times.of(result)) for result in results]
    sources += [replace(source, node=_node_of_path(source.file, folders)) for source in others]
    sources.sort(key=lambda source: source.file)
    rotation = {file: (group[-1], place) for group in groups for place, file in enumerate(group)}
    counts = _counts(results, registry)
    dropped = counts - Counter((event.signal, event.node) for event in events)
    timeline = Timeline(events, clocks, [node.name for node in registry.nodes()], sources, rotation, dropped)
    of_node: dict[str | None, list[Source]] = {}
    for source in sources:
        of_node.setdefault(source.node, []).append(source)
    zones = {node: zone for file, node in file_nodes.items() if (zone := times.zone(file)) is not None}
    nodes = [
        replace(_complete(node, clocks.get(node.name), of_node.get(node.name, ())), zone=zones.get(node.name))
        for node in registry.nodes()
    ]
    unzoned = _unzoned(results, times)
    return Assembly(
        timeline,
        registry,
        list(voices.values()),
        nodes,
        sources,
        list(cores),
        blame,
        feeds,
        counts,
        _contexts(results.loud),
        [*_notes(results, times, unzoned), *tell_losses(sources)],
        list(_series(results.loud, file_nodes, times, clocks)),
        {(result.file, *key): count for result in results for key, count in result.shapes.items()},
        *_settings(results.loud, registry, file_nodes, folders),
        frozenset(unzoned),
    )


def _series(
    results: Sequence[SourceResult],
    file_nodes: Mapping[str, str],
    times: Times,
    clocks: Mapping[str, Clock],
) -> Iterable[Series]:
    """Resource samples with their node and in corrected time."""
    for result in results:
        node = file_nodes.get(result.file, "")
        clock = clocks.get(node, Clock())
        for series in result.series:
            start = series.points[0].time
            if (moved := pick((Stamp(start, series.basis),), times.of(result))) is not None:
                points = tuple(replace(each, time=clock.correct(each.time + moved - start)) for each in series.points)
                yield replace(series, node=node, points=points)


def _saying(word: str, feeds: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset(name for name, said in feeds.items() if word in said)


def _feeds(packs: Packs) -> dict[str, frozenset[str]]:
    from analyzer.facts.files import EXIT, HOST, IDENTITY, LAUNCH, POD
    from analyzer.facts.parcels import CLOCK

    feeds = {name: signal.feeds for name, signal in packs.signals.items() if signal.feeds}
    given = {
        EXIT: "exit",
        EXIT_OF: "exit",
        IDENTITY: "identity",
        LAUNCH: "identity",
        CLOCK: "clock",
        HOST: "placement",
        POD: "job",
    }
    return {**feeds, **{name: frozenset({good_for}) for name, good_for in given.items()}}


def _hand_down(results: Iterable[SourceResult], groups: Sequence[Sequence[str]]) -> None:
    """A rotated log goes on where its older part ended: lines before the first stamp take the last one of that part."""
    files = {file for group in groups for file in group}
    by_file = {result.file: result for result in results if result.file in files}
    for group in groups:
        for older, newer in pairwise(group):
            before, result = by_file[older], by_file[newer]
            for index, event in enumerate(result.events):
                if not result.stamps[index] and (stamps := before.end_of(event.stream)):
                    result.stamps[index] = stamps


def _attach_facts(results: Iterable[SourceResult]) -> None:
    """What a small file states by being there are events of it."""
    for result in results:
        if result.facts:
            result.events = [*result.events, *result.facts]
            result.stamps = [*result.stamps, *((),) * len(result.facts)]


def _file_nodes(registry: Registry) -> dict[str, str]:
    """The node of a file, where all of its streams belong to one."""
    nodes: dict[str, str] = {}
    for (file, _), node in registry.by_voice.items():
        nodes[file] = node if nodes.get(file, node) == node else ""
    for file, speaker in registry.alike.items():
        nodes[file] = nodes.get(speaker, "")
    return {file: node for file, node in nodes.items() if node and file not in registry.many_hosts}


def _folders(file_nodes: Mapping[str, str]) -> dict[str, set[str]]:
    """The nodes of all files below each folder."""
    folders: dict[str, set[str]] = {}
    for file, node in file_nodes.items():
        for folder in _above(file):
            folders.setdefault(folder, set()).add(node)
    return folders


def _above(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _node_of_path(path: str, folders: Mapping[str, set[str]]) -> str | None:
    """A binary file belongs to the node of the files in its folder, or in the nearest one that has any."""
    found = next((folders[folder] for folder in _above(path) if folder in folders), set[str]())
    return next(iter(found)) if len(found) == 1 else None


def _node_of_core(
    core: Mapping[str, object], registry: Registry, folders: Mapping[str, set[str]], labels: Mapping[str, str | None]
) -> str | None:
    """By the logs in its folder, else by the one worker that said it has this pid, else by its path alone."""
    path = str(core["file"])
    owners = registry.by_pid.get(str(core.get("pid")), set())
    node = _node_of_path(path, folders) or (next(iter(owners)) if len(owners) == 1 else labels.get(path))
    return registry.ensure(node) if node else None


def _place(
    result: SourceResult,
    registry: Registry,
    context: TimeContext,
    voices: Mapping[tuple[str, str], Voice],
    feeds: Mapping[str, frozenset[str]],
) -> Iterable[Event]:
    for event, stamps in zip(result.events, result.stamps, strict=True):
        node = registry.node_of(event)
        if "exit" in feeds.get(event.signal, frozenset()):
            node = registry.whose_exit(event, node)
        voice = voices.get((result.file, event.stream))
        task = next(iter(voice.tasks)) if voice and len(voice.tasks) == 1 else None
        if task is None and (draft := registry.drafts.get(node)) and len(draft.tasks) == 1:
            task = next(iter(draft.tasks))
        yield event.placed(node, task, pick(stamps, context))


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


def _complete(node: Node, clock: Clock | None, sources: Sequence[Source]) -> Node:
    clock = clock or Clock()
    firsts = [clock.correct(source.first_time) for source in sources if source.first_time is not None]
    lasts = [clock.correct(source.last_time) for source in sources if source.last_time is not None]
    return replace(node, clock=clock, first_time=min(firsts, default=None), last_time=max(lasts, default=None))


def _counts(results: Iterable[SourceResult], registry: Registry) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for result in results:
        for (signal, stream), count in result.counts.items():
            counts[signal, registry.speaker(result.file, stream)] += count
    return counts


def _settings(
    results: Sequence[SourceResult],
    registry: Registry,
    file_nodes: Mapping[str, str],
    folders: Mapping[str, set[str]],
) -> tuple[list[Stated], Mapping[str, frozenset[str]]]:
    """(what files state, node → addresses of its own). A setting of somebody unknown stands under the name given."""
    stated: list[Stated] = []
    inets: dict[str, set[str]] = {}
    for result in results:
        own = file_nodes.get(result.file) or _node_of_path(result.file, folders) or ""
        alone = len({setting.whose for setting in result.settings}) == 1
        for setting in result.settings:
            node = (registry.host(setting.whose) or (alone and own) or setting.whose) if setting.whose else own
            node = "the job" if setting.name.startswith(JOB) else node
            if node and setting.name == INET:
                inets.setdefault(node, set()).add(setting.value)
            elif node:
                stated.append(Stated(node, result.file, setting))
    return stated, {node: frozenset(found) for node, found in inets.items()}


def _contexts(results: Sequence[SourceResult]) -> dict[tuple[str, int], tuple[int, tuple[str, ...]]]:
    return {(result.file, line): around for result in results for line, around in result.context.items()}


def _notes(results: Results, times: Times, unzoned: Sequence[str]) -> list[str]:
    notes = [f"{result.file}: {note}" for result in results.loud for note in dict.fromkeys(result.notes)]
    notes += [*islice(set_clocks(results.loud, times), 20), *tell_limits(results)]
    if unzoned:
        notes.append(
            f"Local times without a zone are taken as UTC in {_files(unzoned)}: "
            "until clocks are aligned, their distance to others may be off by whole hours"
        )
    undated = [result.file for result in results if result.first and pick(result.first, times.of(result)) is None]
    if undated:
        notes.append(
            f"Nothing says when the machine was booted in {_files(undated)}: "
            "they count time since boot, so their lines have no time"
        )
    return notes


def _unzoned(results: Iterable[SourceResult], times: Times) -> list[str]:
    return [
        result.file
        for result in results
        if result.first
        and times.zone(result.file) is None
        and all(stamp.basis.value in ("local", "yearless", "daytime") for stamp in result.first)
    ]


def _files(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names):,} files (for example {names[0]})"
