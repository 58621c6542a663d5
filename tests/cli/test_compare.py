"""`compare` on bundles and on reports of them."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import call_for_text

FIXTURES = Path(__file__).parents[2] / "fixtures"
WORKER, LEADER, HEALTHY = (FIXTURES / name / "bundle.tar.gz" for name in ("killed-worker", "killed-leader", "healthy"))


def run(*words: object, expect: int = 0) -> str:
    result = call_for_text(*words)
    assert result.returncode == expect, result.stderr
    return result.stdout


def test_bundles_and_their_reports_compare_alike(tmp_path: Path) -> None:
    run("analyze", "-q", LEADER, "--json", tmp_path / "b.json", "-o", tmp_path / "b.html")
    comparisons = [
        json.loads(run("compare", WORKER, b, "--json", "-")) for b in (LEADER, tmp_path / "b.json", tmp_path / "b.html")
    ]
    assert comparisons[0] == comparisons[1] == comparisons[2]
    facts = {row["what"]: row for row in comparisons[0]["facts"]}
    assert comparisons[0]["alike"] == {"level": "usual", "means": "the same fault"}
    assert (facts["cause"]["same"], facts["culprit"]["same"]) == (True, False)
    assert facts["culprit"]["a"] == "ip-10-0-1-12"
    assert comparisons[0]["causes"]["both"] == ["process.killed-by-signal"]
    assert [row["what"] for row in comparisons[0]["performance"]] == ["last step", "steps per minute"]


def test_text_says_what_is_shared_and_what_differs() -> None:
    text = run("compare", WORKER, HEALTHY)
    assert " ≠ verdict              diagnosed | no-failure" in text
    assert " = nodes                3" in text
    assert " A worker-vanished" in text


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    run("compare", WORKER, tmp_path / "nothing", expect=3)
