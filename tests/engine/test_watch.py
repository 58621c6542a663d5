"""Who watches the reading sees all bytes go by, and may end it: what was read is told, what was not is named."""

from __future__ import annotations

import gzip
import io
import json
import os
import pty
import random
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from analyzer.engine import parts, processes
from analyzer.engine.monitor import ProgressMonitor
from analyzer.paths import cache_dir
from analyzer.pipeline import Options, read_inputs
from analyzer.reading import ReadPlan, build_plan
from analyzer.rules.packs.cache import load_packs

ROOT = Path(__file__).parents[2]
NODES = [f"n{number}" for number in range(5)]
FEW_BLOCKS = 2_000_000  # bytes


def ordinary(chance: random.Random) -> bytes:
    return f"2026-01-01 00:00:00.000000: I tensorflow/core/a.cc:1] {chance.randbytes(220).hex()}\n".encode()


def folder_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.*"))


class Counting(ProgressMonitor):
    """Stops once `most` bytes went by."""

    def __init__(self, most: int = 1 << 60) -> None:
        self.most, self.total, self.seen, self.paths = most, 0, 0, set[str]()
        self.judged: int | None = None

    def begin(self, total: int) -> None:
        self.total = total

    def advance(self, path: str, size: int) -> None:
        self.seen += size
        self.paths.add(path)

    def begin_diagnosis(self, files: int) -> None:
        self.judged = files

    def should_stop(self) -> bool:
        return self.seen >= self.most


