"""Zip archives, read by their central directory, so from something that can seek; forward where that is lost."""

from __future__ import annotations

import stat
import struct
from collections.abc import Iterator
from typing import BinaryIO

from analyzer.bundle.archive import Entry
from analyzer.bundle.folder import name_kind
from analyzer.bundle.meter import Meter
from analyzer.bundle.types import DamageError
from analyzer.bundle.zip_cover import Cover
from analyzer.bundle.zip_data import Packed, is_known, open_data, open_raw
from analyzer.bundle.zip_directory import Listed, find_directory, read_directory, read_fields
from analyzer.bundle.zip_forward import LOCAL, read_forward

ELF = b"\x7fELF"
_CORES = (b"\4\0", b"\0\4")  # an ELF file's type, in either order of bytes
_ENCRYPTED = 0x1
_UNIX_TIME, _NTFS_TIME = 0x5455, 0x000A
_NTFS_EPOCH = 11_644_473_600  # seconds from 1601 to 1970


def is_zip(head: bytes) -> bool:
    """A first member, an empty archive, or the mark of a split archive in one piece."""
    return head[:4] in (LOCAL, b"PK\x05\x06") or head[:8] == b"PK\x07\x08" + LOCAL


def is_stub(head: bytes) -> bool:
    """A program or a script, behind which a zip may lie that it unpacks; no core, whose bytes may be anything."""
    return head.startswith((b"MZ", b"#!")) or (head.startswith(ELF) and head[16:18] not in _CORES)


def has_members(file: BinaryIO) -> bool:
    """Whether a sound directory at the end lists a member that is there."""
    try:
        listed = next(read_directory(file, find_directory(file)), None)
    except DamageError:
        return False
    return listed is not None and _find_data(file, listed) is not None


def read_zip(file: BinaryIO, meter: Meter, cover: Cover) -> Iterator[Entry]:
    """Every entry in the order of the directory, or of the data if there is none, and then DamageError."""
    try:
        directory = find_directory(file)
    except DamageError as damage:
        yield from read_forward(file, meter, cover)
        raise DamageError("the zip archive has no readable directory at its end; members may be missing") from damage
    cover.take(directory.start, directory.closed)
    for listed in read_directory(file, directory):
        yield from _read_entry(file, listed, meter, cover)


def _read_entry(file: BinaryIO, listed: Listed, meter: Meter, cover: Cover) -> Iterator[Entry]:
    mtime = _read_mtime(listed.extra)
    packed = _find_data(file, listed)
    cover.take(listed.at, listed.at if packed is None else packed.end)
    size = 0 if packed is None else packed.end - packed.start
    if listed.name.endswith("/"):
        yield Entry(listed.name, 0, mtime, None)
    elif reason := _find_obstacle(listed):
        yield Entry(listed.name, size, mtime, None, reason)
    elif packed is None:
        yield Entry(listed.name, size, mtime, None, "its header is damaged", "failed")
    elif not is_known(listed.method):
        yield Entry(listed.name, size, mtime, None, f"its compression method {listed.method} is not known", "failed")
    else:
        with open_data(open_raw(file, packed), packed, meter) as stream:
            yield Entry(listed.name, listed.size, mtime, stream)


def _find_obstacle(listed: Listed) -> str:
    if listed.flags & _ENCRYPTED:
        return "it is encrypted"
    return (stat.S_IFMT(listed.mode) and name_kind(listed.mode)) or ""


def _find_data(file: BinaryIO, listed: Listed) -> Packed | None:
    """Where the data begins: the lengths in the member's own header differ from those in the directory."""
    whole = file.seek(0, 2)
    if listed.at >= whole:
        return None
    file.seek(listed.at)
    header = file.read(30)
    if len(header) < 30 or header[:4] != LOCAL:
        return None
    name_length, extra_length = struct.unpack_from("<HH", header, 26)
    start = listed.at + 30 + name_length + extra_length
    if start > whole:  # no lengths that a writer wrote: what lies here is left for nobody to have read
        return None
    return Packed(start, listed.method, listed.stored, listed.size, listed.crc, whole)


def _read_mtime(extra: bytes) -> float | None:
    """UTC from Info-ZIP's or Windows' extra field; zip's own time has no zone, so it is no time."""
    for kind, content in read_fields(extra):
        if kind == _UNIX_TIME and len(content) >= 5 and content[0] & 1:
            return float(struct.unpack_from("<i", content, 1)[0])
        if kind == _NTFS_TIME and len(content) >= 16 and content[4:8] == b"\x01\x00\x18\x00":
            return float(struct.unpack_from("<Q", content, 8)[0] / 1e7 - _NTFS_EPOCH)
    return None
