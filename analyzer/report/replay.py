"""The runs of a replay as the report shows them: each its timeline, its codes and its curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from analyzer.report.curves import NodeCurves, draw_curves
from analyzer.report.figures import draw
from analyzer.report.lanes import Window, build_lanes, choose_windows
from analyzer.report.tolerant import items, member, moment, text, texts

VERDICTS = {
    "reproduced": "a small job with the same fault failed in the same way",
    "not-reproduced": "a small job with the same fault did not fail",
    "different-failure": "a small job with the same fault failed in another way",
    "inconclusive": "a small job was run with the same fault, and nothing can be said from it",
}
SHOWN = 2  # runs drawn: the control, and the one with the fault that decided; the others are in the table


@dataclass(frozen=True, slots=True)
class ReplayRun:
    run: Mapping[str, object]
    title: str
    figures: tuple[tuple[Window, Markup], ...]
    curves: tuple[NodeCurves, ...]


def tell_replay(incident: Mapping[str, object]) -> tuple[str, list[str], str]:
    """(what the replay showed, its reasons, the command that runs it again); empty where there was none."""
    replay = member(incident, "replay")
    verdict = text(replay, "verdict")
    means = VERDICTS.get(verdict, "")
    return verdict + (f": {means}" if means else ""), texts(replay, "reasons"), text(replay, "command")


def draw_replay(incident: Mapping[str, object]) -> list[ReplayRun]:
    """The control run and the first run with the verdict of the whole; nothing where there was no replay."""
    replay = member(incident, "replay")
    runs = items(replay, "runs")
    decisive = [run for run in runs[1:] if run.get("verdict") == replay.get("verdict")]
    chosen = [*runs[:1], *decisive][:SHOWN]
    return [_draw(run, title) for run, title in zip(chosen, ("Without the fault", "With the fault"), strict=False)]


def _draw(run: Mapping[str, object], title: str) -> ReplayRun:
    cause: Sequence[Mapping[str, object]] = items(run, "root_causes")
    root = moment(cause[0].get("time")) if cause else None
    lanes = build_lanes(run)
    windows = choose_windows(lanes, root)[-1:]  # the whole run: it takes seconds
    return ReplayRun(
        run,
        title,
        tuple((window, draw(lanes, window, root, lambda _: "")) for window in windows),
        tuple(draw_curves(run, root)),
    )
