"""A real Dask cluster of processes gives the same answer, also when one of its workers is killed in mid-run."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from analyzer.bundle import BundleLimits, InputFile, list_input_files
from analyzer.engine.cluster import WorkerReply, fetch_reply, read_parts_on_cluster
from analyzer.engine.monitor import ProgressMonitor
from analyzer.engine.parts import split_into_parts
from analyzer.errors import AnalyzerError
from analyzer.paths import cache_dir
from analyzer.rules.packs.cache import load_packs
from analyzer.rules.types import Packs

pytestmark = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed")
ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(ROOT),
    "PYTHONSAFEPATH": "1",
    "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False",
}


@contextmanager
def started(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**ENVIRONMENT, **environment})
    try:
        yield process
    finally:
        for child in [*psutil.Process(process.pid).children(recursive=True)] if process.poll() is None else []:
            child.kill()
        process.kill()
        process.communicate()


@contextmanager
def cluster(workers: int, **environment: str) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A scheduler and its workers as processes of their own; the scheduler chooses its port."""
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            started("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        )
        assert scheduler.stderr
        address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
        arguments = ("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        yield address, [stack.enter_context(started(*arguments, **environment)) for _ in range(workers)]


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
        (node / "a.log").write_bytes(line * 5_000 + b"nothing of note\n" * 600_000)
    (folder / "n3" / "dmesg.txt").write_text(
        "[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"
    )
    return folder


@pytest.fixture(scope="module")
def alone(bundle: Path) -> bytes:
    """The incident as this machine writes it."""
    written = analyze(bundle, "--jobs", "1").stdout
    assert json.loads(written)["root_causes"][0]["node"] == "n3"
    return written


def test_a_cluster_that_loses_a_worker_writes_the_same_bytes(bundle: Path, alone: bytes, tmp_path: Path) -> None:
    distributed = importlib.import_module("distributed")
    with cluster(3) as (address, workers), distributed.Client(address) as onlooker:
        onlooker.wait_for_workers(len(workers))
        pids = onlooker.run(os.getpid)
        command = [
            sys.executable,
            "-m",
            "analyzer",
            "analyze",
            str(bundle),
            "-q",
            "--json",
            str(tmp_path / "there.json"),
        ]
        running = subprocess.Popen([*command, "--engine", "dask", "--scheduler", address], cwd=ROOT)
        while not (busy := [worker for worker, parts in onlooker.processing().items() if parts]):
            assert running.poll() is None
        psutil.Process(pids[busy[0]]).kill()
        assert running.wait(timeout=300) == 0
    assert (tmp_path / "there.json").read_bytes() == alone


def test_a_local_cluster_of_processes_writes_the_same_bytes(bundle: Path, alone: bytes) -> None:
    distributed = importlib.import_module("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as local:
        on_cluster = analyze(bundle, "--engine", "dask", "--scheduler", local.scheduler_address)
    assert on_cluster.stdout == alone


@pytest.fixture(scope="module")
def packs() -> Packs:
    return load_packs((), cache_dir())


class Stopped(ProgressMonitor):
    def should_stop(self) -> bool:
        return True


def test_what_a_worker_cannot_see_and_what_a_stop_leaves_unread_is_named(bundle: Path, packs: Packs) -> None:
    """The client may list what only its own machine has."""
    parts = split_into_parts(
        [*list_input_files([bundle / "n3"]), InputFile(Path("/only/here/b.log"), "b.log", "b.log")]
    )
    with cluster(1) as (address, _):
        intake = read_parts_on_cluster(parts, packs, BundleLimits(), (), address, ProgressMonitor())
        unread = read_parts_on_cluster(
            split_into_parts(list_input_files([bundle])), packs, BundleLimits(), (), address, Stopped()
        )
    assert [result.file for result in intake.results] == ["a.log", "dmesg.txt"]
    assert [(source.file, source.status) for source in intake.other_sources] == [("b.log", "failed")]
    assert "cannot see this file" in (intake.other_sources[0].problem or "")
    assert {source.file for source in unread.other_sources} == {f"n{n}/a.log" for n in range(6)} | {"n3/dmesg.txt"}
    assert {source.status for source in unread.other_sources} == {"skipped"}


BLIND = """
import pathlib
stat, exists = pathlib.Path.stat, pathlib.Path.exists

def look(self, **how):
    if self.suffix in (".log", ".txt"):
        raise FileNotFoundError(2, "No such file", str(self))
    return stat(self, **how)

pathlib.Path.stat = look
pathlib.Path.exists = lambda self, **how: self.suffix not in (".log", ".txt") and exists(self, **how)
"""


def test_what_one_worker_does_not_see_is_read_by_another(bundle: Path, alone: bytes, tmp_path: Path) -> None:
    """It has nothing to do, and so it is given more and more."""
    (tmp_path / "sitecustomize.py").write_text(BLIND)
    with cluster(1) as (address, _):
        arguments = (address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        with started("dask_worker", *arguments, PYTHONPATH=f"{tmp_path}:{ROOT}"):
            onlooker = importlib.import_module("distributed").Client(address)
            with onlooker:
                onlooker.wait_for_workers(2)
            on_cluster = analyze(bundle, "--engine", "dask", "--scheduler", address)
    assert on_cluster.stdout == alone


def test_what_no_worker_sees_is_missed_with_its_size(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    (bundle / "a.log").write_text("nothing of note\n")
    (tmp_path / "sitecustomize.py").write_text(BLIND)
    with cluster(1, PYTHONPATH=f"{tmp_path}:{ROOT}") as (address, _):
        intake = read_parts_on_cluster(
            split_into_parts(list_input_files([bundle])),
            load_packs((), cache_dir()),
            BundleLimits(),
            (),
            address,
            ProgressMonitor(),
        )
    assert [(source.bytes, source.unread) for source in intake.other_sources] == [(16, 16)]


@pytest.mark.parametrize(
    ("package", "complaint"),
    [('__version__ = "0.0.1"', "do not have version"), ("", "cannot run this program")],
)
def test_workers_that_are_another_program_are_refused(
    bundle: Path, tmp_path: Path, package: str, complaint: str
) -> None:
    """One has an older version of it, the other something else of the same name."""
    (tmp_path / "analyzer").mkdir()
    if package:
        shutil.copytree(ROOT / "analyzer", tmp_path / "analyzer", dirs_exist_ok=True)
    (tmp_path / "analyzer" / "__init__.py").write_text(package)
    with cluster(1, PYTHONPATH=str(tmp_path)) as (address, _):
        refused = analyze(bundle, "--engine", "dask", "--scheduler", address)
    assert refused.returncode == 1
    assert complaint in refused.stderr.decode() and b"Traceback" not in refused.stderr
    assert b"install the same version of tf-postmortem in the environment of the workers" in refused.stderr


def test_a_scheduler_without_workers_is_said(bundle: Path, packs: Packs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.engine.workers.FIRST_WORKER_TIMEOUT_S", 2)
    with cluster(0) as (address, _), pytest.raises(AnalyzerError, match="has no workers"):
        read_parts_on_cluster(
            split_into_parts(list_input_files([bundle])), packs, BundleLimits(), (), address, ProgressMonitor()
        )


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "tls://127.0.0.1:1", "bogus", "foo://x", "silent"])
def test_an_address_without_a_scheduler_is_said(address: str, bundle: Path, packs: Packs, monkeypatch: Any) -> None:
    """Nobody listens, TLS lacks its files, it is no address, or somebody listens and never says a word."""
    monkeypatch.setattr("analyzer.engine.cluster.CONNECT_TIMEOUT_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        wanted = f"tcp://127.0.0.1:{mute.getsockname()[1]}" if address == "silent" else address
        with pytest.raises(AnalyzerError, match="no Dask scheduler answers") as raised:
            read_parts_on_cluster(
                split_into_parts(list_input_files([bundle])), packs, BundleLimits(), (), wanted, ProgressMonitor()
            )
    assert "dask scheduler" in raised.value.hint


def test_a_scheduler_that_dies_costs_what_was_not_read(
    bundle: Path, packs: Packs, caplog: pytest.LogCaptureFixture
) -> None:
    importlib.import_module("distributed")
    logging.getLogger("distributed.client").addHandler(caplog.handler)
    with cluster(1) as (address, _), started_watch(address) as watch:
        intake = read_parts_on_cluster(
            split_into_parts(list_input_files([bundle])), packs, BundleLimits(), (), address, watch
        )
    read, lost = {result.file for result in intake.results}, {source.file for source in intake.other_sources}
    assert read | lost == {f"n{n}/a.log" for n in range(6)} | {"n3/dmesg.txt"} and lost and not read & lost
    assert all("the Dask scheduler was lost" in (source.problem or "") for source in intake.other_sources)
    assert not caplog.text


class Fetched:
    """A future of which `result` has each of these in turn."""

    def __init__(self, status: str, *results: object) -> None:
        self.status, self.results = status, list(results)

    def result(self, timeout: float) -> object:
        result = self.results.pop(0)
        if isinstance(result, TimeoutError):
            self.status = result.args[0]
        if isinstance(result, Exception):
            raise result
        return result


def test_a_reply_that_is_lost_on_its_way() -> None:
    """Its scheduler dies, its worker dies, or it is merely large."""
    for error in (OSError("reset by peer"), CancelledError()):
        assert "connection to the Dask scheduler was lost" in str(fetch_reply(Fetched("finished", error)))
    assert "connection to the Dask scheduler was lost" in str(fetch_reply(Fetched("cancelled", CancelledError())))
    assert fetch_reply(Fetched("finished", TimeoutError("lost"))) is None
    reply = WorkerReply(None, (), "tcp://127.0.0.1:1", "host")
    assert fetch_reply(Fetched("finished", TimeoutError("finished"), reply)) is reply


class Deserting(ProgressMonitor):
    """Ends the only worker, before anything is read or as soon as the first part is."""

    def __init__(self, worker: psutil.Process, at_once: bool) -> None:
        self._worker, self._at_once = worker, at_once
        self.seen: list[str] = []

    def should_stop(self) -> bool:
        if self._at_once:
            self._worker.kill()
        return False

    def advance(self, path: str, size: int) -> None:
        self.seen.append(path)
        self._worker.kill()


def test_a_cluster_that_loses_all_its_workers_is_not_waited_for_for_ever(bundle: Path, packs: Packs) -> None:
    """What was read before is kept, the rest is named; where there is nothing it is an error that says what to do."""
    distributed = importlib.import_module("distributed")
    dask = importlib.import_module("dask")
    parts = split_into_parts(list_input_files([bundle]))
    with dask.config.set({"distributed.scheduler.no-workers-timeout": "3s"}):
        for at_once in (False, True):
            with cluster(1) as (address, _), distributed.Client(address) as onlooker:
                onlooker.wait_for_workers(1)
                (pid,) = onlooker.run(os.getpid).values()
                watch = Deserting(psutil.Process(pid), at_once)
                if at_once:
                    with pytest.raises(AnalyzerError, match="lost all its workers before anything was read") as raised:
                        read_parts_on_cluster(parts, packs, BundleLimits(), (), address, watch)
                    assert "memory" in raised.value.hint
                else:
                    intake = read_parts_on_cluster(parts, packs, BundleLimits(), (), address, watch)
            assert "waiting for Dask workers" in watch.seen
    read, lost = {result.file for result in intake.results}, {source.file for source in intake.other_sources}
    assert read and read | lost == {f"n{n}/a.log" for n in range(6)} | {"n3/dmesg.txt"} and lost and not read & lost
    assert {(source.status, "none came in 3 s" in (source.problem or "")) for source in intake.other_sources} == {
        ("failed", True)
    }


class Killing(ProgressMonitor):
    """Ends the scheduler as soon as the first part is read."""

    def __init__(self, scheduler: psutil.Process) -> None:
        self._scheduler = scheduler

    def advance(self, path: str, size: int) -> None:
        self._scheduler.kill()


@contextmanager
def started_watch(address: str) -> Iterator[ProgressMonitor]:
    port = int(address.rpartition(":")[2])
    own = psutil.Process().children(recursive=True)
    yield Killing(
        next(
            process
            for process in own
            if any(c.laddr.port == port and c.status == "LISTEN" for c in process.net_connections())
        )
    )


def test_what_is_wrong_with_a_cluster_is_said(bundle: Path) -> None:
    none = analyze(bundle, "--scheduler", "tcp://127.0.0.1:1")
    assert none.returncode == 2
