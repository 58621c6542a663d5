"""Zip archives, read by their central directory, so from something that can seek."""

from __future__ import annotations

import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, BinaryIO

from analyzer.bundle.archive import Entry
from analyzer.bundle.meter import Meter
from analyzer.bundle.stream import Pull, Stream
from analyzer.bundle.types import Damage

_OPEN_ERRORS = (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError, struct.error, EOFError)
_READ_ERRORS = (*_OPEN_ERRORS, zlib.error, lzma.LZMAError)
_ENCRYPTED = 0x1
_UNIX_TIME, _NTFS_TIME = 0x5455, 0x000A
_NTFS_EPOCH = 11_644_473_600    # seconds from 1601 to 1970


def is_zip(head: bytes) -> bool:
    """A first member, an empty archive, or the mark of a split archive in one piece."""
    return head[:4] in (b"PK\x03\x04", b"PK\x05\x06") or head[:8] == b"PK\x07\x08PK\x03\x04"


def read_zip(file: BinaryIO, meter: Meter) -> Iterator[Entry]:
    """Every entry in the order of the central directory. Raises Damage where there is none."""
    try:
        archive = zipfile.ZipFile(file)
    except _OPEN_ERRORS as error:
        raise Damage(f"the zip archive has no readable directory at its end: {error}") from error
    with archive:
        for info in archive.infolist():
            yield from _read_entry(archive, info, meter)


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, meter: Meter) -> Iterator[Entry]:
    mtime = _read_mtime(info.extra)
    mode = info.external_attr >> 16
    if info.is_dir():
        yield Entry(info.filename, 0, mtime, None)
    elif info.flag_bits & _ENCRYPTED:
        yield Entry(info.filename, info.file_size, mtime, None, "it is encrypted")
    elif mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        what = "a symbolic link: links are not followed" if stat.S_ISLNK(mode) else "not a regular file"
        yield Entry(info.filename, info.file_size, mtime, None, what)
    else:
        try:
            with archive.open(info) as data, Stream(_count(data, info, meter)) as stream:
                yield Entry(info.filename, info.file_size, mtime, stream)
        except _OPEN_ERRORS as error:
            yield Entry(info.filename, info.file_size, mtime, None, f"it cannot be opened: {error}", "failed")


def _count(data: IO[bytes], info: zipfile.ZipInfo, meter: Meter) -> Pull:
    came_out = 0

    def pull(view: memoryview) -> int:
        nonlocal came_out
        try:
            block = data.read(len(view))
        except _READ_ERRORS as error:
            raise Damage(f"the zip member is damaged: {error or 'it ends too early'}") from error
        view[: len(block)] = block
        came_out += len(block)
        meter.count_expanded(len(block), info.compress_size, came_out)
        if not block and came_out < info.file_size:
            raise Damage(f"the zip member ends {info.file_size - came_out:,} bytes too early")
        return len(block)

    return pull


def _read_mtime(extra: bytes) -> float | None:
    """UTC from Info-ZIP's or Windows' extra field; zip's own time has no zone, so it is none of ours."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        field = extra[at + 4 : at + 4 + size]
        if kind == _UNIX_TIME and len(field) >= 5 and field[0] & 1:
            return float(struct.unpack_from("<i", field, 1)[0])
        if kind == _NTFS_TIME and len(field) >= 16 and field[4:8] == b"\x01\x00\x18\x00":
            return float(struct.unpack_from("<Q", field, 8)[0] / 1e7 - _NTFS_EPOCH)
        at += 4 + size
    return None
