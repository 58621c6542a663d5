"""`fields` of a signal: tests on the fields of structured records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_packs import load_text

from analyzer.reading import build_plan
from analyzer.rule_tests.check import analyze_texts
from analyzer.rules.types import Packs

RULE = """\
pack: acme
version: 1.0.0
rules:
  - id: acme-killed
    role: cause
    cause: acme.killed
    title: "attempt {attempt} ended by {exit_signal}"
    remediation: [Look.]
    fields: FIELDS
"""
FIELDS = "{exit_signal: 9, attempt: {ge: 3}, level: [error, fatal]}"
RECORD = {"ts": "2026-03-01T10:00:07Z", "level": "error", "msg": "step failed", "attempt": 3, "exit_signal": 9}


def packs_with(tmp_path: Path, fields: str = FIELDS, more: str = "") -> Packs:
    return load_text(tmp_path, RULE.replace("FIELDS", fields) + more)


def captures(packs: Packs, *lines: str) -> list[dict[str, str]]:
    incident = analyze_texts({"node-1/worker.log": "\n".join(lines) + "\n"}, packs, build_plan(packs, None, True))
    return [dict(finding.captures) for finding in incident.findings if finding.rule == "acme-killed"]


JSON = json.dumps(RECORD)
LOGFMT = 'time="2026-03-01T10:00:07Z" level=error msg="step failed" exit_signal="9" attempt=4'
CRI = "2026-03-01T10:00:07.123456789Z stderr F "
JOURNAL = json.dumps(
    {
        "__REALTIME_TIMESTAMP": "1772359207123456",
        "_HOSTNAME": "node-1",
        "SYSLOG_IDENTIFIER": "acme",
        "PRIORITY": "3",
        "MESSAGE": "step failed exit_signal=9 attempt=3",
    }
)


@pytest.mark.parametrize("line", [JSON, LOGFMT, CRI + JSON, CRI + LOGFMT, JOURNAL], ids=range(5))
def test_each_kind_of_record(tmp_path: Path, line: str) -> None:
    (captured,) = captures(packs_with(tmp_path), line)
    attempt = "4" if line.endswith(LOGFMT) else "3"
    assert (captured["exit_signal"], captured["level"], captured["attempt"]) == ("9", "error", attempt)


@pytest.mark.parametrize(
    "change",
    [
        {"exit_signal": 99},
        {"exit_signal": "x9"},
        {"attempt": 2},
        {"attempt": None},
        {"level": "warning"},
    ],
)
def test_one_failing_field_is_enough(tmp_path: Path, change: dict[str, object]) -> None:
    assert captures(packs_with(tmp_path), json.dumps(RECORD | change)) == []


def test_many_other_records_hide_none(tmp_path: Path) -> None:
    """Records that fail a test are no events, so they do not count among the events that are kept of a signal."""
    others = [json.dumps(RECORD | {"attempt": 1, "msg": f"step {step} failed"}) for step in range(400)]
    assert len(captures(packs_with(tmp_path), *others, JSON, *others)) == 1


def test_a_value_with_blanks(tmp_path: Path) -> None:
    packs = packs_with(tmp_path, "{exit_signal: 9, attempt: 3, reason: 'disk \"a b\" is full'}")
    assert len(captures(packs, json.dumps(RECORD | {"reason": 'disk "a b" is full'}))) == 1
    assert captures(packs, json.dumps(RECORD | {"reason": "disk is full"})) == []


def test_fields_beside_a_pattern(tmp_path: Path) -> None:
    fields, pattern = '{level: error, exit_signal: "~ .", attempt: "~ ."}', "    match: 'step (?P<how>failed)'\n"
    packs = packs_with(tmp_path, fields, pattern)
    (captured,) = captures(packs, JSON)
    assert (captured["how"], captured["exit_signal"]) == ("failed", "9")
    assert captures(packs, json.dumps(RECORD | {"level": "info"})) == []


def test_a_slow_pattern_ends_its_signal_and_nothing_else(tmp_path: Path) -> None:
    packs = packs_with(tmp_path, r"{exit_signal: 9, attempt: '~ ^(a|a)*$(?<!b)x', level: error}")
    assert captures(packs, *[json.dumps(RECORD | {"attempt": "a" * 60 + "b"})] * 5) == []


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ("{level: error}", "level alone is not searched for"),
        ("{level: error, logger: x}", "level, logger alone is not searched for"),
        ("{level: critical, exit_signal: 9}", "did you mean 'fatal'?"),
        ("[exit_signal]", "fields is not a mapping"),
        ("{exit_signal: '=> 5'}", "does not begin with a known sign"),
        ("{exit_signal: {gt: 5, lt: 3}}", "no value lies in this range"),
        ("{exit_signal: '{limit}'}", "names a capture"),
        ("{}", "there is no pattern"),
    ],
)
def test_refused(tmp_path: Path, fields: str, problem: str) -> None:
    packs = packs_with(tmp_path, fields)
    assert problem in "\n".join(map(str, packs.problems))
    assert len(packs.problems) == 1
