"""The lanes of the timeline figure, one for each node, sorted by the time of the first trouble."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.report.cascade import SEVERITY_RANKS
from analyzer.report.document import ProgressCurve, WrittenIncident, WrittenNode, WrittenReplayRun, WrittenTimeline
from analyzer.report.formatting import parse_time
from analyzer.wording import natural_key

MAX_DRAWN_LANES = 60  # lanes in the figure; a sentence describes the rest
ERROR_RANK = SEVERITY_RANKS["error"]


@dataclass(frozen=True, slots=True)
class LaneMark:
    """One event at its corrected time (seconds, UTC). A line that several signals match has a mark for each."""

    time: float
    severity: str
    text: str
    file: str
    line: int | None
    finding: str
    inferred: bool

    @property
    def place(self) -> tuple[str, int | str]:
        """The line that it stands for; what has no line is told apart by its text."""
        return self.file, self.text if self.line is None else self.line


def count_lines(marks: Iterable[LaneMark]) -> int:
    """Return how many lines the marks stand for."""
    return len({mark.place for mark in marks})


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    tasks: tuple[str, ...]
    culprit: bool
    present: bool
    alive: tuple[float, float] | None  # corrected time of its first and last line
    silent_since: float | None
    clock_error: float | None  # seconds, half width
    marks: tuple[LaneMark, ...]  # in order of time
    steps: tuple[tuple[float, float], ...]  # (corrected time, step)
    trouble: float | None  # its first error, silence or cause
    members: tuple[str, ...] = ()  # nodes that did the same and are drawn as this one lane; () for a single node

    def count(self, severity: str) -> int:
        """Return how many lines are of this severity; a line has that of its worst signal."""
        worst: dict[tuple[str, int | str], str] = {}
        for mark in self.marks:
            severity_so_far = worst.setdefault(mark.place, mark.severity)
            if SEVERITY_RANKS.get(mark.severity, 0) > SEVERITY_RANKS.get(severity_so_far, 0):
                worst[mark.place] = mark.severity
        return sum(worst_severity == severity for worst_severity in worst.values())

    @property
    def last_step(self) -> float | None:
        return self.steps[-1][1] if self.steps else None


@dataclass(frozen=True, slots=True)
class TimelineWindow:
    """A range of corrected time that one figure shows."""

    title: str
    start: float
    end: float


def progress_points(curve: ProgressCurve) -> Iterator[tuple[float, float]]:
    """Yield the (time, step) pairs of a curve whose time is known."""
    for stamp, step in curve.points:
        if (time := parse_time(stamp)) is not None:
            yield time, float(step)


def build_lanes(incident: WrittenIncident | WrittenReplayRun) -> list[Lane]:
    """Return the lanes of all nodes: those with trouble first, by time; then the others, by name."""
    marks = _marks_by_node(incident.timeline)
    steps: dict[str, list[tuple[float, float]]] = {}
    for curve in incident.timeline.progress:
        steps.setdefault(curve.node or "", []).extend(progress_points(curve))
    culprits = {root.node or "": parse_time(root.time) for root in incident.root_causes[:1]}
    nodes = {node.name: node for node in incident.nodes}
    unlisted = sorted((set(marks) | set(steps)) - set(nodes) - {""})
    lanes = [
        _build_lane(name, nodes.get(name), tuple(marks.get(name, ())), tuple(sorted(steps.get(name, ()))), culprits)
        for name in [*nodes, *unlisted]
    ]
    return sorted(lanes, key=_lane_order)


def _lane_order(lane: Lane) -> tuple[bool, float, bool, list[tuple[int, int, str]]]:
    return (lane.trouble is None, lane.trouble or 0.0, not lane.culprit, natural_key(lane.name))


def _marks_by_node(timeline: WrittenTimeline) -> dict[str, list[LaneMark]]:
    marks: dict[str, list[LaneMark]] = {}
    for event in timeline.events:
        time = parse_time(event.corrected or event.time)
        if time is not None and event.node:
            marks.setdefault(event.node, []).append(
                LaneMark(
                    time=time,
                    severity=event.severity or "info",
                    text=event.text,
                    file=event.file,
                    line=event.line,
                    finding=event.finding or "",
                    inferred=event.inferred,
                )
            )
    for node_marks in marks.values():
        node_marks.sort(key=lambda mark: mark.time)
    return marks


def _build_lane(
    name: str,
    node: WrittenNode | None,
    marks: tuple[LaneMark, ...],
    steps: tuple[tuple[float, float], ...],
    culprits: Mapping[str, float | None],
) -> Lane:
    silent_since = parse_time(node.silent_since) if node else None
    seen_times = [mark.time for mark in marks] + [time for time, _ in steps]
    if node:
        stated_times = parse_time(node.first_time), parse_time(node.last_time)
        seen_times += [time for time in stated_times if time is not None]
    error_times = [mark.time for mark in marks if SEVERITY_RANKS.get(mark.severity, 0) >= ERROR_RANK]
    trouble_times = [time for time in (*error_times[:1], silent_since, culprits.get(name)) if time is not None]
    return Lane(
        name=name,
        tasks=tuple(node.tasks) if node else (),
        culprit=name in culprits,
        present=node is None or node.present,
        alive=(min(seen_times), max(seen_times)) if seen_times else None,
        silent_since=silent_since,
        clock_error=node.clock.error_s if node else None,
        marks=marks,
        steps=steps,
        trouble=min(trouble_times, default=None),
    )


def choose_windows(lanes: Sequence[Lane], root_time: float | None) -> list[TimelineWindow]:
    """Return the time around the failure, if it is a small part of the run, and the whole run."""
    seen_times = [time for lane in lanes if lane.alive for time in lane.alive]
    if not seen_times:
        return []
    start, end = min(seen_times), max(seen_times)
    margin = max((end - start) * 0.015, 0.05)
    run_window = TimelineWindow("The whole run", start - margin, end + margin)
    failure_window = _failure_window(lanes, root_time)
    if failure_window is None or (failure_window.end - failure_window.start) > 0.5 * (
        run_window.end - run_window.start
    ):
        return [run_window]
    return [failure_window, run_window]


def _failure_window(lanes: Sequence[Lane], root_time: float | None) -> TimelineWindow | None:
    errors = sorted(
        mark.time for lane in lanes for mark in lane.marks if SEVERITY_RANKS.get(mark.severity, 0) >= ERROR_RANK
    )
    silences = [lane.silent_since for lane in lanes if lane.silent_since is not None]
    if root_time is None:
        root_time = min([*errors[:1], *silences], default=None)
    if root_time is None:
        return None
    # Most of the errors after the root cause, not all: one late log line must not compress the rest.
    later_errors = [time for time in errors if time >= root_time]
    end = later_errors[int(0.95 * (len(later_errors) - 1))] if later_errors else root_time
    start = min([root_time, *(time for time in silences if root_time - 30 <= time <= root_time)])
    padding_s = max(0.2 * (end - start), 1.0, *(lane.clock_error or 0.0 for lane in lanes if lane.culprit))
    return TimelineWindow("Around the failure", start - padding_s, end + padding_s)
