"""Signals in the middle of the control run and of the run with the fault: nothing of ours stays.

Real processes, through the command line. Only TensorFlow is another: its tasks say that they have begun and never end.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from analyzer.replay.recipe import CAPABILITY_TESTS

TENSORFLOW = """
import os, sys, tempfile, time

def __getattr__(name):
    if name != "__version__":
        raise AttributeError(name)
    if ("--control" in sys.argv) is not {control}:
        raise SystemExit(0)
    tempfile.mkstemp()
    with open({began!r}, "a") as file:
        file.write(f"{{os.getpid()}} {{os.getppid()}}\\n")
    while True:
        time.sleep(600)
"""
CGROUPS = Path("/sys/fs/cgroup")


class Replay:
    """A `tf-postmortem replay` whose tasks have begun: its own process, the launcher's and theirs."""

    def __init__(self, folder: Path, cause: str, control: bool) -> None:
        began, library, self.scratch = folder / "began", folder / "library", folder / "scratch"
        os.mkfifo(began)
        for made in (library, self.scratch):
            made.mkdir()
        (library / "tensorflow.py").write_text(TENSORFLOW.format(control=control, began=str(began)))
        root_cause = {"cause": cause, "task": "worker:1", "title": "it failed", "captures": {}, "evidence": []}
        nodes = [{"name": f"n{at}", "tasks": [f"worker:{at}"]} for at in range(3)]
        report = {"schema_version": "1", "verdict": "diagnosed", "root_causes": [root_cause], "nodes": nodes}
        (folder / "incident.json").write_text(json.dumps(report))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "analyzer", "replay", "incident.json"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(library), "TMPDIR": str(self.scratch)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        task, launcher = hear(began)
        self.launcher = psutil.Process(launcher)
        self.ours = [self.launcher, psutil.Process(task), *self.launcher.children(recursive=True)]

    def left(self) -> tuple[list[psutil.Process], list[str], list[str]]:
        """Processes, cgroups and mounts, files that there are half a minute after its end, or once they are gone."""
        self.process.wait(30)
        _, alive = psutil.wait_procs(self.ours, timeout=30)
        alive = [
            process for process in alive if process.status() != psutil.STATUS_ZOMBIE
        ]  # whoever adopts orphans has it
        return alive, self.kept(), [path.name for path in self.scratch.iterdir()]

    def scratch_of_tasks(self) -> list[Path]:
        return list(self.scratch.parent.glob("repro/runs/1/*/*/tmp"))

    def kept(self) -> list[str]:
        """What may outlive a process."""
        groups = [place / f"replay_{self.launcher.pid}" for place in (CGROUPS, CGROUPS / "memory")]
        mounts = Path("/proc/self/mounts").read_text().splitlines()
        return [
            *(str(path) for path in groups if path.exists()),
            *(mount for mount in mounts if str(self.scratch.parent) in mount),
        ]


@pytest.fixture
def replays(tmp_path: Path) -> Iterator[list[Replay]]:
    started: list[Replay] = []
    yield started
    for process in started:
        process.process.kill()
        process.process.wait()


@pytest.mark.parametrize("control", [True, False], ids=["control", "fault"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_when_we_are_ended(
    number: signal.Signals, control: bool, replays: list[Replay], tmp_path: Path
) -> None:
    replays.append(replay := Replay(tmp_path, "resource.host-oom-killed", control))
    assert replay.scratch_of_tasks()
    replay.process.send_signal(number)
    assert replay.left() == ([], [], [])
    assert not replay.scratch_of_tasks()


@pytest.mark.skipif(not CAPABILITY_TESTS["networks"](), reason="no network namespaces here")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_network_stays_when_we_are_ended(number: signal.Signals, replays: list[Replay], tmp_path: Path) -> None:
    """They are the tasks' own, and no name holds them."""
    replays.append(replay := Replay(tmp_path, "network.timeout", False))
    ours = Path("/proc/self/ns/net").stat().st_ino
    networks = {Path(f"/proc/{process.pid}/ns/net").stat().st_ino for process in replay.ours[:2]}
    assert ours not in networks
    replay.process.send_signal(number)
    assert replay.left() == ([], [], [])
    assert networks.isdisjoint(_networks())


@pytest.mark.skipif(not CAPABILITY_TESTS["memory cgroups"](), reason="no memory cgroups here")
def test_what_a_killed_launcher_leaves_is_taken_away_by_the_next(
    replays: list[Replay], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    replays.append(first := Replay(tmp_path / "one", "resource.host-oom-killed", False))
    first.launcher.kill()
    alive, stays, _ = first.left()
    assert (alive, len(stays)) == ([], 1)  # nobody was left to take the cgroup away
    replays.append(second := Replay(tmp_path / "two", "resource.host-oom-killed", False))
    assert not first.kept()
    second.process.send_signal(signal.SIGINT)
    assert second.left() == ([], [], [])


def hear(began: Path) -> tuple[int, int]:
    """The first task and its launcher, once it has begun; a run that breaks before that fails the test."""
    line = os.open(began, os.O_RDWR)
    try:
        assert select.select([line], [], [], 120)[0], "no task has begun"
        task, launcher = os.read(line, 4096).split()[:2]
    finally:
        os.close(line)
    return int(task), int(launcher)


def _networks() -> set[int]:
    inodes = set()
    for process in psutil.process_iter():
        try:
            inodes.add(Path(f"/proc/{process.pid}/ns/net").stat().st_ino)
        except OSError:
            continue
    return inodes
