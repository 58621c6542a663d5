"""All signals made ready to read with: one scanner, and each signal's confirming patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import regex

from analyzer.model import Kind
from analyzer.reading.prefiltered_pattern import PrefilteredPattern, compile_prefiltered
from analyzer.reading.regex_budget import RegexTimeoutBudget
from analyzer.scan import Scanner, build_scanner
from analyzer.signals.compiled_patterns import CompiledPattern, compile_pattern
from analyzer.signals.types import Signal, SignalSet


@dataclass(frozen=True)
class CompiledSignal:
    """A signal whose patterns are compiled when the first hit asks for them: most signals never hit."""

    signal: Signal
    timeout_budget: RegexTimeoutBudget = field(default_factory=RegexTimeoutBudget)

    def search(self, pattern: CompiledPattern, text: str) -> regex.Match[str] | None:
        return self.timeout_budget.search(self.signal.name, pattern, text)

    def search_prefiltered(self, prefiltered: PrefilteredPattern, text: str) -> regex.Match[str] | None:
        """As `search`, for a pattern that is seldom found."""
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
    def reads_following_lines(self) -> bool:
        """Whether lines with prefixes of their own belong to the hit, or what the grammar of tracebacks takes."""
        block = self.signal.block
        return bool(block and block.prefixed) or "traceback" in self.signal.feeds

    @cached_property
    def captures_groups_only(self) -> bool:
        """Whether the groups of its patterns are all that it captures."""
        signal = self.signal
        return not (signal.also or signal.bits or signal.lookup or signal.set or "traceback" in signal.feeds)


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """`owners[i]` is (index in `ready`, index in its `match`) of the pattern that has index i in the scanner."""

    scanner: Scanner
    signals: tuple[CompiledSignal, ...]
    pattern_owners: tuple[tuple[int, int], ...]
    tables: Mapping[str, Mapping[str, Mapping[str, str]]]
    timeout_budget: RegexTimeoutBudget = field(default_factory=RegexTimeoutBudget)
    progress_signals: frozenset[int] = frozenset()  # of `ready`, those that tell how far the training is


def build_plan(packs: SignalSet, cache: Path | None = None) -> ReadPlan:
    """Compiled automata are kept in `cache`; patterns were checked when the packs were loaded."""
    patience = RegexTimeoutBudget()
    signals: list[CompiledSignal] = []
    patterns: list[str] = []
    owners: list[tuple[int, int]] = []
    for signal in packs.signals.values():
        if signal.kinds and signal.kinds <= {Kind.DERIVED, Kind.CORE}:
            continue
        patterns += signal.match
        owners += [(len(signals), position) for position in range(len(signal.match))]
        signals.append(CompiledSignal(signal, patience))
    steps = frozenset(index for index, compiled in enumerate(signals) if "progress" in compiled.signal.feeds)
    return ReadPlan(build_scanner(patterns, cache), tuple(signals), tuple(owners), packs.tables, patience, steps)
