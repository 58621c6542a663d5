"""What the analyzer makes of a node's part: complete, cut off, or changed; and its clocks."""

from __future__ import annotations

import io
import json
import math
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from collecting import analyze, run

from analyzer.facts.collection_manifests import CollectionManifests


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("part")
    (folder / "w.log").write_text("2026-11-21T10:00:00Z INFO train: step 1\n" * 50)
    result = run("collect", "--out", folder / "n.tar", "--log", folder / "w.log", "--node", "n1", "--redact")
    assert result.returncode == 0, result.stderr
    return folder / "n.tar"


def notes_of(*inputs: Path) -> list[str]:
    return [note for note in analyze(*inputs)["notes"] if note.startswith("the collection of")]


def unpack(part: Path, folder: Path) -> Path:
    with tarfile.open(part) as tar:
        tar.extractall(folder, filter="data")
    return folder / "n1"


def test_a_whole_part_is_not_complained_of(part: Path, tmp_path: Path) -> None:
    assert notes_of(part) == []
    assert notes_of(unpack(part, tmp_path).parent) == []


def test_one_that_was_cut_off_is_incomplete(part: Path, tmp_path: Path) -> None:
    cut = tmp_path / "n.tar"
    with tarfile.open(part) as tar, tarfile.open(cut, "w") as shorter:
        for member in tar.getmembers()[:-1]:
            shorter.addfile(member, tar.extractfile(member))
    (note,) = notes_of(cut)
    assert "n1 is incomplete" in note


def test_a_file_that_is_missing_or_changed_is_named(part: Path, tmp_path: Path) -> None:
    node = unpack(part, tmp_path)
    log = node / "logs" / "w.log"
    log.write_text(log.read_text().replace("step 1", "step 2", 1))
    (node / "limits" / "sysctl.txt").unlink()
    missing, changed = sorted(notes_of(node.parent), key=lambda note: "differs" in note)
    assert "limits/sysctl.txt" in missing and "logs/w.log" in changed


def test_the_clock_readings_date_a_bare_kernel_log(part: Path, tmp_path: Path) -> None:
    node = unpack(part, tmp_path)
    end = json.loads((node / "manifest.json").read_text())["end"]
    shutil.rmtree(node / "kernel", ignore_errors=True)
    (node / "kernel").mkdir()
    (node / "kernel" / "dmesg.txt").write_text(f"[{end['monotonic'] - 5:.6f}] eth0: link down\n" * 3)
    source = next(source for source in analyze(node.parent)["sources"] if source["file"].endswith("dmesg.txt"))
    assert abs(_seconds(source["last_time"]) - (end["wall"] - 5)) < 0.01


def test_a_clock_that_is_kept_is_as_good_as_the_kernel_says(part: Path, tmp_path: Path) -> None:
    node = unpack(part, tmp_path)
    manifest = json.loads((node / "manifest.json").read_text())
    for sync, error in (({"synchronized": True, "max_error": 0.25}, True), ({"synchronized": False}, False)):
        (node / "manifest.json").write_text(json.dumps({**manifest, "sync": sync}))
        (clock,) = [
            listed_node["clock"] for listed_node in analyze(node.parent)["nodes"] if listed_node["name"] == "n1"
        ]
        assert ("clock discipline" in clock["method"]) == error


def _seconds(stamp: Any) -> float:
    from analyzer.report.formatting import parse_time

    seconds = parse_time(stamp)
    assert seconds is not None
    return seconds


@pytest.mark.parametrize("size", ['"x"', "1e999", "NaN", "[1]", "9" * 5000, "true"])
def test_a_manifest_that_lies_is_read(size: str) -> None:
    clocks = f'{{"wall": {size}, "monotonic": 1, "zone": {size}}}'
    sync = f'{{"synchronized": true, "max_error": {size}}}'
    files = f'[{{"name": "a", "size": {size}}}]'
    raw = f'{{"collection": 1, "host": "n1", "end": {clocks}, "sync": {sync}, "files": {files}}}'
    parcels = CollectionManifests()
    for name in ("00-collection.json", "a", "manifest.json"):
        parcels.verify_stream(f"n1/{name}", io.BytesIO(b"x")).read()
        result = parcels.read_collection_file(f"n1/{name}", raw.encode(), None) if name != "a" else None
        assert result is None or all(math.isfinite(local) for local, _ in result.zones)
    list(parcels.notes())
