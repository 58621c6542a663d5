"""The timeline as a trace that Perfetto and chrome://tracing open: a process a node, marks, steps, silence,
and arrows from causes to what follows from them.

Format: "Trace Event Format" of the Chromium project, JSON object form; times are microseconds since the first event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.report.document import WrittenIncident, WrittenTimeline
from analyzer.report.formatting import parse_time
from analyzer.report.lanes import Lane, build_lanes

MAX_ARROWS = 5000
FINDINGS_THREAD = 2  # of each process: the findings that arrows join
ARROW_END_S = 0.001  # length of the slice at either end of an arrow


def render_trace(incident: WrittenIncident) -> dict[str, object]:
    """Return the trace of an incident. Events without a time are left out; `lost` counts them."""
    lanes = build_lanes(incident)
    timeline = incident.timeline
    start = parse_time(timeline.start or None) or 0.0
    end = parse_time(timeline.end or None) or start
    events = [event for number, lane in enumerate(lanes, 1) for event in _lane_events(number, lane, start, end)]
    events += _draw_arrows(incident, {lane.name: number for number, lane in enumerate(lanes, 1)}, start)
    return {
        "otherData": {
            "producer": "tf-postmortem",  # `bundle/own_outputs.py` knows it
            "verdict": incident.verdict,
            "start": timeline.start or "",
            "lost": _count_untimed(timeline),
        },
        "displayTimeUnit": "ms",
        "traceEvents": events,
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


def _draw_arrows(incident: WrittenIncident, numbers: Mapping[str, int], start: float) -> Iterator[dict[str, object]]:
    """Yield arrows from each root cause to the findings that follow from it, at most MAX_ARROWS.

    An arrow joins slices, so each of these findings has a short one, in a thread of its own.
    """
    places = {
        finding.id: (finding, number, time - start)
        for finding in incident.findings
        if (number := numbers.get(finding.node or "")) and (time := parse_time(finding.time)) is not None
    }
    causes = {root.finding for root in incident.root_causes} & places.keys()
    pairs = [
        (cause, name) for name, (finding, *_) in places.items() for cause in finding.explained_by if cause in causes
    ]
    for name in dict.fromkeys(name for pair in pairs[:MAX_ARROWS] for name in pair):
        finding, number, time = places[name]
        yield _span_event(finding.rule, number, time, ARROW_END_S, FINDINGS_THREAD)
    for flow, (cause, name) in enumerate(pairs[:MAX_ARROWS], 1):
        for phase, end in (("s", cause), ("f", name)):
            _, number, time = places[end]
            arrow = {
                "ph": phase,
                "id": flow,
                "name": "consequence",
                "cat": "cause",
                "pid": number,
                "tid": FINDINGS_THREAD,
            }
            yield {**arrow, "ts": round(time * 1e6), **({"bp": "e"} if phase == "f" else {})}


def _span_event(name: str, number: int, begin: float, length: float, thread: int = 1) -> dict[str, object]:
    return {"ph": "X", "pid": number, "tid": thread, "name": name, "ts": round(begin * 1e6), "dur": round(length * 1e6)}


def _count_untimed(timeline: WrittenTimeline) -> int:
    return sum(not event.corrected for event in timeline.events)
