"""How far each node's training came, when it stopped, and how fast it went before and after."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from analyzer.model import Event
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.numbers import read_whole

Position = tuple[int, int]  # epoch (0 where none is told), step within it or of all
MIN_INTERVALS = 10  # intervals that make a pace
FINAL_INTERVALS = 50  # intervals that the pace at the end is taken from
MAX_STEPS_SHARING_TIME = 3  # steps that have nothing but the time of one line before them: the last may be much later


@dataclass(slots=True)
class TrainingProgress:
    """Of one node. `passed` holds (corrected time in seconds UTC, position) of the steps that are kept."""

    last_step: Event
    position: Position = (0, 0)
    time: float | None = None  # corrected; of the last step
    timed_steps: list[tuple[float, Position]] = field(default_factory=list)
    steps_sharing_time: int = 0  # steps, the last one among them, that share the time of a line before them

    @property
    def reliable_time(self) -> float | None:
        """The time of the last step, where it is no mere lower bound."""
        return self.time if self.steps_sharing_time < MAX_STEPS_SHARING_TIME else None

    @property
    def step_label(self) -> str:
        """In words: `step 7`, `step 7 of epoch 3`, `epoch 3`."""
        epoch, step = self.position
        if not epoch:
            return f"step {step}"
        return f"step {step} of epoch {epoch}" if step else f"epoch {epoch}"

    def step_intervals(self) -> list[float]:
        """Seconds a step between neighbours, in order; empty where steps have no times of their own."""
        return [
            (later_time - earlier_time) / (later_position[1] - earlier_position[1])
            for (earlier_time, earlier_position), (later_time, later_position) in pairwise(self.timed_steps)
            if later_position[0] == earlier_position[0]
            and later_position[1] > earlier_position[1]
            and later_time > earlier_time
        ]

    @property
    def usual_interval(self) -> float | None:
        intervals = self.step_intervals()
        return statistics.median(intervals) if intervals else None

    def intervals_before_and_at_end(self) -> tuple[float, float] | None:
        """Seconds a step before and at the end; None where too few tell."""
        intervals = self.step_intervals()
        early, late = (
            intervals[: -FINAL_INTERVALS if len(intervals) > 2 * FINAL_INTERVALS else len(intervals) // 2],
            intervals[-FINAL_INTERVALS:][-len(intervals) // 2 :],
        )
        if min(len(early), len(late)) < MIN_INTERVALS:
            return None
        return statistics.median(early), statistics.median(late)


def track_progress(timeline: Timeline, semantics: SignalSemantics) -> dict[str, TrainingProgress]:
    """Of each node that says a step or an epoch."""
    by_node: dict[str, TrainingProgress] = {}
    for event in timeline.events:
        if not semantics.has_meaning("progress", event) or not event.node:
            continue
        progress = by_node.get(event.node)
        position = _read_position(event, progress.position if progress else (0, 0))
        if position is None:
            continue
        if progress is None:
            progress = by_node[event.node] = TrainingProgress(event)
        progress.last_step, progress.position = event, position
        if (time := timeline.corrected_time(event)) is not None:
            progress.steps_sharing_time = event.inferred * (progress.steps_sharing_time * (time == progress.time) + 1)
            progress.time = time
            if not event.inferred:
                progress.timed_steps.append((time, position))
    return by_node


def _read_position(event: Event, last_position: Position) -> Position | None:
    """A line without an epoch belongs to the one before; a new epoch begins at its step 0."""
    epoch, step = (read_whole(event.captures.get(name)) for name in ("epoch", "step"))
    if epoch is None and step is None:
        return None
    return (last_position[0], step or 0) if epoch is None else (epoch, step or 0)


def common_position(all_progress: Sequence[TrainingProgress]) -> tuple[Position, list[TrainingProgress]] | None:
    """Where most stopped, and who stopped before that.

    None where they do not go in step: in synchronous training nobody is more than a step ahead of most.
    """
    positions = [progress.position for progress in all_progress]
    common = max(sorted(set(positions)), key=positions.count)
    behind = [
        progress
        for progress in all_progress
        if progress.position < common and not _is_next_to(progress.position, common)
    ]
    ahead = [
        progress
        for progress in all_progress
        if progress.position > common and not _is_next_to(common, progress.position)
    ]
    if ahead or len(behind) * 2 >= len(all_progress):
        return None
    return common, behind


def _is_next_to(first: Position, second: Position) -> bool:
    return first[0] == second[0] and second[1] - first[1] == 1
