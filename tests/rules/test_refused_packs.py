"""What is refused in a pack besides its conditions, with the advice that helps; and all errors of a rule at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_packs import analyze, load_text, one_rule

from analyzer.rules.linting.linter import lint_packs, load_problems
from analyzer.rules.parsing.requirements import unmet_requirement


def lint(folder: Path, *texts: str) -> list[str]:
    packs = load_text(folder, *texts)
    return [str(result) for result in (*load_problems(packs), *lint_packs(packs)) if not result.hint]


REFUSED: dict[str, str] = {
    "match: alpha word\nwhen: beta": "match has no effect, because `when` does not name r",
    "when: beta\nsource: kernel": "source has no effect, because the rule has no match of its own",
    "match: 'bad (?<name>x+) thing'": "write named groups as (?P<name>...)",
    "match: alpha word\nseverity: critical": "did you mean 'fatal'?",
    "match: alpha word\ntitle: 'lost {lease'": "nothing fills {lease",
    "match: alpha word\ntitle: 'lost lease}'": "nothing fills lease}",
    "match: alpha word\nby: [no]": "others for a text; write false, or quote it: 'no'",
    "match: alpha word\nreferences: [docs.example.org/a]": "write https://docs.example.org/a",
    "match: alpha word\ncause: network.timout": "unknown cause network.timout",
    "match: alpha word\nsilences: [network.unreachable-peer]": "is a cause; a rule silences rules",
    "when: alpha\noverride: true": "overrides no earlier rule; remove `override: true`",
}


@pytest.mark.parametrize("rule", REFUSED)
def test_a_mistake_is_reported_with_the_right_advice(rule: str, tmp_path: Path) -> None:
    assert [error for error in lint(tmp_path, one_rule(rule), "pack: network\n") if REFUSED[rule] in error]


def test_all_errors_of_a_rule_are_reported_at_once_and_none_follows_from_another(tmp_path: Path) -> None:
    rule = "role: culprit\ncause: small.it\nconfidence: 7\nwhen: {sequence: [alpha]}\nreferences: [a.org/x]"
    wanted = ("role: 'culprit'", "confidence 7", "of one step", "no scheme", "no test that fires", "no near miss")
    errors = lint(tmp_path, one_rule(rule))
    assert [text for text in wanted if any(text in error for error in errors)] == list(wanted)


def test_a_broken_signal_is_not_reported_as_unknown_too(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("when: {all: [alpha, broken]}", "  broken: {match: 'a ('}\n"))
    assert [str(problem).count("not valid") for problem in packs.problems] == [1]


def test_a_short_text_is_a_hint(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("contains: FP1"))
    (result,) = (result for result in lint_packs(packs) if "no literal of 4 bytes" in str(result))
    assert result.hint


@pytest.mark.parametrize(
    ("requires", "version", "suits"),
    [
        (None, "0.1.0", True),
        (">=0.1", "0.1.0", True),
        (">=0.1, <1", "0.9.4", True),
        (">=0.1, <1", "1.0", False),
        (">=99", "0.1.0", False),
        ("==1.0.0", "1", True),
        (">=0.10", "0.9", False),
        ("99", "0.1.0", False),
    ],
)
def test_requires_is_compared_with_the_version(requires: str | None, version: str, suits: bool) -> None:
    assert (unmet_requirement(requires, version) is None) is suits


def test_a_pack_for_another_version_is_not_loaded(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("when: alpha").replace("version:", "requires: '>=99'\nversion:"))
    assert not packs.rules
    (problem,) = packs.problems
    assert "requires tf-postmortem >=99; this is " in str(problem)


RULES = "  - {{id: one, match: 'word', confidence: 0.{first}, silences: [{target}]}}\n  - {{id: two, match: 'word', silences: ['on*']}}\n"  # noqa: E501


@pytest.mark.parametrize(("first", "stays"), [(9, "one"), (5, "two")])
def test_of_rules_that_silence_each_other_the_more_confident_stays(first: int, stays: str, tmp_path: Path) -> None:
    packs = load_text(tmp_path, "pack: small\nrules:\n" + RULES.format(first=first, target="two"))
    assert "silence each other in a cycle" in str(packs.problems[0])
    incident = analyze(packs, "0 word")
    assert [finding.rule for finding in incident.findings] == [stays]
    assert any("silence each other" in note for note in incident.notes)


def test_a_rule_that_is_silenced_by_one_that_stays_is_dropped(tmp_path: Path) -> None:
    packs = load_text(tmp_path, "pack: small\nrules:\n" + RULES.format(first=9, target="three"))
    assert not packs.problems
    assert [finding.rule for finding in analyze(packs, "0 word").findings] == ["two"]
