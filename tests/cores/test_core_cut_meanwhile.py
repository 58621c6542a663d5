"""A core that is cut while it is mapped ends the process that reads it by SIGBUS, and that costs that core alone."""

from __future__ import annotations

import faulthandler
import mmap
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import MakeCore

from analyzer.cores import opened_core
from analyzer.cores.elf import notes
from analyzer.crash_isolation import ChildCrash, map_in_child
from analyzer.pipeline import analyze
from analyzer.report.json import to_json

KILLED = "[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"


def see_whole_then_cut(path: Path) -> str:
    """What the mapping of a file holds that another one shortens."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        faulthandler.disable()  # pytest's, whose word of it would be noise
        file.truncate(1)
        return str(mapped[8192])


def test_a_child_that_dies_is_tried_again_and_then_named(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(bytes(20_000))

    def work(item: str) -> str:
        if item == "raises":
            raise ValueError("no core at all")
        if item == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        return see_whole_then_cut(tmp_path / item) if item in "ab" else item

    before = psutil.Process().children()
    results = dict(map_in_child(["first", "raises", "between", "killed", "last"], work))
    assert results.pop("raises") == ChildCrash("ValueError('no core at all')")
    assert "SIGKILL, perhaps for lack of memory" in str(results.pop("killed"))
    assert results == {"first": "first", "between": "between", "last": "last"}
    assert psutil.Process().children() == before


def test_a_file_that_is_whole_again_at_the_second_try_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(20_000))

    def work(path: Path) -> int | str:
        return 1 if path.stat().st_size == 1 else see_whole_then_cut(path)

    assert [*map_in_child([tmp_path / "a"], work)] == [(tmp_path / "a", 1)]


def test_who_looks_at_the_first_alone_leaves_no_process() -> None:
    before = psutil.Process().children()
    reading = map_in_child(range(100_000), lambda number: bytes(1000) * number)
    assert next(reading) == (0, b"")
    reading.close()  # type: ignore[attr-defined]
    assert psutil.Process().children() == before


def test_without_a_process_to_be_had_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> int:
        raise BlockingIOError(11, os.strerror(11))

    monkeypatch.setattr(os, "fork", refused)
    before = len([*Path("/proc/self/fd").iterdir()])
    assert [*map_in_child([1, 2], str)] == [(1, "1"), (2, "2")]
    assert len([*Path("/proc/self/fd").iterdir()]) == before


@pytest.fixture
def incident(tmp_path: Path, make_core: MakeCore) -> Iterator[Path]:
    """Two nodes with the same core, and a log."""
    for node in ("n1", "n2"):
        (tmp_path / node).mkdir()
        shutil.copy(make_core("null", "-g"), tmp_path / node / "core.7")
    (tmp_path / "n2" / "dmesg.txt").write_text(KILLED)
    yield tmp_path


@pytest.mark.parametrize("fate", ["whole at the second try", "cut again", "gone"])
def test_a_core_that_is_cut_while_it_is_read(incident: Path, monkeypatch: pytest.MonkeyPatch, fate: str) -> None:
    """It is read as it is then, from a copy where that goes on; where it is gone it is named. All else is read."""
    victim = incident / "n1" / "core.7"
    size = victim.stat().st_size
    read_notes = notes.read_notes

    def cut(data: Any, *arguments: Any) -> Any:
        read = read_notes(data, *arguments)
        if len(data) == size and victim.exists() and victim.stat().st_size == size:
            faulthandler.disable()
            os.truncate(victim, 16384)
            if fate == "gone":
                victim.unlink()
            bytes(data)  # every page of it
        return read

    def restored(path: Path, real: Any = opened_core.map_core) -> Any:
        if fate == "cut again" and path == victim:
            os.truncate(victim, size)
        return real(path)

    monkeypatch.setattr(opened_core, "read_notes", cut)
    monkeypatch.setattr("analyzer.cores.reader.map_core", restored)
    rows: Any = to_json(analyze([incident]))
    cores = {core["node"]: core for core in rows["cores"]}
    sources = {source["file"]: source for source in rows["sources"]}
    assert cores["n2"]["signal"] == "SIGSEGV" and cores["n2"]["threads"]
    assert rows["verdict"] == "diagnosed"
    lost = sources[cores["n1"]["file"]]
    if fate == "gone":
        assert lost["status"] == "failed" and lost["unread"] == lost["bytes"] == size
        assert not cores["n1"]["threads"] and "No such file" in lost["problem"]
    else:
        assert any("the core is cut" in problem for problem in cores["n1"]["problems"])
        assert cores["n1"]["signal"] == "SIGSEGV"
    assert not list(Path.cwd().glob("core*"))


def test_a_core_at_which_every_process_dies_is_named(incident: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = incident / "n1" / "core.7"

    def die(path: Path, real: Any = opened_core.map_core) -> Any:
        if path == victim or path.parent != incident / "n2":
            os.kill(os.getpid(), signal.SIGKILL)
        return real(path)

    monkeypatch.setattr("analyzer.cores.reader.map_core", die)
    rows: Any = to_json(analyze([incident]))
    cores = {core["node"]: core for core in rows["cores"]}
    assert "SIGKILL, perhaps for lack of memory" in cores["n1"]["problems"][0] and cores["n2"]["threads"]
    (lost,) = [source for source in rows["sources"] if source["status"] == "failed"]
    assert lost["file"] == cores["n1"]["file"] and lost["unread"] == lost["bytes"] == victim.stat().st_size
