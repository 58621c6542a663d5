"""Zip archives without a directory: if a download or a full disk cut them off, the members' own headers are still
there.

Format: PKWARE APPNOTE 6.3.10, 4.3.7 (local header), 4.3.9 (data descriptor), 4.3.12 (directory), 4.5.3 (zip64).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from analyzer.bundle.archive import ArchiveEntry
from analyzer.bundle.meter import Meter
from analyzer.bundle.stream import ForwardStream
from analyzer.bundle.types import DamageError
from analyzer.bundle.zip.data import ByteCoverage, PackedData, is_known_method, open_decompressed, open_raw_data
from analyzer.bundle.zip.directory import apply_zip64, decode_name

LOCAL_HEADER_MAGIC, DIRECTORY_ENTRY_MAGIC = b"PK\x03\x04", b"PK\x01\x02"
_DIRECTORY_ENTRY_BYTES = 46  # of an entry of the directory before its name
_DESCRIPTOR_MAGIC = b"PK\x07\x08"
_HEADER = struct.Struct("<4sHHHHHIIIHH")
_ENCRYPTED, _SIZES_FOLLOW = 0x1, 0x8


def read_forward(file: BinaryIO, meter: Meter, coverage: ByteCoverage) -> Iterator[ArchiveEntry]:
    """Yield every entry up to the first header that is not valid. Raises DamageError if the next cannot be found."""
    at = file.seek(4 if _starts_with(file, _DESCRIPTOR_MAGIC) else 0)
    while header := _read_header(file, at):
        name, flags, packed = header
        coverage.add(at, packed.start if packed.stored is None else packed.end)
        if flags & _ENCRYPTED or not is_known_method(packed.method) or name.endswith("/"):
            yield _unread_entry(name, flags, packed)
            at = _data_end(packed)
            continue
        raw = open_raw_data(file, packed)
        with open_decompressed(raw, packed, meter) as stream:
            yield ArchiveEntry(name, packed.size, None, stream)
            try:
                end = _data_end(packed) if packed.stored is not None else packed.start + _find_data_end(raw, stream)
            except DamageError:
                if raw.bytes_left() == 0:  # the archive ends here: all that is left of the member was read
                    coverage.add(at, packed.archive_size)
                raise
            coverage.add(at, end)
            at = end
    coverage.add(at, _find_end_of_directory(file, at))


def _find_end_of_directory(file: BinaryIO, at: int) -> int:
    """Return where the rest of a directory that was cut ends; all members that it lists were found already."""
    while True:
        file.seek(at)
        entry = file.read(_DIRECTORY_ENTRY_BYTES)
        if entry[:4] != DIRECTORY_ENTRY_MAGIC:
            return at
        lengths = struct.unpack_from(
            "<HHH", entry.ljust(_DIRECTORY_ENTRY_BYTES, b"\0"), 28
        )  # of name, extra field and comment
        at += _DIRECTORY_ENTRY_BYTES + sum(lengths)


def _starts_with(file: BinaryIO, magic: bytes) -> bool:
    file.seek(0)
    return file.read(len(magic)) == magic


def _read_header(file: BinaryIO, at: int) -> tuple[str, int, PackedData] | None:
    file_size = file.seek(0, 2)
    if at >= file_size:
        return None
    file.seek(at)
    block = file.read(_HEADER.size)
    if len(block) < _HEADER.size or block[:4] != LOCAL_HEADER_MAGIC:
        return None
    _, _, flags, method, _, _, crc, stored, size, name_length, extra_length = _HEADER.unpack(block)
    name, extra = file.read(name_length), file.read(extra_length)
    if len(extra) < extra_length:
        return None
    text = decode_name(name, flags)
    start = at + _HEADER.size + name_length + extra_length
    if flags & _SIZES_FOLLOW:
        return (
            text,
            flags,
            PackedData(start=start, method=method, stored=None, size=None, crc=None, archive_size=file_size),
        )
    size, stored = apply_zip64(extra, size, stored)
    return (
        text,
        flags,
        PackedData(start=start, method=method, stored=stored, size=size, crc=crc, archive_size=max(start, file_size)),
    )


def _unread_entry(name: str, flags: int, packed: PackedData) -> ArchiveEntry:
    if name.endswith("/"):
        return ArchiveEntry(name, 0, None, None)
    size = None if packed.stored is None else packed.end - packed.start
    if flags & _ENCRYPTED:
        return ArchiveEntry(name=name, size=size, mtime=None, stream=None, reason="it is encrypted")
    return ArchiveEntry(
        name=name,
        size=size,
        mtime=None,
        stream=None,
        reason=f"its compression method {packed.method} is unknown",
        status="failed",
    )


def _data_end(packed: PackedData) -> int:
    if packed.stored is None:
        raise DamageError("the start of the next member cannot be found")
    return packed.end


def _find_data_end(raw: ForwardStream, stream: ForwardStream) -> int:
    """Return the length of data whose end only the decompressor knows, and of the record behind it."""
    stream.drain()
    length = raw.position
    record = raw.read(24)
    if not record.startswith(_DESCRIPTOR_MAGIC):
        raise DamageError("the start of the next member cannot be found")
    return length + (16 if record[16:20] in (LOCAL_HEADER_MAGIC, DIRECTORY_ENTRY_MAGIC, b"") else 24)
