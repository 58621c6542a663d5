"""Machines that let no process start, open few files or have little memory: one process reads, or it is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KILLED = "[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"
UNSHARE = "mount -t tmpfs -o size=4k,ro none /dev/shm"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two parts, so that two processes are wanted."""
    folder = tmp_path_factory.mktemp("logs")
    for node in ("n1", "n2"):
        (folder / node).mkdir()
        (folder / node / "a.log").write_bytes(b"step 1\n" * 1_300_000)
    (folder / "n1" / "dmesg.txt").write_text(KILLED)
    return folder


def analyze(logs: Path, before: str) -> subprocess.CompletedProcess[str]:
    line = f"{before}; exec {sys.executable} -m analyzer analyze {logs} -q --json - --jobs 2"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120, cwd=logs, env=environment)


def test_with_few_files_one_process_reads(logs: Path) -> None:
    done = analyze(logs, "ulimit -n 18")
    assert done.returncode == 0 and not done.stderr, done.stderr
    said = json.loads(done.stdout)
    assert said["verdict"] == "diagnosed" and not any(source["unread"] for source in said["sources"])


def test_without_shared_memory_one_process_reads(logs: Path) -> None:
    if subprocess.run(["unshare", "-m", "bash", "-c", UNSHARE], capture_output=True).returncode:
        pytest.skip("only root may hide /dev/shm")
    line = f"{sys.executable} -m analyzer analyze {logs} -q --json - --jobs 2"
    command = ["unshare", "-m", "bash", "-c", f"{UNSHARE} && exec {line}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=logs, env=environment)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert json.loads(done.stdout)["verdict"] == "diagnosed"


@pytest.mark.parametrize("before", ["ulimit -n 8", "ulimit -v 150000", "ulimit -f 1"])
def test_what_does_not_suffice_is_said(logs: Path, before: str) -> None:
    done = analyze(logs, before)
    assert done.returncode in (0, 1) and "Traceback" not in done.stderr, done.stderr
    assert bool(done.returncode) == done.stderr.startswith("error: ")
