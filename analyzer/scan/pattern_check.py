"""Checks of a single pattern: whether the scanner accepts it, and how much it slows the scan down."""

from __future__ import annotations

import functools
import hashlib
import math
import re
import re._constants as sre  # type: ignore[import-not-found]
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
from analyzer.scan.gates import choose_gates, has_gate
from analyzer.scan.parse_tree import expanded_size, parse_pattern
from analyzer.scan.widen import MAX_REPEAT, widen

TIMING_ROUNDS = 9  # the fastest counts: disturbances only make a scan slower
CLEAR_SLOWDOWN = 3.0  # a ratio that two rounds prove
SAMPLE_DIVISOR = 16  # a pattern that matches everywhere is found out in this part of the text, in little time
MAX_EXPANDED_CHARS = 4000  # of a pattern whose counted repeats are written out, as Hyperscan does
MAX_SAFE_CHARS = 400  # Hyperscan has refused no pattern up to this size
# `regex` and `re` both accept these and understand them differently: the scanner would find nothing.
_POSIX = re.compile(r"\[:\^?(?:al(?:num|pha)|ascii|blank|cntrl|x?digit|graph|lower|print|punct|space|upper|word):\]")
# Fuzzy matching of `regex`: a bound on insertions, deletions, substitutions or all errors, or on their cost.
_FUZZY_ERRORS = r"(?:(?:\d+ *<=? *)?[idse](?: *<=? *\d+)?|\d*[ids](?: *\+ *\d*[ids])+ *<=? *\d+)"
_FUZZY = re.compile(rf"(?<!\\)(?:\\\\)*\{{ *{_FUZZY_ERRORS}(?: *, *{_FUZZY_ERRORS})*(?: *:[^}}]*)? *\}}")


def find_fault(pattern: str) -> str | None:
    """Return a sentence that says why the scanner refuses the pattern; None if it accepts it."""
    if match := _POSIX.search(pattern):
        return f"{match[0]} is not supported: write \\d, \\s, \\w or a range"
    if match := _FUZZY.search(pattern):
        return f"{match[0].lstrip(chr(92))} requests fuzzy matching: write \\{{ for a literal brace"
    try:
        expression = widen(pattern).expression
        if "{" not in expression and len(expression) <= MAX_SAFE_CHARS:
            return None  # nothing in it is written out, so its size is its length
        size = expanded_size(parse_pattern(expression), _copies_of_repeat)
    except (re.error, RecursionError, OverflowError) as error:
        return str(error) or type(error).__name__
    if size > MAX_EXPANDED_CHARS:
        return f"its counted repeats expand to {size} characters; the scanner accepts at most {MAX_EXPANDED_CHARS}"
    return _try_to_compile(expression) if size > MAX_SAFE_CHARS else None


def _copies_of_repeat(least: int, most: int) -> int:
    """Return how many copies of a repeat's content the widened pattern holds."""
    return max(1, min(least if most is sre.MAXREPEAT else most, MAX_REPEAT))


def _try_to_compile(expression: str) -> str | None:
    """Return the error of compiling the expression alone; None if there is none, or no Hyperscan."""
    try:
        import hyperscan
    except ImportError:
        return None
    try:
        hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK).compile(
            expressions=[expression.encode()], ids=[0], elements=1, flags=[hyperscan.HS_FLAG_MULTILINE]
        )
    except hyperscan.error as error:
        return str(error)
    return None


class ScanSlowdown:
    """Measures how much a pattern slows down the scan of `text`.

    It is compared with the scan for the gates of all `patterns`, which takes place for any text.
    """

    def __init__(self, patterns: Sequence[str], text: bytes) -> None:
        self._patterns = patterns
        self._text = text

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash of what patterns are compared with."""
        return hashlib.sha256("\0".join(self._patterns).encode("utf-8", "surrogatepass") + self._text).hexdigest()

    def measure(self, pattern: str) -> float:
        """Return the added share of time: 1.0 is twice as slow; 0.0 for a gated pattern, or without Hyperscan."""
        if has_gate(pattern):
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
        """Return the added share of time; None if the scan takes less than `min_ratio` times as long."""
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
    """Return the processor time of this thread in seconds: other load of the machine counts little."""
    start = time.thread_time()
    run_automaton(automaton, text)
    return time.thread_time() - start
