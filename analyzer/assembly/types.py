"""What the sources make together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.facts.nodes import Registry
from analyzer.facts.skew import Stated
from analyzer.facts.voices import Voice
from analyzer.feeds import Feeds
from analyzer.model import Node, Series, Source
from analyzer.timeline.order import Timeline


@dataclass(frozen=True, slots=True)
class Assembly:
    """The incident's raw material in one order."""

    timeline: Timeline
    registry: Registry
    feeds: Feeds
    voices: Sequence[Voice]
    nodes: Sequence[Node]
    sources: Sequence[Source]
    cores: Sequence[dict[str, object]]
    counts: Counter[tuple[str, str]]  # (signal, node) → exact number of lines
    context: Mapping[tuple[str, int], tuple[int, tuple[str, ...]]]
    notes: Sequence[str]
    series: Sequence[Series]
    shapes: Mapping[tuple[str, str, str], int]  # (file, stream, shape) → error lines that no signal names
    stated: Sequence[Stated]
    inets: Mapping[str, frozenset[str]]  # node → its own IP addresses
    vague: frozenset[str]  # files whose local times have no zone
