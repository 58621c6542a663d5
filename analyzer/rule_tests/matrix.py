"""Print the results of all tests of all rules as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from analyzer.rule_tests.check import TestOutcome
from analyzer.rule_tests.mutations import MUTATION_KINDS
from analyzer.rule_tests.robustness import Robustness
from analyzer.rules.linting.pattern_cost import PatternCost
from analyzer.rules.types import Rule

MAX_FAILURES_SHOWN = 3  # failed mutants that are listed for a rule


def print_matrix(
    outcomes: Iterable[TestOutcome], rules: Mapping[str, Rule], failed_only: bool = False
) -> Iterator[str]:
    """Yield one row for each rule, one column for each test (`.` passes, `F` fails, `-` no test); then each failure."""
    by_rule: dict[str, list[TestOutcome]] = {name: [] for name in rules}
    for outcome in outcomes:
        by_rule[outcome.rule].append(outcome)
    width = max(map(len, rules), default=0)
    for name, rule_outcomes in by_rule.items():
        marks = "".join("F" if outcome.failure else "." for outcome in rule_outcomes) or "-"
        if not failed_only or "." not in marks or "F" in marks:
            yield f"{name:<{width}}  {marks}"
    for name, rule_outcomes in by_rule.items():
        for outcome in rule_outcomes:
            where = f"{rules[name].file}:{rules[name].line}: {name} test {outcome.test_number}"
            for mismatch in outcome.mismatches:
                yield f"{'FAIL' if mismatch.is_error else 'note'} {where}: {mismatch.text}"


def print_robustness(results: Sequence[Robustness]) -> Iterator[str]:
    """Yield the least robust rules first: shares of mutants on which the answer stays the same, by kind of change."""
    width = max((len(robustness.rule) for robustness in results), default=4)
    yield f"{'rule':<{width}}  {'fires':>6} {'silent':>6}  " + " ".join(f"{kind:>11}" for kind in MUTATION_KINDS)
    for robustness in sorted(
        results,
        key=lambda robustness: (
            _sort_key(robustness.survival_rate("fires")),
            _sort_key(robustness.survival_rate("silent")),
            robustness.rule,
        ),
    ):
        cells = " ".join(f"{_survived_of_tried(robustness, kind):>11}" for kind in MUTATION_KINDS)
        fires, silent = (_percent(robustness.survival_rate(expectation)) for expectation in ("fires", "silent"))
        yield f"{robustness.rule:<{width}}  {fires:>6} {silent:>6}  {cells}"
        yield from (f"    failed on {failure}" for failure in robustness.failures[:MAX_FAILURES_SHOWN])
        if len(robustness.failures) > MAX_FAILURES_SHOWN:
            yield f"    and {len(robustness.failures) - MAX_FAILURES_SHOWN} more"
    for expectation in ("fires", "silent"):
        tried = sum(
            count for robustness in results for (kind, _), count in robustness.tried.items() if kind == expectation
        )
        survived = sum(
            count for robustness in results for (kind, _), count in robustness.survived.items() if kind == expectation
        )
        if tried:
            yield f"{expectation}: {survived} of {tried} mutants ({survived / tried:.1%}) leave the answer as it is"


def print_costs(costs: Sequence[PatternCost]) -> Iterator[str]:
    """Yield one row for each pattern, the most expensive first."""
    yield f"{'stops/1000':>10} {'clean us':>9} {'junk us':>9} {'scan':>6}  signal: pattern"
    for cost in costs:
        timeout_note = "  GIVEN UP" if cost.gave_up else ""
        times = f"{cost.clean_line_us:>9.1f} {cost.junk_line_us:>9.1f} {cost.scan_slowdown:>+6.0%}"
        yield f"{cost.stops_per_thousand_lines:>10.1f} {times}  {cost.signal}: {cost.pattern[:100]}{timeout_note}"


def _survived_of_tried(robustness: Robustness, kind: str) -> str:
    tried = sum(count for (_, other), count in robustness.tried.items() if other == kind)
    survived = sum(count for (_, other), count in robustness.survived.items() if other == kind)
    return f"{survived}/{tried}" if tried else "-"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _sort_key(share: float | None) -> float:
    return 2.0 if share is None else share
