"""What several runs come to, what of them goes into an incident, and how the report shows it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from analyzer.replay.pattern import CULPRIT, PEER, Diagnosis, FailurePattern
from analyzer.replay.pattern_match import AspectMatch, lower_confidence
from analyzer.replay.process_monitor import ProcessSample
from analyzer.replay.result import ReplayAttempt, ReplayResult, ReplayRun
from analyzer.replay.verdict import Judgement
from analyzer.report.decode import decode_incident
from analyzer.report.html import render_html
from analyzer.report.schema import incident_schema

SCHEMA = {"$defs": incident_schema()["$defs"], "$ref": "#/$defs/replay"}
MIB = 2**20
ROOT = {"cause": "numeric.nan", "title": "Loss is NaN", "node": "worker-1", "task": "worker:1", "time": None}


def run(name: str) -> ReplayRun:
    samples = [ProcessSample(0.25, 100 * MIB, 0.1, 5, 9), ProcessSample(0.5, 300 * MIB, 0.35, 50, 40)]
    return ReplayRun(
        name, Path("repro/runs/1") / name, 1.8e9, 3.0, {"worker:1": 0}, None, 0, "said", {"worker:1": samples}
    )


def result(*verdicts: str, wanted: int | None = None) -> ReplayResult:
    events = [
        {"node": "worker-1", "corrected": f"2026-11-21T10:00:0{second}.000000Z", "severity": severity, "text": "said"}
        for second, severity in enumerate(("info", "fatal"))
    ]
    seen: dict[str, Any] = {"root_causes": [ROOT], "nodes": [], "timeline": {"events": events, "progress": []}}
    attempts = [ReplayAttempt(Judgement(verdict, (f"was {verdict}",)), run("fault"), seen) for verdict in verdicts]
    return ReplayResult(
        Path("repro"), "py thon", {"fault": "nan"}, run("control"), {}, tuple(attempts), wanted or len(attempts)
    )


@pytest.mark.parametrize(
    ("verdicts", "verdict", "rate", "reason"),
    [
        (("reproduced",), "reproduced", 1.0, "was reproduced"),
        (("not-reproduced", "reproduced", "not-reproduced"), "reproduced", 0.3333, "reproduced in 1 of 3 runs (2 not-"),
        (
            ("not-reproduced", "different-failure", "different-failure"),
            "different-failure",
            0.0,
            "reproduced in 0 of 3",
        ),
        (("inconclusive", "reproduced"), "reproduced", 1.0, "reproduced in 1 of 2 runs (1 inconclusive)"),
        (("inconclusive",), "inconclusive", None, "was inconclusive"),
    ],
)
def test_several_runs_give_a_rate(verdicts: tuple[str, ...], verdict: str, rate: float | None, reason: str) -> None:
    outcome = result(*verdicts).to_json()
    assert (outcome["verdict"], outcome["rate"]) == (verdict, rate)
    assert result(*verdicts).reasons[0].startswith(reason)
    assert result(*verdicts).reasons[-1] == f"was {verdict}"


def test_runs_that_were_spared_are_told() -> None:
    assert "5 were requested" in result("inconclusive", wanted=5).reasons[0]


def test_the_result_is_what_the_schema_says() -> None:
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(result("reproduced", "not-reproduced").to_json())))


def test_curves_are_of_each_task_and_cpu_is_a_share_of_a_core() -> None:
    control = result("reproduced").to_json()["runs"][0]  # type: ignore[index]
    curves = {series["metric"]: [point[3] for point in series["points"]] for series in control["resources"]}
    assert curves == {"memory": [100 * MIB, 300 * MIB], "cpu": [40.0, 100.0], "threads": [5, 50], "fds": [9, 40]}
    assert {series["node"] for series in control["resources"]} == {"worker:1"}


def test_the_report_shows_plan_command_verdict_and_both_runs() -> None:
    incident = {"verdict": "diagnosed", "root_causes": [ROOT], "findings": [], "nodes": []}
    assert 'id="replay"' not in render_html(decode_incident(incident)[0])
    replay = {**result("reproduced").to_json(), "notes": ["<b>smaller</b>"]}
    page = render_html(decode_incident({**incident, "replay": replay})[0])
    section = page[page.index('<section id="replay"') :]
    section = section[: section.index("</section>")]
    for expected in ("<b>Reproduced", "./run.sh", "py thon", "Without the fault", "With the fault", "numeric.nan"):
        assert expected in section
    assert "&lt;b&gt;smaller" in section
    assert section.count("memory of worker:1") >= 2 and 'class="curve"' in section and 'class="lanes"' in section


PATTERN = FailurePattern(
    accused=PEER, culprit_ending=None, symptoms=frozenset(), peer_endings=frozenset(), signature="", repeated={}
)
OTHER = AspectMatch(aspect="who is accused first", incident=PEER, replay=CULPRIT, result="differs")


def compared(verdict: str, confidence: float | None = 0.8) -> ReplayResult:
    plain = result(verdict)
    judgement = Judgement(verdict, ("it differs",), (OTHER,))  # type: ignore[arg-type]
    attempt = replace(plain.attempts[0], judgement=judgement)
    return replace(plain, attempts=(attempt,), diagnosis=Diagnosis(PATTERN, confidence))


def test_another_pattern_lowers_the_confidence_and_the_result_says_so() -> None:
    lower = round(lower_confidence(0.8, [OTHER]), 4)
    other = compared("same-cause-other-pattern")
    assert other.confidence == lower < 0.4
    assert other.reasons[-1] == f"the confidence of the diagnosis falls from 0.80 to {lower:.2f}"
    assert compared("different-failure").confidence == 0.8
    assert compared("same-cause-other-pattern", None).confidence is None
    assert result("reproduced").to_json()["confidence"] is None
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(other.to_json())))


def test_the_report_shows_what_differs() -> None:
    incident = {"verdict": "diagnosed", "root_causes": [ROOT], "findings": [], "nodes": []}
    page = render_html(decode_incident({**incident, "replay": compared("same-cause-other-pattern").to_json()})[0])
    section = page[page.index('<section id="replay"') :]
    section = section[: section.index("</section>")]
    for expected in ("<b>Same-cause-other-pattern: ", "who is accused first", "differs", "the culprit", "a peer"):
        assert expected in section
