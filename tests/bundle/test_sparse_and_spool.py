"""Sparse members of every format, and how cores get onto the disk."""

from __future__ import annotations

import io
import random
import shutil
import stat
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packing import COMPRESSORS, pack_tar, write

from analyzer.bundle import DEFAULT_LIMITS, BundleLimits, DamageError, Loss, Member, open_bundle, spool_member

MIB = 1 << 20
SIZE = 40 * MIB + 123
FORMATS = [
    ["--format=gnu"],
    ["--format=pax", "--sparse-version=0.0"],
    ["--format=pax", "--sparse-version=0.1"],
    ["--format=pax", "--sparse-version=1.0"],
]
TAR = shutil.which("tar")
needs_tar = pytest.mark.skipif(TAR is None, reason="needs GNU tar to write sparse archives")


def make_core(path: Path, segments: int) -> bytes:
    """A file of `segments` pages of data, far apart, that ends in a hole."""
    with path.open("wb") as file:
        for i in range(segments):
            file.seek(i * (SIZE - MIB) // segments // 4096 * 4096)
            file.write(bytes([i % 255 + 1]) * 4096)
        file.truncate(SIZE)
    return path.read_bytes()


@contextmanager
def open_member(path: Path, limits: BundleLimits = DEFAULT_LIMITS) -> Iterator[Member]:
    """The first member, readable inside the `with`: it holds no longer than the iteration over its bundle."""
    items = open_bundle([path], limits)
    member = next(items)
    assert isinstance(member, Member)
    yield member
    assert all(item.path != member.path for item in items)


def pack_sparse(folder: Path, options: list[str], segments: int) -> tuple[Path, bytes]:
    content = make_core(folder / "core", segments)
    write(folder / "behind.log", b"behind\n")
    command = [str(TAR), "--sparse", "--hole-detection=raw", *options, "-cf", "x.tar", "core", "behind.log"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "x.tar", content


@needs_tar
@pytest.mark.parametrize("segments", [0, 1, 4, 30])
@pytest.mark.parametrize("options", FORMATS, ids=str)
def test_every_sparse_format(options: list[str], segments: int, tmp_path: Path) -> None:
    archive, content = pack_sparse(tmp_path, options, segments)
    assert archive.stat().st_size < MIB
    items = open_bundle([archive])
    core = next(items)
    assert isinstance(core, Member) and (core.path, core.size) == ("core", SIZE)
    assert core.stream.read() == content
    behind = next(items)
    assert isinstance(behind, Member) and behind.path == "behind.log" and behind.stream.read() == b"behind\n"
    assert list(items) == []


@needs_tar
@pytest.mark.parametrize("options", FORMATS, ids=str)
def test_spooled_holes_stay_holes(options: list[str], tmp_path: Path) -> None:
    archive, content = pack_sparse(tmp_path, options, 30)
    with open_member(archive) as core:
        spooled = spool_member(core, tmp_path, SIZE)
    assert Path(spooled).read_bytes() == content
    assert (spooled.size, spooled.stored, spooled.problem) == (SIZE, 30 * 4096, None)
    assert spooled.path.stat().st_blocks * 512 < MIB
    assert stat.S_IMODE(spooled.path.stat().st_mode) == 0o600


@needs_tar
def test_holes_have_a_limit(tmp_path: Path) -> None:
    archive, content = pack_sparse(tmp_path, FORMATS[0], 4)
    got = b""
    with open_member(archive, BundleLimits(holes=20 * MIB)) as core, pytest.raises(DamageError, match="limit: holes"):
        while block := core.stream.read(MIB):
            got += block
    assert content.startswith(got) and 10 * MIB < len(got) < 30 * MIB


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ({"GNU.sparse.map": "0,512,256,512", "GNU.sparse.size": "9999"}, "out of order"),
        ({"GNU.sparse.map": "0,4096", "GNU.sparse.size": "9999"}, "more data than it has"),
        ({"GNU.sparse.map": "0,x", "GNU.sparse.size": "9999"}, "damaged"),
        ({"GNU.sparse.map": "9000,1000", "GNU.sparse.size": "9999"}, "out of order"),
        ({"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9999"}, "damaged"),
    ],
)
def test_impossible_maps_are_losses(records: dict[str, str], words: str, tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("core")
        info.size, info.pax_headers = 1024, records
        archive.addfile(info, io.BytesIO(bytes(1024)))
        archive.addfile(tarfile.TarInfo("behind"))
    [loss, behind] = open_bundle([write(tmp_path / "x.tar", out.getvalue())])
    assert isinstance(loss, Loss) and loss.status == "failed" and words in loss.reason
    assert isinstance(behind, Member) and behind.path == "behind"


pieces = st.lists(st.tuples(st.booleans(), st.integers(1, 20_000)), max_size=12)


@given(pieces, st.integers(0, 60_000))
def test_spool_keeps_the_bytes_up_to_the_budget(parts: list[tuple[bool, int]], budget: int) -> None:
    data = b"".join((b"\0" if zero else b"x") * size for zero, size in parts)
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        packed = write(place / "x.tar", pack_tar({"core.gz": COMPRESSORS["gz"](data)}))
        with open_member(packed) as core:
            spooled = spool_member(core, place, budget)
        content = spooled.path.read_bytes()
        assert data.startswith(content) and spooled.size == len(content) and spooled.stored <= budget
        assert (spooled.problem is None) == (content == data)


def test_spool_of_a_local_file_is_that_file_and_of_a_broken_one_its_beginning(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(300_000)
    core = write(tmp_path / "core", noise)
    with open_member(core) as member:
        assert spool_member(member, tmp_path, 1).path == core
    broken = write(tmp_path / "core.gz", COMPRESSORS["gz"](noise)[:200_000])
    with open_member(broken) as member:
        spooled = spool_member(member, tmp_path, MIB)
    assert noise.startswith(spooled.path.read_bytes()) and spooled.size > 150_000
    assert spooled.problem and "ends in the middle" in spooled.problem
