"""Place errors in a stream that several tasks write without a prefix.

    KeyError: 'image'
    Aborting RingReduce with UNAVAILABLE: Socket closed ... remote target /job:worker/replica:0/task:1

The lines are in the order in which they were written. Errors before the first line that reports a task as lost, or how
a task ended, belong to that task: it failed first, and the others noticed it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from analyzer.facts.cluster_spec import read_task
from analyzer.facts.registry import Registry
from analyzer.facts.stream_identities import StreamIdentity, StreamKey
from analyzer.model import Event, Severity
from analyzer.signal_semantics import SignalSemantics


def place_shared_errors(
    events: Iterable[Event],
    identities: Mapping[StreamKey, StreamIdentity],
    registry: Registry,
    semantics: SignalSemantics,
) -> list[Event]:
    """Return the events. Errors in shared streams are placed on the task that is reported as gone first after them."""
    events = list(events)
    shared_streams = {key for key, identity in identities.items() if identity.is_shared}
    indexes: dict[StreamKey, list[int]] = defaultdict(list)
    for index, event in enumerate(events):
        key = event.locus.file, event.stream
        if key in shared_streams:
            indexes[key].append(index)
    for shared in indexes.values():
        shared.sort(key=lambda index: events[index].locus.line or 0)
        _place_errors(events, shared, registry, semantics)
    return events


def _place_errors(events: list[Event], indexes: Sequence[int], registry: Registry, semantics: SignalSemantics) -> None:
    """Place the errors of one stream. `indexes` are those of its events, in the order of its lines.
    Changes `events`.
    """
    gone = next((gone_task for index in indexes if (gone_task := _gone_task(events[index], registry, semantics))), None)
    if gone is None:
        return
    task, first_line = gone
    node = registry.node_of_task(task)
    for index in indexes:
        event = events[index]
        if (event.locus.line or 0) >= first_line:
            return
        if node and not event.node and event.severity >= Severity.ERROR:
            events[index] = event.with_placement(node, task, event.time)


def _gone_task(event: Event, registry: Registry, semantics: SignalSemantics) -> tuple[str, int] | None:
    """Return the task that a line reports as lost or failed, and the number of the line."""
    line = event.locus.line or 0
    if semantics.has_meaning("accuses", event) and (task := read_task(event.captures.get("task"))):
        return task, line
    has_failed = semantics.has_meaning("exit", event) and event.captures.get("code") not in (None, "0")
    tasks = registry.drafts[event.node].tasks if has_failed and event.node in registry.drafts else set[str]()
    return (next(iter(tasks)), line) if len(tasks) == 1 else None
