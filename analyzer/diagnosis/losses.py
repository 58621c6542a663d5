"""A loss that leapt and came not back, although it is a number still."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

from analyzer.diagnosis.scene import Scene
from analyzer.model import Event

LEAP = 8.0  # times the highest of the losses just before, for all that follow …
NEAR = 10  # … of which there are as many at least …
FRESH = 1.5  # … and this many times the highest of the first ones: a model that starts anew is as bad as at the start
Losses = list[tuple[float, Event]]


def leaps(scene: Scene) -> Iterator[Event]:
    """Of each node and kind of line, the last loss before the leap and the first one behind."""
    for (node, *_), found in _told(scene).items():
        if (at := _leap([loss for loss, _ in found])) is not None:
            proofs = [found[at - 1][1], found[at][1]]
            before, after = (f"{loss:g}" for loss, _ in found[at - 1 : at + 1])
            yield from scene.derive("derived.loss_leapt", node, proofs, before=before, after=after)


def _told(scene: Scene) -> dict[tuple[str, str, str, str], Losses]:
    told: dict[tuple[str, str, str, str], Losses] = {}
    for event in scene.timeline.events:
        said = event.captures.get("loss") if event.captures else None
        if said and (loss := _read(said)) is not None:
            told.setdefault((event.node, event.locus.file, event.stream, event.signal), []).append((loss, event))
    return told


def _read(said: str) -> float | None:
    try:
        loss = float(said)
    except ValueError:  # "1.5." at the end of a sentence
        return None
    return loss if math.isfinite(loss) else None


def _leap(losses: Sequence[float]) -> int | None:
    """The place of the first loss that, as all behind it, is far above those before it."""
    if len(losses) < 2 * NEAR or max(losses[-NEAR:]) < LEAP * min(losses):
        return None
    lowest = list(accumulate(reversed(losses), min))[::-1]  # from each place on
    start = FRESH * max(losses[:NEAR])
    for at in range(NEAR, len(losses) - NEAR + 1):
        recent = max(losses[at - NEAR : at])
        if lowest[at] > start and 0 < LEAP * recent < lowest[at]:
            return at
    return None
