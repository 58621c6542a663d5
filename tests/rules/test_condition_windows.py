"""Windows, missing sources and clocks' errors in conditions, beyond what one pair of bundles a operator can show."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_packs import analyze, find, load_text, one_rule

OTHER = {"node-2/a.log": "0 nothing"}
ALL = "when: {all: [alpha, beta, gamma], within: 60s}"


@pytest.mark.parametrize(
    ("log", "holds"),
    [
        ("0 beta\n50 alpha\n55 gamma", True),
        ("0 beta\n50 alpha\n100 gamma", False),  # each within a minute of alpha, but not of each other
        ("0 beta\n50 alpha\n90 beta\n100 gamma", True),  # the second beta is the one
        ("0 alpha\n200 alpha\n210 beta\n220 gamma", True),
        ("0 alpha\n61 beta\n62 gamma", False),
        ("0 alpha\n59 beta", False),
    ],
)
def test_all_stand_in_one_window(log: str, holds: bool, tmp_path: Path) -> None:
    assert bool(find(load_text(tmp_path, one_rule(ALL)), log)) is holds


def test_an_event_without_a_time_fits_every_window(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule(ALL))
    assert find(packs, {"node-1/a.log": "0 alpha\n10 beta", "node-1/b.log": "gamma", **OTHER})
    assert not find(packs, {"node-1/a.log": "0 alpha\n100 beta", "node-1/b.log": "gamma", **OTHER})


def test_untimed_events_count_in_a_window_too(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("when: {count: alpha, at_least: 3, within: 60s}"))
    assert find(packs, {"node-1/a.log": "0 alpha\n10 alpha", "node-1/b.log": "alpha", **OTHER})
    assert not find(packs, {"node-1/a.log": "0 alpha\n100 alpha", "node-1/b.log": "alpha", **OTHER})


def test_nothing_but_absences_in_a_window(tmp_path: Path) -> None:
    rule = "when: {all: [alpha, {all: [{not: beta}, {not: gamma}], within: 5s}]}"
    packs = load_text(tmp_path, one_rule(rule))
    assert find(packs, "0 alpha")
    assert not find(packs, "0 alpha\n1 beta")


KERNEL = "  oops: {match: 'kernel oops', source: kernel}\n"


@pytest.mark.parametrize(
    ("when", "log", "holds", "unjudged"),
    [
        ("{all: [alpha, {absent: oops}]}", "0 alpha", False, True),
        ("{all: [alpha, {absent: oops}, beta]}", "0 alpha", False, False),  # beta decides, whatever a kernel log says
        ("{all: [alpha, {absent: oops}, beta]}", "0 alpha\n1 beta", False, True),
        ("{all: [alpha, {any: [{absent: oops}, beta]}]}", "0 alpha\n1 beta", True, False),
        ("{all: [alpha, {any: [{absent: oops}, beta]}]}", "0 alpha", False, True),
    ],
)
def test_a_missing_source_matters_where_it_would_decide(
    when: str, log: str, holds: bool, unjudged: bool, tmp_path: Path
) -> None:
    incident = analyze(load_text(tmp_path, one_rule(f"when: {when}", KERNEL)), log)
    assert bool(incident.findings) is holds
    assert any(lack["rule"] == "r" and lack["nodes"] for lack in incident.not_evaluated) is unjudged


@pytest.mark.parametrize(("behind", "holds"), [(8, False), (12, True)])
def test_first_means_beyond_the_errors_of_both_clocks(behind: int, holds: bool, tmp_path: Path) -> None:
    """Nothing tells how well these clocks agree, so each may be five seconds off."""
    packs = load_text(tmp_path, one_rule("when: {first: alpha}"))
    findings = find(packs, {"node-1/a.log": "0 alpha", "node-2/a.log": f"{behind} alpha"})
    assert [finding.node for finding in findings] == (["node-1"] if holds else [])


def test_a_signal_of_all_nodes_is_gathered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from analyzer.rules.evaluation import findings

    asked = []
    plain = findings.event_matches
    monkeypatch.setattr(findings, "event_matches", lambda where, event: asked.append(event) or plain(where, event))
    packs = load_text(tmp_path, one_rule("when: {share: alpha, at_least: 50%}"))
    files = {f"node-{number}/a.log": f"{number} alpha" for number in range(40)}
    assert len(find(packs, files)) == 40
    assert len(asked) == 40


@pytest.mark.parametrize(
    ("is_order_known", "behind", "holds"),
    [
        (True, 8, False),  # nothing tells how well these clocks agree: each may be five seconds off
        (True, 12, True),
        (False, 8, True),
        (False, 12, True),
    ],
)
def test_a_known_sequence_is_one_beyond_the_errors_of_both_clocks(
    is_order_known: bool, behind: int, holds: bool, tmp_path: Path
) -> None:
    word = "true" if is_order_known else "false"
    when = f"when: {{sequence: [alpha, {{signal: beta, at: other_node}}], known: {word}}}"
    packs = load_text(tmp_path, one_rule(when))
    assert bool(find(packs, {"node-1/a.log": "20 alpha", "node-2/a.log": f"{20 + behind} beta"})) is holds


def test_a_known_sequence_takes_the_first_that_is_surely_behind(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("when: {sequence: [alpha, {signal: beta, at: other_node}], known: true}"))
    findings = find(packs, {"node-1/a.log": "20 alpha", "node-2/a.log": "28 beta\n40 beta"})
    assert [(proof.node, proof.locus.line) for proof in findings[0].evidence] == [("node-1", 1), ("node-2", 2)]


def test_lines_of_one_file_are_in_a_known_order(tmp_path: Path) -> None:
    packs = load_text(tmp_path, one_rule("when: {sequence: [alpha, beta], known: true}"))
    assert find(packs, "20 alpha\n20 beta")
    assert not find(packs, "20 beta\n20 alpha")
    assert not find(packs, {"node-1/a.log": "20 alpha", "node-1/b.log": "21 beta", **OTHER})
