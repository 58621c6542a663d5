"""When the job was alive: a kernel's log covers weeks and many jobs, and a worker's log may hold earlier runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.facts.files import EXIT, LAUNCH
from analyzer.feeds import Feeds
from analyzer.model import Event, Kind
from analyzer.timeline.order import Timeline
from analyzer.timeline.records import Record, read_record
from analyzer.timeline.span import Span

ALIVE = frozenset({"identity", "started", "connected", "progress"})  # what a task says only while it lives
NEAR = 5.0  # seconds between a kernel's word and a recorder's of the same moment
LATE = 30.0  # seconds that a driver or a daemon takes to say what it saw
BEFORE = 600.0  # seconds that a program and what launches it may work before it has something to say
SHIFT = 14 * 3600.0  # seconds; the most that a local time without its zone is off


def find_span(timeline: Timeline, feeds: Feeds, workers: Iterable[str], vague: frozenset[str]) -> Span:
    """`workers`: nodes that have tasks. `vague`: files whose local times have no zone.

    A recorder saw its program start; a log begins when the program has something to say; a scheduler's record tells
    begin and end, if it fits the logs. Else the end is known only where every node was recorded to its end.
    """
    launches = list(_events(timeline, (LAUNCH,)))
    alive = feeds.signals(*ALIVE) - {LAUNCH}
    said = [event for event in _events(timeline, alive) if event.kind is not Kind.KERNEL]
    unsure = SHIFT if any(event.locus.file in vague for event in said) else 0.0
    begins = [(time, time - NEAR - timeline.error(e.node)) for e in launches if (time := timeline.time(e)) is not None]
    begins += [(time, time - BEFORE - unsure) for event in said if (time := timeline.time(event)) is not None]
    stated, begin = min(begins, default=(0.0, None))
    span = Span(begin, _find_end(timeline, launches, set(workers)), stated, vague)
    record = read_record(event for event in _events(timeline, feeds.signals("job")) if not timeline.ours.disown(event))
    return span if record is None or launches else _narrow(span, record, unsure, sure=begin is None)


def _narrow(span: Span, record: Record, unsure: float, sure: bool) -> Span:
    """The span that a record gives, where it fits what the logs show, or where they show no time (`sure`).

    What reads the same wall's clock as the record compares with it as it stands.
    """
    zone = 0.0 if sure else record.zone_of(span.stated, BEFORE)
    if zone is None or (unsure and zone):
        return span
    begin, end = record.begin - NEAR, None if record.end is None else record.end + LATE
    slack = SHIFT if record.local and (unsure or sure) else 0.0
    return Span(
        begin + zone - slack,
        None if end is None else end + zone + slack,
        record.begin + zone,
        span.local,
        (begin, end) if record.local else (None, None),
    )


def _find_end(timeline: Timeline, launches: Iterable[Event], workers: set[str]) -> float | None:
    started, ended = _latest(timeline, launches), _latest(timeline, _events(timeline, (EXIT,)))
    if not started or not workers <= set(started) or any(ended.get(node, 0.0) < time for node, time in started.items()):
        return None
    return max(ended[node] + timeline.error(node) for node in started) + LATE


def _latest(timeline: Timeline, events: Iterable[Event]) -> dict[str, float]:
    latest: dict[str, float] = {}
    for event in events:
        if (time := timeline.time(event)) is not None:
            latest[event.node] = max(time, latest.get(event.node, time))
    return latest


def _events(timeline: Timeline, signals: Iterable[str]) -> Iterator[Event]:
    for signal in signals:
        for events in timeline.by_signal.get(signal, {}).values():
            yield from events
