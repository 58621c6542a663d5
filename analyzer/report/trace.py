"""The timeline as a trace that Perfetto and chrome://tracing open: a process a node, marks, steps, silence.

Format: "Trace Event Format" of the Chromium project, JSON object form; times are microseconds since the first event.
"""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.report.document import WrittenIncident, WrittenTimeline
from analyzer.report.formatting import parse_time
from analyzer.report.lanes import Lane, build_lanes


def render_trace(incident: WrittenIncident) -> dict[str, object]:
    """Return the trace of an incident. Events without a time are left out; `lost` counts them."""
    lanes = build_lanes(incident)
    timeline = incident.timeline
    start = parse_time(timeline.start or None) or 0.0
    end = parse_time(timeline.end or None) or start
    events = [event for number, lane in enumerate(lanes, 1) for event in _lane_events(number, lane, start, end)]
    return {
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": {
            "verdict": incident.verdict,
            "start": timeline.start or "",
            "lost": _count_untimed(timeline),
        },
    }


def _lane_events(number: int, lane: Lane, start: float, end: float) -> Iterator[dict[str, object]]:
    name = f"{lane.name} ({', '.join(lane.tasks)})" if lane.tasks else lane.name
    yield {"ph": "M", "pid": number, "name": "process_name", "args": {"name": name}}
    yield {"ph": "M", "pid": number, "name": "process_sort_index", "args": {"sort_index": number}}
    if lane.alive:
        first, last = lane.alive
        yield _span_event("log", number, first - start, last - first)
    if lane.silent_since is not None and end > lane.silent_since:
        yield _span_event("silent", number, lane.silent_since - start, end - lane.silent_since)
    for mark in lane.marks:
        yield {
            "ph": "i",
            "s": "p" if mark.severity in ("error", "fatal") else "t",
            "pid": number,
            "tid": 1,
            "ts": round((mark.time - start) * 1e6),
            "name": mark.text[:80] or mark.severity,
            "cat": mark.severity,
            "args": {"text": mark.text, "at": f"{mark.file}:{mark.line}", "finding": mark.finding},
        }
    for time, step in lane.steps:
        yield {"ph": "C", "pid": number, "ts": round((time - start) * 1e6), "name": "step", "args": {"step": step}}


def _span_event(name: str, number: int, begin: float, length: float) -> dict[str, object]:
    return {"ph": "X", "pid": number, "tid": 1, "name": name, "ts": round(begin * 1e6), "dur": round(length * 1e6)}


def _count_untimed(timeline: WrittenTimeline) -> int:
    return sum(not event.corrected for event in timeline.events)
