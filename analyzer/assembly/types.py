"""The records that are assembled from all sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.core_dump import CoreDump
from analyzer.facts.odd_numbers import OddNumber
from analyzer.facts.odd_timings import OddTiming
from analyzer.facts.registry import Registry
from analyzer.facts.skew import StatedSetting
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Node, Series, Source
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.timeline import Timeline


@dataclass(frozen=True, slots=True)
class LineCounts:
    """The number of lines of each (signal, node). It is exact, except in `scanner_counted`, where it
    may be too high.
    """

    lines: Counter[tuple[str, str]]
    scanner_counted: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Assembly:
    """The raw material of an incident, in one order."""

    timeline: Timeline
    registry: Registry
    semantics: SignalSemantics
    identities: Sequence[StreamIdentity]
    nodes: Sequence[Node]
    sources: Sequence[Source]
    cores: Sequence[CoreDump]
    line_counts: LineCounts
    context: Mapping[tuple[str, int], tuple[int, tuple[str, ...]]]
    tails: Mapping[tuple[str, str], Sequence[tuple[int, str]]]  # (file, stream) → its last lines with their numbers
    notes: Sequence[str]
    series: Sequence[Series]
    error_shapes: Mapping[tuple[str, str, str], int]  # (file, stream, shape) → error lines that no signal names
    settings: Sequence[StatedSetting]
    odd_numbers: Sequence[OddNumber]  # numbers that differ on only one member
    odd_timings: Sequence[OddTiming]  # work that takes one member much longer than all others
    own_addresses: Mapping[str, frozenset[str]]  # node → its own IP addresses
    zoneless_files: frozenset[str]  # files whose local times have no zone
