"""The ledger of compressed archives in archives that were cut: what came out of the part before the cut is read.

What a cut leaves of the inner archive is found here with Python's own decompressors; read by itself, as a file of its
own, it gives the same bytes and the same losses as inside what was cut.
"""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard
from packing import COMPRESSORS, pack_tar, pack_zip, write

from analyzer.bundle import DEFAULT_LIMITS, BundleLimits, DamageError, Loss, list_input_files, open_input_files

NOISE = random.Random(5).randbytes(2500)
FILES = {"n1/a.log": NOISE[:900], "n2/b.log": b"B" * 1300, "n3/c.log": NOISE[900:]}
INNER_NAME = "in"  # the member that is an archive
Cut = Callable[[bytes, int], bytes]


def gunzip(data: bytes) -> bytes:
    return zlib.decompressobj(31).decompress(data)


def inflate(data: bytes) -> bytes:
    return zlib.decompressobj(-15).decompress(data)


def unzst(data: bytes) -> bytes:
    """Block by block; a block is decompressed whole or not at all."""
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


INNER: Mapping[str, bytes] = {
    "tar": pack_tar(FILES),
    "tar.gz": COMPRESSORS["gz"](pack_tar(FILES)),
    "tar.bz2": COMPRESSORS["bz2"](pack_tar(FILES)),
    "tar.zst": COMPRESSORS["zst"](pack_tar(FILES)),
    "zip": pack_zip(FILES, zipfile.ZIP_DEFLATED),
    "zip, piped": pack_zip(FILES, zipfile.ZIP_DEFLATED, seekable=False),
    "zip, stored": pack_zip(FILES, zipfile.ZIP_STORED),
}


def in_tar(inner: bytes) -> tuple[bytes, Cut]:
    return pack_tar({INNER_NAME: inner}, tarfile.USTAR_FORMAT), lambda data, cut: data[512:cut]


def in_zip(inner: bytes) -> tuple[bytes, Cut]:
    return pack_zip({INNER_NAME: inner}, zipfile.ZIP_STORED), lambda data, cut: data[30 + len(INNER_NAME) : cut]


def in_deflated_zip(inner: bytes) -> tuple[bytes, Cut]:
    return pack_zip({INNER_NAME: inner}), lambda data, cut: inflate(data[30 + len(INNER_NAME) : cut])


def in_gz(inner: bytes) -> tuple[bytes, Cut]:
    return COMPRESSORS["gz"](pack_tar({INNER_NAME: inner})), lambda data, cut: gunzip(data[:cut])[512:]


def in_zst(inner: bytes) -> tuple[bytes, Cut]:
    return COMPRESSORS["zst"](pack_tar({INNER_NAME: inner})), lambda data, cut: unzst(data[:cut])[512:]


OUTER = {"tar": in_tar, "zip": in_zip, "deflated zip": in_deflated_zip, "tar.gz": in_gz, "tar.zst": in_zst}


def read(
    data: bytes, path: Path, limits: BundleLimits = DEFAULT_LIMITS, scratch: Path | None = None
) -> tuple[dict[str, bytes], int]:
    """(what each member gave, bytes that were said to be unread)."""
    good, unread = dict[str, bytes](), 0
    for item in open_input_files(list_input_files([write(path, data)]), limits, scratch):
        if isinstance(item, Loss):
            unread += item.size or 0
            continue
        with suppress(DamageError):
            good[item.path.removeprefix(f"{INNER_NAME}/")] = b""
            while block := item.stream.read(500):
                good[item.path.removeprefix(f"{INNER_NAME}/")] += block
        unread += item.stream.bytes_left() or 0
    return good, unread


@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_what_is_left_of_an_archive_in_a_cut_one_is_read(inner: str, outer: str, tmp_path: Path) -> None:
    packed = INNER[inner]
    data, left_by = OUTER[outer](packed)
    for cut in range(600, len(data), max(7, len(data) // 90)):
        left = left_by(data, cut)[: len(packed)]
        if not 600 <= len(left) < len(packed):
            continue  # too little to be known for an archive, or it is whole and the cut lies behind it
        here, alone = read(data[:cut], tmp_path / "x"), read(left, tmp_path / "alone")
        assert here == alone, cut


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("where", ["memory", "disk"])
def test_of_a_zip_in_a_cut_archive_each_byte_is_read_or_counted(method: int, where: str, tmp_path: Path) -> None:
    """In a member's data nothing is lost at all; in a header, no more than this header."""
    packed = pack_zip(FILES, method)
    data = pack_tar({INNER_NAME: packed}, tarfile.USTAR_FORMAT)
    limits = BundleLimits(nested_memory=512) if where == "disk" else BundleLimits()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        begins = [info.header_offset + 30 + len(info.filename) for info in archive.infolist()]
        spans = [(at, at + info.compress_size) for at, info in zip(begins, archive.infolist(), strict=True)]
    unpack = inflate if method else bytes
    for cut in range(600, spans[-1][1], 7):
        good, unread = read(data[: 512 + cut], tmp_path / "x", limits, tmp_path)
        wanted = [unpack(packed[start : min(end, cut)]) for start, end in spans if start < cut]
        assert list(filter(None, good.values())) == list(filter(None, wanted)), cut
        header = cut - max(end for start, end in [(0, 0), *spans] if start < cut)
        assert 0 <= unread <= max(header, 0), cut
