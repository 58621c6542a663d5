"""Find when the job was alive. A kernel's log covers weeks and many jobs; a worker's log may have earlier runs."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from analyzer.facts.fact_files import EXIT_CODE_SIGNAL, LAUNCH_SIGNAL
from analyzer.model import Event, Kind
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.job_window import MAX_ZONE_OFFSET_S, JobWindow
from analyzer.timeline.scheduler_records import SchedulerRecord, read_scheduler_record
from analyzer.timeline.timeline import Timeline

_log = logging.getLogger("analyzer.timeline")

ALIVE_MEANINGS = frozenset({"identity", "started", "connected", "progress"})  # signals that only a live task writes
RECORDER_SLACK_S = 5.0  # seconds between the kernel's and the recorder's time of one moment
REPORT_DELAY_S = 30.0  # seconds until a driver or a daemon reports what it saw
MAX_QUIET_START_S = 600.0  # seconds that a launcher and its program may run before the first line


def find_job_window(
    timeline: Timeline, semantics: SignalSemantics, workers: Iterable[str], zoneless_files: frozenset[str]
) -> JobWindow:
    """Return the window in which the job was alive.

    A recorder (`tf-postmortem record`) saw its program start. A log begins when the program writes its first line. A
    scheduler's record states start and end, and counts if it fits the logs. Without a record, the end is known only
    if every worker was recorded to its end.

    Args:
        timeline: all events; its scope tells which records are of other jobs.
        semantics: what signals mean.
        workers: names of the nodes that have tasks.
        zoneless_files: files whose local times state no zone.
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
    if scheduler_record is not None and not launches:
        window = _narrow_to_record(window, scheduler_record, zone_slack, no_log_times=begin is None)
    if _log.isEnabledFor(logging.INFO):
        source = "a recorder's launch" if launches else "log lines or a scheduler's record"
        _log.info("the job was alive from %s to %s (from %s)", _iso(window.begin), _iso(window.end), source)
    return window


def _iso(time: float | None) -> str:
    try:
        return "an unknown time" if time is None else f"{datetime.fromtimestamp(time, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (OverflowError, ValueError, OSError):  # a stamp may have any year
        return f"{time} s"


def _narrow_to_record(window: JobWindow, record: SchedulerRecord, zone_slack: float, no_log_times: bool) -> JobWindow:
    """Return the window that the record states if it fits what the logs show, else `window`.

    If the logs have no times (`no_log_times`), the record counts unchanged. Files without a zone have stamps of the
    same wall clock as a local record, so their times are compared with it directly.
    """
    zone = 0.0 if no_log_times else record.zone_offset(window.stated_begin, MAX_QUIET_START_S)
    if zone is None or (zone_slack and zone):
        _log.info("the start of the job in the scheduler's record does not fit the logs and is not used")
        return window
    begin, end = record.begin - RECORDER_SLACK_S, None if record.end is None else record.end + REPORT_DELAY_S
    slack = MAX_ZONE_OFFSET_S if record.is_local and (zone_slack or no_log_times) else 0.0
    return JobWindow(
        begin=begin + zone - slack,
        end=None if end is None else end + zone + slack,
        stated_begin=record.begin + zone,
        zoneless_files=window.zoneless_files,
        wall_clock_range=(begin, end) if record.is_local else (None, None),
    )


def _find_recorded_end(timeline: Timeline, launches: Iterable[Event], workers: set[str]) -> float | None:
    """Return when the last recorded program had ended; None if a worker was not recorded to its end."""
    started, ended = (
        _latest_times(timeline, launches),
        _latest_times(timeline, _events_of(timeline, (EXIT_CODE_SIGNAL,))),
    )
    if not started or not workers <= set(started) or any(ended.get(node, 0.0) < time for node, time in started.items()):
        return None
    return max(ended[node] + timeline.clock_error(node) for node in started) + REPORT_DELAY_S


def _latest_times(timeline: Timeline, events: Iterable[Event]) -> dict[str, float]:
    """Return the corrected time of each node's latest event."""
    latest: dict[str, float] = {}
    for event in events:
        if (time := timeline.corrected_time(event)) is not None:
            latest[event.node] = max(time, latest.get(event.node, time))
    return latest


def _events_of(timeline: Timeline, signals: Iterable[str]) -> Iterator[Event]:
    for signal in signals:
        for events in timeline.by_signal.get(signal, {}).values():
            yield from events
