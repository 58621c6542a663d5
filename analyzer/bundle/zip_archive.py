"""Zip archives, read by their central directory, so from something that can seek; forward where that is lost."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Iterator
from typing import BinaryIO

from analyzer.bundle.archive import Entry
from analyzer.bundle.folder import name_kind
from analyzer.bundle.meter import Meter
from analyzer.bundle.types import DamageError
from analyzer.bundle.zip_data import Packed, is_known, open_data, open_raw
from analyzer.bundle.zip_forward import LOCAL, read_forward

_OPEN_ERRORS = (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error, EOFError, OverflowError)
_ENCRYPTED = 0x1
_UNIX_TIME, _NTFS_TIME = 0x5455, 0x000A
_NTFS_EPOCH = 11_644_473_600  # seconds from 1601 to 1970


def is_zip(head: bytes) -> bool:
    """A first member, an empty archive, or the mark of a split archive in one piece."""
    return head[:4] in (LOCAL, b"PK\x05\x06") or head[:8] == b"PK\x07\x08" + LOCAL


def read_zip(file: BinaryIO, meter: Meter) -> Iterator[Entry]:
    """Every entry in the order of the directory, or of the data if there is none, and then DamageError."""
    try:
        infos = zipfile.ZipFile(file).infolist()
    except _OPEN_ERRORS as error:
        yield from read_forward(file, meter)
        raise DamageError("the zip archive has no readable directory at its end; members may be missing") from error
    for info in infos:
        yield from _read_entry(file, info, meter)


def _read_entry(file: BinaryIO, info: zipfile.ZipInfo, meter: Meter) -> Iterator[Entry]:
    mtime = _read_mtime(info.extra)
    reason = _find_obstacle(info)
    folder = info.filename.endswith("/")  # is_dir() fails on a name that is empty
    if folder or reason:
        yield Entry(info.filename, info.file_size, mtime, None, "" if folder else reason)
        return
    start = _find_data(file, info)
    if start is None or not is_known(info.compress_type):
        method = f"its compression method {info.compress_type} is not known"
        reason = "its header is damaged" if start is None else method
        yield Entry(info.filename, info.file_size, mtime, None, reason, "failed")
        return
    packed = Packed(start, info.compress_type, info.compress_size, info.file_size, info.CRC)
    with open_data(open_raw(file, packed), packed, meter) as stream:
        yield Entry(info.filename, info.file_size, mtime, stream)


def _find_obstacle(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    mode = info.external_attr >> 16 if info.create_system == 3 else 0  # 3: packed on Unix
    return (stat.S_IFMT(mode) and name_kind(mode)) or ""


def _find_data(file: BinaryIO, info: zipfile.ZipInfo) -> int | None:
    """Where the data begins: the lengths in the member's own header differ from those in the directory."""
    try:
        file.seek(info.header_offset)
        header = file.read(30)
    except (OSError, ValueError):
        return None
    if len(header) < 30 or header[:4] != LOCAL:
        return None
    name_length, extra_length = struct.unpack_from("<HH", header, 26)
    return int(info.header_offset + 30 + name_length + extra_length)


def _read_mtime(extra: bytes) -> float | None:
    """UTC from Info-ZIP's or Windows' extra field; zip's own time has no zone, so it is no time."""
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
