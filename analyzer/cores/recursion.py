"""Fold the repeated frames of a recursion, so that a stack shows each round once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

MAX_ROUND_FRAMES = 24
MIN_FOLDED_ROUNDS = 3  # fewer are shown as they are


class StackFrame(Protocol):
    """The common attributes of a frame of a core and of a written report."""

    @property
    def kind(self) -> str: ...
    @property
    def module(self) -> str | None: ...
    @property
    def function(self) -> str | None: ...
    @property
    def address(self) -> str | None: ...
    @property
    def file(self) -> str | None: ...
    @property
    def line(self) -> int | None: ...


def fold_recursion(frames: Sequence[StackFrame], gap: int | None = None) -> Iterator[tuple[int, int, int]]:
    """Yield (start, frames of one round, rounds) for each part of a stack; a part that does not repeat has one round.

    `gap`: index before which frames are left out; no round spans it.
    """
    keys = [_recursion_key(frame) for frame in frames]
    at = plain = 0
    while at < len(keys):
        limit = gap if gap is not None and at < gap else len(keys)
        period, rounds = _find_round(keys, at, limit)
        if rounds < MIN_FOLDED_ROUNDS:
            at += 1
            continue
        if plain < at:
            yield plain, at - plain, 1
        yield at, period, rounds
        at = plain = at + period * rounds
    if plain < len(keys):
        yield plain, len(keys) - plain, 1


def _recursion_key(frame: StackFrame) -> tuple[object, ...]:
    return frame.kind, frame.module, frame.function or frame.address, frame.file, frame.line


def _find_round(keys: Sequence[tuple[object, ...]], at: int, limit: int) -> tuple[int, int]:
    """Return (frames of one round, rounds) of the shortest round that begins at an index and repeats itself."""
    for period in range(1, min(MAX_ROUND_FRAMES, (limit - at) // MIN_FOLDED_ROUNDS) + 1):
        first = keys[at : at + period]
        rounds = 1
        while keys[at + rounds * period : min(limit, at + (rounds + 1) * period)] == first:
            rounds += 1
        if rounds >= MIN_FOLDED_ROUNDS:
            return period, rounds
    return 1, 1
