"""What comes before a break is read, the break is said once and in words, and nothing else is raised."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packing import COMPRESSORS, pack_tar, pack_zip, read_all, write

from analyzer.errors import InputError

FILES = {"a.log": bytes(range(256)) * 40, "b/c.log": b"line\n" * 4000, "d.log.gz": COMPRESSORS["gz"](b"inner\n" * 500)}
TEXTS = {**FILES, "d.log.gz": b"inner\n" * 500}
ARCHIVES = {
    "tar": pack_tar(FILES),
    "zip": pack_zip(FILES),
    "zip-piped": pack_zip(FILES, seekable=False),
    "nested": pack_tar({"in.tar": pack_tar(FILES), "in.zip": pack_zip(FILES)}),
    **{f"tar.{name}": compress(pack_tar(FILES)) for name, compress in COMPRESSORS.items()},
}


@settings(max_examples=200)
@given(st.sampled_from(sorted(ARCHIVES)), st.floats(0, 1, exclude_max=True))
def test_truncated_anywhere(name: str, share: float) -> None:
    data = ARCHIVES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x", data[: int(len(data) * share)])
        try:
            good, losses, broken = read_all(path)
        except InputError:
            return
    for member, content in good.items():
        text = TEXTS.get(member.removeprefix("in.tar/").removeprefix("in.zip/"))
        if text is None:
            assert len(content) < 512  # so little is left of an archive that nothing shows what it was
            return
        unrecognized = len(content) < 3 and member in broken  # of a .gz, less than shows what it is
        assert text.startswith(content) or unrecognized
        assert member in broken or content == text
    complete = len(good) == len(TEXTS) * (2 if name == "nested" else 1) and not broken
    assert losses or broken or (complete and "zip" not in name)  # the last bytes of a tar are padding


@settings(max_examples=300)
@given(st.sampled_from(sorted(ARCHIVES)), st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=8))
def test_overwritten_anywhere(name: str, share: float, junk: bytes) -> None:
    data = ARCHIVES[name]
    at = int(len(data) * share)
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x", data[:at] + junk + data[at + len(junk) :])
        try:
            good, losses, broken = read_all(path)
        except InputError:
            return
    assert all(loss.reason and loss.path.isprintable() for loss in losses.values())
    assert all(broken.values()) and good.keys() >= broken.keys()


@settings(max_examples=100)
@given(st.binary(max_size=2000), st.sampled_from([b"", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh91AY&SY", b"\xfd7zXZ"]))
def test_arbitrary_bytes(data: bytes, magic: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            read_all(write(Path(folder) / "x", magic + data))
        except InputError:
            return


@pytest.mark.parametrize("name", ["tar", "tar.gz", "tar.zst", "tar.zst-unsized", "tar.xz", "tar.bz2", "tar.lz4", "zip"])
def test_cut_in_the_last_member(name: str, tmp_path: Path) -> None:
    """Noise does not compress, so two thirds of the archive hold a good deal of the second member of two."""
    noise = random.Random(1).randbytes(1_500_000)
    files = {"first": noise[:300_000], "second": noise[300_000:]}
    data = pack_zip(files) if name == "zip" else pack_tar(files)
    data = COMPRESSORS.get(name.partition(".")[2], bytes)(data)
    good, losses, broken = read_all(write(tmp_path / "x", data[: len(data) * 2 // 3]))
    assert good["first"] == files["first"]
    assert files["second"].startswith(good["second"])
    if name not in ("tar.bz2", "tar.xz"):  # bzip2 gives a block of 900 kB or nothing
        assert len(good["second"]) > 100_000
    assert list(broken) == ["second"] and broken["second"]
    [loss] = losses.values()
    assert loss.path == "x" and loss.status == "failed"
    assert name == "zip" or "the archive ends after" in loss.reason


def test_damage_of_an_inner_archive_ends_there(tmp_path: Path) -> None:
    inner = COMPRESSORS["gz"](pack_tar(FILES))
    outer = pack_tar({"in.tgz": inner[: len(inner) // 2], "behind.log": b"fine"})
    good, losses, _ = read_all(write(tmp_path / "x.tar", outer))
    assert good["behind.log"] == b"fine"
    assert list(losses) == ["in.tgz"] and "gzip data ends in the middle" in losses["in.tgz"].reason


def test_wrong_checksums_are_said(tmp_path: Path) -> None:
    member = bytearray(COMPRESSORS["gz"](b"text\n" * 1000))
    member[-5] ^= 1  # the last byte of the CRC
    zipped = bytearray(pack_zip({"stored": b"A" * 5000}, 0))
    zipped[1000] ^= 1
    outer = pack_tar({"m.gz": bytes(member), "z.zip": bytes(zipped)})
    good, _, broken = read_all(write(tmp_path / "x.tar", outer))
    assert good["m.gz"] == b"text\n" * 1000 and len(good["z.zip/stored"]) == 5000
    assert broken.keys() == {"m.gz", "z.zip/stored"}


@pytest.mark.parametrize(("behind", "stray", "good"), [(700, 5, "bcd"), (700, 700, "bcd"), (900, -5, "cd")])
def test_bytes_that_came_or_went_cost_little_of_what_follows(
    behind: int, stray: int, good: str, tmp_path: Path
) -> None:
    """A damaged stream may decode on with more or fewer bytes: no header lies where a block begins any more."""
    files = {name: name.encode() * 3000 for name in "abcd"}
    data = pack_tar(files)
    shifted = data[:behind] + b"?" * stray + data[behind - min(stray, 0) :]
    members, losses, _ = read_all(write(tmp_path / "x.tar", shifted))
    assert {name: members[name] for name in good} == {name: files[name] for name in good}
    assert losses
