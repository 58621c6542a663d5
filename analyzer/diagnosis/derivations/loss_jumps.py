"""A training loss that rose abruptly and stayed high, although it is still a finite number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

from analyzer.diagnosis.derivation_context import DerivationContext, derives
from analyzer.model import Event
from analyzer.signals.derived import LOSS_LEAPT

MIN_LOSSES_ON_EACH_SIDE = 10  # of a jump
LEAP_FACTOR = 8.0  # the lowest loss after a jump is this many times the highest just before it …
RESTART_FACTOR = 1.5  # … and the first losses: a model that restarts from scratch is only as bad as at the start
LossEvents = list[tuple[float, Event]]


@derives(LOSS_LEAPT)
def derive_loss_leaps(context: DerivationContext) -> Iterator[Event]:
    """The loss jumps: for each node and kind of line, yield the last loss before the jump and the first after it."""
    for (node, *_), losses in _collect_losses(context).items():
        if (index := _find_leap([loss for loss, _ in losses])) is not None:
            proofs = [losses[index - 1][1], losses[index][1]]
            before, after = (f"{loss:g}" for loss, _ in losses[index - 1 : index + 1])
            yield from context.derive(LOSS_LEAPT, node, proofs, before=before, after=after)


def _collect_losses(context: DerivationContext) -> dict[tuple[str, str, str, str], LossEvents]:
    """Return (node, file, stream, signal) → losses and their lines, in corrected order."""
    losses: dict[tuple[str, str, str, str], LossEvents] = {}
    for event in context.timeline.events:
        captured = event.captures.get("loss") if event.captures else None
        if captured and (loss := _read_loss(captured)) is not None:
            losses.setdefault((event.node, event.locus.file, event.stream, event.signal), []).append((loss, event))
    return losses


def _read_loss(text: str) -> float | None:
    """Return the loss if it is a finite number, else None."""
    try:
        loss = float(text)
    except ValueError:  # "1.5." at the end of a sentence
        return None
    return loss if math.isfinite(loss) else None


def _find_leap(losses: Sequence[float]) -> int | None:
    """Return the first index from which all losses are far above the earlier ones; None if there is none."""
    if len(losses) < 2 * MIN_LOSSES_ON_EACH_SIDE or max(losses[-MIN_LOSSES_ON_EACH_SIDE:]) < LEAP_FACTOR * min(losses):
        return None
    lowest = list(accumulate(reversed(losses), min))[::-1]  # from each index on
    start = RESTART_FACTOR * max(losses[:MIN_LOSSES_ON_EACH_SIDE])
    for index in range(MIN_LOSSES_ON_EACH_SIDE, len(losses) - MIN_LOSSES_ON_EACH_SIDE + 1):
        recent = max(losses[index - MIN_LOSSES_ON_EACH_SIDE : index])
        if lowest[index] > start and 0 < LEAP_FACTOR * recent < lowest[index]:
            return index
    return None
