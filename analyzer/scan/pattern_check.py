"""What a pattern costs the scan that waits behind no gate and is looked for in every line."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Sequence

from analyzer.scan.automaton import (
    Automaton,
    Expression,
    compile_automaton,
    make_expressions,
    make_text_expressions,
    run_automaton,
)
from analyzer.scan.gates import choose_gates
from analyzer.scan.widen import widen

TIMING_ROUNDS = 9  # of which the fastest counts: nothing makes a scan faster than it is
CLEAR_SLOWDOWN = 3.0  # times as slow, which after two rounds is beyond doubt
SAMPLE_DIVISOR = 16  # a part of the text, in which what matches everywhere shows itself and does not take long


class ScanSlowdown:
    """Measured on `text`, against the gates of all `patterns`, which any text is searched for."""

    def __init__(self, patterns: Sequence[str], text: bytes) -> None:
        self._patterns = patterns
        self._text = text

    def measure(self, pattern: str) -> float:
        """By what share it makes the scan slower; 0.0 where it waits behind a gate, or where the engine is missing."""
        if not choose_gates([pattern]).direct:
            return 0.0
        try:
            with_pattern = compile_automaton([*make_expressions({len(self._patterns): widen(pattern)}), *self._gates])
        except ImportError:
            return 0.0
        sample = self._text[: len(self._text) // SAMPLE_DIVISOR]
        return max(
            0.0,
            self._compare(with_pattern, sample, 2 * CLEAR_SLOWDOWN) or self._compare(with_pattern, self._text) or 0.0,
        )

    def _compare(self, with_pattern: Automaton, text: bytes, min_ratio: float = 0.0) -> float | None:
        """The share; None where it is not so many times as slow."""
        seconds_without, seconds_with = math.inf, math.inf
        for number in range(TIMING_ROUNDS):
            seconds_without, seconds_with = (
                min(seconds_without, _measure_seconds(self._gates_only, text)),
                min(seconds_with, _measure_seconds(with_pattern, text)),
            )
            if number and seconds_with > CLEAR_SLOWDOWN * seconds_without:
                break
        return seconds_with / seconds_without - 1 if seconds_with > min_ratio * seconds_without else None

    @functools.cached_property
    def _gates(self) -> list[Expression]:
        return make_text_expressions(choose_gates(self._patterns).texts, 0)

    @functools.cached_property
    def _gates_only(self) -> Automaton:
        return compile_automaton(self._gates)


def _measure_seconds(automaton: Automaton, text: bytes) -> float:
    """Seconds of this thread: what else the machine does counts little."""
    start = time.thread_time()
    run_automaton(automaton, text)
    return time.thread_time() - start
