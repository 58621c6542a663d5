"""One lane a node: what the timeline figure draws, sorted by who had trouble first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.report.cascade import RANK
from analyzer.report.tolerant import items, member, moment, number, points, text, texts

DRAWN = 60  # lanes in the figure; the rest is said in words
ERROR = RANK["error"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One event at its corrected time (seconds, UTC)."""

    time: float
    severity: str
    text: str
    file: str
    line: object
    finding: str
    inferred: bool


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    tasks: tuple[str, ...]
    culprit: bool
    present: bool
    alive: tuple[float, float] | None  # corrected time of its first and last line
    silent_since: float | None
    clock_error: float | None  # seconds, half width
    marks: tuple[Mark, ...]  # in order of time
    steps: tuple[tuple[float, float], ...]  # (corrected time, step)
    trouble: float | None  # its first error, silence or cause

    def count(self, severity: str) -> int:
        return sum(mark.severity == severity for mark in self.marks)

    @property
    def last_step(self) -> float | None:
        return self.steps[-1][1] if self.steps else None


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of corrected time that one figure shows."""

    title: str
    start: float
    end: float


def build_lanes(incident: Mapping[str, object]) -> list[Lane]:
    """All nodes: those in trouble first, by time; then the others by name."""
    timeline = member(incident, "timeline")
    marks = _by_node(timeline)
    steps: dict[str, list[tuple[float, float]]] = {}
    for progress in items(timeline, "progress"):
        steps.setdefault(text(progress, "node"), []).extend(points(progress))
    culprits = {text(root, "node"): moment(root.get("time")) for root in items(incident, "root_causes")[:1]}
    nodes = {text(node, "name"): node for node in items(incident, "nodes")}
    unlisted = sorted((set(marks) | set(steps)) - set(nodes) - {""})
    lanes = [
        _lane(name, nodes.get(name, {}), tuple(marks.get(name, ())), tuple(sorted(steps.get(name, ()))), culprits)
        for name in [*nodes, *unlisted]
    ]
    return sorted(lanes, key=_place)


def _place(lane: Lane) -> tuple[bool, float, bool, list[tuple[bool, int, str]]]:
    return (lane.trouble is None, lane.trouble or 0.0, not lane.culprit, natural(lane.name))


def natural(name: str) -> list[tuple[bool, int, str]]:
    """Orders `node-9` before `node-10`."""
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d{1,18})", name)]


def _by_node(timeline: Mapping[str, object]) -> dict[str, list[Mark]]:
    marks: dict[str, list[Mark]] = {}
    for event in items(timeline, "events"):
        time = moment(event.get("corrected") or event.get("time"))
        if time is not None and (name := text(event, "node")):
            marks.setdefault(name, []).append(
                Mark(
                    time,
                    text(event, "severity") or "info",
                    text(event, "text"),
                    text(event, "file"),
                    event.get("line"),
                    text(event, "finding"),
                    bool(event.get("inferred")),
                )
            )
    for found in marks.values():
        found.sort(key=lambda mark: mark.time)
    return marks


def _lane(
    name: str,
    node: Mapping[str, object],
    marks: tuple[Mark, ...],
    steps: tuple[tuple[float, float], ...],
    culprits: Mapping[str, float | None],
) -> Lane:
    silent = moment(node.get("silent_since"))
    seen = [mark.time for mark in marks] + [time for time, _ in steps]
    first, last = moment(node.get("first_time")), moment(node.get("last_time"))
    seen += [time for time in (first, last) if time is not None]
    errors = [mark.time for mark in marks if RANK.get(mark.severity, 0) >= ERROR]
    troubles = [time for time in (*errors[:1], silent, culprits.get(name)) if time is not None]
    return Lane(
        name=name,
        tasks=tuple(texts(node, "tasks")),
        culprit=name in culprits,
        present=node.get("present") is not False,
        alive=(min(seen), max(seen)) if seen else None,
        silent_since=silent,
        clock_error=number(member(node, "clock"), "error_s"),
        marks=marks,
        steps=steps,
        trouble=min(troubles, default=None),
    )


def choose_windows(lanes: Sequence[Lane], root: float | None) -> list[Window]:
    """The seconds around the failure, where they are a small part of the run, and the whole run."""
    seen = [time for lane in lanes if lane.alive for time in lane.alive]
    if not seen:
        return []
    start, end = min(seen), max(seen)
    margin = max((end - start) * 0.015, 0.05)
    whole = Window("The whole run", start - margin, end + margin)
    close = _around(lanes, root)
    if close is None or (close.end - close.start) > 0.5 * (whole.end - whole.start):
        return [whole]
    return [close, whole]


def _around(lanes: Sequence[Lane], root: float | None) -> Window | None:
    errors = sorted(mark.time for lane in lanes for mark in lane.marks if RANK.get(mark.severity, 0) >= ERROR)
    silences = [lane.silent_since for lane in lanes if lane.silent_since is not None]
    if root is None:
        root = min([*errors[:1], *silences], default=None)
    if root is None:
        return None
    # Most of the errors behind the root, not all: one straggling log line must not squeeze the rest together.
    behind = [time for time in errors if time >= root]
    end = behind[int(0.95 * (len(behind) - 1))] if behind else root
    start = min([root, *(time for time in silences if root - 30 <= time <= root)])
    pad = max(0.2 * (end - start), 1.0, *(lane.clock_error or 0.0 for lane in lanes if lane.culprit))
    return Window("Around the failure", start - pad, end + pad)
