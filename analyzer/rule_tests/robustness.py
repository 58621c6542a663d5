"""Measure the robustness of rules: on how many small changes of its own tests a rule gives the same answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.core_dump import CoreDump
from analyzer.reading import ReadPlan
from analyzer.rule_tests.check import analyze_texts
from analyzer.rule_tests.mutations import mutate_bundle
from analyzer.rule_tests.test_bundle import RuleTestError, read_bundle, test_kind
from analyzer.rules.types import Packs, Rule


@dataclass(slots=True)
class Robustness:
    """Mutants that were tried and survived, for one rule; `failures` names those on which the answer changed."""

    rule: str
    tried: Counter[tuple[str, str]] = field(default_factory=Counter)  # (fires | silent, kind of change)
    survived: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def survival_rate(self, expectation: str) -> float | None:
        """Return the share of survived mutants, 0..1; None if nothing could be changed."""
        tried = sum(count for (kind, _), count in self.tried.items() if kind == expectation)
        return (
            sum(count for (kind, _), count in self.survived.items() if kind == expectation) / tried if tried else None
        )


def measure_robustness(rules: Mapping[str, Rule], packs: Packs, plan: ReadPlan) -> Iterator[Robustness]:
    """Yield the robustness of each rule. Tests that fail without a change are left out."""
    for rule in rules.values():
        result = Robustness(rule.id)
        for test_number, test in enumerate(rule.tests, 1):
            _test_mutants(rule, test_number, test, packs, plan, result)
        yield result


def _test_mutants(
    rule: Rule, test_number: int, test: Mapping[str, object], packs: Packs, plan: ReadPlan, result: Robustness
) -> None:
    try:
        expectation, bundle = test_kind(test), read_bundle(test, Path(rule.file))
    except RuleTestError:
        return
    should_fire = expectation == "fires"
    if expectation == "marked" or _fires(rule, bundle.texts, bundle.cores, packs, plan) != should_fire:
        return
    for mutant in mutate_bundle(bundle.texts):
        result.tried[expectation, mutant.kind] += 1
        if _fires(rule, mutant.texts, bundle.cores, packs, plan) == should_fire:
            result.survived[expectation, mutant.kind] += 1
        else:
            result.failures.append(f"test {test_number}: {mutant.kind} {mutant.description}")


def _fires(rule: Rule, texts: Mapping[str, str], cores: Sequence[CoreDump], packs: Packs, plan: ReadPlan) -> bool:
    return any(finding.rule == rule.id for finding in analyze_texts(texts, packs, plan, cores).findings)
