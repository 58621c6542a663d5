"""The last lines of the nodes that matter: the culprits, or else the nodes that ended first."""

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
    for name in _ordered_nodes(incident)[:MAX_NODES]:
        if sources := by_node.get(name):
            latest = max(sources, key=_rank)
            first, lines = incident.context[Locus(latest.file, latest.lines)]
            yield WrittenLastLines(node=name, file=latest.file, first_line=first, lines=list(lines))


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
