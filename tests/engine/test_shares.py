"""An archive that several processes walk through gives what one process reads of it, whatever is wrong with it."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import lz4.frame
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.bundle import DEFAULT_LIMITS, list_input_files
from analyzer.bundle.opener import relative_walk_cost
from analyzer.engine import shards
from analyzer.engine.event_budget import new_event_budget
from analyzer.engine.ingest import IngestResult, read_input_files
from analyzer.engine.merge import merge_shards
from analyzer.engine.parts import MIN_BYTES_PER_SHARD, Part, shard_archives, split_into_parts
from analyzer.engine.shards import Shard
from analyzer.paths import cache_dir
from analyzer.reading import ReadPlan, build_plan
from analyzer.rules.packs.cache import load_packs
from tests.engine.readers import readers_of

ROOT = Path(__file__).parents[2]
LINE = b"2026-03-01 10:00:0%d.250000: E tensorflow/core/a.cc:9] step %d of task %d failed: frobnication\n"


@pytest.fixture(scope="module")
def plan() -> ReadPlan:
    return build_plan(load_packs((), cache_dir()), cache_dir())


def log(task: int, lines: int) -> bytes:
    return b"".join(LINE % (number % 10, number, task) for number in range(lines))


def pack(members: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name.partition("|")[0])  # the same name may come twice
            info.size, info.mtime = len(data), 1_772_323_200
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def bundle() -> dict[str, bytes]:
    """A collector's part: logs of several sizes, small files, a core's and a library's beginning, archives inside."""
    inner = {f"n{task}/inner.log": log(task, 120) for task in (7, 8)}
    return {
        "b/00-collection.json": b'{"collection": 1, "host": "n1"}',  # its manifest will ask for all checksums
        "b/n1/worker.log": log(1, 220),
        "b/n1/cluster.json": b'{"cluster": {"worker": ["a:1", "b:1"]}}\n',
        "b/n2/worker.log": log(2, 180),
        "b/n2/worker.log|again": log(2, 90),
        "b/n3/worker.log.gz": gzip.compress(log(3, 1600), 1),
        "b/n3/core.1": b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x04\x00" + bytes(100_000),
        "b/n3/lib.so": b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00" + bytes(100_000),
        "b/n4/worker.log": log(4, 200),
        "b/n5.tar.gz": gzip.compress(pack(inner), 1),
        "b/n6/picture": os.urandom(60_000),
        "b/n9/worker.log": log(9, 160),
    }


def pack_zip(members: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name.replace("|", "-")), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


KINDS = {
    "tar": pack,
    "tar.gz": lambda members: gzip.compress(pack(members), 1, mtime=0),
    "tar.zst": lambda members: zstandard.compress(pack(members), 1),
    "tar.lz4": lambda members: lz4.frame.compress(pack(members)),
    "zip": pack_zip,
}


def read(part: Part, plan: ReadPlan, share: Shard = shards.ONLY_SHARD) -> IngestResult:
    return read_input_files(part.items, plan, DEFAULT_LIMITS, shard=share)


def merge(parts: list[Part], intakes: Mapping[int, IngestResult]) -> IngestResult:
    merged = IngestResult(event_budget=new_event_budget(load_packs((), cache_dir()).signals.values()))
    for intake in merge_shards(parts, intakes):
        merged.merge(intake)
    merged.finish()
    return merged


def summary(intake: IngestResult) -> tuple[object, ...]:
    return list(intake.results), intake.cores, intake.other_sources, intake.notes


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(sorted(KINDS)),
    of=st.integers(2, 5),
    cut=st.one_of(st.just(1.0), st.floats(0.05, 1.0)),
    flip=st.one_of(st.none(), st.floats(0.0, 0.999)),
)
def test_shares_read_what_one_reads(
    plan: ReadPlan,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    of: int,
    cut: float,
    flip: float | None,
) -> None:
    data = bytearray(KINDS[kind](bundle()))
    if flip is not None:
        data[int(flip * len(data))] ^= 0x55
    path = tmp_path / f"bundle.{kind}"
    path.write_bytes(data[: max(1, int(cut * len(data)))])
    with monkeypatch.context() as patch:
        patch.setattr(shards, "MIN_SHARED_BYTES", 4000)
        (undivided,) = split_into_parts(list_input_files([path]))
        alone = summary(merge([undivided], {0: read(undivided, plan)}))
        dealt = [Part(undivided.items, 1, Shard(number, of)) for number in range(of)]
        intakes = {number: read(part, plan, part.shard) for number, part in enumerate(dealt)}
        if cut == 1.0 and flip is None:
            assert sum(len(intake.results) > 0 for intake in intakes.values()) > 1
        assert summary(merge(dealt, intakes)) == alone


