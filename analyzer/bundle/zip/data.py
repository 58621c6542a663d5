"""The data of one zip member, decompressed in bounded memory, and which bytes of the archive were looked at.

The standard zipfile module decompresses bzip2 and LZMA members without a bound and does not know zstd.
Format: PKWARE APPNOTE 6.3.10, sections 4.4.5 (methods) and 5.8.8 (LZMA's own header).
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from analyzer.bundle.compression import BZIP2, DEFLATE, XZ, Codec, feed_decoder
from analyzer.bundle.disk import read_disk
from analyzer.bundle.gz import Decoder, crc32
from analyzer.bundle.meter import Meter
from analyzer.bundle.stream import ForwardStream, Piece, ReadPiece
from analyzer.bundle.types import DamageError
from analyzer.bundle.zst import open_zst

_STORED, _LZMA, _ZSTD = 0, 14, 93
_MAX_DESCRIPTOR_BYTES = 24  # a data descriptor may follow a member's data
_CODECS: Mapping[int, Codec] = {
    8: DEFLATE,
    12: Codec(BZIP2.new_decoder, BZIP2.errors),
    95: Codec(XZ.new_decoder, XZ.errors),
}


@dataclass(frozen=True, slots=True)
class PackedData:
    """Where a member's data is. `stored`, `size` and `crc` are None if its header leaves them to a record after the
    data.

    Headers may state anything, so `archive_size` bounds the data.
    """

    start: int
    method: int
    stored: int | None
    size: int | None
    crc: int | None
    archive_size: int

    @property
    def end(self) -> int:
        """The offset at which the data ends at the latest."""
        return self.archive_size if self.stored is None else min(self.start + self.stored, self.archive_size)


def is_known_method(method: int) -> bool:
    """Return whether this compression method can be decompressed."""
    return method in _CODECS or method in (_STORED, _LZMA, _ZSTD)


def open_raw_data(file: BinaryIO, packed: PackedData) -> ForwardStream:
    """Return a stream of the data as stored."""
    file.seek(packed.start)
    left = packed.stored

    def give(size: int) -> bytes:
        nonlocal left
        data = read_disk(file, size if left is None else min(size, left))
        if left and not data:
            raise DamageError(f"the zip archive ends {left:,} bytes before the end of this member")
        left = None if left is None else left - len(data)
        return data

    return ForwardStream(give, size=None if left is None else packed.end - packed.start)


def open_decompressed(raw: ForwardStream, packed: PackedData, meter: Meter) -> ForwardStream:
    """Return a stream of the decompressed data, counted by `meter` and checked against the size and checksum of the
    header.

    Raises DamageError for an unknown compression method.
    """
    give = _open_codec(raw, packed.method, meter.limits.window)
    came_out = checksum = 0

    def checked(size: int) -> Piece:
        nonlocal came_out, checksum
        room = size if packed.size is None else min(size, packed.size - came_out)
        piece = give(room) if room else b""
        got = len(piece)
        came_out += got
        checksum = crc32(piece, checksum)
        meter.count_expanded(got, raw.position, came_out)
        if not got and packed.size is not None and came_out < packed.size:
            raise DamageError(f"the zip member ends {packed.size - came_out:,} bytes too early")
        if not got and packed.crc is not None and checksum != packed.crc:
            raise DamageError("the zip member's checksum is wrong")
        if not got and packed.size is not None and packed.stored and give(1):
            raise DamageError(f"the zip member has more than the {packed.size:,} bytes that its header states")
        return piece

    return ForwardStream(checked, source=raw)


def _open_codec(raw: ForwardStream, method: int, window: int) -> ReadPiece:
    if method == _STORED:
        return raw.read_some
    if method == _ZSTD:
        return open_zst(raw, window)
    if method == _LZMA:
        return feed_decoder("LZMA", Codec(lambda _window: _new_lzma(raw, window), (lzma.LZMAError,)), raw, window)
    if method in _CODECS:
        return feed_decoder("zip", _CODECS[method], raw, window)
    raise DamageError(f"its compression method {method} is unknown")


def _new_lzma(raw: ForwardStream, window: int) -> Decoder:
    """Return a decoder. The data begins with two bytes of version, two of length, then properties as in the old .lzma
    format.
    """
    header = raw.read(4)
    properties = raw.read(int.from_bytes(header[2:4], "little"))
    if len(properties) < 5 or properties[0] >= 225:
        raise DamageError("the LZMA header of the zip member is damaged")
    remainder, lc = divmod(properties[0], 9)
    pb, lp = divmod(remainder, 5)
    history = int.from_bytes(properties[1:5], "little")
    if history > window:
        raise DamageError(f"its decompression takes {history:,} bytes of memory (limit: window)")
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": max(history, 4096), "lc": lc, "lp": lp, "pb": pb}]
    try:
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)
    except (lzma.LZMAError, ValueError) as error:
        raise DamageError(f"the LZMA header of the zip member is damaged: {error}") from error


@dataclass(slots=True)
class ByteCoverage:
    """Which bytes of an archive belong to something that was looked at.

    `add` what was looked at, in any order; `uncovered` returns the number of all other bytes.
    """

    file: BinaryIO
    _ranges: list[tuple[int, int]] = field(default_factory=list)

    def add(self, start: int, end: int) -> None:
        """Mark the bytes from `start` to `end` as looked at."""
        self._ranges.append((start, end))

    def uncovered(self) -> int:
        """Return how many bytes nothing lists, or the reader did not reach. Gaps of a data descriptor do not count."""
        at = lost = 0
        size = self.file.seek(0, 2)
        for start, end in (*sorted(self._ranges), (size, size)):
            gap = min(start, size) - at
            lost += gap if gap > _MAX_DESCRIPTOR_BYTES else 0
            at = max(at, end)
        return lost
