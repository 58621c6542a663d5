"""Signals: which lines become typed events, and what an event of the signal captures.

The rule loader (`analyzer/rules/`) builds them from YAML; the reader (`analyzer/reading/`) searches for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from analyzer.model import Kind, Severity

# Each pair is a capture and the alternatives of one test on it. All pairs must pass; a range is two pairs of one name.
CaptureTests = tuple[tuple[str, tuple[str, ...]], ...]
Tables = Mapping[str, Mapping[str, Mapping[str, str]]]  # table → key → column → value
# What healthy programs state again and again: the first and the last statements of a stream tell all of it.
SERIES_FEEDS = frozenset({"progress", "sync", "identity", "started", "loads", "connected", "version"})


LEVEL_FIELD = "level"
PREFIX_FIELDS = frozenset({LEVEL_FIELD, "logger", "host", "pid", "tid"})  # fields that a line's prefix may state


def capture_of_field(name: str) -> str:
    """Return the name of the capture that a field of a record becomes: templates allow letters, digits and `_`."""
    return "".join(char if char.isalnum() else "_" for char in name)


class SourcePosition(NamedTuple):
    """A position in a pack's file: line and column, both 1-based."""

    line: int = 1
    column: int = 1


SourcePositions = Mapping[str, SourcePosition]  # key → position of its value; "" → position of the whole mapping


@dataclass(frozen=True, slots=True)
class ContinuationBlock:
    """The continuation lines of a hit: at most `lines`; the block ends after a line that matches `until`."""

    lines: int
    until: str | None = None
    prefixed: bool = False  # True: lines with a prefix of their own belong to the block too (kernel reports)


@dataclass(frozen=True, slots=True)
class TableLookup:
    """Adds the columns of one row of `table` as captures: the row whose key is the value of the capture `key`."""

    table: str
    key: str


@dataclass(frozen=True, slots=True)
class BitRange:
    """Bits `high` to `low` of the hexadecimal capture `capture`; bit 0 is the lowest."""

    capture: str
    high: int
    low: int

    def extract(self, word: str) -> str | None:
        """Return the bits of the hexadecimal number `word` as a decimal number; None if `word` is no such number."""
        try:
            return str(int(word, 16) >> self.low & (1 << self.high - self.low + 1) - 1)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Signal:
    """Lines that become events of one kind; docs/rules.md describes each key of a pack's `signals`.

    A line becomes an event if one pattern of `match` is found in it, all texts of `contains` occur in it or in its
    block, no pattern of `not_match` is found there, and the fields of the record pass the tests of `fields`.
    """

    name: str
    match: tuple[str, ...]
    kinds: frozenset[Kind] = frozenset()  # kinds of source that are searched; empty: all
    not_match: tuple[str, ...] = ()
    severity: Severity | None = None
    block: ContinuationBlock | None = None
    also: tuple[str, ...] = ()  # patterns that are searched in the line and its block for more captures
    set: Mapping[str, str] = field(default_factory=dict)
    bits: Mapping[str, BitRange] = field(default_factory=dict)
    lookup: tuple[TableLookup, ...] = ()
    feeds: frozenset[str] = frozenset()  # what the analyzer may learn from the event
    noise: bool = False  # True: the line is known to be harmless
    contains: tuple[str, ...] = ()
    fields: CaptureTests = ()  # by the fields' names; each field becomes a capture
    override: bool = False  # True: replaces an earlier signal of this name
    positions: SourcePositions = field(default_factory=dict)

    @property
    def is_series(self) -> bool:
        """Whether only the first and last hits of a stream are read; between them the scanner's sightings are counted.

        Every line of an ordinary log may be such a hit. A hit of another signal is confirmed in any case.
        """
        is_ordinary = self.noise or bool(self.feeds) or self.severity is Severity.INFO
        return is_ordinary and self.feeds <= SERIES_FEEDS and self.block is None and not self.contains


class SignalSet(Protocol):
    """What the reader needs of the loaded packs: the signals to search for, and the tables for their lookups.

    `counted_signals` are the names of signals whose number decides whether a rule holds.
    """

    @property
    def signals(self) -> Mapping[str, Signal]: ...

    @property
    def tables(self) -> Tables: ...

    @property
    def counted_signals(self) -> frozenset[str]: ...
