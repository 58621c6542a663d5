"""`tf-postmortem replay` as it is typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

INCIDENT = {
    "verdict": "diagnosed",
    "signature": "0123",
    "nodes": [{"name": "a", "tasks": ["worker:0"]}],
    "root_causes": [{"cause": "numeric.nan", "task": "worker:0", "title": "", "captures": {}, "evidence": []}],
}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from analyzer.cli import main; main()", "replay", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture
def incident(tmp_path: Path) -> str:
    (tmp_path / "incident.json").write_text(json.dumps(INCIDENT))
    return str(tmp_path / "incident.json")


def test_a_written_replay_needs_no_tensorflow(incident: str, tmp_path: Path) -> None:
    done = run(incident, "--write-only", "--out", str(tmp_path / "repro"))
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "repro" / "run.sh").stat().st_mode & 0o111
    assert "nan on worker:0" in done.stderr


@pytest.mark.parametrize(
    ("text", "arguments", "code"),
    [
        ("{", (), 3),
        ("[]", (), 3),
        (json.dumps(INCIDENT), ("--cause", "2"), 2),
        (json.dumps({**INCIDENT, "root_causes": []}), (), 2),
    ],
)
def test_bad_input_is_one_line_with_a_hint(tmp_path: Path, text: str, arguments: tuple[str, ...], code: int) -> None:
    (tmp_path / "incident.json").write_text(text)
    done = run(str(tmp_path / "incident.json"), "--write-only", "--out", str(tmp_path / "repro"), *arguments)
    assert done.returncode == code
    assert "error: " in done.stderr and "hint: " in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "repro").exists()


def test_a_missing_interpreter_is_told_before_anything_is_made(incident: str, tmp_path: Path) -> None:
    done = run(incident, "--out", str(tmp_path / "repro"), "--python", str(tmp_path / "none"))
    assert done.returncode == 2
    assert not (tmp_path / "repro").exists()


def test_an_analogue_is_offered_before_anything_is_made(tmp_path: Path) -> None:
    lost = {**INCIDENT, "root_causes": [{**INCIDENT["root_causes"][0], "cause": "hardware.gpu-lost"}]}  # type: ignore[dict-item]
    (tmp_path / "incident.json").write_text(json.dumps(lost))
    arguments = (str(tmp_path / "incident.json"), "--write-only", "--out", str(tmp_path / "repro"))
    refused = run(*arguments)
    assert refused.returncode == 2 and "needs a GPU" in refused.stderr and "--analogue" in refused.stderr
    assert not (tmp_path / "repro").exists()
    made = run(*arguments, "--analogue")
    assert made.returncode == 0 and "needs a GPU" in made.stderr