def test_what_a_lost_walker_had_is_named(plan: ReadPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bundle.tar"
    path.write_bytes(pack(bundle()))
    monkeypatch.setattr(shards, "MIN_SHARED_BYTES", 4000)
    (undivided,) = split_into_parts(list_input_files([path]))
    dealt = [Part(undivided.items, 1, Shard(number, 3)) for number in range(3)]
    intakes = {number: read(part, plan, part.shard) for number, part in enumerate(dealt) if number != 1}
    names = {result.file for result in read(undivided, plan).results}
    merged = merge(dealt, intakes)
    lost = {source.file: source for source in merged.other_sources if source.status == "failed"}
    assert lost and all("killed twice" in (source.problem or "") and source.unread for source in lost.values())
    assert {result.file for result in merged.results} | set(lost) == names


def test_archives_that_would_keep_others_waiting_are_shared(tmp_path: Path) -> None:
    for name in ("a.tar", "b.tar", "c.log"):
        with (tmp_path / name).open("wb") as file:
            file.write(pack({"worker.log": log(1, 10)}))
            file.truncate((5 if name == "a.tar" else 1) * MIN_BYTES_PER_SHARD)
    (tmp_path / "c.log").write_bytes(log(1, 100) * (5 * MIN_BYTES_PER_SHARD // 10_000))
    parts = [Part((place,), place.size or 0) for place in list_input_files([tmp_path])]  # type: ignore[union-attr]
    dealt = shard_archives(parts, 4)
    assert [(part.names[0], part.shard.number, part.shard.count) for part in dealt] == [
        *(("a.tar", number, 2) for number in range(2)),
        ("b.tar", 0, 1),
        ("c.log", 0, 1),
    ]
    assert shard_archives(parts, 1) == parts


@pytest.mark.parametrize(
    ("kind", "most"),
    [("tar", 0), ("zip", 0), ("tar.gz", 0.5), ("tar.zst", 0.5), ("tar.lz4", 0.5), ("tar.xz", 10), ("tar.bz2", 10)],
)
def test_archives_cost_what_their_decompression_does(kind: str, most: float, tmp_path: Path) -> None:
    path = tmp_path / f"bundle.{kind}"
    if most == 10:
        with tarfile.open(path, f"w:{kind.partition('.')[2]}") as archive:
            archive.add(__file__, "a/worker.log")
    else:
        path.write_bytes(KINDS[kind]({"a/worker.log": log(1, 100)}))
    cost = relative_walk_cost(path, follow_link=True)
    assert (cost == 0) is (most == 0)
    assert cost <= most
    # Two processes would decompress a gzip twice for the sake of half its reading; of three it is worth it.
    part = Part(tuple(list_input_files([path])), 4 * MIN_BYTES_PER_SHARD)
    assert [len(shard_archives([part], jobs)) for jobs in (1, 2, 4)] == [
        1,
        2 if most == 0 else 1,
        1 if most == 10 else 4,
    ]


def test_what_is_no_archive_is_not_shared(tmp_path: Path) -> None:
    packed = tmp_path / "worker.log.gz"
    packed.write_bytes(gzip.compress(log(1, 100)))
    assert (
        relative_walk_cost(packed, follow_link=True)
        == relative_walk_cost(tmp_path / "gone", follow_link=True)
        == float("inf")
    )


def large_archive(folder: Path) -> Path:
    """Seconds of work for each of two processes."""
    path = folder / "bundle.tar"
    text = b"2026-01-01 00:00:00.000000: E tensorflow/core/a.cc:1] frobnication failed\n" * 600_000
    path.write_bytes(pack({f"n{number}/a.log": text for number in range(2)}))
    return path


def test_a_walker_that_is_killed_is_tried_again(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "analyzer", "analyze", str(large_archive(tmp_path)), "-q", "--json"]
    alone, shared = tmp_path / "alone.json", tmp_path / "shared.json"
    subprocess.run([*command, str(alone), "--jobs", "1"], cwd=ROOT, check=True, timeout=120)
    with subprocess.Popen([*command, str(shared), "--jobs", "2"], cwd=ROOT) as process:
        readers = readers_of(process, 2)
        assert len(readers) == 2
        readers[0].send_signal(signal.SIGKILL)
        assert process.wait(timeout=120) == 0
    assert json.loads(shared.read_bytes())["sources"] == json.loads(alone.read_bytes())["sources"]
    assert shared.read_bytes() == alone.read_bytes()
