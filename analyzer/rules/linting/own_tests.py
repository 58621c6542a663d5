"""That rules prove themselves, and that their tests say something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.rules.linting.faults import LintedFiles, LintFault, is_linted, locate_in_rule
from analyzer.rules.parsing.fields import suggest_name
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


FIRING_TEST_ADVICE = 'write fires: {node-1/worker.log: "the line"}; `rules new --from-line` makes one of a log'
NEAR_MISS_ADVICE = "write silent: {...} with the nearest line that means something else"


def check_tests(packs: Packs, files: LintedFiles = None) -> Iterator[LintFault]:
    for rule in packs.rules.values():
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
        yield LintFault(locate_in_rule(rule, "tests"), f"rule {rule.id}: no test that fires", FIRING_TEST_ADVICE)
    if not marked and not any("silent" in test for test in rule.tests):
        yield LintFault(
            locate_in_rule(rule, "tests"), f"rule {rule.id}: no near miss that stays silent", NEAR_MISS_ADVICE
        )


def _is_tested_elsewhere(rule: Rule) -> bool:
    """It fires when the rule does that it extends: only what is said of it differs."""
    base_position = rule.positions.get("extends")
    condition_positions = (
        rule.positions[key] for key in ("match", "contains", "not_match", "when") if key in rule.positions
    )
    return rule.extends is not None and all(position == base_position for position in condition_positions)


def _check_test(rule: Rule, index: int, test: Mapping[str, object]) -> Iterator[LintFault]:
    for key in test:
        if key not in TEST_KEYS:
            text = f"rule {rule.id}: test {index + 1}: unknown key {key!r}"
            yield LintFault(
                locate_in_rule(rule, "tests", str(index), str(key)), text, suggest_name(str(key), TEST_KEYS)
            )
    if len({"fires", "silent", "marked"} & set(test)) != 1:
        text = f"rule {rule.id}: test {index + 1} says {_describe_kind(test)}"
        yield LintFault(
            locate_in_rule(rule, "tests", str(index)), text, "it has exactly one of fires, silent and marked"
        )
    if "silent" in test:
        for key in ("captures", "node", "lines", "severity", "cause", "expect_root"):
            if key in test:
                text = f"rule {rule.id}: test {index + 1}: {key} of a rule that stays silent is never looked at"
                advice = "take it out; `not` and `root` look at what else is found"
                yield LintFault(locate_in_rule(rule, "tests", str(index), key), text, advice)


def _describe_kind(test: Mapping[str, object]) -> str:
    return " and ".join(key for key in ("fires", "silent", "marked") if key in test) or "none of what it is for"
