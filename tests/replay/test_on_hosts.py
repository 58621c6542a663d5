"""A replay on the hosts of a file: who runs what, what comes back, and that nothing stays there when it is ended.

`--rsh` is a script that runs the command on this machine, as ssh would on another one.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import psutil
import pytest

from analyzer.errors import UsageError
from analyzer.replay import RunTarget, run_repro, write_repro
from analyzer.resources import templates_dir
from tests.replay.test_run import python_with_tensorflow

INCIDENT = {"root_causes": [{"cause": "numeric.nan", "task": "worker:1"}], "nodes": []}
CHECKOUT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
HANGS = "import os, time\nopen({began!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n"


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(templates_dir() / "replay"))
    return importlib.import_module("job.remote")


@pytest.fixture
def shell(tmp_path: Path) -> str:
    path = tmp_path / "rsh"
    path.write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n')
    path.chmod(0o755)
    return str(path)


def test_tasks_are_dealt_out_by_slots_and_the_culprit_stays_with_the_chief(remote: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("# the training nodes\nme@a slots=2\nb # one\n\n")
    hosts = importlib.import_module("job.hosts").read_hosts(tmp_path / "hosts")
    assert hosts == ["me@a", "me@a", "b"]
    addresses, shares = remote.share_out({"cluster": {"worker": 3}, "culprit": "worker:2"}, hosts)
    assert shares == {"me@a": ["worker:0", "worker:1"], "b": ["worker:2"]}
    assert [address.partition(":")[0] for address in addresses["worker"]] == ["a", "a", "b"]
    assert len({address.partition(":")[2] for address in addresses["worker"]}) == 3
    served = remote.share_out({"cluster": {"chief": 1, "worker": 1, "ps": 1}, "culprit": "ps:0"}, ["x", "y", "z"])[1]
    assert served == {"x": ["chief:0", "ps:0"], "y": ["worker:0"]}


NO_HOSTS = (
    "# nobody",
    "-oProxyCommand=x",
    "me@-oProxyCommand=x",
    "-l root",
    "a;b",
    "a\tb\n$(x)",
    "a slots=65",
    "a" * 300,
)


@pytest.mark.parametrize("text", NO_HOSTS)
def test_what_is_no_host_is_refused_before_anything_is_made(text: str, tmp_path: Path) -> None:
    """ssh would take a word that begins with a dash for an option."""
    (tmp_path / "hosts").write_text(text + "\n")
    (tmp_path / "i.json").write_text(json.dumps({**INCIDENT, "findings": []}))
    command = [sys.executable, "-m", "analyzer", "replay", "i.json", "--nodes", "hosts"]
    result = subprocess.run(command, cwd=tmp_path, env=CHECKOUT, capture_output=True, text=True)
    assert result.returncode == 2 and "error: " in result.stderr and "hint: " in result.stderr
    assert not (tmp_path / "repro").exists()


@pytest.mark.parametrize("text", NO_HOSTS)
def test_a_repro_folder_refuses_them_too(text: str, tmp_path: Path) -> None:
    write_repro(INCIDENT, tmp_path / "repro")
    (tmp_path / "hosts").write_text(text + "\n")
    called = tmp_path / "called"
    command = [sys.executable, "-B", "worker.py", "--nodes", str(tmp_path / "hosts"), "--rsh", f"touch {called}"]
    result = subprocess.run(command, cwd=tmp_path / "repro", capture_output=True, text=True)
    assert result.returncode == 1 and str(tmp_path / "hosts") in result.stderr and "Traceback" not in result.stderr
    assert not called.exists()


@pytest.mark.parametrize("command", ["", "  ", "ssh 'a"])
def test_a_host_is_never_the_command_itself(command: str, tmp_path: Path) -> None:
    write_repro(INCIDENT, tmp_path / "repro")
    (tmp_path / "hosts").write_text("reboot\n")
    with pytest.raises(UsageError):
        run_repro(tmp_path / "repro", RunTarget("/its/python", tmp_path / "hosts", command))
    words = [sys.executable, "-B", "worker.py", "--nodes", str(tmp_path / "hosts"), f"--rsh={command}"]
    result = subprocess.run(words, cwd=tmp_path / "repro", capture_output=True, text=True)
    assert result.returncode == 1 and "command" in result.stderr and "Traceback" not in result.stderr


def test_a_host_that_sends_no_archive_is_named(tmp_path: Path) -> None:
    shell = tmp_path / "rsh"
    shell.write_text("#!/bin/sh\necho Welcome to node a!\n")
    shell.chmod(0o755)
    write_repro(INCIDENT, tmp_path / "repro")
    (tmp_path / "hosts").write_text("a slots=2\n")
    result = run_repro(tmp_path / "repro", RunTarget("/its/python", tmp_path / "hosts", str(shell)))
    assert "a launcher that runs on a" in result.reasons[0]


def test_what_a_host_sends_is_written_nowhere_else(remote: ModuleType, tmp_path: Path) -> None:
    sent = io.BytesIO()
    with tarfile.open(fileobj=sent, mode="w") as archive:
        for name in ("out/worker-0/worker.log", "out/worker-0/../../../evil", "/evil", "out/evil", "out/ps-0/.ssh"):
            archive.addfile(member := tarfile.TarInfo(name), io.BytesIO(b""))
        member = tarfile.TarInfo("out/worker-0/exit_code")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)
    remote.unpack(sent.getvalue(), tmp_path / "fault")
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if not path.is_dir()] == [
        "fault/worker-0/worker.log"
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_on_a_host_when_we_are_ended(number: signal.Signals, shell: str, tmp_path: Path) -> None:
    """In the midst of the run, whose TensorFlow there says by its import that it has begun and never ends."""
    write_repro(INCIDENT, tmp_path / "repro")
    began, scratch, library = tmp_path / "began", tmp_path / "scratch", tmp_path / "library"
    os.mkfifo(began)
    scratch.mkdir()
    library.mkdir()
    (library / "tensorflow.py").write_text(HANGS.format(began=str(began)))
    (tmp_path / "hosts").write_text("a slots=2\n")
    command = [sys.executable, "-B", "worker.py", "--nodes", str(tmp_path / "hosts"), "--rsh", shell]
    environment = {**os.environ, "PYTHONPATH": str(library), "TMPDIR": str(scratch)}
    with subprocess.Popen(
        command, cwd=tmp_path / "repro", env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as ours:
        launcher = psutil.Process(int(began.read_text()))
        boot = launcher.parents()[0]
        assert list(scratch.iterdir())
        ours.send_signal(number)
    _, alive = psutil.wait_procs([launcher, boot], timeout=60)
    assert all(process.status() == psutil.STATUS_ZOMBIE for process in alive)
    assert list(scratch.iterdir()) == []


@pytest.mark.tensorflow
@pytest.mark.skipif(python_with_tensorflow() is None, reason="no interpreter with TensorFlow (TF_POSTMORTEM_PYTHON)")
def test_a_replay_on_two_hosts_is_judged_as_one_here(shell: str, tmp_path: Path) -> None:
    write_repro(INCIDENT, tmp_path / "repro")
    (tmp_path / "hosts").write_text("localhost\n127.0.0.1\n")
    result = run_repro(tmp_path / "repro", RunTarget(str(python_with_tensorflow()), tmp_path / "hosts", shell))
    assert result.verdict == "reproduced", result.reasons


def test_a_host_that_cannot_be_reached_is_told_in_its_own_words(tmp_path: Path) -> None:
    shell = tmp_path / "rsh"
    shell.write_text("#!/bin/sh\necho 'connect to host a port 22: No route to host' >&2\nexit 255\n")
    shell.chmod(0o755)
    write_repro(INCIDENT, tmp_path / "repro")
    (tmp_path / "hosts").write_text("a slots=2\n")
    result = run_repro(tmp_path / "repro", RunTarget("/its/python", tmp_path / "hosts", str(shell)))
    assert result.verdict == "inconclusive"
    assert "a: connect to host a port 22: No route to host" in result.reasons[0]
    assert f"--nodes={tmp_path / 'hosts'} --rsh={shell} --python=/its/python" in result.command
