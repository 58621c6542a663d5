"""`odd`: the node whose value differs from that of at least twice as many nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_packs import find, load_text, one_rule

from analyzer.rules.condition_words import describe_condition
from analyzer.rules.linting.linter import lint_packs

RULE = 'when: {odd: id, of: alpha}\ntitle: "{id}, not {common}"'


def devices(*values: str | None) -> dict[str, str]:
    """Each node states its value; None: it is silent about it."""
    return {
        f"node-{number}/worker.log": f"{number} {'gamma' if value is None else f'alpha id={value}'}\n"
        for number, value in enumerate(values, 1)
    }


@pytest.mark.parametrize(
    ("values", "odd_nodes"),
    [
        (("8", "8", "7"), {"node-3": "8"}),
        (("7", "8", "8", "8", "8", "6"), {"node-1": "8", "node-6": "8"}),
        (("8", "8", "8"), {}),
        (("8", "7"), {}),  # nobody knows which of two is odd
        (("8", "8", "7", "7", "8"), {}),  # 7 is not rare enough
        (("8", None, "8", "7"), {"node-4": "8"}),  # a node without a value counts for neither side
        ((None, None), {}),
    ],
)
def test_who_is_odd(tmp_path: Path, values: tuple[str | None, ...], odd_nodes: dict[str, str]) -> None:
    findings = find(load_text(tmp_path, one_rule(RULE)), devices(*values))
    assert {finding.node: finding.captures["common"] for finding in findings} == odd_nodes
    assert all(finding.title.endswith(f"not {finding.captures['common']}") for finding in findings)


def test_the_last_value_counts(tmp_path: Path) -> None:
    """A node that was odd and then is like the others is none; one that becomes odd is."""
    texts = devices("8", "8", "8")
    texts["node-1/worker.log"] = "1 alpha id=7\n9 alpha id=8\n"
    texts["node-2/worker.log"] = "1 alpha id=8\n9 alpha id=7\n"
    (finding,) = find(load_text(tmp_path, one_rule(RULE)), texts)
    assert (finding.node, finding.captures["id"]) == ("node-2", "7")
    assert [event.locus.line for event in finding.evidence] == [2]


def test_an_odd_value_counts_since_it_was_first_stated(tmp_path: Path) -> None:
    """What it leads to in the first attempt of a job comes before the second attempt states it again."""
    texts = devices("8", "8", "8")
    texts["node-2/worker.log"] = "1 alpha id=8\n4 alpha id=7\n7 beta\n9 alpha id=7\n"
    (finding,) = find(load_text(tmp_path, one_rule(RULE)), texts)
    assert [event.locus.line for event in finding.evidence] == [2]


def test_tests_choose_what_is_compared(tmp_path: Path) -> None:
    rule = "when: {all: [beta, {odd: id, of: {signal: alpha, where: {id: {lt: 9}}}}]}"
    texts = {file: text + "20 beta\n" for file, text in devices("8", "8", "9", "7").items()}
    assert [finding.node for finding in find(load_text(tmp_path, one_rule(rule)), texts)] == ["node-4"]


@pytest.mark.parametrize(
    ("when", "problem"),
    [
        ("{odd: id}", "odd needs `of`"),
        ("{odd: id, of: {all: [alpha, beta]}}", "must be a single signal"),
        ("{odd: id, of: {signal: alpha, at: other_node}}", "has no effect"),
        ("{odd: id, of: alpha, within: 5m}", "odd has no window"),
        ("{odd: id, of: alpha, at_least: 2}", "does not know at_least"),
    ],
)
def test_refused(tmp_path: Path, when: str, problem: str) -> None:
    packs = load_text(tmp_path, one_rule(f"when: {when}"))
    assert problem in "\n".join(map(str, packs.problems))


def test_lint_knows_the_captures(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("when: {odd: card, of: alpha}"))
    assert "odd compares 'card', which alpha does not capture" in "\n".join(map(str, lint_packs(packs)))
    packs = load_text(tmp_path, one_rule(RULE))
    assert "common" not in "\n".join(map(str, lint_packs(packs)))


def test_in_words(tmp_path: Path) -> None:
    rule = load_text(tmp_path, one_rule(RULE)).rules["r"]
    assert describe_condition(rule.when) == "alpha, with another id than at least twice as many nodes have"
