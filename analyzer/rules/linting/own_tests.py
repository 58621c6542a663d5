"""Check that rules have tests, and that the tests can fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.rules.linting.faults import LintedFiles, LintFault, is_linted, locate_in_rule
from analyzer.rules.parsing.fields import suggest_name
from analyzer.rules.parsing.keys import PATTERN_KEYS
from analyzer.rules.types import Packs, Rule

TEST_KEYS = frozenset(
    {
        "fires",
        "silent",
        "marked",
        "clock_offset",
        "captures",
        "node",
        "cause",
        "severity",
        "lines",
        "root",
        "not",
        "findings",
        "expect_root",
        "name",
        "why",
        "description",
    }
)


FIRING_TEST_ADVICE = (
    'write fires: {node-1/worker.log: "the line"}; `rules new --from-line` makes a rule with tests from a log line'
)
NEAR_MISS_ADVICE = "write silent: {...} with the most similar line that means something else"


def check_tests(packs: Packs, files: LintedFiles = None) -> Iterator[LintFault]:
    for rule in (*packs.rules.values(), *packs.broken_rules):
        if not is_linted(rule.file, files):
            continue
        yield from _check_presence(rule)
        for index, test in enumerate(rule.tests):
            yield from _check_test(rule, index, test)


def _check_presence(rule: Rule) -> Iterator[LintFault]:
    if _is_tested_elsewhere(rule):
        return
    marked = any("marked" in test for test in rule.tests)
    if not marked and not any("fires" in test for test in rule.tests):
        yield LintFault(
            locate_in_rule(rule, "tests"), f"rule {rule.id}: there is no test that fires", FIRING_TEST_ADVICE
        )
    if not marked and not any("silent" in test for test in rule.tests):
        yield LintFault(
            locate_in_rule(rule, "tests"), f"rule {rule.id}: there is no near miss that stays silent", NEAR_MISS_ADVICE
        )


def _is_tested_elsewhere(rule: Rule) -> bool:
    """Return whether the rule searches for the same lines as the rule that it extends: then the tests of that rule
    apply.
    """
    base_position = rule.positions.get("extends")
    condition_positions = (rule.positions[key] for key in (*PATTERN_KEYS, "not_match", "when") if key in rule.positions)
    return rule.extends is not None and all(position == base_position for position in condition_positions)


def _check_test(rule: Rule, index: int, test: Mapping[str, object]) -> Iterator[LintFault]:
    for key in test:
        if key not in TEST_KEYS:
            text = f"rule {rule.id}: test {index + 1}: unknown key {key!r}"
            yield LintFault(
                locate_in_rule(rule, "tests", str(index), str(key)), text, suggest_name(str(key), TEST_KEYS)
            )
    if len({"fires", "silent", "marked"} & set(test)) != 1:
        text = f"rule {rule.id}: test {index + 1} has {_describe_kind(test)}"
        yield LintFault(
            locate_in_rule(rule, "tests", str(index)), text, "a test has exactly one of fires, silent and marked"
        )
    if "silent" in test:
        for key in ("captures", "node", "lines", "severity", "cause", "expect_root"):
            if key in test:
                text = f"rule {rule.id}: test {index + 1}: {key} is never checked, because the rule stays silent"
                advice = "remove it; `not` and `root` check what else is found"
                yield LintFault(locate_in_rule(rule, "tests", str(index), key), text, advice)


def _describe_kind(test: Mapping[str, object]) -> str:
    return (
        " and ".join(key for key in ("fires", "silent", "marked") if key in test) or "none of fires, silent and marked"
    )
