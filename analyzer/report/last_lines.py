"""The last lines of the culprits, or else of the nodes that ended first.

Of a file that several nodes write, these are the last lines of the node's own stream. A node that wrote seldom has
none if the reader did not see the end of its stream.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.incident import Incident
from analyzer.model import Kind, Locus, Source
from analyzer.report.document import WrittenLastLines

MAX_NODES = 3
_TASK_KINDS = (Kind.WORKER, Kind.UNKNOWN)


def choose_last_lines(incident: Incident) -> Iterator[WrittenLastLines]:
    """Yield the last lines of at most MAX_NODES nodes; a node without a task's log has none."""
    by_node: dict[str, list[Source]] = {}
    for source in incident.sources:
        if source.node and _is_output(source) and Locus(source.file, source.lines) in incident.context:
            by_node.setdefault(source.node, []).append(source)
    names = _ordered_nodes(incident)[:MAX_NODES]
    streams = _last_streams(incident, {name for name in names if name not in by_node})
    for name in names:
        if sources := by_node.get(name):
            latest = max(sources, key=_rank)
            first, lines = incident.context[Locus(latest.file, latest.lines)]
            yield WrittenLastLines(node=name, file=latest.file, first_line=first, lines=list(lines))
        elif name in streams:
            yield _lines_of_stream(incident, name, *streams[name])


def _last_streams(incident: Incident, names: set[str]) -> dict[str, tuple[str, str]]:
    """Return node → (file, stream) of its latest event, among files that several nodes write.

    A stream whose end the reader did not see stands for its node all the same: an earlier one's lines are not the last.
    """
    shared = {source.file for source in incident.sources if not source.node and _is_output(source)}
    latest = {
        event.node: (event.locus.file, event.stream)
        for event in incident.events
        if event.node in names and event.locus.file in shared and event.locus.line and event.kind is not Kind.DERIVED
    }
    return {node: key for node, key in latest.items() if key in incident.tails}


def _lines_of_stream(incident: Incident, node: str, file: str, stream: str) -> WrittenLastLines:
    lines = incident.tails[file, stream]
    source = next(source for source in incident.sources if source.file == file)
    numbers = [source.line_in_file(number) or number for number, _ in lines]
    return WrittenLastLines(
        node=node,
        file=file,
        first_line=numbers[0],
        lines=[text for _, text in lines],
        numbers=numbers,
    )


def _is_output(source: Source) -> bool:
    """Return whether a task may have written it. A launcher's output with times may hold the only log of a task."""
    return source.kind in _TASK_KINDS or (source.kind == Kind.SCHEDULER and source.last_time is not None)


def _rank(source: Source) -> tuple[bool, bool, float, int]:
    """Return the order of a node's sources: logs of tasks with times, other output with times, then what has none."""
    is_timed, is_task = source.last_time is not None, source.kind in _TASK_KINDS
    return is_timed, is_task, source.last_time or 0.0, source.lines


def _ordered_nodes(incident: Incident) -> list[str]:
    culprits = [root.finding.node for root in incident.root_causes if root.finding.node]
    if culprits or incident.verdict == "no-failure":
        return list(dict.fromkeys(culprits))
    present = [node for node in incident.nodes if node.present]
    return [node.name for node in sorted(present, key=lambda node: (node.last_time is None, node.last_time or 0.0))]
