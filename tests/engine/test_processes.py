"""Reading in several processes gives the same answer as reading in one, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import psutil
import pytest

from analyzer.bundle import InputFile, Loss, list_input_files
from analyzer.engine.parts import (
    MAX_GROUPED_BYTES,
    MIN_BYTES_PER_FORK,
    Part,
    choose_process_count,
    plan_parts,
    split_into_parts,
)
from tests.engine.readers import readers_of

ROOT = Path(__file__).parents[2]
FIXTURES = sorted((ROOT / "fixtures").glob("*/bundle.tar.gz"))


def incident(inputs: list[Path], *arguments: str) -> bytes:
    command = [sys.executable, "-m", "analyzer", "analyze", *map(str, inputs), "-q", "--json", "-", *arguments]
    return subprocess.run(command, capture_output=True, check=True, timeout=120, cwd=ROOT).stdout


def pad(folder: Path, line: str) -> None:
    """Puts so much harmless text beside each node's files that they are parts of their own."""
    for child in folder.iterdir():
        target = child if child.is_dir() else folder
        (target / "padding.log").write_text(line * (MAX_GROUPED_BYTES // len(line) + 1))


@pytest.mark.parametrize("name", ["killed-worker", "memory-cgroup-oom", "native-null-pointer"])
def test_two_processes_write_the_same_bytes_as_one(name: str, tmp_path: Path) -> None:
    with tarfile.open(ROOT / "fixtures" / name / "bundle.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    inside = next(child for child in tmp_path.iterdir() if child.is_dir())
    pad(inside, "nothing of note happened here at all\n")
    assert len(split_into_parts(list_input_files([tmp_path]))) > 1
    assert incident([tmp_path], "--jobs", "3") == incident([tmp_path], "--jobs", "1")


WITH_THREADS = """\
import json, os, sys, threading
from pathlib import Path
from analyzer.pipeline import Options, analyze
from analyzer.report.json import to_json
forks = []
os.register_at_fork(before=lambda: forks.append(1))
for _ in range(int(sys.argv[2])):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
incident = analyze([Path(sys.argv[1])], Options(jobs=2))
print(len(forks), json.dumps(to_json(incident)["findings"]))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="nobody says here how many threads there are")
def test_only_a_process_of_one_thread_is_forked(tmp_path: Path) -> None:
    for node in ("n1", "n2"):
        (tmp_path / node).mkdir()
    (tmp_path / "n1" / "dmesg").write_text("[  812.1] Out of memory: Killed process 42 (python3) anon-rss:8kB\n")
    pad(tmp_path, "nothing of note happened here at all\n")
    command = [sys.executable, "-W", "error", "-c", WITH_THREADS, str(tmp_path)]
    forked, spawned = (
        subprocess.run([*command, threads], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
        for threads in ("0", "1")
    )
    assert (forked.stderr, spawned.stderr) == ("", "")
    assert forked.stdout.startswith("2 [{") and spawned.stdout == f"0{forked.stdout[1:]}"


def test_folders_of_nodes_are_parts_and_small_ones_are_joined(tmp_path: Path) -> None:
    for node in ("n1", "n2", "n3"):
        (tmp_path / "all" / node).mkdir(parents=True)
        (tmp_path / "all" / node / "a.log").write_text("x\n")
        with (tmp_path / "all" / node / "big.log").open("wb") as file:
            file.truncate(MAX_GROUPED_BYTES)
    parts = split_into_parts(list_input_files([tmp_path]))
    assert [part.names[0] for part in parts] == ["all/n1/a.log", "all/n2/a.log", "all/n3/a.log"]
    assert [name for part in parts for name in part.names] == [
        item.path if isinstance(item, Loss) else item.label for item in list_input_files([tmp_path])
    ]


def test_processes_are_worth_their_start() -> None:
    place = InputFile(Path("x"), "x", "x")
    assert choose_process_count([Part((place,), 10)] * 5, None) == 1
    assert choose_process_count([Part((place,), 10)] * 5, 3) == 3
    assert plan_parts([Part((place,), 10)], 3).jobs == 1
    assert choose_process_count([Part((place,), MIN_BYTES_PER_FORK)] * 100, None) <= (os.cpu_count() or 1)


def long_input(folder: Path) -> Path:
    """Some seconds of work for each of two processes."""
    for node in ("n1", "n2"):
        (folder / node).mkdir(parents=True)
        line = b"2026-01-01 00:00:00.000000: E tensorflow/core/a.cc:1] frobnication failed\n"
        (folder / node / "a.log").write_bytes(line * 1_000_000)
    return folder


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_of_them_at_once(number: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "analyzer", "analyze", str(long_input(tmp_path)), "-q", "--jobs", "2"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True)
    readers = readers_of(process, 2)
    assert readers
    process.send_signal(number)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode in (128 + signal.SIGTERM, 130)
    assert not psutil.wait_procs(readers, timeout=20)[1]
    assert b"Traceback" not in errors


def test_a_reader_that_is_killed_is_tried_again_and_then_said(tmp_path: Path) -> None:
    out = tmp_path / "incident.json"  # no pipe: who has no reader left to be killed ends, and so does the test
    command = [sys.executable, "-m", "analyzer", "analyze", str(long_input(tmp_path / "logs")), "-q", "--jobs", "2"]
    process = subprocess.Popen([*command, "--json", str(out)], cwd=ROOT, stderr=subprocess.PIPE)
    first = readers_of(process, 2)
    first[0].kill()
    readers_of(process, 1, besides=first)[0].kill()
    errors = process.communicate(timeout=120)[1]
    assert b"Traceback" not in errors
    problems = [source["problem"] for source in json.loads(out.read_bytes())["sources"]]
    assert sum("was killed twice" in (problem or "") for problem in problems) == 1  # the other was read after all
