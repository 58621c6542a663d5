"""Rules that could not be judged, and what would have to be there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyzer.incident import EvaluationGap
from analyzer.model import Kind, Role
from analyzer.rules.conditions import signals_of
from analyzer.rules.evaluation.findings import UnevaluatedRule
from analyzer.rules.types import Packs
from analyzer.timeline.timeline import Timeline


def find_unevaluated_rules(
    missing: Iterable[UnevaluatedRule], packs: Packs, timeline: Timeline
) -> Iterator[EvaluationGap]:
    """Rules that lacked a source where it would have decided, and those that lack one everywhere."""
    for missing_signal in (missing_signal for missing_signal in missing if not missing_signal.slow_pattern):
        kinds = (
            packs.signals[missing_signal.signal].kinds if missing_signal.signal in packs.signals else frozenset[Kind]()
        )
        yield {
            "rule": missing_signal.rule,
            "lacks": sorted(kind.value for kind in kinds) or ["any log"],
            "nodes": sorted(missing_signal.nodes),
        }
    yield from _rules_without_source(packs, timeline)


def describe_slow_rules(missing: Iterable[UnevaluatedRule]) -> Iterator[str]:
    for missing_signal in missing:
        if missing_signal.slow_pattern:
            yield f"rule {missing_signal.rule} was not judged: its test {missing_signal.slow_pattern!r} takes too long on what a line says"


def _rules_without_source(packs: Packs, timeline: Timeline) -> Iterator[EvaluationGap]:
    """Cause rules that rest on a kind of source of which the bundle holds nothing."""
    present_kinds = {kind for kinds in timeline.kinds.values() for kind in kinds}
    for rule in packs.rules.values():
        wanted_kinds = [packs.signals[name].kinds for name in signals_of(rule.when) if name in packs.signals]
        if (
            rule.role is Role.CAUSE
            and wanted_kinds
            and all(kinds and not kinds & present_kinds for kinds in wanted_kinds)
        ):
            yield {
                "rule": rule.id,
                "lacks": sorted({kind.value for kinds in wanted_kinds for kind in kinds}),
                "nodes": [],
            }
