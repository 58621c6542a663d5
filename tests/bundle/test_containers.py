"""The same content gives the same members, however it is packed."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from packing import COMPRESSORS, CONTENT, pack_special, pack_tar, pack_zip, read_all, write

from analyzer.bundle import BundleLimits, Member, gz, open_bundle

TARS = {"gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
ZIPS = {
    "stored": zipfile.ZIP_STORED,
    "deflated": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}
CONTAINERS = {
    **{f"tar-{name}": pack_tar(CONTENT, form) for name, form in TARS.items()},
    **{f"tar.{name}": compress(pack_tar(CONTENT)) for name, compress in COMPRESSORS.items()},
    **{f"zip-{name}": pack_zip(CONTENT, method) for name, method in ZIPS.items()},
    "zip-piped": pack_zip(CONTENT, seekable=False),
    "zip.gz": COMPRESSORS["gz"](pack_zip(CONTENT)),
    "two-tars": pack_tar(dict(list(CONTENT.items())[:2])) + pack_tar(dict(list(CONTENT.items())[2:])),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_same_members(name: str, tmp_path: Path) -> None:
    good, losses, broken = read_all(write(tmp_path / "named-by-nobody", CONTAINERS[name]))
    assert good == CONTENT
    assert not losses and not broken


@pytest.mark.parametrize("name", COMPRESSORS)
def test_compressed_member_keeps_its_path(name: str, tmp_path: Path) -> None:
    compress = COMPRESSORS[name]
    # Rotated logs are often appended as streams of their own, and tapes pad with zeros.
    padding = bytes(64) if name in ("gz", "xz", "bz2") else b""
    data = compress(b"first\n") + compress(b"second\n" * 30_000) + padding
    good, losses, broken = read_all(write(tmp_path / "in.tar", pack_tar({"n/worker.log.1.x": data})))
    assert good == {"n/worker.log.1.x": b"first\n" + b"second\n" * 30_000}
    assert not losses and not broken


@pytest.mark.parametrize("name", ["tar.gz", "zip-deflated", "zip-piped", "zip.gz"])
def test_same_members_without_igzip(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gz, "igzip_lib", None)
    good, losses, broken = read_all(write(tmp_path / "x", CONTAINERS[name]))
    assert good == CONTENT
    assert not losses and not broken


def test_ledger_of_sizes(tmp_path: Path) -> None:
    """Each name of the archive is a member or a loss, and the sizes that both state are those of the archive."""
    link = tarfile.TarInfo("link")
    link.type = tarfile.SYMTYPE
    infos = [tarfile.TarInfo(name) for name in ("a", "../b", "/c", "a", "d/e")]
    for size, info in enumerate(infos, 1):
        info.size = size * 1000
    good, losses, _ = read_all(write(tmp_path / "x.tar", pack_special(*infos, link)))
    assert len(good) + len(losses) == 6
    assert sum(map(len, good.values())) + sum(loss.size or 0 for loss in losses.values()) == 15_000


def test_folder_and_single_file(tmp_path: Path) -> None:
    for name, data in CONTENT.items():
        write(tmp_path / "in" / name, data)
    assert read_all(tmp_path / "in")[0] == CONTENT
    log = tmp_path / "in/node-0/worker.log"
    [member] = open_bundle([log])
    assert isinstance(member, Member)
    assert (member.path, member.size, member.local) == ("worker.log", 320_000, log)


def test_folder_gives_rotated_files_oldest_first(tmp_path: Path) -> None:
    for name in ("w.log", "w.log.1", "w.log.10.gz", "w.log.2", "a.txt"):
        write(tmp_path / name, b"x")
    assert [item.path for item in open_bundle([tmp_path])] == ["a.txt", "w.log.10.gz", "w.log.2", "w.log.1", "w.log"]


def test_several_inputs_are_told_apart(tmp_path: Path) -> None:
    tar = write(tmp_path / "a" / "logs.tar", pack_tar({"w.log": b"1"}))
    same = write(tmp_path / "b" / "logs.tar", pack_tar({"w.log": b"2"}))
    log = write(tmp_path / "c.log", b"3")
    assert read_all([tar, log])[0] == {"logs.tar/w.log": b"1", "c.log": b"3"}
    assert read_all([tar, same, tar])[0] == {"a/logs.tar/w.log": b"1", "b/logs.tar/w.log": b"2"}


def test_archives_inside_archives(tmp_path: Path) -> None:
    inner = pack_tar({"deep/w.log": b"deep"})
    middle = pack_zip({"m.tar.gz": COMPRESSORS["gz"](inner), "side.log": b"side"})
    outer = COMPRESSORS["zst"](pack_tar({"a/middle.zip": middle, "behind.log": b"behind"}))
    good, losses, _ = read_all(write(tmp_path / "o.tar.zst", outer))
    assert good == {
        "a/middle.zip/m.tar.gz/deep/w.log": b"deep",
        "a/middle.zip/side.log": b"side",
        "behind.log": b"behind",
    }
    assert not losses
    good, losses, _ = read_all(tmp_path / "o.tar.zst", BundleLimits(depth=1))
    assert set(good) == {"a/middle.zip/side.log", "behind.log"}
    assert losses["a/middle.zip/m.tar.gz"].status == "skipped"
    assert "depth" in losses["a/middle.zip/m.tar.gz"].reason


def test_large_zip_inside_a_tar_goes_through_scratch(tmp_path: Path) -> None:
    outer = write(tmp_path / "o.tar", pack_tar({"in.zip": pack_zip(CONTENT), "behind": b"x"}))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    limits = BundleLimits(nested_memory=500)
    good, losses, _ = read_all(outer, limits, scratch)
    assert set(good) == {f"in.zip/{name}" for name in CONTENT} | {"behind"} and not losses
    assert not list(scratch.iterdir())
    good, losses, _ = read_all(outer, limits)
    assert set(good) == {"behind"}
    assert "nested_memory" in losses["in.zip"].reason


def test_members_need_not_be_read(tmp_path: Path) -> None:
    data = write(tmp_path / "x", COMPRESSORS["gz"](pack_tar({f"f{i}": bytes([i]) * 99_999 for i in range(9)})))
    starts = {}
    for item in open_bundle([data]):
        assert isinstance(item, Member)
        if int(item.path[1:]) % 2:
            starts[item.path] = item.stream.read(3)
    assert starts == {f"f{i}": bytes([i]) * 3 for i in (1, 3, 5, 7)}


def test_a_member_ends_when_the_next_is_asked_for(tmp_path: Path) -> None:
    items = open_bundle([write(tmp_path / "x.tar", pack_tar({"a": b"1" * 999, "b": b"2"}))])
    first = next(items)
    next(items)
    assert isinstance(first, Member)
    with pytest.raises(ValueError, match="until the next"):
        first.stream.read(1)


def test_readinto_fills_large_buffers(tmp_path: Path) -> None:
    text = b"0123456789abcdef" * 100_000
    items = open_bundle([write(tmp_path / "x.tgz", COMPRESSORS["gz"](pack_tar({"a": text})))])
    item = next(items)
    assert isinstance(item, Member)
    buffer = bytearray(512 * 1024)
    sizes, out = [], io.BytesIO()
    while got := item.stream.readinto(buffer):
        sizes.append(got)
        out.write(buffer[:got])
    assert out.getvalue() == text
    assert sizes[:-1] == [len(buffer)] * (len(sizes) - 1)


def test_what_looks_compressed_and_is_text(tmp_path: Path) -> None:
    texts = {"x.tar.gz": b"I am text\n", "y.bz2": b"BZh9 is how it begins\n", "z.zip": b"PK is short\n"}
    for name, text in texts.items():
        assert read_all(write(tmp_path / name, text))[0] == {name: text}
