"""Explain a rule on material that was read: the trace of its condition, and the lines that nearly were its events."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analyzer.assembly.assemble import assemble
from analyzer.diagnosis.rule_trace import trace_rule
from analyzer.pipeline import IngestResult
from analyzer.reading import ReadPlan
from analyzer.reading.source_results import SourceResults
from analyzer.rule_tests.near_misses import find_near_misses
from analyzer.rules.types import Packs, Rule


def explain_rule(
    rule: Rule, ingested: IngestResult, packs: Packs, read: Callable[[ReadPlan], SourceResults]
) -> Iterator[str]:
    """Yield lines of prose. `read` reads the same material once more, with another plan."""
    yield from trace_rule(rule, assemble(ingested.results, ingested.cores, ingested.other_sources, packs), packs)
    yield from find_near_misses(rule, packs, read)
