"""All signals made ready to read with: one scanner, and each signal's confirming patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import regex

from analyzer.model import Kind
from analyzer.reading.patience import Patience
from analyzer.reading.sought import Sought, seek
from analyzer.rules.compiled import Compiled, compile_pattern
from analyzer.rules.types import Packs, Signal
from analyzer.scan import Scanner, build_scanner


@dataclass(frozen=True)
class Ready:
    """A signal whose patterns are compiled when the first hit asks for them: most signals never hit."""

    signal: Signal
    patience: Patience = field(default_factory=Patience)

    def search(self, pattern: Compiled, text: str) -> regex.Match[str] | None:
        return self.patience.search(self.signal.name, pattern, text)

    def search_rare(self, sought: Sought, text: str) -> regex.Match[str] | None:
        """As `search`, for a pattern that is seldom found."""
        if not sought.may_be_in(text):
            return None
        found = self.search(sought.pattern, text)
        if found is None:
            sought.miss()
        return found

    @cached_property
    def match(self) -> tuple[Compiled, ...]:
        return tuple(map(compile_pattern, self.signal.match))

    @cached_property
    def not_match(self) -> tuple[Sought, ...]:
        return tuple(map(seek, self.signal.not_match))

    @cached_property
    def also(self) -> tuple[Sought, ...]:
        return tuple(map(seek, self.signal.also))

    @cached_property
    def until(self) -> Compiled | None:
        block = self.signal.block
        return compile_pattern(block.until) if block and block.until else None

    @cached_property
    def reads_on(self) -> bool:
        """Whether lines with prefixes of their own belong to the hit, or what the grammar of tracebacks takes."""
        block = self.signal.block
        return bool(block and block.prefixed) or "traceback" in self.signal.feeds

    @cached_property
    def plain(self) -> bool:
        """Whether the groups of its patterns are all that it captures."""
        signal = self.signal
        return not (signal.also or signal.bits or signal.lookup or signal.set or "traceback" in signal.feeds)


@dataclass(frozen=True, slots=True)
class Plan:
    """`owners[i]` is (index in `ready`, index in its `match`) of the pattern that has index i in the scanner."""

    scanner: Scanner
    ready: tuple[Ready, ...]
    owners: tuple[tuple[int, int], ...]
    tables: Mapping[str, Mapping[str, Mapping[str, str]]]
    patience: Patience = field(default_factory=Patience)
    steps: frozenset[int] = frozenset()  # of `ready`, those that tell how far the training is


def build_plan(packs: Packs, cache: Path | None = None) -> Plan:
    """Compiled automata are kept in `cache`; patterns were checked when the packs were loaded."""
    patience = Patience()
    ready: list[Ready] = []
    patterns: list[str] = []
    owners: list[tuple[int, int]] = []
    for signal in packs.signals.values():
        if signal.kinds and signal.kinds <= {Kind.DERIVED, Kind.CORE}:
            continue
        patterns += signal.match
        owners += [(len(ready), place) for place in range(len(signal.match))]
        ready.append(Ready(signal, patience))
    steps = frozenset(index for index, one in enumerate(ready) if "progress" in one.signal.feeds)
    return Plan(build_scanner(patterns, cache), tuple(ready), tuple(owners), packs.tables, patience, steps)
