"""What a reader searches for: one scanner for all signals, and for each signal the patterns that confirm its hits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import regex

from analyzer.arrays import np
from analyzer.model import Kind
from analyzer.reading.regex_budget import RegexTimeoutBudget
from analyzer.scan import Scanner, build_scanner, widen_to_suffixes
from analyzer.scan.widen import widen
from analyzer.signals.compiled_patterns import CompiledPattern, clockless_chars, compile_pattern, keep_compiled
from analyzer.signals.types import Signal, SignalSet

PREFILTER_AFTER_MISSES = 64  # searches without a match after which the required texts of a pattern are worth finding
has_digit = re.compile(r"\d").search
_LINE_FEED = re.compile(r"(?<!\\)(?:\\\\)*\\n")  # `\\n` is a backslash and an n


@dataclass(slots=True)
class PrefilteredPattern:
    """A pattern of `also` or `not_match`: no scanner finds its candidates, and most searches fail.

    After PREFILTER_AFTER_MISSES failed searches it is searched for only in texts that hold what it requires; after one
    if it searches whole blocks, which takes milliseconds.
    `required_texts` are in lower case: every ASCII text that matches holds one of each tuple.
    """

    pattern: CompiledPattern
    spans_lines: bool  # the pattern asks for a line feed
    misses: int = 0
    required_texts: list[tuple[str, ...]] = field(default_factory=list)

    def may_match(self, text: str) -> bool:
        """Return False only if the pattern is certain not to match in the text, nor in any part of it."""
        if not self.required_texts or not text.isascii():  # beyond ASCII, ignoring case has rules of its own
            return True
        is_in_text = text.lower().__contains__
        for position, texts in enumerate(self.required_texts):
            if not any(map(is_in_text, texts)):
                if position:  # the next line probably lacks the same texts, so they are tried first
                    self.required_texts.insert(0, self.required_texts.pop(position))
                return False
        return True

    def note_miss(self) -> None:
        """Count a search without a match."""
        self.misses += 1
        if self.misses == (1 if self.spans_lines else PREFILTER_AFTER_MISSES):
            self.required_texts = _required_texts(self.pattern.pattern)


def compile_prefiltered(pattern: str) -> PrefilteredPattern:
    """Compile a pattern that is rarely found."""
    return PrefilteredPattern(compile_pattern(pattern), _LINE_FEED.search(pattern) is not None)


def _required_texts(pattern: str) -> list[tuple[str, ...]]:
    try:
        return sorted(map(tuple, widen(pattern).required), key=len)
    except (re.error, RecursionError, OverflowError):  # syntax that only `regex` knows
        return []


@dataclass(frozen=True)
class CompiledSignal:
    """A signal whose patterns are compiled when its first hit needs them: most signals never hit."""

    signal: Signal
    timeout_budget: RegexTimeoutBudget = field(default_factory=RegexTimeoutBudget)
    index: int = 0  # in the plan: hits of one line come in this order
    is_series: bool = False  # between the first and last hits of a stream, the scanner's sightings are counted

    def search(self, pattern: CompiledPattern, text: str) -> regex.Match[str] | None:
        """Search within the time budget of the run."""
        budget = self.timeout_budget
        if not budget.timeouts and len(text) <= clockless_chars(pattern):  # as nearly always
            return pattern.search(text)
        return budget.search(self.signal.name, pattern, text)

    def search_prefiltered(self, prefiltered: PrefilteredPattern, text: str) -> regex.Match[str] | None:
        """Search as `search` does, unless the pattern is certain not to match."""
        if not prefiltered.may_match(text):
            return None
        match = self.search(prefiltered.pattern, text)
        if match is None:
            prefiltered.note_miss()
        return match

    @cached_property
    def match(self) -> tuple[CompiledPattern, ...]:
        return tuple(map(compile_pattern, self.signal.match))

    @cached_property
    def not_match(self) -> tuple[PrefilteredPattern, ...]:
        return tuple(map(compile_prefiltered, self.signal.not_match))

    @cached_property
    def also(self) -> tuple[PrefilteredPattern, ...]:
        return tuple(map(compile_prefiltered, self.signal.also))

    @cached_property
    def until(self) -> CompiledPattern | None:
        block = self.signal.block
        return compile_pattern(block.until) if block and block.until else None

    @cached_property
    def suffix_match(self) -> tuple[CompiledPattern, ...]:
        """The patterns of `match`, widened to match a line if they match its message, wherever that begins."""
        return tuple(compile_pattern(widen_to_suffixes(pattern)) for pattern in self.signal.match)

    @cached_property
    def reads_following_lines(self) -> bool:
        """Whether the block may hold lines with prefixes of their own, or is what the grammar of tracebacks takes."""
        block = self.signal.block
        return bool(block and block.prefixed) or "traceback" in self.signal.feeds

    @cached_property
    def captures_groups_only(self) -> bool:
        """Whether the signal captures nothing but the groups of its patterns."""
        signal = self.signal
        return not (signal.also or signal.bits or signal.lookup or signal.set or "traceback" in signal.feeds)


@dataclass(frozen=True)
class ReadPlan:
    """The scanner and the signals of a run.

    `pattern_owners[i]` is (index in `signals`, index in its `match`) of the scanner's pattern i. `tables` are the
    lookup tables of the packs: table → key → capture → value. `progress_signals` are the indexes of signals that state
    steps. `signal_of_pattern` is an array: the index in `signals` of each of the scanner's patterns.
    """

    scanner: Scanner
    signals: tuple[CompiledSignal, ...]
    pattern_owners: tuple[tuple[int, int], ...]
    signal_of_pattern: Any
    tables: Mapping[str, Mapping[str, Mapping[str, str]]]
    timeout_budget: RegexTimeoutBudget = field(default_factory=RegexTimeoutBudget)
    progress_signals: frozenset[int] = frozenset()

    @cached_property
    def signals_by_name(self) -> Mapping[str, CompiledSignal]:
        return {compiled.signal.name: compiled for compiled in self.signals}


def _patterns_of(signal: Signal) -> tuple[str, ...]:
    until = (signal.block.until,) if signal.block and signal.block.until else ()
    return (*signal.match, *signal.not_match, *signal.also, *until)


def build_plan(packs: SignalSet, cache: Path | None = None, for_small_texts: bool = False) -> ReadPlan:
    """Return the plan for the signals of `packs`, whose patterns were checked when they were loaded.

    Compiled automata are stored in the folder `cache`. `for_small_texts`: nothing is compiled that tests of rules,
    a few lines each, do not need.
    """
    timeout_budget = RegexTimeoutBudget()
    signals: list[CompiledSignal] = []
    counted = packs.counted_signals
    patterns: list[str] = []
    owners: list[tuple[int, int]] = []
    for signal in packs.signals.values():
        if signal.kinds and signal.kinds <= {Kind.DERIVED, Kind.CORE}:
            continue
        patterns += signal.match
        owners += [(len(signals), position) for position in range(len(signal.match))]
        is_series = signal.is_series and signal.name not in counted
        signals.append(CompiledSignal(signal, timeout_budget, index=len(signals), is_series=is_series))
    if cache is not None and not for_small_texts:
        keep_compiled(dict.fromkeys(chain.from_iterable(map(_patterns_of, packs.signals.values()))), cache)
    return ReadPlan(
        scanner=build_scanner(patterns, cache, for_small_texts),
        signals=tuple(signals),
        pattern_owners=tuple(owners),
        signal_of_pattern=np.array([signal for signal, _ in owners], np.int64),
        tables=packs.tables,
        timeout_budget=timeout_budget,
        progress_signals=frozenset(
            index for index, compiled in enumerate(signals) if "progress" in compiled.signal.feeds
        ),
    )
