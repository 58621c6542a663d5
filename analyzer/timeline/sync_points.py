"""Collect sync points, which several nodes pass together, and pairs of lines of which one must come first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from analyzer.facts.cluster_spec import ASYNCHRONOUS_TASK_PREFIXES
from analyzer.facts.registry import Registry
from analyzer.model import Event, Kind
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.order_bounds import OrderBound


def collect_readings(
    events: Iterable[Event], semantics: SignalSemantics, registry: Registry
) -> dict[str, dict[str, float]]:
    """Return key → node → own time in UTC seconds. Nodes with the same key passed it at the same instant."""
    times_by_key: dict[str, dict[str, list[float]]] = {}
    for event in events:
        if event.time is None or event.inferred or not event.node or not (meanings := semantics.meanings_of(event)):
            continue
        for key in _sync_keys(event, meanings, registry):
            times_by_key.setdefault(key, {}).setdefault(event.node, []).append(event.time)
    return {key: times for base, nodes in times_by_key.items() for key, times in _number_passes(base, nodes)}


def _number_passes(key: str, nodes: Mapping[str, list[float]]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield one key for each pass: a job that restarts passes its steps again.

    Only nodes that passed the key as often as most nodes are kept. For others, the passes cannot be matched.
    """
    (pass_count, _), *_ = Counter(len(times) for times in nodes.values()).most_common(1)
    together = {node: times for node, times in nodes.items() if len(times) == pass_count}
    for pass_number in range(pass_count):
        yield f"{key} pass {pass_number}", {node: times[pass_number] for node, times in together.items()}


def _sync_keys(event: Event, meanings: frozenset[str], registry: Registry) -> Iterator[str]:
    captures = event.captures
    if "progress" in meanings and not (event.task or "").startswith(ASYNCHRONOUS_TASK_PREFIXES):
        if captures.get("step"):
            yield f"step {captures.get('epoch', '')} {captures['step']} {event.signal}"
        elif captures.get("epoch"):
            yield f"epoch {captures['epoch']} {event.signal}"
    if "sync" in meanings and captures.get("key"):
        yield f"sync {captures['key']}"
    if "connected" in meanings and (node := _joined_node(event, registry)):
        # The leader logs the task that joined and answers at once: one instant, read from two clocks.
        yield f"connected {node}"


def _joined_node(event: Event, registry: Registry) -> str | None:
    """Return the node that joined: that of the task that another node names, or the one that logs its own join."""
    task = event.captures.get("task")
    node = registry.node_of_task(task) if task else event.node
    return node if node and (node != event.node or not task) else None


def collect_bounds(events: Iterable[Event], semantics: SignalSemantics, registry: Registry) -> list[OrderBound]:
    """Return the bounds of joining: a task starts before another node sees it connect, and it learns that later.

    If the node and its observer log different numbers of starts, there is no bound: they may log different attempts.
    """
    started: dict[str, float] = {}
    start_counts: dict[str, Counter[str]] = defaultdict(Counter)
    seen_joining: dict[str, list[tuple[str, float]]] = {}
    told_joined: dict[str, float] = {}
    for event in events:
        if event.time is None or event.inferred or not event.node:
            continue
        meanings = semantics.meanings_of(event)
        if "started" in meanings:
            started.setdefault(event.node, event.time)
            start_counts[event.node][event.signal] += 1
        if "connected" in meanings and (node := _joined_node(event, registry)):
            if node == event.node:
                told_joined[node] = event.time
            else:
                seen_joining.setdefault(node, []).append((event.node, event.time))
    starts = {node: max(counts.values()) for node, counts in start_counts.items()}
    bounds = [
        OrderBound(node, started[node], *seen_joining[node][-1])
        for node in started.keys() & seen_joining.keys()
        if starts[node] == starts.get(seen_joining[node][-1][0], starts[node])
    ]
    return bounds + [
        OrderBound(*seen_joining[node][0], node, told_joined[node]) for node in told_joined.keys() & seen_joining.keys()
    ]


def training_spans(events: Iterable[Event]) -> dict[str, tuple[float, float]]:
    """Return the own times of each node's first and last training line.

    The kernel's log does not count: its old lines would extend the span over which drift adds to the error.
    """
    times: dict[str, list[float]] = {}
    for event in events:
        if event.time is not None and event.node and event.kind in (Kind.WORKER, Kind.UNKNOWN):
            times.setdefault(event.node, []).append(event.time)
    return {node: (min(node_times), max(node_times)) for node, node_times in times.items()}
