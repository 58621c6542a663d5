"""Runs end by themselves or are ended, and nothing stays behind; one real replay where there is a TensorFlow."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from analyzer.errors import UsageError
from analyzer.replay.interpreters import check_interpreter, check_version_pair
from analyzer.replay.repro_folder import write_repro
from analyzer.replay.run import RunLimits, RunTarget, run_once

INCIDENT = {"root_causes": [{"cause": "numeric.nan", "task": "worker:0"}], "nodes": []}

HANGS = """
import os, pathlib, sys, time
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
(out / "worker-0").mkdir(parents=True)
pid = os.fork()
(out / "worker-0" / ("child" if pid == 0 else "parent")).write_text(str(os.getpid()))
time.sleep(600)
"""
ENDS = """
import pathlib, sys
folder = pathlib.Path(sys.argv[sys.argv.index("--out") + 1]) / "worker-0"
folder.mkdir(parents=True)
(folder / "exit_code").write_text("3" + chr(10))
print("control" if "--control" in sys.argv else "fault")
"""


def python_with_tensorflow() -> str | None:
    named = os.environ.get("TF_POSTMORTEM_PYTHON")
    return named or (sys.executable if importlib.util.find_spec("tensorflow") else None)


def test_a_run_that_hangs_is_ended_with_all_its_children(tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text(HANGS)
    run = run_once(tmp_path, sys.executable, tmp_path / "fault", {"limit": 0}, RunLimits(spare_seconds=1.5))
    assert run.exceeded is not None
    assert run.codes == {"worker:0": None}
    assert run.curves["launcher"]
    pids = [int((tmp_path / "fault" / "worker-0" / name).read_text()) for name in ("child", "parent")]
    _, alive = psutil.wait_procs([psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)], timeout=10)
    # The child's zombie may wait for whoever adopts orphans here.
    assert all(process.status() == psutil.STATUS_ZOMBIE for process in alive)


def test_a_run_over_its_memory_is_ended(tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text(HANGS)
    run = run_once(tmp_path, sys.executable, tmp_path / "fault", {"limit": 600}, RunLimits(memory=1))
    assert "GiB" in str(run.exceeded)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_us_when_we_are_killed(tmp_path: Path, number: signal.Signals) -> None:
    """The real launcher, with a TensorFlow whose import says that it has begun and never ends."""
    write_repro(INCIDENT, tmp_path / "repro")
    began = tmp_path / "began"
    os.mkfifo(began)
    (tmp_path / "tensorflow.py").write_text(
        f"import os, time\nopen({str(began)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    )
    program = (
        "import pathlib, sys; from analyzer.replay.run import RunLimits, run_once;"
        "folder = pathlib.Path(sys.argv[1]);"
        "run_once(folder, sys.executable, folder / 'fault', {'limit': 600}, RunLimits())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "repro")], env={**os.environ, "PYTHONPATH": str(tmp_path)}
    ) as ours:
        launcher = psutil.Process(int(began.read_text()))
        ours.send_signal(number)
    _, alive = psutil.wait_procs([launcher], timeout=30)
    assert all(process.status() == psutil.STATUS_ZOMBIE for process in alive)


@pytest.mark.parametrize("name", ["control", "fault"])
def test_a_run_that_ends_tells_its_codes(tmp_path: Path, name: str) -> None:
    (tmp_path / "worker.py").write_text(ENDS)
    run = run_once(tmp_path, sys.executable, tmp_path / name, {"limit": 60}, RunLimits())
    assert (run.exceeded, run.launcher_code, run.codes, run.output.strip()) == (None, 0, {"worker:0": 3}, name)


def test_a_python_of_the_working_folder_is_found_from_the_repro_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "python").chmod(0o755)
    (tmp_path / "repro").mkdir()
    (tmp_path / "repro" / "worker.py").write_text(ENDS)
    run = run_once(tmp_path / "repro", RunTarget("./python"), tmp_path / "fault", {"limit": 60}, RunLimits())
    assert (run.launcher_code, run.codes) == (0, {"worker:0": 3})


@pytest.mark.parametrize("text", ["", "9" * 5000, "killed", "\x00"])
def test_an_exit_code_that_is_none_is_no_exit_code(text: str, tmp_path: Path) -> None:
    """It may come from another machine."""
    (tmp_path / "worker.py").write_text(ENDS.replace('"3" + chr(10)', repr(text)))
    assert run_once(tmp_path, sys.executable, tmp_path / "fault", {"limit": 60}, RunLimits()).codes == {
        "worker:0": None
    }


def test_another_python_runs_the_task_at_fault_alone(tmp_path: Path) -> None:
    """With a TensorFlow that knows the operation and nothing else: the others leave once they are to train."""
    skew = {"root_causes": [{"cause": "env.version-skew", "task": "worker:0"}], "nodes": []}
    write_repro(skew, tmp_path / "repro", other_python="named on the command line")
    (tmp_path / "tensorflow.py").write_text("__version__ = '2.20'\nclass raw_ops: DatasetFingerprint = 1\n")
    other = tmp_path / "other python"
    other.write_text('#!/bin/sh\necho it runs "$@"\n')
    other.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = ["./run.sh", sys.executable]
    lacking = subprocess.run(command, cwd=tmp_path / "repro", env=environment, capture_output=True, text=True)
    assert lacking.returncode == 77
    assert lacking.stdout.endswith("this machine lacks a second Python (--other-python)\n")
    subprocess.run([*command, str(other)], cwd=tmp_path / "repro", env=environment, check=True, capture_output=True)
    logs = {path.parent.name: path.read_text() for path in (tmp_path / "repro" / "fault").glob("*/worker.log")}
    assert logs.pop("worker-0").startswith("it runs -B ")
    assert len(logs) == 3 and not any("it runs" in text for text in logs.values())


def test_an_interpreter_without_tensorflow_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        check_interpreter(str(tmp_path / "no-such-python"))
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -I "$@"\n')
    bare.chmod(0o755)
    with pytest.raises(UsageError, match="no TensorFlow"):
        check_interpreter(str(bare))


def fake_python(folder: Path, version: str) -> str:
    """One whose TensorFlow is an empty package of that version."""
    (folder / "tensorflow").mkdir(parents=True)
    (folder / "tensorflow" / "__init__.py").touch()
    dist_info = folder / f"tensorflow_cpu-{version}.dist-info"
    dist_info.mkdir()
    (dist_info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: tensorflow-cpu\nVersion: {version}\n")
    (dist_info / "top_level.txt").write_text("tensorflow\n")
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return str(python)


def test_two_pythons_must_differ_in_what_the_replay_calls(tmp_path: Path) -> None:
    old, new = fake_python(tmp_path / "old", "2.16.2"), fake_python(tmp_path / "new", "2.17.0")
    assert check_interpreter(old) == "2.16.2"
    check_version_pair(new, old)
    for python, other in ((old, new), (old, old), (new, new)):
        with pytest.raises(UsageError, match=r"do not differ") as refused:
            check_version_pair(python, other)
        assert "--other-python" in str(refused.value.hint)


def test_our_process_never_imports_tensorflow() -> None:
    probe = "import sys, analyzer.replay; sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", probe]).returncode == 0


@pytest.mark.tensorflow
@pytest.mark.skipif(python_with_tensorflow() is None, reason="no interpreter with TensorFlow (TF_POSTMORTEM_PYTHON)")
@pytest.mark.parametrize("cause", ["collective.mismatch", "env.version-skew"])
def test_order_and_versions_come_back_and_a_wrong_fault_does_not_pass_for_them(cause: str, tmp_path: Path) -> None:
    from analyzer.replay import run_again, run_repro
    from tests.replay.replay_all import misplace

    python, other = str(python_with_tensorflow()), os.environ.get("TF_POSTMORTEM_OLD_PYTHON")
    if cause == "env.version-skew" and not other:
        pytest.skip("no interpreter with an earlier TensorFlow (TF_POSTMORTEM_OLD_PYTHON)")
    text = "expected shape [1] but another member in the group expected shape [4096]"
    root_cause = {"cause": cause, "task": "worker:1", "evidence": [{"text": text}]}
    write_repro({"root_causes": [root_cause], "nodes": []}, tmp_path / "repro", other_python=other)
    result = run_repro(tmp_path / "repro", RunTarget(python, other_python=other))
    assert (result.plan["fault"] != "shape-mismatch", result.verdict) == (True, "reproduced"), result.reasons
    misplace(tmp_path / "repro")
    assert run_again(tmp_path / "repro", result).verdict == "different-failure"


@pytest.mark.tensorflow
@pytest.mark.skipif(python_with_tensorflow() is None, reason="no interpreter with TensorFlow (TF_POSTMORTEM_PYTHON)")
def test_a_fixture_s_incident_comes_back_and_a_wrong_fault_does_not_pass_for_it(tmp_path: Path) -> None:
    from analyzer.pipeline import analyze
    from analyzer.replay import run_again, run_repro, write_repro
    from analyzer.report.json import to_json
    from tests.replay.replay_all import misplace

    python = python_with_tensorflow()
    assert python is not None
    bundle = Path(__file__).parents[2] / "fixtures" / "killed-worker" / "bundle.tar.gz"
    write_repro(to_json(analyze([bundle])), tmp_path / "repro")
    result = run_repro(tmp_path / "repro", python)
    assert result.verdict == "reproduced", result.reasons
    assert {"worker:0", "worker:1", "launcher"} <= set(result.attempts[0].run.curves)
    misplace(tmp_path / "repro")
    wrong = run_again(tmp_path / "repro", result)
    assert [attempt.verdict for attempt in wrong.attempts] == ["different-failure"]
    assert wrong.to_json()["rate"] == 0
