"""That rules prove themselves, and that their tests say something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.rules.fields import nearest
from analyzer.rules.lint_types import Fault, Files, in_rule, is_asked
from analyzer.rules.types import Packs, Rule

KEYS = frozenset(
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


FIRES = 'write fires: {node-1/worker.log: "the line"}; `rules new --from-line` makes one of a log'
MISS = "write silent: {...} with the nearest line that means something else"


def check_tests(packs: Packs, files: Files = None) -> Iterator[Fault]:
    for rule in packs.rules.values():
        if not is_asked(rule.file, files):
            continue
        yield from _check_presence(rule)
        for number, test in enumerate(rule.tests):
            yield from _check_test(rule, number, test)


def _check_presence(rule: Rule) -> Iterator[Fault]:
    if _is_tested_elsewhere(rule):
        return
    marked = any("marked" in test for test in rule.tests)
    if not marked and not any("fires" in test for test in rule.tests):
        yield Fault(in_rule(rule, "tests"), f"rule {rule.id}: no test that fires", FIRES)
    if not marked and not any("silent" in test for test in rule.tests):
        yield Fault(in_rule(rule, "tests"), f"rule {rule.id}: no near miss that stays silent", MISS)


def _is_tested_elsewhere(rule: Rule) -> bool:
    """It fires when the rule does that it extends: only what is said of it differs."""
    inherited = rule.spots.get("extends")
    looks = (rule.spots[key] for key in ("match", "contains", "not_match", "when") if key in rule.spots)
    return rule.extends is not None and all(at == inherited for at in looks)


def _check_test(rule: Rule, number: int, test: Mapping[str, object]) -> Iterator[Fault]:
    for key in test:
        if key not in KEYS:
            text = f"rule {rule.id}: test {number + 1}: unknown key {key!r}"
            yield Fault(in_rule(rule, "tests", str(number), str(key)), text, nearest(str(key), KEYS))
    if len({"fires", "silent", "marked"} & set(test)) != 1:
        text = f"rule {rule.id}: test {number + 1} says {_said(test)}"
        yield Fault(in_rule(rule, "tests", str(number)), text, "it has exactly one of fires, silent and marked")
    if "silent" in test:
        for key in ("captures", "node", "lines", "severity", "cause", "expect_root"):
            if key in test:
                text = f"rule {rule.id}: test {number + 1}: {key} of a rule that stays silent is never looked at"
                advice = "take it out; `not` and `root` look at what else is found"
                yield Fault(in_rule(rule, "tests", str(number), key), text, advice)


def _said(test: Mapping[str, object]) -> str:
    return " and ".join(key for key in ("fires", "silent", "marked") if key in test) or "none of what it is for"
