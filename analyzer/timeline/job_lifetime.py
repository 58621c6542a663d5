"""When the job was alive: a kernel's log covers weeks and many jobs, and a worker's log may hold earlier runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.facts.fact_files import EXIT_CODE_SIGNAL, LAUNCH_SIGNAL
from analyzer.model import Event, Kind
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.job_window import JobWindow
from analyzer.timeline.scheduler_records import SchedulerRecord, read_scheduler_record
from analyzer.timeline.timeline import Timeline

ALIVE_MEANINGS = frozenset({"identity", "started", "connected", "progress"})  # what a task says only while it lives
RECORDER_SLACK_S = 5.0  # seconds between a kernel's word and a recorder's of the same moment
REPORT_DELAY_S = 30.0  # seconds that a driver or a daemon takes to say what it saw
MAX_QUIET_START_S = 600.0  # seconds that a program and what launches it may work before it has something to say
MAX_ZONE_OFFSET_S = 14 * 3600.0  # seconds; the most that a local time without its zone is off


def find_job_window(
    timeline: Timeline, semantics: SignalSemantics, workers: Iterable[str], zoneless_files: frozenset[str]
) -> JobWindow:
    """`workers`: nodes that have tasks. `vague`: files whose local times have no zone.

    A recorder saw its program start; a log begins when the program has something to say; a scheduler's record tells
    begin and end, if it fits the logs. Else the end is known only where every node was recorded to its end.
    """
    launches = list(_events_of(timeline, (LAUNCH_SIGNAL,)))
    alive = semantics.signals_with(*ALIVE_MEANINGS) - {LAUNCH_SIGNAL}
    alive_events = [event for event in _events_of(timeline, alive) if event.kind is not Kind.KERNEL]
    zone_slack = MAX_ZONE_OFFSET_S if any(event.locus.file in zoneless_files for event in alive_events) else 0.0
    begins = [
        (time, time - RECORDER_SLACK_S - timeline.clock_error(launch.node))
        for launch in launches
        if (time := timeline.corrected_time(launch)) is not None
    ]
    begins += [
        (time, time - MAX_QUIET_START_S - zone_slack)
        for event in alive_events
        if (time := timeline.corrected_time(event)) is not None
    ]
    stated_begin, begin = min(begins, default=(0.0, None))
    window = JobWindow(begin, _find_recorded_end(timeline, launches, set(workers)), stated_begin, zoneless_files)
    scheduler_record = read_scheduler_record(
        event for event in _events_of(timeline, semantics.signals_with("job")) if not timeline.scope.why_foreign(event)
    )
    return (
        window
        if scheduler_record is None or launches
        else _narrow_to_record(window, scheduler_record, zone_slack, no_log_times=begin is None)
    )


def _narrow_to_record(window: JobWindow, record: SchedulerRecord, zone_slack: float, no_log_times: bool) -> JobWindow:
    """The span that a record gives, where it fits what the logs show, or where they show no time (`sure`).

    What reads the same wall's clock as the record compares with it as it stands.
    """
    zone = 0.0 if no_log_times else record.zone_offset(window.stated_begin, MAX_QUIET_START_S)
    if zone is None or (zone_slack and zone):
        return window
    begin, end = record.begin - RECORDER_SLACK_S, None if record.end is None else record.end + REPORT_DELAY_S
    slack = MAX_ZONE_OFFSET_S if record.is_local and (zone_slack or no_log_times) else 0.0
    return JobWindow(
        begin + zone - slack,
        None if end is None else end + zone + slack,
        record.begin + zone,
        window.zoneless_files,
        (begin, end) if record.is_local else (None, None),
    )


def _find_recorded_end(timeline: Timeline, launches: Iterable[Event], workers: set[str]) -> float | None:
    started, ended = (
        _latest_times(timeline, launches),
        _latest_times(timeline, _events_of(timeline, (EXIT_CODE_SIGNAL,))),
    )
    if not started or not workers <= set(started) or any(ended.get(node, 0.0) < time for node, time in started.items()):
        return None
    return max(ended[node] + timeline.clock_error(node) for node in started) + REPORT_DELAY_S


def _latest_times(timeline: Timeline, events: Iterable[Event]) -> dict[str, float]:
    latest: dict[str, float] = {}
    for event in events:
        if (time := timeline.corrected_time(event)) is not None:
            latest[event.node] = max(time, latest.get(event.node, time))
    return latest


def _events_of(timeline: Timeline, signals: Iterable[str]) -> Iterator[Event]:
    for signal in signals:
        for events in timeline.by_signal.get(signal, {}).values():
            yield from events
