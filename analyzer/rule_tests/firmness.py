"""How firm a rule is: on how many small changes of its own tests it says the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.reading import Plan
from analyzer.rule_tests.bundle import TestError, kind_of, read_bundle
from analyzer.rule_tests.judge import analyze_texts
from analyzer.rules.mutate import mutate
from analyzer.rules.types import Packs, Rule


@dataclass(slots=True)
class Firmness:
    """Mutants tried and survived; `lost` names those on which the rule changed its mind."""

    rule: str
    tried: Counter[tuple[str, str]] = field(default_factory=Counter)  # (fires | silent, kind of change)
    survived: Counter[tuple[str, str]] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)

    def share(self, expectation: str) -> float | None:
        """0..1; None where nothing could be changed."""
        tried = sum(count for (kind, _), count in self.tried.items() if kind == expectation)
        return (
            sum(count for (kind, _), count in self.survived.items() if kind == expectation) / tried if tried else None
        )


def measure_firmness(rules: Mapping[str, Rule], packs: Packs, plan: Plan) -> Iterator[Firmness]:
    """Tests that do not hold as they are say nothing of firmness and are left out."""
    for rule in rules.values():
        result = Firmness(rule.id)
        for number, test in enumerate(rule.tests, 1):
            _mutate_test(rule, number, test, packs, plan, result)
        yield result


def _mutate_test(
    rule: Rule, number: int, test: Mapping[str, object], packs: Packs, plan: Plan, result: Firmness
) -> None:
    try:
        expectation, bundle = kind_of(test), read_bundle(test, Path(rule.file))
    except TestError:
        return
    wanted = expectation == "fires"
    if expectation == "marked" or _fires(rule, bundle.texts, bundle.cores, packs, plan) != wanted:
        return
    for mutant in mutate(bundle.texts):
        result.tried[expectation, mutant.kind] += 1
        if _fires(rule, mutant.texts, bundle.cores, packs, plan) == wanted:
            result.survived[expectation, mutant.kind] += 1
        else:
            result.lost.append(f"test {number}: {mutant.kind} {mutant.what}")


def _fires(rule: Rule, texts: Mapping[str, str], cores: list[dict[str, object]], packs: Packs, plan: Plan) -> bool:
    return any(finding.rule == rule.id for finding in analyze_texts(texts, packs, plan, cores).findings)
