"""Bytes in are bytes read and bytes said to be unread: in archives of every kind, whole, cut, damaged and nested."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from packing import COMPRESSORS, pack_tar, pack_zip, read_all, write

from analyzer.bundle import BundleLimits
from analyzer.model import Source
from analyzer.pipeline import Options, analyze

LOG = b"2026-03-01 10:00:00.000001: I tensorflow/core/a.cc:1] nothing of note\n" * 90
FILES = {f"n{index}/w.log": LOG[: 70 * index] for index in range(1, 6)}
TOTAL = sum(map(len, FILES.values()))


def sources(path: Path, limits: BundleLimits | None = None) -> dict[str, Source]:
    return {source.file: source for source in analyze([path], Options(limits=limits or BundleLimits())).sources}


def lost(by_name: dict[str, Source]) -> int:
    assert all(source.unread is not None and 0 <= source.unread <= source.bytes for source in by_name.values())
    return sum(source.unread or 0 for source in by_name.values())


def read(by_name: dict[str, Source]) -> int:
    return sum(source.bytes - (source.unread or 0) for source in by_name.values())


@pytest.mark.parametrize("name", ["tar", "zip", "nested", *(f"tar.{suffix}" for suffix in COMPRESSORS)])
def test_of_a_whole_archive_every_byte_is_read(name: str, tmp_path: Path) -> None:
    tar = pack_tar(FILES)
    nested = pack_tar({"a.zip": pack_zip(FILES), "b.tgz": COMPRESSORS["gz"](tar)})
    packed = {"tar": tar, "zip": pack_zip(FILES), "nested": nested}
    data = packed.get(name) or COMPRESSORS[name.removeprefix("tar.")](tar)
    by_name = sources(write(tmp_path / "x", data))
    assert (read(by_name), lost(by_name)) == (TOTAL * (2 if name == "nested" else 1), 0)


def test_a_tar_cut_anywhere_gives_what_is_there(tmp_path: Path) -> None:
    """Every byte of data in front of the cut is read, and what was never there is not said to be unread."""
    files = {"a": b"A" * 700, "b": b"B" * 513, "c": b""}
    data = pack_tar(files)[: 3584 + 1024 + 9]  # behind the end mark there are zeros alone
    spans = [(512, 512 + 700), (2048, 2048 + 513)]
    for cut in range(513, len(data)):
        good, losses, broken = read_all(write(tmp_path / "x", data[:cut]))
        assert sum(map(len, good.values())) == sum(max(0, min(cut, end) - start) for start, end in spans)
        assert sum(loss.size or 0 for loss in losses.values()) == 0
        assert losses or broken or cut > 3584


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("seekable", [True, False])
def test_a_zip_cut_anywhere_accounts_for_every_byte(method: int, seekable: bool, tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(300)
    data = pack_zip({"a": noise, "b": b"B" * 99}, method, seekable)
    for cut in range(40, len(data)):
        good, losses, _ = read_all(write(tmp_path / "x", data[:cut]))
        assert "x" in losses
        assert (losses["x"].size or 0) <= cut
        assert good["a"][:300] == noise[: len(good["a"])] or (not seekable and not method)  # where it ends is not said


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT])
def test_a_damaged_header_costs_its_own_member_alone(form: int, tmp_path: Path) -> None:
    """Each header in turn; the name that stands in it is taken for what it is worth."""
    data = pack_tar(FILES, form)
    for number, name in enumerate(FILES):
        at = data.index(name.encode().ljust(100, b"\0"))
        spoiled = data[: at + 124] + b"\xff" * 12 + data[at + 136 :]  # its size
        by_name = sources(write(tmp_path / f"{number}.tar", spoiled))
        assert by_name.keys() == FILES.keys()
        assert {path for path, source in by_name.items() if source.status == "failed"} == {name}
        assert "a header of the tar archive is damaged" in (by_name[name].problem or "")
        if name != "n5/w.log":  # behind the last one the end mark is looked through too
            assert lost(by_name) == 512 + -(-len(FILES[name]) // 512) * 512
        assert read(by_name) == TOTAL - len(FILES[name])


def test_a_damaged_extended_header_costs_its_own_member_alone(tmp_path: Path) -> None:
    long = {**FILES, "ö" * 120 + "/w.log": LOG[:100], "z.log": LOG[:700]}
    data = bytearray(pack_tar(long, tarfile.PAX_FORMAT))
    at = data.index(b" path=")
    data[at : at + 6] = b"xpath="
    by_name = sources(write(tmp_path / "x.tar", bytes(data)))
    assert {*FILES, "z.log"} <= {name for name, source in by_name.items() if source.status != "failed"}
    assert (
        sum("an extended header of the tar archive is damaged" in (source.problem or "") for source in by_name.values())
        == 1
    )


def test_members_without_a_name_get_one(tmp_path: Path) -> None:
    data = pack_tar({"/": LOG[:70], "./.": LOG[:140]})
    [name] = {name for name in sources(write(tmp_path / "x.zip", pack_zip({"/": b"", ".": LOG}))) if name}
    assert name == "unnamed"
    assert all(sources(write(tmp_path / "x.tar", data + pack_tar(FILES))))


@pytest.mark.parametrize("name", ["gz", "bz2", "xz", "lz4", "zst"])
def test_what_stands_behind_a_compressed_stream_is_counted(name: str, tmp_path: Path) -> None:
    junk = b"not of the stream\n" * 50
    by_name = sources(write(tmp_path / "w.log", COMPRESSORS[name](LOG) + junk))
    assert by_name["w.log"].status == "partly-read"
    assert (by_name["w.log"].bytes, by_name["w.log"].unread) == (len(LOG) + len(junk), len(junk))
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # the junk comes out of the zip's own decompressor
        data = pack_zip({"w.log": COMPRESSORS[name](LOG) + junk}, method)
        [inside] = sources(write(tmp_path / "x.zip", data)).values()
        assert (inside.status, inside.bytes, inside.unread) == ("partly-read", len(LOG) + len(junk), len(junk))


def test_of_a_damaged_stream_the_stored_rest_is_unread(tmp_path: Path) -> None:
    noise = "".join(f"{number * 7919 % 104729:x} {number**5:x}\n" for number in range(60_000)).encode()
    packed = bytearray(gzip.compress(noise, mtime=0))
    packed[len(packed) // 2 : len(packed) // 2 + 9000] = random.Random(4).randbytes(9000)
    (tmp_path / "in").mkdir()
    write(tmp_path / "in/w.log.gz", bytes(packed))
    write(tmp_path / "in/fine.log", LOG)
    by_name = sources(tmp_path / "in")
    [broken] = [source for name, source in by_name.items() if name != "fine.log"]
    assert broken.status == "partly-read" and broken.unread
    assert len(packed) * 0.3 < broken.unread < len(packed) * 0.5 + 64
    assert by_name["fine.log"].bytes == len(LOG)


def test_what_stands_behind_or_between_members_is_said(tmp_path: Path) -> None:
    junk = b"not of the archive\n" * 50
    for name, data in {
        "tar": pack_tar(FILES) + b"JUNK" + junk,
        "tar.gz": COMPRESSORS["gz"](pack_tar(FILES) + b"JUNK" + junk),
        "zip": pack_zip(FILES) + b"JUNK" + junk,
    }.items():
        by_name = sources(write(tmp_path / name, data))
        assert by_name[name].unread == len(junk) + 4, name
        assert "belong to no member" in (by_name[name].problem or "")
        assert read(by_name) == TOTAL
    hidden = bytearray(pack_zip(FILES))
    at = hidden.index(b"PK\x01\x02")
    entry_size, end = hidden.index(b"PK\x01\x02", at + 4) - at, hidden.index(b"PK\x05\x06")
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1, 1, entry_size, at, 0)
    by_name = sources(write(tmp_path / "hidden.zip", bytes(hidden[: at + entry_size]) + tail))
    assert set(by_name) == {"n1/w.log", "hidden.zip"}
    assert by_name["hidden.zip"].unread == at - hidden.index(b"PK\x03\x04", 4)
    assert end > at


def test_a_zip_that_lies_about_sizes_hides_nothing(tmp_path: Path) -> None:
    data = pack_zip({"w.log": LOG}, zipfile.ZIP_DEFLATED)
    for stated in (1, 100, len(LOG) + 9, 0xFFFFFFFE):
        lie = bytearray(data)
        struct.pack_into("<I", lie, lie.index(b"PK\x01\x02") + 24, stated)
        _good, _losses, broken = read_all(write(tmp_path / "x.zip", bytes(lie)))
        assert "w.log" in broken
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open(zipfile.ZipInfo("w.log"), "w", force_zip64=True) as member:
        member.write(LOG)
    good, losses, broken = read_all(write(tmp_path / "x.zip", out.getvalue()))
    assert good == {"w.log": LOG} and not losses and not broken
    lie = bytearray(out.getvalue())
    at = lie.index(b"PK\x01\x02")
    lie[at + 20 : at + 28] = b"\xff" * 8
    struct.pack_into("<HH", lie, at + 30, 20, 0)
    name_end = at + 46 + len("w.log")
    lie[name_end:name_end] = struct.pack("<HHQQ", 1, 16, 1 << 62, 1 << 63)
    end = lie.index(b"PK\x05\x06")
    struct.pack_into("<I", lie, end + 12, end - at)
    good, losses, broken = read_all(write(tmp_path / "x.zip", bytes(lie)))
    assert "w.log" in {**broken, **losses} and all((loss.size or 0) < len(lie) for loss in losses.values())


def test_limits_and_folders_leave_no_byte_out(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for index in range(9):
        write(folder / f"f{index}.log", LOG)
    write(folder / "sub/picture.png", b"\x89PNG\r\n\x1a\n" + random.Random(2).randbytes(9000))
    write(folder / "sub/locked.zip", pack_zip({"in.log": LOG}, zipfile.ZIP_STORED))
    os.mkfifo(folder / "sub/pipe")
    (folder / "sub/link").symlink_to(folder / "f0.log")
    by_name = sources(folder, BundleLimits(members=4))
    assert len(by_name) == 5 and by_name["f4.log"].status == "skipped"
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    on_disk = sum(path.stat().st_size for path in files) + (folder / "sub/link").lstat().st_size
    assert read(by_name) + lost(by_name) == on_disk
    by_name = sources(folder)
    assert by_name["sub/picture.png"].bytes == 9008 and by_name["sub/picture.png"].unread
    assert by_name["sub/locked.zip/in.log"].bytes == len(LOG)
    assert read(by_name) + lost(by_name) == 10 * len(LOG) + 9008


def test_a_compressed_binary_counts_as_it_is_stored(tmp_path: Path) -> None:
    picture = random.Random(3).randbytes(200_000)
    data = pack_tar({"p.gz": COMPRESSORS["gz"](picture), "w.log": LOG})
    by_name = sources(write(tmp_path / "x.tar", data))
    assert by_name["p.gz"].unread and 0.5 * len(picture) < by_name["p.gz"].bytes < 1.1 * len(picture)
    assert by_name["p.gz"].status == "not-understood"


def test_losses_are_told_in_a_note_and_in_the_json(tmp_path: Path) -> None:
    from analyzer.report.json import to_json

    data = pack_tar(FILES)
    incident = to_json(analyze([write(tmp_path / "x.tar", data[:2000] + b"\xff" * 100 + data[2100:])]))
    assert any("not part of this analysis" in note for note in incident["notes"])  # type: ignore[attr-defined]
    assert all("unread" in source for source in json.loads(json.dumps(incident))["sources"])


def test_hard_links_and_duplicates_count_once_each(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for _ in range(3):
            info = tarfile.TarInfo("n/w.log")
            info.size = len(LOG)
            archive.addfile(info, io.BytesIO(LOG))
        link = tarfile.TarInfo("n/other.log")
        link.type, link.linkname = tarfile.LNKTYPE, "n/w.log"
        archive.addfile(link)
    by_name = sources(write(tmp_path / "x.tar", out.getvalue()))
    assert set(by_name) == {"n/w.log", "n/w.log (2)", "n/w.log (3)", "n/other.log"}
    assert (read(by_name), lost(by_name)) == (3 * len(LOG), 0)
