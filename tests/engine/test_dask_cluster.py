"""A real Dask cluster of processes gives the same answer, also when one of its workers is killed in mid-run."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed")
ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False"}


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    try:
        yield process
    finally:
        for child in [*psutil.Process(process.pid).children(recursive=True)] if process.poll() is None else []:
            child.kill()
        process.kill()
        process.communicate()


@contextmanager
def cluster(workers: int) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A scheduler and its workers as processes of their own; the scheduler chooses its port."""
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            started("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        )
        assert scheduler.stderr
        address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
        arguments = ("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        yield address, [stack.enter_context(started(*arguments)) for _ in range(workers)]


def analyze(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "analyzer", "analyze", str(folder), "-q", "--json", "-", *arguments]
    return subprocess.run(command, capture_output=True, timeout=300, cwd=ROOT)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six nodes of which each is a part, one with a cause."""
    folder = tmp_path_factory.mktemp("bundle")
    line = b"2026-01-01 00:00:00.000000: E tensorflow/core/a.cc:1] frobnication failed\n"
    for number in range(6):
        node = folder / f"n{number}"
        node.mkdir()
        (node / "a.log").write_bytes(line * 120_000)
    (folder / "n3" / "dmesg.txt").write_text(
        "[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"
    )
    return folder


def test_a_cluster_that_loses_a_worker_writes_the_same_bytes(bundle: Path) -> None:
    alone = analyze(bundle, "--jobs", "1")
    assert json.loads(alone.stdout)["root_causes"][0]["node"] == "n3"
    with cluster(3) as (address, workers):
        command = [sys.executable, "-m", "analyzer", "analyze", str(bundle), "-q", "--json", "-"]
        running = subprocess.Popen(
            [*command, "--engine", "dask", "--scheduler", address], stdout=subprocess.PIPE, cwd=ROOT
        )
        victim = psutil.Process(workers[0].pid)
        before = victim.cpu_times().user
        while victim.cpu_times().user < before + 3:
            with pytest.raises(subprocess.TimeoutExpired):  # it is still running
                running.wait(0.1)
        victim.kill()
        assert running.communicate(timeout=300)[0] == alone.stdout


def test_what_is_wrong_with_a_cluster_is_said(bundle: Path) -> None:
    nobody = analyze(bundle, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert nobody.returncode == 1
    assert b"no Dask scheduler answers" in nobody.stderr and b"Traceback" not in nobody.stderr
    none = analyze(bundle, "--scheduler", "tcp://127.0.0.1:1")
    assert none.returncode == 2
