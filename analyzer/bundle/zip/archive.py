"""Zip archives, read by their central directory, so they must be seekable; read forward if the directory is lost."""

from __future__ import annotations

import stat
import struct
from collections.abc import Iterator
from typing import BinaryIO

from analyzer.bundle.archive import ArchiveEntry
from analyzer.bundle.folder import describe_file_type
from analyzer.bundle.meter import Meter
from analyzer.bundle.types import DamageError
from analyzer.bundle.zip.data import ByteCoverage, PackedData, is_known_method, open_decompressed, open_raw_data
from analyzer.bundle.zip.directory import DirectoryEntry, find_directory, read_directory, read_extra_fields
from analyzer.bundle.zip.forward import LOCAL_HEADER_MAGIC, read_forward

ELF_MAGIC = b"\x7fELF"
_ELF_CORE_TYPES = (b"\4\0", b"\0\4")  # the type field of an ELF core, little and big endian
_ENCRYPTED = 0x1
_UNIX_TIME, _NTFS_TIME = 0x5455, 0x000A
_NTFS_EPOCH = 11_644_473_600  # seconds from 1601 to 1970


def is_zip(head: bytes) -> bool:
    """Return whether a file begins with a member, as an empty archive, or with the mark of a split archive in one
    piece.
    """
    return head[:4] in (LOCAL_HEADER_MAGIC, b"PK\x05\x06") or head[:8] == b"PK\x07\x08" + LOCAL_HEADER_MAGIC


def may_be_self_extracting(head: bytes) -> bool:
    """Return whether a file is a program or script, which a zip may follow. A core is not, as its bytes may be
    anything.
    """
    return head.startswith((b"MZ", b"#!")) or (head.startswith(ELF_MAGIC) and head[16:18] not in _ELF_CORE_TYPES)


def has_members(file: BinaryIO) -> bool:
    """Return whether a sound directory at the end lists a member whose data is there."""
    try:
        listed = next(read_directory(file, find_directory(file)), None)
    except DamageError:
        return False
    return listed is not None and _locate_data(file, listed) is not None


def read_zip(file: BinaryIO, meter: Meter, coverage: ByteCoverage) -> Iterator[ArchiveEntry]:
    """Yield every entry in the order of the directory.

    Without a directory, yields every entry in the order of the data, then raises DamageError. `coverage` collects which
    bytes of the archive were looked at.
    """
    try:
        directory = find_directory(file)
    except DamageError as damage:
        yield from read_forward(file, meter, coverage)
        raise DamageError("the zip archive has no readable directory at its end; members may be missing") from damage
    coverage.add(directory.start, directory.records_end)
    for listed in read_directory(file, directory):
        yield from _read_entry(file, listed, meter, coverage)


def _read_entry(file: BinaryIO, listed: DirectoryEntry, meter: Meter, coverage: ByteCoverage) -> Iterator[ArchiveEntry]:
    mtime = _read_mtime(listed.extra)
    data = _locate_data(file, listed)
    coverage.add(listed.header_offset, listed.header_offset if data is None else data.end)
    size = 0 if data is None else data.end - data.start
    if listed.name.endswith("/"):
        yield ArchiveEntry(listed.name, 0, mtime, None)
    elif reason := _why_unreadable(listed):
        yield ArchiveEntry(name=listed.name, size=size, mtime=mtime, stream=None, reason=reason)
    elif data is None:
        yield ArchiveEntry(
            name=listed.name, size=size, mtime=mtime, stream=None, reason="its header is damaged", status="failed"
        )
    elif not is_known_method(listed.method):
        yield ArchiveEntry(
            name=listed.name,
            size=size,
            mtime=mtime,
            stream=None,
            reason=f"its compression method {listed.method} is unknown",
            status="failed",
        )
    else:
        with open_decompressed(open_raw_data(file, data), data, meter) as stream:
            yield ArchiveEntry(listed.name, listed.size, mtime, stream)


def _why_unreadable(listed: DirectoryEntry) -> str:
    if listed.flags & _ENCRYPTED:
        return "it is encrypted"
    return (stat.S_IFMT(listed.mode) and describe_file_type(listed.mode)) or ""


def _locate_data(file: BinaryIO, listed: DirectoryEntry) -> PackedData | None:
    """Return where a member's data begins: the lengths in its own header differ from those in the directory."""
    file_size = file.seek(0, 2)
    if listed.header_offset >= file_size:
        return None
    file.seek(listed.header_offset)
    header = file.read(30)
    if len(header) < 30 or header[:4] != LOCAL_HEADER_MAGIC:
        return None
    name_length, extra_length = struct.unpack_from("<HH", header, 26)
    start = listed.header_offset + 30 + name_length + extra_length
    if start > file_size:  # the lengths are damaged, so these bytes must count as unread
        return None
    return PackedData(
        start=start,
        method=listed.method,
        stored=listed.stored,
        size=listed.size,
        crc=listed.crc,
        archive_size=file_size,
    )


def _read_mtime(extra: bytes) -> float | None:
    """Return UTC seconds from Info-ZIP's or Windows' extra field. Zip's own time has no zone, so it is not used."""
    for kind, content in read_extra_fields(extra):
        if kind == _UNIX_TIME and len(content) >= 5 and content[0] & 1:
            return float(struct.unpack_from("<i", content, 1)[0])
        if kind == _NTFS_TIME and len(content) >= 16 and content[4:8] == b"\x01\x00\x18\x00":
            return float(struct.unpack_from("<Q", content, 8)[0] / 1e7 - _NTFS_EPOCH)
    return None
