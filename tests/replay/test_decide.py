"""Replays of two hypotheses: which are chosen, whose pattern fits better, and what the report shows of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from analyzer.errors import UsageError
from analyzer.replay import Decision, RunTarget, decide, decide_between, list_rivals, read_diagnosis
from analyzer.replay.decide import HypothesisReplay
from analyzer.replay.pattern_match import SIGNATURE, AspectMatch, MatchResult
from analyzer.replay.result import ReplayResult
from analyzer.replay.verdict import Judgement, ReplayVerdict
from analyzer.report.decode import decode_incident
from analyzer.report.html import render_html
from analyzer.report.terminal import render_plain
from tests.replay.test_result import ROOT, SCHEMA, result

KILLED = {"cause": "process.killed-by-signal", "task": "worker:1", "node": "b", "confidence": 0.6}
STRAGGLER = {"cause": "sync.straggler", "task": "worker:1", "node": "b", "confidence": 0.3}
NO_RECIPE = {"cause": "no.recipe", "task": "worker:1", "node": "b", "confidence": 0.3}


def incident(*roots: Mapping[str, object], **other: object) -> dict[str, Any]:
    return {"verdict": "diagnosed", "root_causes": list(roots), "nodes": [], "findings": [], **other}


def replay_of(same: int, differing: int, verdict: ReplayVerdict = "reproduced", cause: str = "c") -> HypothesisReplay:
    comparisons: list[MatchResult] = ["same"] * same + ["differs"] * differing
    matches = tuple(
        AspectMatch(aspect="how", incident="x", replay="y", result=comparison) for comparison in comparisons
    )
    plain = result(verdict)
    attempt = replace(plain.attempts[0], judgement=Judgement(verdict, ("why",), matches))
    return HypothesisReplay(cause=cause, place="worker:1", result=replace(plain, attempts=(attempt,)))


def test_the_rival_is_the_next_root_cause_with_another_cause_or_place() -> None:
    elsewhere = {**KILLED, "task": "worker:2"}
    assert list_rivals(incident(KILLED, KILLED, STRAGGLER, elsewhere)) == [KILLED, STRAGGLER]
    assert list_rivals(incident(KILLED, elsewhere, STRAGGLER)) == [KILLED, elsewhere]
    assert list_rivals(incident(KILLED)) == [KILLED]
    assert list_rivals(incident()) == []


def test_without_one_the_rival_is_the_runner_up_by_its_finding() -> None:
    first = {**KILLED, "runner_up": {"cause": "sync.straggler", "node": "b", "title": "", "why": ""}}
    finding = {"id": "f", "role": "cause", "rule": "r", "cause": "sync.straggler", "node": "b", "task": "worker:1"}
    assert list_rivals(incident(first, findings=[{**finding, "role": "symptom"}, finding])) == [first, finding]
    assert list_rivals(incident(first)) == [first]
    assert list_rivals(incident({**first, "runner_up": "?"}, findings=[finding]))[1:] == []


@pytest.mark.parametrize(
    ("replays", "better", "sentence"),
    [
        ([replay_of(4, 0), replay_of(3, 1)], 0, "c on worker:1 fits the incident better: "),
        ([replay_of(4, 1), replay_of(1, 0)], 1, "c on worker:1 fits the incident better: "),
        ([replay_of(3, 0), replay_of(4, 0)], 1, "c on worker:1 fits the incident better: "),
        ([replay_of(3, 1), replay_of(3, 1)], None, "the replays do not decide between "),
        ([replay_of(3, 1)], None, "there is no second hypothesis"),
        ([replay_of(3, 1), replay_of(0, 0, "inconclusive")], None, "nothing is decided: the replay of c on worker:1"),
        (
            [replay_of(3, 1), HypothesisReplay(cause="x", place="", problem="it has no recipe")],
            None,
            "nothing is decided: x was not replayed: it has no recipe",
        ),
    ],
)
def test_the_pattern_that_differs_less_fits_better(
    replays: list[HypothesisReplay], better: int | None, sentence: str
) -> None:
    decision = Decision(replays)
    assert decision.better == better
    assert decision.sentence.startswith(sentence)


def test_the_signature_of_the_diagnosis_decides_nothing() -> None:
    signature = AspectMatch(aspect=SIGNATURE, incident="s", replay="s", result="same")
    plain = result("reproduced")
    attempt = replace(plain.attempts[0], judgement=Judgement("reproduced", (), (signature,)))
    first = HypothesisReplay(cause="c", place="", result=replace(plain, attempts=(attempt,)))
    assert Decision([first, replay_of(0, 0)]).better is None
    two = {**incident(KILLED, STRAGGLER), "signature": "0123456789abcdef"}
    assert [read_diagnosis(two, cause).pattern.signature for cause in (0, 1)] == ["0123456789abcdef", ""]


def test_a_hypothesis_without_a_recipe_is_named_and_the_other_is_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[str] = []

    def run_repro(folder: Path, target: RunTarget, repeat: int, diagnosis: object) -> ReplayResult:
        folders.append(folder.name)
        return result("reproduced")

    monkeypatch.setattr(decide, "run_repro", run_repro)
    target = RunTarget("python")
    decision = decide_between(incident(NO_RECIPE, STRAGGLER), tmp_path / "repro", target)
    assert folders == ["hypothesis-2"] and (tmp_path / "repro" / "hypothesis-2" / "plan.yaml").is_file()
    assert "no.recipe on worker:1 was not replayed: " in decision.sentence
    plan, _ = decision.first
    assert plan.fault == "straggler"
    decide_between(incident(KILLED, STRAGGLER), tmp_path / "both", target)
    assert folders[1:] == ["hypothesis-1", "hypothesis-2"]
    with pytest.raises(UsageError, match="already exists"):
        decide_between(incident(KILLED, STRAGGLER), tmp_path / "both", target)
    for refused in (incident(NO_RECIPE), incident()):
        with pytest.raises(UsageError):
            decide_between(refused, tmp_path / "none", target)


def test_the_reports_show_the_decision() -> None:
    rivals = Decision([replay_of(4, 0, cause="first.cause"), replay_of(3, 1, cause="second.cause")])
    replay = {**result("reproduced").to_json(), "decision": rivals.to_json()}
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(replay)))
    written, _ = decode_incident({**incident(ROOT), "replay": replay})
    page = render_html(written)
    for expected in ("first.cause on worker:1 fits the incident better", "<h3>Hypotheses</h3>", "second.cause</code>"):
        assert expected in page
    assert "first.cause on worker:1 fits the incident better" in " ".join(render_plain(written).split())
