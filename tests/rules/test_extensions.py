"""Packs that change rules of others: exceptions that are appended, former ids, and the status of a rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_packs import find, load_text, one_rule

from analyzer.rules.linting.linter import lint_packs

BASE = one_rule(
    "match: '(?P<who>\\w+) ended of hunger'\nby: [who]\nsilences: [broad]\ntests:\n"
    "  - fires: {a/worker.log: 'cat ended of hunger'}\n  - silent: {a/worker.log: 'cat ended'}"
)


def change(keys: str) -> str:
    lines = "".join(f"    {line}\n" for line in keys.splitlines())
    return f"pack: ours\nrules:\n  - id: r\n    extends: r\n    override: true\n{lines}"


@pytest.mark.parametrize(
    ("keys", "fires_on"),
    [
        ("append: {not_match: '^\\S+ \\S+ I \\S+ dog|dog ended'}", ["cat"]),
        ("append: {where: {who: '!= dog'}}", ["cat"]),
        ("append: {where: {who: {ne: [dog, cat]}}}", []),
        ("append: {match: '(?P<who>\\w+) fell asleep'}", ["cat", "dog", "owl"]),
    ],
)
def test_what_is_appended_holds_beside_what_the_rule_says(keys: str, fires_on: list[str], tmp_path: Path) -> None:
    packs = load_text(tmp_path, BASE, change(keys))
    assert not packs.problems
    findings = find(packs, "0 cat ended of hunger\n1 dog ended of hunger\n2 owl fell asleep")
    assert sorted(finding.captures["who"] for finding in findings) == fires_on


def test_exceptions_of_two_packs_add_up(tmp_path: Path) -> None:
    other = change("append: {where: {who: '!= cat'}}").replace("pack: ours", "pack: theirs")
    packs = load_text(tmp_path, BASE, change("append: {where: {who: '!= dog'}}"), other)
    assert not find(packs, "0 cat ended of hunger\n1 dog ended of hunger")


def test_a_condition_over_several_signals_gets_tests_on_its_anchor(tmp_path: Path) -> None:
    packs = load_text(
        tmp_path, one_rule("when: {sequence: [alpha, beta], within: 9s}"), change("append: {where: {pid: '!= 7'}}")
    )
    assert find(packs, "0 alpha pid=8\n1 beta") and not find(packs, "0 alpha pid=7\n1 beta")


def test_tests_and_edges_are_appended(tmp_path: Path) -> None:
    addition = "append:\n  silences: [narrow]\n  tests:\n    - silent: {a/worker.log: 'dog ended'}"
    packs = load_text(tmp_path, BASE, change(addition))
    assert packs.rules["r"].silences == ("broad", "narrow")
    assert [next(iter(test)) for test in packs.rules["r"].tests] == ["fires", "silent", "silent"]


@pytest.mark.parametrize(
    ("pack", "error"),
    [
        (change("append: {nott_match: x}"), "unknown key 'nott_match'"),
        (change("append: [x]"), "append is not a mapping"),
        (change("append: {where: {who: '=> 5'}}"), "does not begin with a known sign"),
        ("pack: ours\nrules:\n  - {id: s, match: some words, append: {silences: [r]}}\n", "the rule extends none"),
        (change("status: retired"), "status: 'retired' is not known"),
        ("pack: ours\nrules:\n  - {id: s, match: some words, aliases: [r]}\n", "the alias r is the name of the rule r"),
    ],
)
def test_a_mistake_in_an_extension_is_an_error(pack: str, error: str, tmp_path: Path) -> None:
    problems = [str(problem) for problem in load_text(tmp_path, BASE, pack).problems]
    assert [problem for problem in problems if error in problem], problems


def test_a_former_id_means_the_rule(tmp_path: Path) -> None:
    first = one_rule("match: alpha word\naliases: [old-name]\nstatus: deprecated")
    later = (
        "pack: ours\nrules:\n  - {id: s, match: beta word, silences: [old-name], explains: [old-name]}\n"
        "  - {id: t, extends: old-name}\n"
    )
    packs = load_text(tmp_path, first, later)
    assert not packs.problems
    assert packs.rules["s"].silences == packs.rules["s"].explains == ("r",)
    assert packs.find_rule("old-name") is packs.rules["r"]
    hints = " ".join(str(result) for result in lint_packs(packs) if result.hint)
    assert "extends old-name, which is now called r" in hints
    assert "extends r, which is deprecated" in hints


def test_a_rule_is_disabled_by_its_former_id(tmp_path: Path) -> None:
    first = one_rule("match: alpha word\naliases: [old-name]")
    packs = load_text(tmp_path, first, "pack: ours\ndisable: [old-*]\nrules: []\n")
    assert not packs.rules and not packs.problems
