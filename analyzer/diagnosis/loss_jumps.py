"""A loss that leapt and came not back, although it is a number still."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

from analyzer.diagnosis.derivation_context import DerivationContext
from analyzer.model import Event

LEAP_FACTOR = 8.0  # times the highest of the losses just before, for all that follow …
MIN_LOSSES_ON_EACH_SIDE = 10  # … of which there are as many at least …
RESTART_FACTOR = (
    1.5  # … and this many times the highest of the first ones: a model that starts anew is as bad as at the start
)
LossEvents = list[tuple[float, Event]]


def derive_loss_leaps(context: DerivationContext) -> Iterator[Event]:
    """Of each node and kind of line, the last loss before the leap and the first one behind."""
    for (node, *_), losses in _collect_losses(context).items():
        if (at := _find_leap([loss for loss, _ in losses])) is not None:
            proofs = [losses[at - 1][1], losses[at][1]]
            before, after = (f"{loss:g}" for loss, _ in losses[at - 1 : at + 1])
            yield from context.derive("derived.loss_leapt", node, proofs, before=before, after=after)


def _collect_losses(context: DerivationContext) -> dict[tuple[str, str, str, str], LossEvents]:
    losses: dict[tuple[str, str, str, str], LossEvents] = {}
    for event in context.timeline.events:
        captured = event.captures.get("loss") if event.captures else None
        if captured and (loss := _read_loss(captured)) is not None:
            losses.setdefault((event.node, event.locus.file, event.stream, event.signal), []).append((loss, event))
    return losses


def _read_loss(text: str) -> float | None:
    try:
        loss = float(text)
    except ValueError:  # "1.5." at the end of a sentence
        return None
    return loss if math.isfinite(loss) else None


def _find_leap(losses: Sequence[float]) -> int | None:
    """The place of the first loss that, as all behind it, is far above those before it."""
    if len(losses) < 2 * MIN_LOSSES_ON_EACH_SIDE or max(losses[-MIN_LOSSES_ON_EACH_SIDE:]) < LEAP_FACTOR * min(losses):
        return None
    lowest = list(accumulate(reversed(losses), min))[::-1]  # from each place on
    start = RESTART_FACTOR * max(losses[:MIN_LOSSES_ON_EACH_SIDE])
    for index in range(MIN_LOSSES_ON_EACH_SIDE, len(losses) - MIN_LOSSES_ON_EACH_SIDE + 1):
        recent = max(losses[index - MIN_LOSSES_ON_EACH_SIDE : index])
        if lowest[index] > start and 0 < LEAP_FACTOR * recent < lowest[index]:
            return index
    return None
