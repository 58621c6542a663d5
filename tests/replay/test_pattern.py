"""The pattern of a failure: in roles, from facts and symptoms, whatever the diagnosis; and how two patterns compare."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzer.pipeline import analyze
from analyzer.replay.pattern import (
    CULPRIT,
    FAILED,
    FINISHED,
    OWN_ERROR,
    PEER,
    RUNNING,
    FailurePattern,
    read_diagnosis,
    read_replay_pattern,
)
from analyzer.replay.pattern_match import CONFIDENCE_COSTS, lower_confidence, match_patterns
from analyzer.report.json import to_json

FIXTURES = Path(__file__).parents[2] / "fixtures"
KILLED = FailurePattern(
    accused=CULPRIT,
    culprit_ending="SIGKILL",
    symptoms=frozenset({"lost", "aborted"}),
    peer_endings=frozenset({FAILED}),
    signature="0123456789abcdef",
    repeated={"signal": "SIGKILL"},
)


@functools.cache
def fixture_incident(name: str) -> Mapping[str, Any]:
    return to_json(analyze([FIXTURES / name / "bundle.tar.gz"]))


def pattern_of(name: str, **root: object) -> FailurePattern:
    """The pattern of a fixture; `root` changes its root cause, as another diagnosis would name it."""
    incident = fixture_incident(name)
    first = {**incident["root_causes"][0], **root}
    return read_diagnosis({**incident, "root_causes": [first]}).pattern


@pytest.mark.parametrize(
    ("name", "accused", "ending", "peer_endings"),
    [
        ("killed-worker", CULPRIT, "SIGKILL", {FAILED}),
        ("python-exception", CULPRIT, FAILED, set()),  # pods whose exit codes the bundle lacks: the traceback says it
        ("stopped-worker", CULPRIT, None, {FAILED}),  # it is silent, which is no ending
        ("native-null-pointer", CULPRIT, "SIGSEGV", {FAILED}),
        ("straggler", None, FINISHED, {FINISHED}),
        ("finished-early", CULPRIT, FINISHED, {FAILED}),
        ("ps-killed", CULPRIT, "SIGKILL", {FAILED}),
    ],
)
def test_the_pattern_of_a_fixture(name: str, accused: str | None, ending: str | None, peer_endings: set[str]) -> None:
    pattern = pattern_of(name)
    assert (pattern.accused, pattern.culprit_ending, pattern.peer_endings) == (accused, ending, peer_endings)


def test_the_pattern_is_relative_to_the_culprit_that_is_named() -> None:
    """Who blames the wrong task sees another one accused, and another end."""
    wrong = pattern_of("killed-worker", node="ip-10-0-1-13", task="worker:2")
    assert (wrong.accused, wrong.culprit_ending) == (PEER, FAILED)


def test_a_task_and_a_node_name_the_same_culprit() -> None:
    assert pattern_of("killed-worker", node=None) == pattern_of("killed-worker")
    nobody = pattern_of("killed-worker", node=None, task=None)
    assert (nobody.accused, nobody.culprit_ending) == (None, None)


def test_peers_that_fail_by_themselves_differ_from_peers_that_lose_somebody() -> None:
    assert pattern_of("nan-loss").symptoms == {OWN_ERROR}
    assert OWN_ERROR not in pattern_of("killed-worker").symptoms


def fact(node: str, **other: Any) -> dict[str, Any]:
    evidence = {"node": node, "file": "f", "line": 1, "time": None, "text": "t"}
    ended = {"by": "recorder", "evidence": evidence, **other.pop("ended")} if "ended" in other else None
    return {"node": node, "task": None, "ended": ended, **other}


SIGKILL, ERROR = {"how": "killed", "signal": "SIGKILL"}, {"how": "exited", "status": 1}


def ending_of(culprit: dict[str, Any], *peers: dict[str, Any]) -> str | None:
    """How the culprit `a` of a handmade incident ended."""
    facts = [culprit, *peers]
    root = {"cause": "c", "rule": "r", "node": "a", "task": None, "confidence": 0.5}
    nodes = [{"name": row["node"], "tasks": []} for row in facts]
    return read_diagnosis({"root_causes": [root], "nodes": nodes, "hard_facts": facts}).pattern.culprit_ending


def test_a_signal_that_a_launcher_sends_at_teardown_is_no_ending() -> None:
    gone = [{"node": "b", "how": "lost"}]
    assert ending_of(fact("a", ended=SIGKILL), fact("b", ended=ERROR)) is None
    assert ending_of(fact("a", ended=SIGKILL, accused_by=gone), fact("b", ended=ERROR)) == "SIGKILL"
    assert ending_of(fact("a", ended=SIGKILL, accused_by=gone), fact("b", ended=SIGKILL)) is None
    silent = [{"node": "b", "how": "silent"}]
    assert ending_of(fact("a", ended=SIGKILL, accused_by=silent), fact("b", ended=ERROR)) is None
    assert ending_of(fact("a", ended=SIGKILL)) == "SIGKILL"
    early, late = ({"time": f"2026-11-21T10:00:0{second}.000000Z"} for second in (1, 2))
    assert ending_of(fact("a", ended={**SIGKILL, **early}), fact("b", ended={**ERROR, **late})) == "SIGKILL"
    assert ending_of(fact("a", ended={**SIGKILL, **late}), fact("b", ended={**ERROR, **early})) is None
    assert ending_of(fact("a", ended={"how": "killed", "signal": "SIGABRT"}), fact("b", ended=ERROR)) == "SIGABRT"


def accused_of(*rows: tuple[str, str | None, int], symptom_of_b: int | None = None) -> str | None:
    """Whom a handmade incident with the culprit `a` accuses first; rows are (accused, accuser, second)."""
    stamp = "2026-11-21T10:00:{:02}.000000Z".format
    root = {"cause": "c", "rule": "r", "node": "a", "task": None, "confidence": 0.5}
    accusers: dict[str, list[dict[str, Any]]] = {name: [] for name in "abc"}
    for accused, accuser, second in rows:
        accusers[accused].append({"node": accuser, "how": "lost", "time": stamp(second)})
    facts = [fact(name, accused_by=rows_of_it, accusers=len(rows_of_it)) for name, rows_of_it in accusers.items()]
    nodes = [{"name": name, "tasks": []} for name in accusers]
    symptom = {"id": "f", "rule": "r", "role": "symptom", "severity": "error", "node": "b"}
    findings = [] if symptom_of_b is None else [{**symptom, "time": stamp(symptom_of_b)}]
    incident = {"root_causes": [root], "nodes": nodes, "hard_facts": facts, "findings": findings}
    return read_diagnosis(incident).pattern.accused


def test_who_is_accused_first() -> None:
    assert accused_of() is None
    assert accused_of(("a", "b", 1), ("b", "c", 5)) == CULPRIT
    assert accused_of(("b", "c", 1), ("a", "b", 5)) == PEER
    assert accused_of(("b", "c", 1), ("a", "b", 1)) == CULPRIT  # within the error of clocks
    assert accused_of(("b", "c", 1), ("a", "b", 5), ("a", "c", 5)) is None  # first and most accused differ
    assert accused_of(("b", None, 1), ("a", "b", 5)) == CULPRIT  # a launcher names the task that left first


def test_a_peer_with_a_symptom_before_it_is_accused_had_followed_somebody_else() -> None:
    assert accused_of(("b", "c", 5), symptom_of_b=6) == PEER
    assert accused_of(("b", "c", 5), symptom_of_b=4) is None
    assert accused_of(("b", "c", 1), ("a", "b", 5), symptom_of_b=0) == CULPRIT


@pytest.mark.parametrize(("code", "ending"), [(None, RUNNING), (0, FINISHED), (1, FAILED), (137, "SIGKILL")])
def test_the_ending_in_a_replay_is_the_launcher_s_word(code: int | None, ending: str) -> None:
    incident = {"nodes": [{"name": "worker-1", "tasks": []}], "hard_facts": [fact("worker-1"), fact("worker-0")]}
    assert read_replay_pattern(incident, "worker:1", {"worker:1": code}).culprit_ending == ending
    assert read_replay_pattern(incident, "worker:2", {"worker:1": code}).culprit_ending is None


def results(incident: FailurePattern, replayed: FailurePattern, is_analogue: bool = False) -> list[str]:
    return [match.result for match in match_patterns(incident, replayed, is_analogue)]


def test_equal_patterns_are_the_same_and_empty_ones_show_nothing() -> None:
    assert results(KILLED, KILLED) == ["same"] * 5
    nothing = FailurePattern(
        accused=None,
        culprit_ending=None,
        symptoms=frozenset(),
        peer_endings=frozenset(),
        signature="",
        repeated={},
    )
    assert results(KILLED, nothing) == results(nothing, KILLED) == ["not shown"] * 5


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"accused": PEER}, ["differs", "same", "same", "same", "same"]),
        ({"culprit_ending": FAILED}, ["same", "differs", "same", "same", "same"]),
        ({"symptoms": frozenset({"aborted"})}, ["same"] * 5),
        ({"symptoms": frozenset({"aborted", "silent"})}, ["same", "same", "differs", "same", "same"]),
        ({"peer_endings": frozenset({FAILED, FINISHED})}, ["same"] * 5),
        ({"peer_endings": frozenset({FINISHED})}, ["same", "same", "same", "differs", "same"]),
        ({"signature": "f" * 16}, ["same"] * 5),
        ({"signature": "f" * 16, "repeated": {}}, ["same", "same", "same", "same", "not shown"]),
        (
            {"signature": "f" * 16, "repeated": {"signal": "SIGTERM"}},
            ["same", "same", "same", "same", "differs"],
        ),
    ],
)
def test_what_differs(changes: dict[str, Any], expected: list[str]) -> None:
    replayed = replace(KILLED, **changes)
    assert results(KILLED, replayed) == expected
    for match in match_patterns(KILLED, replayed):
        if match.result == "differs":
            assert match.incident and match.replay and match.incident != match.replay
            assert match.aspect in match.describe_difference()


def test_the_signature_of_an_analogue_says_nothing() -> None:
    other = replace(KILLED, signature="f" * 16, repeated={"signal": "SIGTERM"})
    assert results(KILLED, other, is_analogue=True)[-1] == "not shown"


def test_each_difference_lowers_the_confidence_by_its_cost() -> None:
    costs = list(CONFIDENCE_COSTS.values())
    assert costs == sorted(costs, reverse=True)
    lower = replace(KILLED, accused=PEER, culprit_ending=FAILED)
    assert lower_confidence(0.5, match_patterns(KILLED, lower)) == pytest.approx(1 / (1 + 2.718281828 ** (2.0 + 1.5)))
    assert lower_confidence(0.83, match_patterns(KILLED, KILLED)) == 0.83
    for edge in (0.0, 1.0):
        assert 0 <= lower_confidence(edge, match_patterns(KILLED, lower)) <= 1


def test_words_of_somebody_else_s_report_are_one_printable_line() -> None:
    hostile = "\x1b]0;e\x07\n" + "x" * 500
    finding = {"id": "f", "rule": hostile, "role": "symptom", "severity": "error", "node": "b"}
    root = {"cause": hostile, "node": "a", "captures": {"exception": hostile, "signal": hostile}}
    incident = {
        "root_causes": [root],
        "findings": [finding],
        "nodes": [{"name": "a"}, {"name": "b"}],
        "signature": hostile,
    }
    pattern = read_diagnosis(incident).pattern
    assert pattern.signature == "" and pattern.repeated == {"exception": "RuntimeError"}
    assert all(word.isprintable() and len(word) <= 80 for word in pattern.symptoms) and pattern.symptoms
