"""Nothing escapes, blocks or grows without bound, and each name that is not read is listed with its reason."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import socket
import struct
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import lz4.frame
import pytest
import zstandard
from packing import COMPRESSORS, pack_special, pack_tar, pack_zip, read_all, write

from analyzer.bundle import BundleLimits, DamageError, Loss, Member, open_bundle
from analyzer.errors import InputError

MIB = 1 << 20


def name_special(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def test_special_members_of_a_tar_are_listed(tmp_path: Path) -> None:
    kinds = {
        "sym": (tarfile.SYMTYPE, "symbolic link to /etc/passwd"),
        "hard": (tarfile.LNKTYPE, "hard link to /etc/passwd"),
        "chr": (tarfile.CHRTYPE, "character device"),
        "blk": (tarfile.BLKTYPE, "block device"),
        "fifo": (tarfile.FIFOTYPE, "FIFO"),
    }
    infos = [name_special(name, kind, "/etc/passwd") for name, (kind, _) in kinds.items()]
    path = write(tmp_path / "x.tar", pack_special(*infos, name_special("dir", tarfile.DIRTYPE), tarfile.TarInfo("ok")))
    good, losses, _ = read_all(path)
    assert set(good) == {"ok"}
    assert set(losses) == set(kinds)
    for name, (_, words) in kinds.items():
        assert losses[name].status == "skipped" and words in losses[name].reason


@pytest.mark.parametrize("name", ["../x", "a/../../x", "a\\..\\..\\x", ".."])
@pytest.mark.parametrize("pack", [pack_tar, pack_zip])
def test_names_that_escape_are_listed_and_not_read(pack, name: str, tmp_path: Path) -> None:
    good, losses, _ = read_all(write(tmp_path / "x", pack({name: b"bad", "ok": b"good"})))
    assert good == {"ok": b"good"}
    assert [loss.status for loss in losses.values()] == ["skipped"]


@pytest.mark.parametrize("pack", [pack_tar, pack_zip])
def test_absolute_names_are_read_without_their_root(pack, tmp_path: Path) -> None:
    good, losses, _ = read_all(write(tmp_path / "x", pack({"/var/log/messages": b"good"})))
    assert good == {"var/log/messages": b"good"}
    assert not losses


def test_names_are_printable_and_unique(tmp_path: Path) -> None:
    names = ["a\x1b[2Jb", "a\u202eb", "a", "./a", "a//", "nul\udcff"]
    infos = [tarfile.TarInfo(name) for name in names]
    infos[4].name = ".//a"
    good, _, _ = read_all(write(tmp_path / "x.tar", pack_special(*infos, form=tarfile.USTAR_FORMAT)))
    assert set(good) == {"a\\x1b[2Jb", "a\\u202eb", "a", "a (2)", "a (3)", "nul\\xff"}
    assert all(name.isprintable() for name in good)


def test_special_files_of_a_folder_are_neither_opened_nor_followed(tmp_path: Path) -> None:
    root = tmp_path / "in"
    write(root / "ok.log", b"x")
    os.mkfifo(root / "fifo")
    (root / "loop").symlink_to(root)
    (root / "out").symlink_to("/etc/passwd")
    (root / "gone").symlink_to("nowhere")
    here = Path.cwd()
    os.chdir(root)  # a socket's path has 108 bytes at most
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("sock")
            good, losses, _ = read_all(root)
    finally:
        os.chdir(here)
    assert good == {"ok.log": b"x"}
    assert {name: loss.status for name, loss in losses.items()} == dict.fromkeys(
        ("fifo", "loop", "out", "gone", "sock"), "skipped"
    )


def test_file_that_vanishes_is_a_loss(tmp_path: Path) -> None:
    write(tmp_path / "a", b"x")
    write(tmp_path / "b", b"x")
    items = open_bundle([tmp_path])
    next(items)
    (tmp_path / "b").unlink()
    [loss] = items
    assert isinstance(loss, Loss) and loss.path == "b" and "No such file" in loss.reason


def test_encrypted_and_linked_zip_members(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("secret", b"x")
        archive.writestr("ok", b"good")
    data = bytearray(out.getvalue())
    for magic, flags_at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(b"secret", data.index(magic)) - {6: 30, 8: 46}[flags_at]
        data[at + flags_at] |= 1
    good, losses, _ = read_all(write(tmp_path / "x.zip", bytes(data)))
    assert good == {"ok": b"good"}
    assert "encrypted" in losses["secret"].reason and "symbolic link" in losses["link"].reason


def expand(item: Member) -> tuple[int, str]:
    got, buffer = 0, bytearray(256 * 1024)
    try:
        while count := item.stream.readinto(buffer):
            got += count
    except DamageError as damage:
        return got, str(damage)
    return got, ""


ZEROS = bytes(64 * MIB)
BOMBS = {
    "gz": gzip.compress(ZEROS, mtime=0),
    "bz2": bz2.compress(ZEROS),
    "xz": lzma.compress(ZEROS),
    "zst": zstandard.compress(ZEROS),
    "lz4": lz4.frame.compress(ZEROS),
    **{f"zip-{method}": pack_zip({"a": ZEROS}, method) for method in (8, 12, 14)},
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("limits", [BundleLimits(ratio=100, ratio_from=MIB), BundleLimits(expanded=2 * MIB)], ids=str)
def test_bombs_stay_bounded(name: str, limits: BundleLimits, tmp_path: Path) -> None:
    path = write(tmp_path / "bomb", BOMBS[name])
    tracemalloc.start()
    [(got, problem)] = [expand(item) for item in open_bundle([path], limits) if isinstance(item, Member)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert got <= 2 * MIB + (100 * len(BOMBS[name]) if limits.ratio == 100 else 0) < len(ZEROS)
    assert f"(limit: {'expanded' if limits.expanded == 2 * MIB else 'ratio'})" in problem
    assert peak < 16 * MIB


def test_many_small_bombs_are_one_large_one(tmp_path: Path) -> None:
    limits = BundleLimits(ratio=100, ratio_from=4 * MIB)
    bomb = gzip.compress(bytes(3 * MIB), mtime=0)
    good, losses, broken = read_all(write(tmp_path / "x.tar", pack_tar({f"b{i}.gz": bomb for i in range(40)})), limits)
    assert sum(map(len, good.values())) < 20 * MIB
    assert all("limit: ratio" in problem for problem in [*broken.values(), *(loss.reason for loss in losses.values())])
    assert len(broken) + len(losses) > 30


def test_zip_members_that_share_their_data(tmp_path: Path) -> None:
    """One kernel, many directory entries: each is harmless for its own ratio."""
    data = pack_zip({"a": bytes(MIB)})
    at = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entry, count = data[at:end], 500
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, len(entry) * count, at, 0)
    good, losses, broken = read_all(
        write(tmp_path / "x.zip", data[:at] + entry * count + tail), BundleLimits(ratio=50, ratio_from=MIB)
    )
    assert sum(map(len, good.values())) < 60 * MIB
    assert len(good) + len(losses) == count and any("limit: ratio" in problem for problem in broken.values())


def test_members_depth_and_names_are_limited(tmp_path: Path) -> None:
    many = write(tmp_path / "many.tar", pack_tar({f"f{i}": b"" for i in range(20)}))
    good, losses, _ = read_all(many, BundleLimits(members=5))
    assert len(good) == 5 and "limit: members" in losses["many.tar"].reason
    folder = tmp_path / "folder"
    for i in range(8):
        write(folder / f"f{i}", b"x")
    good, losses, _ = read_all(folder, BundleLimits(members=5))
    assert len(good) == 5 and "this file and 2 more" in losses["f5"].reason and "limit: members" in losses["f5"].reason
    long = write(tmp_path / "long.tar", pack_tar({"n" * 5000: b"x", "ok": b""}))
    good, losses, _ = read_all(long)
    assert set(good) == {"ok"} and [len(name) for name in losses] == [1024]


@pytest.mark.parametrize(
    ("layers", "limits"), [(5, BundleLimits()), (9, BundleLimits(depth=8)), (1, BundleLimits(depth=0))]
)
def test_compressions_are_undone_to_the_limit_and_no_deeper(layers: int, limits: BundleLimits, tmp_path: Path) -> None:
    data = b"text"
    for _ in range(layers):
        data = COMPRESSORS["gz"](data)
    packed = write(tmp_path / "layers" / "packed", data)
    deeper = write(tmp_path / "layers" / "deeper", COMPRESSORS["xz"](data))
    good, losses, _ = read_all(packed.parent, limits)
    assert good == {"packed": b"text"} and "limit: depth" in losses["deeper"].reason
    assert (losses["deeper"].status, losses["deeper"].size) == ("skipped", deeper.stat().st_size)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "No such file"),
        (lambda path: write(path, b""), "the file is empty"),
        (lambda path: path.mkdir(), "the folder is empty"),
        (os.mkfifo, "FIFO"),
        (lambda path: write(path, bytes(10240)), "the archive is empty"),
        (lambda path: write(path, pack_zip({})), "the archive is empty"),
        (lambda path: write(path, gzip.compress(b"x" * 99, mtime=0)[:5]), "ends in the middle"),
        (lambda path: write(path, b"\x1f\x8b\x08" + b"junk" * 99), "gzip data"),
        (lambda path: write(path, pack_special(name_special("a", tarfile.SYMTYPE, "b"))), "symbolic link"),
    ],
)
def test_nothing_to_read_is_an_input_error(make, words: str, tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    make(path)
    with pytest.raises(InputError, match=words) as caught:
        list(open_bundle([path]))
    assert caught.value.hint and "\n" not in caught.value.message


def test_one_good_input_makes_the_others_losses(tmp_path: Path) -> None:
    good, losses, _ = read_all([write(tmp_path / "a.log", b"x"), tmp_path / "gone", write(tmp_path / "none", b"")])
    assert good == {"a.log": b"x"}
    assert "No such file" in losses["gone"].reason and "empty" in losses["none"].reason
