"""Instants that several nodes read from their own clocks, and pairs of lines of which one must come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from analyzer.facts.cluster import APART
from analyzer.facts.nodes import Registry
from analyzer.feeds import Feeds
from analyzer.model import Event, Kind
from analyzer.timeline.bounds import Bound


def collect_readings(events: Iterable[Event], feeds: Feeds, registry: Registry) -> dict[str, dict[str, float]]:
    """Key → node → own time, UTC seconds."""
    seen: dict[str, dict[str, list[float]]] = {}
    for event in events:
        if event.time is None or event.inferred or not event.node or not (good_for := feeds.of(event)):
            continue
        for key in _keys(event, good_for, registry):
            seen.setdefault(key, {}).setdefault(event.node, []).append(event.time)
    return {key: times for base, nodes in seen.items() for key, times in _pass_by_pass(base, nodes)}


def _pass_by_pass(key: str, nodes: Mapping[str, list[float]]) -> Iterator[tuple[str, dict[str, float]]]:
    """A job that starts anew passes its steps again.

    Nodes that passed a key as often as most did, pass it together; for the others nobody knows which pass is which.
    """
    (often, _), *_ = Counter(len(times) for times in nodes.values()).most_common(1)
    together = {node: times for node, times in nodes.items() if len(times) == often}
    for turn in range(often):
        yield f"{key} pass {turn}", {node: times[turn] for node, times in together.items()}


def _keys(event: Event, good_for: frozenset[str], registry: Registry) -> Iterator[str]:
    said = event.captures
    if "progress" in good_for and not (event.task or "").startswith(APART):
        if said.get("step"):
            yield f"step {said.get('epoch', '')} {said['step']} {event.signal}"
        elif said.get("epoch"):
            yield f"epoch {said['epoch']} {event.signal}"
    if "sync" in good_for and said.get("key"):
        yield f"sync {said['key']}"
    if "connected" in good_for and (node := _joined(event, registry)):
        # The leader names the task that joined, and answers at once: one instant, two clocks.
        yield f"connected {node}"


def _joined(event: Event, registry: Registry) -> str | None:
    """Who joined: the task that another node's line names, or the node that says it of itself."""
    task = event.captures.get("task")
    node = registry.task(task) if task else event.node
    return node if node and (node != event.node or not task) else None


def collect_bounds(events: Iterable[Event], feeds: Feeds, registry: Registry) -> list[Bound]:
    """A task starts before another node sees it connect, and is told so after that."""
    started: dict[str, float] = {}
    seen: dict[str, list[tuple[str, float]]] = {}
    told: dict[str, float] = {}
    for event in events:
        if event.time is None or event.inferred or not event.node:
            continue
        good_for = feeds.of(event)
        if "started" in good_for:
            started.setdefault(event.node, event.time)
        if "connected" in good_for and (node := _joined(event, registry)):
            if node == event.node:
                told[node] = event.time
            else:
                seen.setdefault(node, []).append((event.node, event.time))
    bounds = [Bound(node, started[node], *seen[node][-1]) for node in started.keys() & seen.keys()]
    return bounds + [Bound(*seen[node][0], node, told[node]) for node in told.keys() & seen.keys()]


def span_of(events: Iterable[Event]) -> dict[str, tuple[float, float]]:
    """Own times of each node's first and last line of its training. The kernel's old lines would stretch any drift."""
    times: dict[str, list[float]] = {}
    for event in events:
        if event.time is not None and event.node and event.kind in (Kind.WORKER, Kind.UNKNOWN):
            times.setdefault(event.node, []).append(event.time)
    return {node: (min(found), max(found)) for node, found in times.items()}
