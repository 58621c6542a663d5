"""How far the training of each node came, when it stopped, and how fast it was before and at the end."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from analyzer.model import Event
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.numbers import read_whole

Position = tuple[int, int]  # epoch (0 if none is stated), step within the epoch or of all
MIN_INTERVALS = 10  # fewer intervals give no usual duration of a step
FINAL_INTERVALS = 50  # the duration of a step at the end is taken from this many intervals
MAX_STEPS_SHARING_TIME = 3  # if more steps have only the time of an earlier line, the last one may be much later


@dataclass(slots=True)
class TrainingProgress:
    """The training steps of one node."""

    last_step: Event
    position: Position = (0, 0)  # of the last step
    time: float | None = None  # of the last step, corrected UTC seconds
    timed_steps: list[tuple[float, Position]] = field(default_factory=list)  # (corrected time, position) of kept steps
    steps_sharing_time: int = 0  # the last steps that share the time of an earlier line

    @property
    def reliable_time(self) -> float | None:
        """The time of the last step; None if it is only a lower bound."""
        return self.time if self.steps_sharing_time < MAX_STEPS_SHARING_TIME else None

    @property
    def step_label(self) -> str:
        """The position of the last step in words: `step 7`, `step 7 of epoch 3`, `epoch 3`."""
        epoch, step = self.position
        if not epoch:
            return f"step {step}"
        return f"step {step} of epoch {epoch}" if step else f"epoch {epoch}"

    def step_intervals(self) -> list[float]:
        """Return the seconds for each step between neighbouring lines, in order; steps without own times give none."""
        return [
            (later_time - earlier_time) / (later_position[1] - earlier_position[1])
            for (earlier_time, earlier_position), (later_time, later_position) in pairwise(self.timed_steps)
            if later_position[0] == earlier_position[0]
            and later_position[1] > earlier_position[1]
            and later_time > earlier_time
        ]

    @property
    def usual_interval(self) -> float | None:
        """The median of the seconds for each step; None if no step has a time of its own."""
        intervals = self.step_intervals()
        return statistics.median(intervals) if intervals else None

    @property
    def seconds_between_lines(self) -> float | None:
        """The usual seconds from one line of a step to the next at the end: a program may print every hundredth step.

        None if no step has a time of its own.
        """
        strides = [
            later[1] - earlier[1]
            for (_, earlier), (_, later) in pairwise(self.timed_steps)
            if later[0] == earlier[0] and later[1] > earlier[1]
        ]
        intervals = self.step_intervals()[-FINAL_INTERVALS:]
        return min(strides) * statistics.median(intervals) if intervals else None

    def intervals_before_and_at_end(self) -> tuple[float, float] | None:
        """Return the usual seconds for each step (before the end, at the end); None if too few steps have times."""
        intervals = self.step_intervals()
        early, late = (
            intervals[: -FINAL_INTERVALS if len(intervals) > 2 * FINAL_INTERVALS else len(intervals) // 2],
            intervals[-FINAL_INTERVALS:][-len(intervals) // 2 :],
        )
        if min(len(early), len(late)) < MIN_INTERVALS:
            return None
        return statistics.median(early), statistics.median(late)


def track_progress(timeline: Timeline, semantics: SignalSemantics) -> dict[str, TrainingProgress]:
    """Return node → progress of each node that logs steps or epochs."""
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
        elif position == progress.position and _is_same_line(event, progress.last_step):
            continue  # another signal of the same line, with less data
        progress.last_step, progress.position = event, position
        if (time := timeline.corrected_time(event)) is not None:
            progress.steps_sharing_time = event.inferred * (progress.steps_sharing_time * (time == progress.time) + 1)
            progress.time = time
            if not event.inferred:
                progress.timed_steps.append((time, position))
    return by_node


def _is_same_line(event: Event, other: Event) -> bool:
    """Return whether two events are of one line; a JSON document may have all its records on one line."""
    return (event.locus, event.stream, event.time) == (other.locus, other.stream, other.time)


def _read_position(event: Event, last_position: Position) -> Position | None:
    """Return the event's epoch and step; None if it states neither.

    A line without an epoch belongs to the epoch before (`last_position`); a new epoch begins at its step 0, and a line
    that states the current epoch alone (its end) leaves the step as it is.
    """
    epoch, step = (read_whole(event.captures.get(name)) for name in ("epoch", "step"))
    if epoch is None and step is None:
        return None
    if step is None and epoch == last_position[0]:
        return last_position
    return (last_position[0], step or 0) if epoch is None else (epoch, step or 0)


def common_position(all_progress: Sequence[TrainingProgress]) -> tuple[Position, list[TrainingProgress]] | None:
    """Return the position at which most nodes stopped, and the progress of those that stopped before it.

    None if the nodes do not train in step: in synchronous training, no node is more than a step ahead of most.
    """
    counts = Counter(progress.position for progress in all_progress)
    common = max(sorted(counts), key=counts.__getitem__)
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
    """Return whether `second` is the step after `first`, or the start of the next epoch, before its first step."""
    return second == (first[0] + 1, 0) or (first[0] == second[0] and second[1] - first[1] == 1)
