"""The results of all tests of all rules as one table of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from analyzer.rule_tests.firmness import Firmness
from analyzer.rule_tests.judge import Outcome
from analyzer.rules.cost import Cost
from analyzer.rules.mutate import KINDS
from analyzer.rules.types import Rule

MOST_LOST = 3  # mutants of a rule that are named


def print_matrix(outcomes: Iterable[Outcome], rules: Mapping[str, Rule], failed_only: bool = False) -> Iterator[str]:
    """One row a rule, one column a test: `.` holds, `F` fails, `-` there is none; then each failure with its place."""
    by_rule: dict[str, list[Outcome]] = {name: [] for name in rules}
    for outcome in outcomes:
        by_rule[outcome.rule].append(outcome)
    width = max(map(len, rules), default=0)
    for name, some in by_rule.items():
        marks = "".join("F" if outcome.wrong else "." for outcome in some) or "-"
        if not failed_only or "." not in marks or "F" in marks:
            yield f"{name:<{width}}  {marks}"
    for name, some in by_rule.items():
        for outcome in some:
            where = f"{rules[name].file}:{rules[name].line}: {name} test {outcome.number}"
            for one in outcome.mismatches:
                yield f"{'FAIL' if one.error else 'note'} {where}: {one.text}"


def print_firmness(results: Sequence[Firmness]) -> Iterator[str]:
    """The least firm first: shares of mutants on which the rule says the same, by kind of change."""
    width = max((len(one.rule) for one in results), default=4)
    yield f"{'rule':<{width}}  {'fires':>6} {'silent':>6}  " + " ".join(f"{kind:>11}" for kind in KINDS)
    for one in sorted(results, key=lambda one: (_order(one.share("fires")), _order(one.share("silent")), one.rule)):
        cells = " ".join(f"{_share_of(one, kind):>11}" for kind in KINDS)
        yield f"{one.rule:<{width}}  {_percent(one.share('fires')):>6} {_percent(one.share('silent')):>6}  {cells}"
        yield from (f"    lost on {what}" for what in one.lost[:MOST_LOST])
        if len(one.lost) > MOST_LOST:
            yield f"    and {len(one.lost) - MOST_LOST} more"
    for expectation in ("fires", "silent"):
        tried = sum(count for one in results for (kind, _), count in one.tried.items() if kind == expectation)
        survived = sum(count for one in results for (kind, _), count in one.survived.items() if kind == expectation)
        if tried:
            yield f"{expectation}: {survived} of {tried} mutants ({survived / tried:.1%}) leave the answer as it is"


def print_costs(costs: Sequence[Cost]) -> Iterator[str]:
    """The dearest as they come: places at which the scanner stops, microseconds to confirm a line, slower scans."""
    yield f"{'stops/1000':>10} {'clean us':>9} {'junk us':>9} {'scan':>6}  signal: pattern"
    for cost in costs:
        late = "  GIVEN UP" if cost.gave_up else ""
        times = f"{cost.clean:>9.1f} {cost.junk:>9.1f} {cost.scan:>+6.0%}"
        yield f"{cost.stops:>10.1f} {times}  {cost.signal}: {cost.pattern[:100]}{late}"


def _share_of(one: Firmness, kind: str) -> str:
    tried = sum(count for (_, other), count in one.tried.items() if other == kind)
    survived = sum(count for (_, other), count in one.survived.items() if other == kind)
    return f"{survived}/{tried}" if tried else "-"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _order(share: float | None) -> float:
    return 2.0 if share is None else share
