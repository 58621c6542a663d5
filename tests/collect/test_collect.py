"""One node's part: complete, bounded, without secrets, and nothing left behind."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import psutil
import pytest
from collecting import PROGRAM, ROOT, analyze, files_of, manifest_of, other_pythons, psutil_home, run


def test_every_file_is_in_the_manifest_with_its_sum(tmp_path: Path) -> None:
    (tmp_path / "worker-0.log").write_text("step 1\nstep 2\n")
    (tmp_path / "worker-0.log.1").write_text("step 0\n")
    out = tmp_path / "node.tar.zst"
    result = run("collect", "--out", out, "--log", tmp_path / "worker-*.log", "--exit-code", "3", "--node", "node-7")
    assert result.returncode == 0, result.stderr
    files, manifest = files_of(out), manifest_of(out)
    assert next(iter(files)) == "00-collection.json" and list(files)[-1] == "manifest.json"
    assert {entry["name"] for entry in manifest["files"]} == set(files) - {"manifest.json"}
    for entry in manifest["files"]:
        assert hashlib.sha256(files[entry["name"]]).hexdigest() == entry["sha256"]
        assert len(files[entry["name"]]) == entry["size"]
    assert {"logs/worker-0.log", "logs/worker-0.log.1", "exit_code", "versions/pip-freeze.txt"} <= set(files)
    assert manifest["host"] == "node-7" and manifest["begin"]["wall"] <= manifest["end"]["wall"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_living_process_hands_in_its_settings_without_its_secrets(tmp_path: Path) -> None:
    config = '{"cluster": {"worker": ["n0:2222", "n1:2222"]}, "task": {"type": "worker", "index": 1}}'
    environment = {**os.environ, "TF_CONFIG": config, "HF_TOKEN": "never-out-1", "TF_PLAIN": "shown"}
    command = [sys.executable, "-c", "input()", "--db-password", "never-out-2"]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE) as process:
        result = run("collect", "--out", tmp_path / "n.tar", "--pid", process.pid, "--node", "n1")
        process.communicate(b"\n")
    assert result.returncode == 0, result.stderr
    raw = (tmp_path / "n.tar").read_bytes()
    assert b"never-out" not in raw
    files = files_of(tmp_path / "n.tar")
    folder = f"process/{process.pid}"
    assert b"TF_PLAIN=shown" in files[f"{folder}/env.txt"] and b"HF_TOKEN=[secret]" in files[f"{folder}/env.txt"]
    assert json.loads(files[f"{folder}/tf_config.json"]) == json.loads(config)
    assert b"Max open files" in files[f"{folder}/limits.txt"]
    incident = analyze(tmp_path / "n.tar")
    assert [node["tasks"] for node in incident["nodes"] if node["name"] == "n1"] == [["worker:1"]]


def test_redact_masks_logs_and_takes_no_core(tmp_path: Path) -> None:
    (tmp_path / "w.log").write_text("step 1\npassword=hunter2hunter2\nstep 2\n")
    (tmp_path / "core.7").write_bytes(b"\x7fELF")
    out = tmp_path / "n.tar"
    run("collect", "--out", out, "--log", tmp_path / "w.log", "--core", tmp_path / "core.7", "--redact")
    files = files_of(out)
    assert b"hunter2" not in out.read_bytes() and files["logs/w.log"].startswith(b"step 1\npassword=[secret]\nstep 2")
    assert not [name for name in files if name.startswith("cores/")]
    assert any(entry["what"] == "core files" for entry in manifest_of(out)["lacking"])


def test_of_a_huge_log_head_and_tail_or_the_time_that_was_asked_for(tmp_path: Path) -> None:
    lines = [
        f"2026-11-21T{n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}Z step {n} {'x' * 40}\n" for n in range(40_000)
    ]
    (tmp_path / "w.log").write_text("".join(lines))
    os.utime(tmp_path / "w.log", (1_795_302_400, 1_795_302_400))  # after its last line
    run("collect", "--out", tmp_path / "a.tar", "--log", tmp_path / "w.log", "--max-log", "200k")
    tail = files_of(tmp_path / "a.tar")["logs/w.log"].decode()
    assert tail.startswith(lines[0]) and tail.endswith(lines[-1]) and len(tail) <= 210 * 1024
    assert set(tail.splitlines(True)) <= set(lines)  # whole lines, no mixture of two
    since = ["--since", "2026-11-21T05:33:20Z"]  # step 20,000
    run("collect", "--out", tmp_path / "b.tar", "--log", tmp_path / "w.log", "--max-log", "200k", *since)
    middle = files_of(tmp_path / "b.tar")["logs/w.log"].decode()
    assert lines[20_100] in middle and lines[-1] not in middle and set(middle.splitlines(True)) <= set(lines)


def test_rotated_kin_come_along_and_folders_tell_logs_of_one_name_apart(tmp_path: Path) -> None:
    kin = ["w.log", "w.log.1", "w.log-20261120.gz", "w.log.2026-11-20", "w.2026-11-20.log", "w.1.log"]
    for name in [*kin, "w.log.bak.py", "other.log", "task-0/out.log", "task-1/out.log"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name}\n")
    out = tmp_path / "n.tar"
    run("collect", "--out", out, "--log", tmp_path / "w.log", "--log", tmp_path / "task-*" / "out.log")
    logs = {name for name in files_of(out) if name.startswith("logs/")}
    assert logs == {*(f"logs/{name}" for name in kin), "logs/task-0/out.log", "logs/task-1/out.log"}


def test_a_packed_log_that_is_huge_stays_where_it_is_and_an_old_one_too(tmp_path: Path) -> None:
    (tmp_path / "w.log").write_bytes(b"x" * 5000)
    (tmp_path / "w.log.1.gz").write_bytes(b"x" * 300_000)
    (tmp_path / "w.log.2").write_bytes(b"x")
    os.utime(tmp_path / "w.log.2", (1000, 1000))
    out = tmp_path / "n.tar"
    run("collect", "--out", out, "--log", tmp_path / "w.log", "--max-log", "100k", "--since", "1h")
    assert [name for name in files_of(out) if name.startswith("logs/")] == ["logs/w.log"]
    lacking = {entry["what"]: entry["reason"] for entry in manifest_of(out)["lacking"]}
    assert "exceed --max-log" in lacking[str(tmp_path / "w.log.1.gz")]
    assert lacking[str(tmp_path / "w.log.2")] == "not changed since --since"


def test_bounds_are_kept_and_said(tmp_path: Path) -> None:
    (tmp_path / "big.core").write_bytes(b"\x7fELF" + os.urandom(3 << 20))
    out = tmp_path / "n.tar"
    result = run("collect", "--out", out, "--core", tmp_path / "big.core", "--max-size", "2M")
    assert result.returncode == 0
    assert "cores/big.core" not in files_of(out)
    assert any("exceed --max-core" in entry["reason"] for entry in manifest_of(out)["lacking"])


def test_a_disk_that_is_full_is_said_once_and_leaves_nothing(collector: Path, tmp_path: Path) -> None:
    (tmp_path / "w.log").write_bytes(os.urandom(4 << 20))
    limit = [
        sys.executable,
        "-c",
        "import os, resource, signal, sys\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))\nos.execv(sys.argv[1], sys.argv[1:])",
    ]
    asked = [str(collector), "collect", "--out", str(tmp_path / "n.tar.gz"), "--log", str(tmp_path / "w.log")]
    result = subprocess.run([*limit, sys.executable, *asked], capture_output=True, text=True, timeout=120)
    assert result.returncode == 1 and result.stderr.startswith("error: ") and "Traceback" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["w.log"]


def test_standard_output_takes_the_archive(tmp_path: Path) -> None:
    result = subprocess.run([*PROGRAM, "collect", "--out", "-"], cwd=ROOT, capture_output=True, timeout=120)
    (tmp_path / "n.tar.gz").write_bytes(result.stdout)
    with tarfile.open(tmp_path / "n.tar.gz") as tar:
        assert tar.getnames()[-1].endswith("/manifest.json")


def test_a_pod_that_is_asked_for_from_elsewhere_gets_nothing_of_this_machine(tmp_path: Path) -> None:
    """Whose kernel and whose memory would it be?"""
    run("collect", "--out", tmp_path / "n.tar", "--job", "k8s:ml/train-worker-1")
    manifest = manifest_of(tmp_path / "n.tar")
    assert manifest["host"] == "train-worker-1" and "boot_id" not in manifest
    assert not [name for name in files_of(tmp_path / "n.tar") if name.startswith(("kernel/", "memory/", "process/"))]
    assert any("a different machine" in entry["reason"] for entry in manifest["lacking"])


def test_an_archive_that_cannot_be_written_is_an_error_of_the_user(tmp_path: Path) -> None:
    result = run("collect", "--out", tmp_path / "no" / "such" / "n.tar.gz")
    assert result.returncode == 1 and "error:" in result.stderr and "Traceback" not in result.stderr
    assert run("collect", "--out", tmp_path / "n.tar.gz", "--job", "lsf:1").returncode == 2


def test_a_name_of_another_format_and_a_log_that_is_not_there_are_told(tmp_path: Path) -> None:
    wrong = run("collect", "--out", tmp_path / "node.zip")
    assert wrong.returncode == 2 and "node.zip" in wrong.stderr and not list(tmp_path.iterdir())
    result = run("collect", "--out", tmp_path / "node.tar", "--log", tmp_path / "nothing*", "--seconds", "5")
    assert result.returncode == 0 and f"--log {tmp_path}/nothing*: no such file" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nothing_remains_of_one_that_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    """In the middle of a tool that takes long: the archive, the tool and its children are gone."""
    tools, pid_file, out = tmp_path / "bin", tmp_path / "pid", tmp_path / "out"
    tools.mkdir()
    out.mkdir()
    (tools / "chronyc").write_text(
        f"#!/bin/sh\nsleep 600 &\necho $! > {pid_file}.new\nmv {pid_file}.new {pid_file}\nwait\n"
    )
    (tools / "chronyc").chmod(0o755)
    with subprocess.Popen(
        [*PROGRAM, "collect", "--out", out / "n.tar.gz"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        stderr=subprocess.PIPE,
    ) as process:
        while not pid_file.exists() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(number)
        assert process.wait(30) == 128 + number
        assert process.stderr is not None and b"Traceback" not in process.stderr.read()
    assert list(out.iterdir()) == []
    assert _is_gone(int(pid_file.read_text()))


def _is_gone(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        return process.status() == psutil.STATUS_ZOMBIE or bool(process.wait(10) is None)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return False


@pytest.mark.parametrize("python", [*other_pythons()] or [None])
def test_one_file_runs_on_other_pythons_with_psutil_alone(collector: Path, tmp_path: Path, python: str | None) -> None:
    if python is None:
        pytest.skip("no other Python is installed here")
    (tmp_path / "w.log").write_text("step 1\n")
    environment = {**os.environ, "PYTHONPATH": str(psutil_home(tmp_path)), "PYTHONNOUSERSITE": "1"}
    for words in (
        ["record", "--out", tmp_path / "f.jsonl", "--", python, "-c", "print('step 2'); raise SystemExit(3)"],
        ["collect", "--out", tmp_path / "n.tar.gz", "--log", tmp_path / "w.log", "--log", tmp_path / "f*.jsonl"],
    ):
        result = subprocess.run(
            [python, str(collector), *map(str, words)], env=environment, capture_output=True, text=True, timeout=120
        )
        assert result.returncode == (3 if words[0] == "record" else 0), result.stderr
    lacking = [entry["reason"] for entry in manifest_of(tmp_path / "n.tar.gz")["lacking"]]
    assert "this Python has no psutil module" not in lacking
    assert {"logs/w.log", "logs/f.jsonl", "logs/f.output.jsonl"} <= set(files_of(tmp_path / "n.tar.gz"))


def test_a_user_without_any_permission_and_path_still_gets_an_archive(collector: Path, tmp_path: Path) -> None:
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin:/bin")
    if os.getuid() != 0 or python is None:
        pytest.skip("needs root, to become nobody, and a Python that nobody may run")
    nobody = 65534
    with collector.open("rb") as program:
        script = program.read()
    copy, out = Path("/var/tmp") / f"collector-{os.getpid()}.pyz", Path("/var/tmp") / f"part-{os.getpid()}"
    try:
        out.mkdir()
        os.chown(out, nobody, nobody)
        copy.write_bytes(script)
        copy.chmod(0o755)
        (out / "locked").mkdir(0o700)
        (out / "own.log").write_text("step 1\n")
        (out / "own.log").chmod(0o600)
        asked = ["--log", f"{out}/locked/*.log", "--log", f"{out}/own.log", "--core", f"{out}/locked/core"]
        result = subprocess.run(
            [python, str(copy), "collect", "--out", str(out / "n.tar.gz"), "--pid", "1", "--job", "slurm:7", *asked],
            env={"PATH": ""},
            cwd="/",
            user=nobody,
            group=nobody,
            extra_groups=[],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert result.returncode == 0, result.stderr
        assert "Traceback" not in result.stderr
        lacking = {entry["what"]: entry["reason"] for entry in manifest_of(out / "n.tar.gz")["lacking"]}
        assert "Permission denied" in lacking["environment of process 1"]
        assert lacking[f"--log {out}/locked/*.log"] == f"Permission denied: {out}/locked"
        assert lacking[f"--core {out}/locked/core"] == f"Permission denied: {out}/locked"
        assert lacking[f"{out}/own.log"] == "Permission denied"
        assert analyze(out / "n.tar.gz")["verdict"] in ("no-failure", "undiagnosed", "diagnosed")
    finally:
        copy.unlink(missing_ok=True)
        shutil.rmtree(out, ignore_errors=True)
