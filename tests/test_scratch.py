"""A private folder is gone when its process is, at the latest with the next run."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from analyzer.scratch import FOLDER_PREFIX, scratch_folder

ROOT = Path(__file__).parent.parent
HOLD = """
import sys
from pathlib import Path
from analyzer.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "core").write_text("a copy")
    (folder / "locked").mkdir()
    print(folder, flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(home: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another process that has a scratch folder."""
    command = [sys.executable, "-c", HOLD, str(home)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, cwd=ROOT, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def killed(home: Path) -> Path:
    """The folder of a process that was killed outright."""
    with holder(home) as (_, folder):
        pass
    assert (folder / "core").exists()
    return folder


def test_what_a_killed_run_left_goes_with_the_next_and_what_is_in_use_stays(tmp_path: Path) -> None:
    dead = killed(tmp_path)
    with holder(tmp_path) as (_, alive):
        assert not dead.exists()
        with scratch_folder(tmp_path) as own:
            assert {*tmp_path.iterdir()} == {alive, own} and (alive / "core").exists()
    with scratch_folder(tmp_path) as own:
        assert [*tmp_path.iterdir()] == [own]
        assert own.stat().st_mode & 0o777 == 0o700
    assert [*tmp_path.iterdir()] == []


def test_a_real_run_clears_up(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("2026-03-01 10:00:00 INFO nothing of note\n")
    (tmp_path / "tmp").mkdir()
    killed(tmp_path / "tmp")
    command = [sys.executable, "-m", "analyzer", "analyze", str(tmp_path / "a.log"), "-q"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")}, check=True, timeout=120)
    assert [*(tmp_path / "tmp").iterdir()] == []


def test_nothing_else_is_touched(tmp_path: Path) -> None:
    """What only looks like one: a link, a file, one of an earlier start of the machine, one that others may enter."""
    dead, kept = killed(tmp_path), tmp_path / "kept"
    (kept / "folder").mkdir(parents=True, mode=0o700)
    kept.chmod(0o700)
    stem = dead.name[:-8]
    (tmp_path / f"{stem}link0000").symlink_to(kept)
    (tmp_path / f"{stem}file0000").write_text("")
    (tmp_path / f"{stem}open0000").mkdir(mode=0o755)
    (tmp_path / f"{stem}longer-name").mkdir(mode=0o700)
    (tmp_path / f"{FOLDER_PREFIX}00000000-0000-4000-8000-000000000000-abcdefgh").mkdir(mode=0o700)
    (tmp_path / f"{FOLDER_PREFIX}tensorflow").mkdir(mode=0o700)
    (dead / "way-out").symlink_to(kept)
    before = {*tmp_path.iterdir()}
    with scratch_folder(tmp_path):
        pass
    assert {*tmp_path.iterdir()} == before - {dead} and (kept / "folder").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to have a folder of another user")
def test_another_users_folder_is_not_touched(tmp_path: Path) -> None:
    dead = killed(tmp_path)
    os.chown(dead, 65534, 65534)
    with scratch_folder(tmp_path):
        assert (dead / "core").exists()


def test_runs_that_clear_up_at_once_do_not_hurt_each_other(tmp_path: Path) -> None:
    for _ in range(20):
        with holder(tmp_path) as (_, dead):
            pass
    problems: list[str] = []

    def run() -> None:
        for _ in range(200):
            with scratch_folder(tmp_path) as folder:
                (folder / "copy").write_text("x")
                if not folder.name.startswith(dead.name[:-8]):
                    problems.append(f"{folder} has no lock")

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems and [*tmp_path.iterdir()] == []


def test_where_there_are_no_locks_nothing_is_cleared_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    dead = killed(tmp_path)
    monkeypatch.setattr(fcntl, "flock", refuse)
    with scratch_folder(tmp_path) as folder:
        assert {*tmp_path.iterdir()} == {dead, folder}
        monkeypatch.undo()
        with holder(tmp_path) as (_, other):  # another run, which has locks, leaves it alone
            assert {*tmp_path.iterdir()} == {folder, other}
    assert not folder.exists()
