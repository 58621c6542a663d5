"""What a pattern costs the scan that waits behind no gate and is looked for in every line."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Sequence

from analyzer.scan.automaton import Automaton, Expression, build, express, express_texts, run
from analyzer.scan.gate import choose_gates
from analyzer.scan.widen import widen

ROUNDS = 9  # of which the fastest counts: nothing makes a scan faster than it is
CLEAR = 3.0  # times as slow, which after two rounds is beyond doubt
PART = 16  # a part of the text, in which what matches everywhere shows itself and does not take long


class Price:
    """Measured on `text`, against the gates of all `patterns`, which any text is searched for."""

    def __init__(self, patterns: Sequence[str], text: bytes) -> None:
        self._patterns = patterns
        self._text = text

    def measure(self, pattern: str) -> float:
        """By what share it makes the scan slower; 0.0 where it waits behind a gate, or where the engine is missing."""
        if not choose_gates([pattern]).direct:
            return 0.0
        try:
            both = build([*express({len(self._patterns): widen(pattern)}), *self._gates])
        except ImportError:
            return 0.0
        part = self._text[: len(self._text) // PART]
        return max(0.0, self._compare(both, part, 2 * CLEAR) or self._compare(both, self._text) or 0.0)

    def _compare(self, both: Automaton, text: bytes, least: float = 0.0) -> float | None:
        """The share; None where it is not so many times as slow."""
        alone, dear = math.inf, math.inf
        for number in range(ROUNDS):
            alone, dear = min(alone, _time(self._alone, text)), min(dear, _time(both, text))
            if number and dear > CLEAR * alone:
                break
        return dear / alone - 1 if dear > least * alone else None

    @functools.cached_property
    def _gates(self) -> list[Expression]:
        return express_texts(choose_gates(self._patterns).texts, 0)

    @functools.cached_property
    def _alone(self) -> Automaton:
        return build(self._gates)


def _time(automaton: Automaton, text: bytes) -> float:
    """Seconds of this thread: what else the machine does counts little."""
    begun = time.thread_time()
    run(automaton, text)
    return time.thread_time() - begun
