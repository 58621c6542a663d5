"""docs/rules.md: its tutorial works when it is followed, and its reference leaves no word of the language out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_packs import load_text

from analyzer.reading import build_plan
from analyzer.rule_tests import run_tests
from analyzer.rules.builtin_signals import BUILTIN_CAPTURES
from analyzer.rules.linting.linter import lint_packs
from analyzer.rules.load import load_packs
from analyzer.rules.parsing.keys import CONDITIONS, PACK, RANGE, RULE, SCOPES, STEP

MANUAL = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
STEPS = re.findall(r"```yaml\n(.*?)```", MANUAL[: MANUAL.index("# Reference")], re.DOTALL)


WORDS = {"as", "derived", "peak", "and", "what", "the", "line", "names"}


def follow(steps: int) -> str:
    rule, tests, signals, confidence = STEPS
    if steps > 3:
        rule = rule.replace("version: 1.0.0\n", f"version: 1.0.0\n{signals}").replace(
            "    confidence: proof\n", confidence
        )
    return str(rule + tests)


@pytest.mark.parametrize("steps", [3, 4])
def test_the_tutorial_ends_with_a_tested_pack(steps: int, tmp_path: Path) -> None:
    packs = load_text(tmp_path, follow(steps))
    assert not packs.problems
    outcomes = list(run_tests(packs.rules, packs, build_plan(packs)))
    assert len(outcomes) == 2
    assert not [outcome.failure for outcome in outcomes if outcome.failure]
    assert ("acme_retry" in packs.signals) == (steps > 3)
    assert bool(packs.rules["acme-shard-short"].confidence_shifts) == (steps > 3)


SIGNALS = {
    "retry": "shard (?P<shard>\\d+) again",
    "lost": "lost (?P<host>\\S+)",
    "oom": "killed (?P<comm>\\w+) of (?P<total>\\S+)",
    "finished": "is done",
}
EXAMPLES = [
    example
    for block in re.findall(r"```yaml\n(when.*?)```", MANUAL, re.DOTALL)
    for example in block.strip().split("\n---\n")
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_a_condition_is_one(example: str, tmp_path: Path) -> None:
    signals = "".join(f"  {name}: {{match: '{pattern}', feeds: accuses}}\n" for name, pattern in SIGNALS.items())
    packs = load_text(tmp_path, f"pack: p\nsignals:\n{signals}rules:\n  - id: r\n    {example}\n")
    assert not packs.problems
    assert not [fault for fault in lint_packs(packs) if "when" in fault.problem.text or "where" in fault.problem.text]


def test_every_operator_has_an_example() -> None:
    words = {key.name for keys in (*CONDITIONS.values(), STEP, RANGE) for key in keys}
    assert {word for word in words if not re.search(rf"[{{ ]{word}:", " ".join(EXAMPLES))} == set()
    assert {scope for scope in SCOPES if scope not in MANUAL} == set()


def test_given_signals_capture_what_the_manual_says() -> None:
    for name, captures in BUILTIN_CAPTURES.items():
        row = re.search(rf"^\| `{re.escape(name)}` \| ([^|]*) \|", MANUAL, re.M)
        assert row, name
        stated = {word for word in re.findall(r"\w+", row[1]) if word not in WORDS}
        assert stated, name
        assert stated <= captures, name


def test_every_word_of_the_language_is_in_the_manual() -> None:
    words = {key.name for keys in (PACK, RULE, *CONDITIONS.values(), STEP, RANGE) for key in keys}
    reference = MANUAL[MANUAL.index("# Reference") :]
    assert {word for word in words if not re.search(rf"[`{{ ,]{word}[`:]", reference)} == set()
    assert {name for name in BUILTIN_CAPTURES if f"`{name}`" not in reference} == set()


def test_the_pack_that_changes_others_is_clean(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(pack: our-changes\n.*?)```", MANUAL, re.DOTALL)
    file = tmp_path / "ours.yaml"
    file.write_text(example)
    packs = load_packs([file])
    assert not packs.problems
    assert packs.rules["host-oom-kill"].remediation == ("Ask #ml-infra to raise the limit of the cgroup.",)
