"""`rules explain` on a bundle: each part of the condition with a mark, its lines, and by how much it misses."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_packs import load_text, one_rule, stamp_lines

from analyzer.pipeline import IngestResult, read_small_text
from analyzer.reading import ReadPlan, build_plan
from analyzer.reading.source_results import SourceResults
from analyzer.rule_tests.explain_rule import explain_rule


def explain(folder: Path, rule: str, text: str, signals: str = "", file: str = "node-1/worker.log") -> str:
    packs = load_text(folder, one_rule(rule, signals))
    assert not packs.problems

    def read(plan: ReadPlan) -> IngestResult:
        ingested = IngestResult()
        read_small_text(file, stamp_lines(text).encode(), plan, ingested)
        return ingested

    def read_again(plan: ReadPlan) -> SourceResults:
        return read(plan).results

    return "\n".join(explain_rule(packs.rules["r"], read(build_plan(packs)), packs, read_again))


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("when: alpha", "0 alpha", ["it fired, with 1 finding", "✓ alpha", "node-1/worker.log:1"]),
        ("when: alpha", "0 beta", ["it did not fire", "there is no event of alpha"]),
        ("when: {all: [alpha, beta]}", "0 alpha", ["✓ alpha", "✗ beta: no line"]),
        ("when: {all: [alpha, beta], within: 60s}", "0 alpha\n75 beta", ["needs a window of 75 s; the rule has 60 s"]),
        ("when: {sequence: [alpha, beta], within: 60s}", "0 alpha\n90 beta", ["window of 90 s; the rule has 60 s"]),
        ("when: {sequence: [alpha, beta]}", "0 beta\n9 alpha", ["the steps do not come in this order"]),
        (
            "when: {sequence: [alpha, beta], within: {ge: 5s, le: 60s}}",
            "0 alpha\n2 beta",
            ["comes less than 5 s after"],
        ),
        (
            "when: {sequence: [alpha, beta], unless: {between: gamma}}",
            "0 alpha\n1 gamma\n2 beta",
            ["gamma comes between the steps"],
        ),
        ("when: {count: alpha, at_least: 3}", "0 alpha\n1 alpha", ["✗ at least 3 of this: there are 2"]),
        (
            "when: {distinct: id, of: alpha, at_least: 3}",
            "0 alpha id=1\n1 alpha id=2",
            ["there are 2 different values"],
        ),
        ("when: {odd: id, of: alpha}", "0 alpha id=7", ["✗ alpha, with another id", "id is 7 on 1 node"]),
        ("when: {signal: alpha, unless: gamma}", "0 alpha\n1 gamma", ["excepted by node-1/worker.log:2"]),
        (
            "when: {signal: alpha, where: {id: {gt: 5}}}",
            "0 alpha id=3",
            ["✗ alpha where id is more than 5: node-1/worker.log:1: id is 3, wanted: is more than 5"],
        ),
        ("when: {all: [alpha, {not: gamma}]}", "0 alpha\n1 gamma", ["✗ not this", "✓ gamma"]),
    ],
)
def test_each_part_says_what_it_misses(rule: str, text: str, expected: list[str], tmp_path: Path) -> None:
    explanation = explain(tmp_path, rule, text)
    assert [part for part in expected if part not in explanation] == [], explanation


def test_a_line_that_not_match_excludes_is_a_near_miss(tmp_path: Path) -> None:
    explanation = explain(tmp_path, "match: delta word\nnot_match: harmless", "0 delta word, harmless")
    assert "matches r, but its not_match 'harmless' excludes it" in explanation


def test_a_line_of_another_kind_of_source_is_a_near_miss(tmp_path: Path) -> None:
    explanation = explain(tmp_path, "match: delta word\nsource: kernel", "0 delta word")
    assert "is a worker line, and the signal searches kernel" in explanation


def test_a_missing_source_is_named(tmp_path: Path) -> None:
    signals = "  killed: {source: kernel, match: 'Killed process'}\n"
    explanation = explain(tmp_path, "when: {all: [alpha, {absent: killed}]}", "0 alpha", signals)
    assert "? no killed in a source that could have it: no source on node-1 could contain killed" in explanation


def test_the_rule_that_silences_is_named(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("when: alpha") + "  - {id: narrow, when: alpha, silences: [r]}\n")
    ingested = IngestResult()
    plan = build_plan(packs)
    read_small_text("node-1/worker.log", stamp_lines("0 alpha").encode(), plan, ingested)
    explanation = "\n".join(explain_rule(packs.rules["r"], ingested, packs, lambda plan: SourceResults()))
    assert "1 of its findings dropped: silenced by narrow" in explanation
