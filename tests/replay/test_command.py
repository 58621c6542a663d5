"""`tf-postmortem replay` as it is typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
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
    result = run(incident, "--write-only", "--out", str(tmp_path / "repro"))
    assert (result.returncode, result.stdout) == (0, "")
    assert (tmp_path / "repro" / "run.sh").stat().st_mode & 0o111
    assert "nan on worker:0" in result.stderr


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
    result = run(str(tmp_path / "incident.json"), "--write-only", "--out", str(tmp_path / "repro"), *arguments)
    assert result.returncode == code
    assert "error: " in result.stderr and "hint: " in result.stderr and "Traceback" not in result.stderr
    assert not (tmp_path / "repro").exists()


def test_a_missing_interpreter_is_told_before_anything_is_made(incident: str, tmp_path: Path) -> None:
    result = run(incident, "--out", str(tmp_path / "repro"), "--python", str(tmp_path / "none"))
    assert result.returncode == 2
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


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_nothing_stays_when_it_is_interrupted(incident: str, tmp_path: Path, number: signal.Signals, code: int) -> None:
    """In the midst of the control run, whose TensorFlow says by its import that it has begun and never ends."""
    began, scratch, library = tmp_path / "began", tmp_path / "scratch", tmp_path / "library"
    os.mkfifo(began)
    scratch.mkdir()
    library.mkdir()
    (library / "tensorflow.py").write_text(
        f"import os, time\nopen({str(began)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    )
    command = [sys.executable, "-c", "from analyzer.cli import main; main()", "replay", incident]
    environment = {**os.environ, "PYTHONPATH": str(library), "TMPDIR": str(scratch)}
    with subprocess.Popen(
        [*command, "--out", str(tmp_path / "repro")], env=environment, stderr=subprocess.DEVNULL
    ) as ours:
        launcher = psutil.Process(int(began.read_text()))
        ours.send_signal(number)
        assert ours.wait(60) == code
    _, alive = psutil.wait_procs([launcher], timeout=30)
    assert all(process.status() == psutil.STATUS_ZOMBIE for process in alive)
    assert list(scratch.iterdir()) == []
    assert not list((tmp_path / "repro").glob("runs/1/fault*"))
