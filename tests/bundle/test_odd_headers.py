"""Headers as few packers write them, read as their formats' papers have it."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zlib
from pathlib import Path

import pytest
from packing import CONTENT, pack_tar, pack_zip, read_all, write

from analyzer.bundle import Member, open_bundle
from analyzer.bundle.names import UniquePaths
from analyzer.bundle.stream import ForwardStream, open_part
from analyzer.bundle.types import DamageError
from analyzer.bundle.zip.directory import apply_zip64, decode_name, find_directory, read_directory

CRC, EXTRA, NAME, COMMENT = 2, 4, 8, 16


@pytest.mark.parametrize("flags", range(0, 2 * COMMENT, CRC))
def test_gzip_with_all_that_its_header_may_hold(flags: int, tmp_path: Path) -> None:
    """RFC 1952, 2.3: extra field, name, comment and checksum of the header, in this order."""
    head = b"\x1f\x8b\x08" + bytes([flags]) + bytes(6)
    head += struct.pack("<H", 5) + b"ab\x01\x00x" if flags & EXTRA else b""
    head += b"worker.log\0" if flags & NAME else b""
    head += b"of node 3\0" if flags & COMMENT else b""
    head += struct.pack("<H", zlib.crc32(head) & 0xFFFF) if flags & CRC else b""
    packed = head + gzip.compress(pack_tar(CONTENT), mtime=0)[10:]
    assert read_all(write(tmp_path / "x.tar.gz", packed)) == (CONTENT, {}, {})


def pack_pax(*members: tuple[str, dict[str, str], bytes], **shared: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers=shared) as archive:
        for name, pax, data in members:
            info = tarfile.TarInfo(name)
            info.size, info.pax_headers = len(data), pax
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def test_a_tar_member_s_own_header_goes_before_that_of_all(tmp_path: Path) -> None:
    packed = pack_pax(("a", {"mtime": "2000.5"}, b"1"), ("b", {}, b"2"), mtime="1000.5")
    items = [item for item in open_bundle([write(tmp_path / "x.tar", packed)]) if isinstance(item, Member)]
    assert [(item.path, item.mtime) for item in items] == [("a", 2000.5), ("b", 1000.5)]


def test_a_hard_link_in_a_tar_has_no_data_whatever_size_it_states(tmp_path: Path) -> None:
    link = tarfile.TarInfo("link")
    link.type, link.linkname, link.pax_headers = tarfile.LNKTYPE, "a", {"size": "5000"}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(link)
    packed = out.getvalue()[: 3 * tarfile.BLOCKSIZE] + pack_tar({"b": b"behind"})
    good, losses, _ = read_all(write(tmp_path / "x.tar", packed))
    assert good == {"b": b"behind"}
    assert set(losses) == {"link"}


def test_a_zip_behind_something_else_is_found_by_its_end(tmp_path: Path) -> None:
    packed = pack_zip(CONTENT)
    with write(tmp_path / "x", b"#!/bin/sh\nexec unzip $0\n" + packed).open("rb") as file:
        directory = find_directory(file)
        listed = list(read_directory(file, directory))
        assert directory.offset_shift == 24
        for entry in listed:
            file.seek(entry.header_offset)
            assert file.read(4) == b"PK\x03\x04"
    assert [entry.name for entry in listed] == list(CONTENT)


def test_numbers_of_64_bits_stand_in_their_order_and_only_for_those_that_are_full() -> None:
    """APPNOTE 4.5.3."""
    full, large = 0xFFFFFFFF, 5 << 32
    assert list(apply_zip64(struct.pack("<HHQ", 1, 8, large), 10, full, 20)) == [10, large, 20]
    assert list(apply_zip64(struct.pack("<HHHHQQ", 9, 0, 1, 16, large, 7), full, 10, full)) == [large, 10, 7]
    assert list(apply_zip64(b"", full, 10)) == [full, 10]


def test_a_third_member_of_one_name_takes_no_name_that_is_taken() -> None:
    names = UniquePaths()
    claimed = [names.claim(path) for path in ("a", "a (2)", "a", "a")]
    assert claimed[:2] == ["a", "a (2)"]
    assert len(set(claimed)) == 4


def test_a_part_of_a_stream_is_not_left_by_a_jump() -> None:
    jumps: list[int] = []

    def jump(count: int) -> bool:
        jumps.append(count)
        return True

    source = ForwardStream(lambda count: bytes(count), jump)
    part = open_part(source, 300_000, "tar archive")
    with pytest.raises(DamageError, match="missing"):
        part.skip(300_001)
    assert (jumps, source.position) == ([], 300_000)


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("length", range(97, 104))
def test_a_long_name_that_its_header_cuts_behind_a_slash_is_no_folder(length: int, form: int, tmp_path: Path) -> None:
    """The header holds 100 bytes of it; v7 tar's folders were files whose names end in a slash."""
    files = {"n" * length + "/worker.log": b"one\n", "after.log": b"two\n"}
    good, losses, _ = read_all(write(tmp_path / "long.tar", pack_tar(files, form)))
    assert (good, losses) == (files, {})


@pytest.mark.parametrize(
    ("stored", "flags", "name"),
    [
        ("实验.log".encode(), 0, "实验.log"),  # as Info-ZIP writes it
        ("实验.log".encode(), 0x800, "实验.log"),
        ("Übung.log".encode("cp437"), 0, "Übung.log"),
        (b"worker.log", 0, "worker.log"),
    ],
)
def test_names_in_zip_files(stored: bytes, flags: int, name: str) -> None:
    assert decode_name(stored, flags) == name