@pytest.fixture(scope="module")
def plan() -> ReadPlan:
    return build_plan(load_packs((), cache_dir()), cache_dir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Five nodes of 2 MB that hardly compress, and a file that nobody reads to its end."""
    chance = random.Random(7)
    for node in NODES:
        (tmp_path / "in" / node).mkdir(parents=True)
        (tmp_path / "in" / node / "a.log").write_bytes(b"".join(ordinary(chance) for _ in range(4_000)))
    (tmp_path / "in" / "n2" / "weights.bin").write_bytes(bytes(range(32)) * 30_000)
    return tmp_path / "in"


def pack(folder: Path, kind: str) -> Path:
    target = folder.with_suffix(f".{kind}")
    if kind == "zip":
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*.*")):
                archive.write(path, path.relative_to(folder))
        return target
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        archive.add(folder, "")
    target.write_bytes(gzip.compress(plain.getvalue(), 1) if kind == "tar.gz" else plain.getvalue())
    return target


@pytest.mark.parametrize("kind", ["folder", "tar", "tar.gz", "zip"])
def test_every_byte_goes_by_once(plan: ReadPlan, folder: Path, kind: str) -> None:
    watch = Counting()
    read_inputs([folder if kind == "folder" else pack(folder, kind)], plan, Options(monitor=watch))
    assert watch.total > 0
    beside = 3 << 16 if kind == "zip" else 0  # its end is looked at for the end record, then for the directory
    assert watch.total * 0.98 <= watch.seen <= watch.total * 1.02 + beside
    assert {"n0/a.log", "n4/a.log"} <= watch.paths


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_not_read_is_named(plan: ReadPlan, folder: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MAX_GROUPED_BYTES", 0)
    monkeypatch.setattr(processes, "POLL_INTERVAL_S", 0.001)
    intake = read_inputs([folder], plan, Options(monitor=Counting(5_000_000), jobs=jobs), load_packs((), cache_dir()))
    by_file = {result.file: result for result in intake.results} | {
        source.file: source for source in intake.other_sources
    }
    assert {f"{node}/a.log" for node in NODES} <= set(by_file)
    statuses = {by_file[f"{node}/a.log"].status for node in NODES}
    assert {"partly-read", "skipped"} & statuses and statuses <= {"read", "partly-read", "skipped"}
    assert jobs > 1 or {"read", "skipped"} <= statuses  # two may be at the last files when the word comes
    assert all(by_file[f"{node}/a.log"].problem for node in NODES if by_file[f"{node}/a.log"].status != "read")
    assert any("stopped" in note for note in intake.notes)


def bytes_read() -> int:
    """Whatever this process asked the kernel for so far."""
    return int(Path("/proc/self/io").read_text().split()[1])


class Late(Counting):
    """How much is read after the word to stop."""

    at: int | None = None

    def should_stop(self) -> bool:
        if super().should_stop() and self.at is None:
            self.at = bytes_read()
        return super().should_stop()


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the kernel does not count here")
@pytest.mark.parametrize("kind", ["folder", "tar", "tar.gz", "zip"])
def test_after_the_word_to_stop_no_more_than_a_few_blocks_are_read(plan: ReadPlan, folder: Path, kind: str) -> None:
    watch = Late(1_000_000)
    intake = read_inputs([folder if kind == "folder" else pack(folder, kind)], plan, Options(monitor=watch))
    assert watch.at is not None
    assert bytes_read() - watch.at < FEW_BLOCKS < folder_size(folder) - watch.most
    assert watch.judged == len(intake.results) < len(NODES)


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_an_archive_says_that_it_was_not_read_to_its_end(plan: ReadPlan, folder: Path, kind: str) -> None:
    archive = pack(folder, kind)
    watch = Counting(archive.stat().st_size // 2)
    intake = read_inputs([archive, folder / "n4"], plan, Options(monitor=watch))
    assert 0 < len(intake.results) < len(NODES)
    reasons = {source.file: source.problem or "" for source in intake.other_sources}
    assert "stopped" in reasons[archive.name]
    assert "stopped" in reasons["n4/a.log"]


def start(arguments: Sequence[str], scratch: Path, **streams: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "analyzer", "analyze", *arguments]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    return subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True, **streams)


def until_reading(process: subprocess.Popen[bytes], terminal: int) -> bytes:
    """What is shown until the bar has moved; a bar that never moves ends with the process."""
    shown = b""
    while not (b"worker" in shown and b"/s" in shown) and process.poll() is None:
        shown += os.read(terminal, 4096)
    return shown


@pytest.fixture
def long_input(tmp_path: Path) -> Path:
    """15 GB of log that need little disk: many seconds of work in any case."""
    for node in ("n1", "n2", "n3"):
        (tmp_path / "long" / node).mkdir(parents=True)
        chunk = gzip.compress(ordinary(random.Random(1)) * 20_000, 1)
        (tmp_path / "long" / node / "worker.log.gz").write_bytes(chunk * 500)
        (tmp_path / "long" / node / "padding").write_bytes(b"x\n" * parts.MAX_GROUPED_BYTES)
    return tmp_path / "long"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_on_a_terminal_leaves_nothing_behind(long_input: Path, tmp_path: Path, jobs: str) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    ours, its = pty.openpty()
    process = start([str(long_input), "--jobs", jobs], scratch, stdin=its, stdout=its, stderr=its)
    os.close(its)
    shown = until_reading(process, ours)
    assert b"B/s" in shown  # of two looks in one moment it may be terabytes
    children = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: all of them, at once
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # the last one closed the terminal
        pass
    assert process.wait(60) == 130
    assert b"Traceback" not in shown
    assert not psutil.wait_procs(children, timeout=20)[1]
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(("jobs", "number"), [("1", signal.SIGINT), ("2", signal.SIGINT), ("2", signal.SIGTERM)])
def test_partial_reports_what_was_read_until_then(long_input: Path, tmp_path: Path, jobs: str, number: int) -> None:
    """The signal comes to all processes, as a terminal and a scheduler send theirs."""
    scratch, out = tmp_path / "scratch", tmp_path / "incident.json"
    scratch.mkdir()
    ours, its = pty.openpty()
    arguments = [str(long_input), "--jobs", jobs, "--partial", "--json", str(out)]
    process = start(arguments, scratch, stdout=subprocess.DEVNULL, stderr=its)
    os.close(its)
    until_reading(process, ours)
    os.killpg(process.pid, number)
    try:
        while os.read(ours, 4096):
            pass
    except OSError:
        pass
    assert process.wait(60) == 0
    incident = json.loads(out.read_text())
    statuses = {source["file"]: source["status"] for source in incident["sources"]}
    assert {f"n{number}/worker.log.gz" for number in (1, 2, 3)} <= set(statuses)
    assert {"partly-read", "skipped"} & set(statuses.values())
    assert any("stopped" in note for note in incident["notes"])
    assert not list(scratch.iterdir())


def test_progress_is_told_without_a_terminal_where_it_is_wanted(folder: Path, tmp_path: Path) -> None:
    process = start([str(folder), "-q", "--progress"], tmp_path, stderr=subprocess.PIPE)
    progress = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 0
    assert progress.splitlines()[-2].startswith("read 10.9 MB of 10.9 MB")
    assert progress.splitlines()[-1] == "analyzing 5 files"
