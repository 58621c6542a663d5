"""Machines that let no process start, open few files or have little memory: one process reads, or it is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
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
        (folder / node / "a.log").write_bytes(b"nothing of note\n" * 600_000)
    (folder / "n1" / "dmesg.txt").write_text(KILLED)
    return folder


def analyze(logs: Path, before: str) -> subprocess.CompletedProcess[str]:
    line = f"{before}; exec {sys.executable} -m analyzer analyze {logs} -q --json - --jobs 2"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120, cwd=logs, env=environment)


def test_with_few_files_one_process_reads(logs: Path) -> None:
    result = analyze(logs, "ulimit -n 18")
    assert result.returncode == 0 and not result.stderr, result.stderr
    report = json.loads(result.stdout)
    assert report["verdict"] == "diagnosed" and not any(source["unread"] for source in report["sources"])


def test_without_shared_memory_one_process_reads(logs: Path) -> None:
    if subprocess.run(["unshare", "-m", "bash", "-c", UNSHARE], capture_output=True).returncode:
        pytest.skip("only root may hide /dev/shm")
    line = f"{sys.executable} -m analyzer analyze {logs} -q --json - --jobs 2"
    command = ["unshare", "-m", "bash", "-c", f"{UNSHARE} && exec {line}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=logs, env=environment)
    assert result.returncode == 0 and not result.stderr, result.stderr
    assert json.loads(result.stdout)["verdict"] == "diagnosed"


@pytest.fixture
def control_group() -> Iterator[Path]:
    """A memory group of our own below the root of either version of the kernel's."""
    top = Path("/sys/fs/cgroup")
    folder = (top / "memory" if (top / "memory").is_dir() else top) / f"tf-postmortem-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / limit_of(folder)).write_text(str(1 << 30))
    except OSError:
        pytest.skip("no memory group can be made here")
    yield folder
    folder.rmdir()


def limit_of(group: Path) -> str:
    return "memory.limit_in_bytes" if (group / "memory.limit_in_bytes").exists() else "memory.max"


@pytest.mark.parametrize("megabytes", [90, 140])
def test_in_a_small_control_group_one_process_reads(logs: Path, control_group: Path, megabytes: int) -> None:
    """Two readers would be ended there, and with them the one that waits for them."""
    (control_group / limit_of(control_group)).write_text(str(megabytes << 20))
    result = analyze(logs, f"echo $$ > {control_group}/cgroup.procs")
    assert result.returncode == 0 and not result.stderr, result.stderr
    report = json.loads(result.stdout)
    assert report["verdict"] == "diagnosed" and not any(source["unread"] for source in report["sources"])
    assert any("reading processes than requested: 1." in note for note in report["notes"])


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="this kernel does not choose so")
def test_of_all_processes_a_reader_is_ended_first_for_memory(logs: Path) -> None:
    """What becomes of one that is ended is told in test_processes.py."""
    command = [sys.executable, "-m", "analyzer", "analyze", str(logs), "-q", "--jobs", "2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=logs, env=environment, stdout=subprocess.DEVNULL) as process:
        seen: set[int] = set()
        while process.poll() is None:
            with suppress(psutil.Error, OSError):
                seen |= {score_of(child.pid) for child in psutil.Process(process.pid).children(recursive=True)}
    assert process.returncode == 0 and max(seen) == min(score_of(os.getpid()) + 300, 1000)


def score_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/oom_score_adj").read_text())


@pytest.mark.parametrize("before", ["ulimit -n 8", "ulimit -v 150000", "ulimit -f 1"])
def test_what_does_not_suffice_is_said(logs: Path, before: str) -> None:
    result = analyze(logs, before)
    assert result.returncode in (0, 1) and "Traceback" not in result.stderr, result.stderr
    assert bool(result.returncode) == result.stderr.startswith("error: ")
