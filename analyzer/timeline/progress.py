"""How far each node's training came, when it stopped, and how fast it went before and after."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from analyzer.feeds import Feeds
from analyzer.model import Event
from analyzer.timeline.order import Timeline
from analyzer.untrusted.numbers import read_whole

Position = tuple[int, int]  # epoch (0 where none is told), step within it or of all
ENOUGH = 10  # intervals that make a pace
LATEST = 50  # intervals that the pace at the end is taken from
CROWD = 3  # steps that have nothing but the time of one line before them: the last may be much later


@dataclass(slots=True)
class Progress:
    """Of one node. `passed` holds (corrected time in seconds UTC, position) of the steps that are kept."""

    last: Event
    position: Position = (0, 0)
    time: float | None = None  # corrected; of the last step
    passed: list[tuple[float, Position]] = field(default_factory=list)
    crowd: int = 0  # steps, the last one among them, that share the time of a line before them

    @property
    def dated(self) -> float | None:
        """The time of the last step, where it is no mere lower bound."""
        return self.time if self.crowd < CROWD else None

    @property
    def step(self) -> str:
        """In words: `step 7`, `step 7 of epoch 3`, `epoch 3`."""
        epoch, step = self.position
        if not epoch:
            return f"step {step}"
        return f"step {step} of epoch {epoch}" if step else f"epoch {epoch}"

    def paces(self) -> list[float]:
        """Seconds a step between neighbours, in order; empty where steps have no times of their own."""
        return [
            (late - early) / (after[1] - before[1])
            for (early, before), (late, after) in pairwise(self.passed)
            if after[0] == before[0] and after[1] > before[1] and late > early
        ]

    @property
    def pace(self) -> float | None:
        found = self.paces()
        return statistics.median(found) if found else None

    def slowing(self) -> tuple[float, float] | None:
        """Seconds a step before and at the end; None where too few tell."""
        found = self.paces()
        early, late = (
            found[: -LATEST if len(found) > 2 * LATEST else len(found) // 2],
            found[-LATEST:][-len(found) // 2 :],
        )
        if min(len(early), len(late)) < ENOUGH:
            return None
        return statistics.median(early), statistics.median(late)


def follow(timeline: Timeline, feeds: Feeds) -> dict[str, Progress]:
    """Of each node that says a step or an epoch."""
    found: dict[str, Progress] = {}
    for event in timeline.events:
        if not feeds.says("progress", event) or not event.node:
            continue
        known = found.get(event.node)
        position = _position(event, known.position if known else (0, 0))
        if position is None:
            continue
        if known is None:
            known = found[event.node] = Progress(event)
        known.last, known.position = event, position
        if (time := timeline.time(event)) is not None:
            known.crowd = event.inferred * (known.crowd * (time == known.time) + 1)
            known.time = time
            if not event.inferred:
                known.passed.append((time, position))
    return found


def _position(event: Event, known: Position) -> Position | None:
    """A line without an epoch belongs to the one before; a new epoch begins at its step 0."""
    epoch, step = (read_whole(event.captures.get(name)) for name in ("epoch", "step"))
    if epoch is None and step is None:
        return None
    return (known[0], step or 0) if epoch is None else (epoch, step or 0)


def common_position(found: Sequence[Progress]) -> tuple[Position, list[Progress]] | None:
    """Where most stopped, and who stopped before that.

    None where they do not go in step: in synchronous training nobody is more than a step ahead of most.
    """
    positions = [one.position for one in found]
    most = max(sorted(set(positions)), key=positions.count)
    behind = [one for one in found if one.position < most and not _next_to(one.position, most)]
    ahead = [one for one in found if one.position > most and not _next_to(most, one.position)]
    if ahead or len(behind) * 2 >= len(found):
        return None
    return most, behind


def _next_to(one: Position, other: Position) -> bool:
    return one[0] == other[0] and other[1] - one[1] == 1
