"""The directory at the end of a zip archive, read entry by entry. The standard zipfile module keeps all of it in
memory.

Format: PKWARE APPNOTE 6.3.10, sections 4.3.12 (directory), 4.3.14 to 4.3.16 (its end), 4.5.3 (zip64).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from analyzer.bundle.types import DamageError

_END, _END64, _LOCATOR, _ENTRY = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x01\x02"
_HEADER = struct.Struct("<4s6H3I5H2I")
_CHUNK_BYTES = 256 * 1024
_MAX_ENTRY_BYTES = _HEADER.size + 3 * 0xFFFF
_ZIP64_PLACEHOLDER = 0xFFFFFFFF
UTF8_FLAG = 0x800


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """What the directory states of a member. `header_offset`: where the member's own header is in the file."""

    name: str
    flags: int
    method: int
    crc: int
    stored: int
    size: int
    header_offset: int
    mode: int  # Unix mode, 0 if it was packed on another system
    extra: bytes


@dataclass(frozen=True, slots=True)
class ZipDirectory:
    """Where the directory is: offsets of its start and end, and of the end of the records behind it.

    `offset_shift`: bytes to add to all offsets in it, because something precedes the archive in the file.
    """

    start: int
    end: int
    records_end: int
    offset_shift: int


def find_directory(file: BinaryIO) -> ZipDirectory:
    """Return where the directory is. Raises DamageError if there is none, or if any of it is damaged."""
    size = file.seek(0, 2)
    tail_at = max(0, size - 22 - 0xFFFF)
    file.seek(tail_at)
    tail = file.read()
    place = tail.rfind(_END)
    if place < 0 or len(tail) - place < 22:
        raise DamageError("it has no end record")
    length, offset = struct.unpack_from("<II", tail, place + 12)
    end = tail_at + place
    closed = end + 22 + int.from_bytes(tail[place + 20 : place + 22], "little")
    if _ZIP64_PLACEHOLDER in (length, offset) or tail[place + 10 : place + 12] == b"\xff\xff":
        length, offset, end = _read_end64(file, tail, place, end) or (length, offset, end)
    directory = ZipDirectory(end - length, end, closed, end - length - offset)
    if directory.start < 0 or directory.offset_shift < 0:
        raise DamageError("its end record points outside the file")
    for _ in read_directory(file, directory):
        pass
    return directory


def _read_end64(file: BinaryIO, tail: bytes, place: int, end: int) -> tuple[int, int, int] | None:
    """Return (length, offset, end) of the directory by the zip64 records before the end record at `end`, or None."""
    if place < 20 or tail[place - 20 : place - 16] != _LOCATOR:
        return None
    at = int.from_bytes(tail[place - 12 : place - 4], "little")
    if at >= end:
        return None
    file.seek(at)
    record = file.read(56)
    if len(record) < 56 or record[:4] != _END64:
        return None
    length, offset = struct.unpack_from("<QQ", record, 40)
    return length, offset, at


def read_directory(file: BinaryIO, directory: ZipDirectory) -> Iterator[DirectoryEntry]:
    """Yield every entry in order. The file position may be changed between two of them. Raises DamageError."""
    at, block = directory.start, b""
    while at < directory.end:
        if len(block) < _MAX_ENTRY_BYTES:
            file.seek(at)
            block = file.read(min(_CHUNK_BYTES, directory.end - at))
        entry, length = _read_entry(block, directory.offset_shift)
        yield entry
        at, block = at + length, block[length:]


def _read_entry(block: bytes, shift: int) -> tuple[DirectoryEntry, int]:
    if len(block) < _HEADER.size or block[:4] != _ENTRY:
        raise DamageError("its directory is damaged")
    (_, made, _, flags, method, _, _, crc, stored, size, names, extras, comments, _, _, outside, at) = _HEADER.unpack(
        block[: _HEADER.size]
    )
    length = _HEADER.size + names + extras + comments
    if len(block) < length:
        raise DamageError("its directory is damaged")
    name = block[_HEADER.size : _HEADER.size + names].partition(b"\0")[0]
    extra = block[_HEADER.size + names : _HEADER.size + names + extras]
    size, stored, at = apply_zip64(extra, size, stored, at)
    text = decode_name(name, flags)
    mode = outside >> 16 if made >> 8 == 3 else 0  # 3: packed on Unix
    return DirectoryEntry(
        name=text,
        flags=flags,
        method=method,
        crc=crc,
        stored=stored,
        size=size,
        header_offset=at + shift,
        mode=mode,
        extra=extra,
    ), length


def decode_name(name: bytes, flags: int) -> str:
    """Return the name of an entry. Info-ZIP writes UTF-8 without its flag; other text is hardly ever UTF-8."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("utf-8" if flags & UTF8_FLAG else "cp437", "surrogateescape")


def read_extra_fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (kind, content) of the fields behind a name."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        yield kind, extra[at + 4 : at + 4 + size]
        at += 4 + size


def apply_zip64(extra: bytes, *numbers: int) -> Iterator[int]:
    """Yield `numbers`, each of 2³² − 1 replaced by the next number of the zip64 extra field."""
    wide = next((content for kind, content in read_extra_fields(extra) if kind == 1), b"")
    for number in numbers:
        if number == _ZIP64_PLACEHOLDER and len(wide) >= 8:
            number, wide = int.from_bytes(wide[:8], "little"), wide[8:]
        yield number
