"""What is found in logs does not depend on where the blocks are cut, how many processes read, or what they came in.

The logs are made of the texts that the built-in rules are tested with, so that every signal is met, between lines that
mean nothing.
"""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import lz4.frame
import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from analyzer.engine import parts
from analyzer.model import Source
from analyzer.paths import cache_dir
from analyzer.pipeline import IngestResult, Options, read_inputs
from analyzer.reading import ReadPlan, SourceResult, build_plan, read_source, window
from analyzer.rule_tests.test_bundle import test_files as files_of_test
from analyzer.rule_tests.test_bundle import test_kind as kind_of_test
from analyzer.rules import load
from analyzer.rules.packs.cache import load_packs
from analyzer.rules.types import Packs

LOOK = 20_000  # bytes; smaller than in earnest, so that a log of 100 KB has hits that wait for another block
MTIME = 1_772_323_200  # whole seconds: a tar archive states no more
Files = Mapping[str, list[int]]


@functools.cache
def packs() -> Packs:
    return load_packs((), cache_dir())


@pytest.fixture(scope="module")
def plan() -> ReadPlan:
    return build_plan(packs(), cache_dir())


@functools.cache
def telling() -> tuple[str, ...]:
    """The texts in which a rule fires."""
    tests = [
        test
        for rule in load.load_packs(trust=True).rules.values()
        for test in rule.tests
        if kind_of_test(test) == "fires"
    ]
    texts = {text for test in tests for _, text in files_of_test(test["fires"]) if isinstance(text, str)}
    return tuple(sorted(text for text in texts if len(text) < LOOK // 2))


ORDINARY = (
    "2026-03-01 10:00:01.250000: I tensorflow/core/data/worker_impl.cc:9] Processed split 12 of the dataset\n" * 7,
    "1: 2026-03-01 10:00:02.000000: I a.cc:1] nothing of note\n0: nothing either\n" * 30,
    "epoch 1:  10%|#   | 1/10\repoch 1:  20%|##  | 2/10\repoch 1: 100%|####| 10/10\n",
    "a long line " * 800 + "\n",
    "\n",
    "ungültig \udcff\udcfe\n",
    "no line feed",
)


def compose(numbers: list[int]) -> bytes:
    texts = (*ORDINARY, *telling())
    return "".join(texts[number % len(texts)] for number in numbers).encode("utf-8", "surrogateescape")


NUMBERS = st.one_of(st.integers(0, len(ORDINARY) - 1), st.integers(0, 1 << 16))
LOGS = st.lists(NUMBERS, min_size=5, max_size=60)  # as `compose` makes them


def read(log: bytes, plan: ReadPlan) -> SourceResult:
    return read_source("node-1/worker.log", io.BytesIO(log), plan)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(log=[0, 3, 3, 3, 223], repeat=3, block=500)  # a log of 64 KB and more whose lines are alike
@given(log=LOGS, repeat=st.integers(1, 6), block=st.integers(500, 200_000))
def test_cuts_do_not_matter(
    plan: ReadPlan, monkeypatch: pytest.MonkeyPatch, log: list[int], repeat: int, block: int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(window, "LOOKAROUND_BYTES", LOOK)
        patch.setattr("analyzer.reading.segments.LOOKAROUND_BYTES", LOOK)
        patch.setattr("analyzer.reading.stamp_tracking.LOOKAROUND_BYTES", LOOK)
        uncut = read(compose(log * repeat), plan)
        patch.setattr(window, "BLOCK_BYTES", block)
        cut = read(compose(log * repeat), plan)
    # What a large file is like between its hits is learnt from samples of each block. In small blocks, each line of a
    # series is confirmed, in large ones the scanner's sightings are counted.
    sampled = {
        "scanner_counted",
        "timed_lines",
        "hosts",
        "streams",
        "stream_hosts",
        "zones",
        "syslog_zones",
        "boots",
        "first_stamps",
        "last_stamps",
        "ends",
    }
    for name in set(SourceResult.__dataclass_fields__) - sampled:
        assert getattr(cut, name) == getattr(uncut, name), name


def pack_tar(folder: Path) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(folder, "")
    return packed.getvalue()


def pack_zip(folder: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*.log")):
            archive.write(path, path.relative_to(folder))
    return packed.getvalue()


KINDS: Mapping[str, Callable[[Path], bytes]] = {
    "tar": pack_tar,
    "tar.gz": lambda folder: gzip.compress(pack_tar(folder), 1),
    "tar.bz2": lambda folder: bz2.compress(pack_tar(folder), 1),
    "tar.xz": lambda folder: lzma.compress(pack_tar(folder), preset=0),
    "tar.zst": lambda folder: zstandard.compress(pack_tar(folder), 1),
    "tar.lz4": lambda folder: lz4.frame.compress(pack_tar(folder)),
    "zip": pack_zip,
}
BUNDLES = st.dictionaries(st.sampled_from(["n1/a.log", "n1/b.log", "n2/a.log", "n3/deep/a.log"]), LOGS, min_size=2)


def write(folder: Path, files: Files) -> Path:
    for name, log in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(compose(log))
        os.utime(path, (MTIME, MTIME))
    return folder


def summary(intake: IngestResult) -> tuple[object, list[Source], list[str]]:
    """All that was read, by name; a zip states no zone and so no time of change."""
    names = SourceResult.__dataclass_fields__.keys() - {"mtime"}
    results = [
        {name: getattr(result, name) for name in names}
        for result in sorted(intake.results, key=lambda result: result.file)
    ]
    return results, sorted(intake.other_sources, key=lambda source: source.file), intake.notes


@settings(max_examples=12)
@given(files=BUNDLES)
def test_the_container_does_not_matter(plan: ReadPlan, tmp_path_factory: pytest.TempPathFactory, files: Files) -> None:
    root = tmp_path_factory.mktemp("kinds")
    folder = write(root / "folder", files)
    loose = summary(read_inputs([folder], plan, Options()))
    for kind, pack in KINDS.items():
        packed = root / f"packed.{kind}"
        packed.write_bytes(pack(folder))
        assert summary(read_inputs([packed], plan, Options())) == loose, kind


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=BUNDLES)
def test_the_number_of_processes_does_not_matter(
    plan: ReadPlan, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, files: Files
) -> None:
    folder = write(tmp_path_factory.mktemp("processes"), files)
    with monkeypatch.context() as patch:
        patch.setattr(parts, "MAX_GROUPED_BYTES", 0)  # each node is a part of its own
        alone = read_inputs([folder], plan, Options(jobs=1), packs())
        assert read_inputs([folder], plan, Options(jobs=3), packs()) == alone
