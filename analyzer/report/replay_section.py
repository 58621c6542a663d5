"""The runs of a replay for the report: timeline, exit codes and curves of each."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from analyzer.report.document import WrittenIncident, WrittenReplayRun
from analyzer.report.formatting import parse_time
from analyzer.report.lanes import TimelineWindow, build_lanes, choose_windows
from analyzer.report.resource_charts import NodeCurves, draw_curves
from analyzer.report.timeline_figure import draw_timeline

VERDICT_MEANINGS = {
    "reproduced": "a small job with the same fault failed in the same way",
    "same-cause-other-pattern": "a small job with the same fault has the same cause, but it failed in another pattern",
    "not-reproduced": "a small job with the same fault did not fail",
    "different-failure": "a small job with the same fault failed in another way",
    "inconclusive": "a small job was run with the same fault, without a clear result",
}
MAX_DRAWN_RUNS = 2  # runs drawn: the control and the decisive run with the fault; the others are only in the table


@dataclass(frozen=True, slots=True)
class DrawnRun:
    run: WrittenReplayRun
    title: str
    figures: tuple[tuple[TimelineWindow, Markup], ...]
    curves: tuple[NodeCurves, ...]


def describe_replay(incident: WrittenIncident) -> tuple[str, list[str], str]:
    """Return (the result of the replay, its reasons, the command that runs it again); empty if there was no replay."""
    replay = incident.replay
    if not replay:
        return "", [], ""
    meaning = VERDICT_MEANINGS.get(replay.verdict, "")
    decision = [replay.decision.sentence] if replay.decision else []
    return replay.verdict + (f": {meaning}" if meaning else ""), [*decision, *replay.reasons], replay.command


def draw_replay(incident: WrittenIncident) -> list[DrawnRun]:
    """Draw the control run and the first run with the replay's verdict; nothing if there was no replay."""
    if not incident.replay:
        return []
    runs = incident.replay.runs
    decisive = [run for run in runs[1:] if run.verdict == incident.replay.verdict]
    chosen = [*runs[:1], *decisive][:MAX_DRAWN_RUNS]
    return [_draw_run(run, title) for run, title in zip(chosen, ("Without the fault", "With the fault"), strict=False)]


def _draw_run(run: WrittenReplayRun, title: str) -> DrawnRun:
    root_time = parse_time(run.root_causes[0].time) if run.root_causes else None
    lanes = build_lanes(run)
    windows = choose_windows(lanes, root_time)[-1:]  # the whole run: it takes seconds
    return DrawnRun(
        run,
        title,
        tuple((window, draw_timeline(lanes, window, root_time, lambda _: "")) for window in windows),
        tuple(draw_curves(run, root_time)),
    )
