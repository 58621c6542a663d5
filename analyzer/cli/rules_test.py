"""`tf-postmortem rules test`: run the tests that rules carry, and measure rules with them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli.rules import PackPaths, ResultFormat, check_format, group, load_packs_for, pack_files
from analyzer.errors import RuleError, UsageError
from analyzer.report.formatting import plural

if TYPE_CHECKING:
    from analyzer.reading import ReadPlan
    from analyzer.rule_tests import TestOutcome
    from analyzer.rules.types import Packs, Rule

MAX_EXPLAINED_FAILURES = 5  # tests whose rule did not fire that are explained part by part


def add_to(_: typer.Typer) -> None:
    group.command()(test)


def test(
    paths: PackPaths = None,
    only: Annotated[str, typer.Option(help="Only rules whose id contains this text.")] = "",
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Print only rules with a failing test or without tests.")
    ] = False,
    bless: Annotated[
        bool, typer.Option("--bless", help="Rewrite expectations and marks to match the current result.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --bless: do not ask before writing.")] = False,
    mutate: Annotated[
        bool, typer.Option("--mutate", help="Mutate the lines of tests and show how often the answer stays the same.")
    ] = False,
    cost: Annotated[
        bool, typer.Option("--cost", help="Measure the time of each pattern on ordinary and on junk text.")
    ] = False,
    form: ResultFormat = "text",
) -> None:
    """Run every test of every rule and print one matrix; exit with status 4 if a test fails."""
    from analyzer.paths import cache_dir
    from analyzer.reading import build_plan
    from analyzer.rule_tests import run_tests
    from analyzer.rule_tests.ci_formats import FORMATS, lint_rows, test_rows
    from analyzer.rule_tests.matrix import print_matrix
    from analyzer.rules.linting.linter import load_problems
    from analyzer.scan.pattern_memo import answers_kept_in

    check_format(form)
    if form != "text" and (bless or mutate or cost):
        raise UsageError(f"--format {form} shows the results of tests only", "leave out --bless, --mutate and --cost")
    with answers_kept_in(cache_dir()):
        packs, files = load_packs_for(paths), pack_files(paths)
        plan = build_plan(packs, cache_dir(), for_small_texts=bool(paths) and not mutate)
    chosen = {
        name: rule for name, rule in packs.rules.items() if only in name and (files is None or rule.file in files)
    }
    if not chosen and only:
        raise UsageError(f"--only {only}: no rule has this text in its id", "`tf-postmortem rules list` shows all ids")
    if cost:
        _print_costs(packs, chosen)
        return
    if mutate:
        _print_firmness(packs, chosen, plan)
        return
    problems = list(load_problems(packs, files))
    if form != "text":
        rows = [
            *lint_rows(problems, (), strict=True),
            *test_rows(outcomes := list(run_tests(chosen, packs, plan)), chosen),
        ]
        sys.stdout.write(FORMATS[form](rows, "rules test"))
        _exit_on_failure(bool(problems) or any(outcome.failure for outcome in outcomes))
        return
    sys.stdout.writelines(f"PROBLEM {problem}\n" for problem in problems)
    outcomes = list(run_tests(chosen, packs, plan))
    sys.stdout.writelines(f"{line}\n" for line in print_matrix(outcomes, chosen, failed_only=quiet))
    failed = [outcome for outcome in outcomes if outcome.failure]
    sys.stdout.writelines(f"{line}\n" for line in explain_failures(failed, chosen, packs, plan))
    untested = sum(not rule.tests for rule in chosen.values())
    sys.stdout.write(
        f"{plural(len(chosen), 'rule')}, {count_outcomes(outcomes)}; {plural(untested, 'rule')} without a test\n"
    )
    if bless:
        _bless(outcomes, packs, plan, yes)
    else:
        _exit_on_failure(bool(failed or problems))


def count_outcomes(outcomes: Sequence[TestOutcome]) -> str:
    """Return how many tests passed and failed."""
    failed = sum(outcome.failure is not None for outcome in outcomes)
    return f"{plural(len(outcomes), 'test')}: {len(outcomes) - failed:,} passed, {failed:,} failed"


def _exit_on_failure(has_failed: bool) -> None:
    if has_failed:
        raise typer.Exit(RuleError.exit_code)


def explain_failures(
    failed: Sequence[TestOutcome], chosen: Mapping[str, Rule], packs: Packs, plan: ReadPlan
) -> Iterator[str]:
    """Yield how each rule that should have fired judges its test, for the first failures."""
    from analyzer.rule_tests.check import explain_test

    silent = [outcome for outcome in failed if outcome.did_not_fire]
    for outcome in silent[:MAX_EXPLAINED_FAILURES]:
        rule = chosen[outcome.rule]
        yield f"\ntest {outcome.test_number} of {outcome.rule}:"
        yield from explain_test(rule, rule.tests[outcome.test_number - 1], packs, plan)
    if silent:
        yield ""


def _bless(outcomes: Sequence[TestOutcome], packs: Packs, plan: ReadPlan, yes: bool) -> None:
    from analyzer.rule_tests.bless import propose_rewrites, write_rewrite

    changes = list(propose_rewrites(outcomes, packs, plan))
    for change in changes:
        sys.stdout.write(change.diff())
    not_blessable = sum(
        not mismatch.expectation_keys for outcome in outcomes for mismatch in outcome.mismatches if mismatch.is_error
    )
    if not_blessable:
        failures = plural(not_blessable, "failure")
        sys.stdout.write(f"{failures} cannot be blessed: a rule does not fire, or fires on a near miss\n")
    if not changes:
        sys.stdout.write("nothing to bless\n")
        return
    if not yes and not sys.stdin.isatty():
        raise UsageError(f"{plural(len(changes), 'file')} would change", "run the command in a terminal, or with --yes")
    if yes or typer.confirm(f"Write {plural(len(changes), 'file')}?"):
        for change in changes:
            write_rewrite(change)
        sys.stdout.write(f"{plural(len(changes), 'file')} written; run the tests again\n")


def _print_firmness(packs: Packs, chosen: Mapping[str, Rule], plan: ReadPlan) -> None:
    from analyzer.rule_tests.matrix import print_robustness
    from analyzer.rule_tests.robustness import measure_robustness

    sys.stdout.writelines(f"{line}\n" for line in print_robustness(list(measure_robustness(chosen, packs, plan))))


def _print_costs(packs: Packs, chosen: Mapping[str, Rule]) -> None:
    from analyzer.rule_tests.matrix import print_costs
    from analyzer.rules.conditions import signals_of
    from analyzer.rules.linting.pattern_cost import measure_costs, most_expensive

    names = {name for rule in chosen.values() for name in signals_of(rule.when)}
    costs = list(measure_costs(packs, names))
    sys.stdout.writelines(f"{line}\n" for line in print_costs(most_expensive(costs)))
    total = sum(cost.stops_per_thousand_lines for cost in costs)
    patterns = plural(len(costs), "pattern")
    sys.stdout.write(f"{patterns}; on clean text the scanner stops {total:.0f} times per 1,000 lines\n")
