"""Holes of sparse files: nobody reads what a disk does not hold, and the bytes are counted all the same."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from analyzer.bundle.disk import hole_size
from analyzer.bundle.peek import HOLE_MARGIN_BYTES, MIN_HOLE_BYTES
from analyzer.incident import Incident
from analyzer.pipeline import analyze
from analyzer.report.json import to_json

KILLED = b"[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"
BEGIN = b"[    1.000000] Linux version 6.1.0-44-amd64\n" * 200 + b"[  700.5000"
HUGE = 200_000_000_000  # bytes
FEW = 20_000_000


def asked_for() -> int:
    """Bytes that this process asked the kernel for so far."""
    return int(Path("/proc/self/io").read_text().split()[1])


def make(path: Path, hole: int, sparse: bool = True) -> int:
    """A log with a hole in the middle of a line and one at its end; its size."""
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.write(BEGIN)
        for piece in (b"\n" + KILLED, b""):
            if sparse:
                file.seek(hole, os.SEEK_CUR)
            else:
                file.write(bytes(hole))
            file.write(piece)
        file.truncate()
    return path.stat().st_size


def knows_holes(path: Path) -> bool:
    with io.FileIO(os.open(path, os.O_RDONLY)) as file:
        file.seek(len(BEGIN) + 4096)
        return hole_size(file, path.stat().st_size) > MIN_HOLE_BYTES


def root_causes_of(incident: Incident) -> object:
    return to_json(incident)["root_causes"]


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the kernel does not count here")
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "tar"])
def test_a_huge_hole_costs_nothing(packed: bool, tmp_path: Path) -> None:
    size = make(tmp_path / "in/n1/dmesg.txt", HUGE)
    if not knows_holes(tmp_path / "in/n1/dmesg.txt"):
        pytest.skip("this disk keeps no holes")
    inputs = tmp_path / "in"
    if packed:
        if shutil.which("tar") is None:
            pytest.skip("no tar")
        inputs = tmp_path / "in.tar"
        subprocess.run(["tar", "--sparse", "-C", str(tmp_path), "-cf", str(inputs), "in"], check=True)
    before = asked_for()
    incident = analyze([inputs])
    assert asked_for() - before < FEW
    [source] = incident.sources
    assert (source.bytes, source.unread, source.status, source.lines) == (size, 0, "read", 203)
    assert source.timed_lines <= source.lines
    assert incident.verdict == "diagnosed"
    [note] = [note for note in incident.notes if "holes" in note]
    assert int(note.split(": ")[1].split(" ")[0].replace(",", "")) > 2 * HUGE - FEW


def test_a_hole_says_what_zeros_say(tmp_path: Path) -> None:
    """The line before it does not run into the text behind, and line numbers hold."""
    hole = MIN_HOLE_BYTES + 3 * HOLE_MARGIN_BYTES
    sizes = {make(tmp_path / name / "n1/dmesg.txt", hole, sparse=name == "holes") for name in ("holes", "zeros")}
    assert len(sizes) == 1
    holes, zeros = analyze([tmp_path / "holes"]), analyze([tmp_path / "zeros"])
    assert root_causes_of(holes) == root_causes_of(zeros) and holes.verdict == "diagnosed"
    assert [(source.bytes, source.lines, source.unread) for source in holes.sources] == [
        (source.bytes, source.lines, source.unread) for source in zeros.sources
    ]
