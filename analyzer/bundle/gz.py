"""Gzip members: the framing is read here, the deflate data inside by igzip if it is installed.

Format: RFC 1952. The libraries return nothing from the call in which a checksum fails, so one wrong bit would cost all
of a small log; here the data is returned before the checksum is checked.
"""

from __future__ import annotations

import zlib
from typing import Protocol

try:
    from isal import igzip_lib
    from isal.isal_zlib import crc32
except ImportError:  # no wheel for this machine: zlib does the same at 40 % of the speed
    from zlib import crc32

    igzip_lib = None  # type: ignore[assignment]

__all__ = ["ERRORS", "MAGIC", "Decoder", "GzipDecoder", "crc32", "new_deflate"]

MAGIC = b"\x1f\x8b\x08"
ERRORS = (zlib.error, *((igzip_lib.IsalError,) if igzip_lib else ()))
_HEADER_CRC, _EXTRA, _NAME, _COMMENT, _RESERVED = 2, 4, 8, 16, 0xE0
_MAX_HEADER_BYTES = 1 << 18


class Decoder(Protocol):
    """What bz2, lzma, lz4 and igzip have in common: decode one stream or frame, at most `max_length` bytes a call."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes | None: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


def new_deflate(_window: int = 0) -> Decoder:
    """Return a decoder of raw deflate data."""
    decoder: Decoder = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_DEFLATE) if igzip_lib else _ZlibDecoder()
    return decoder


class _ZlibDecoder:
    """zlib's decompressobj with the interface of the other decoders."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(-15)
        self._full = False  # zlib may hold back output although it has consumed all input

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not (self._inner.unconsumed_tail or self._inner.eof or self._full)

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        out = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self._full = len(out) == max_length
        return out


class GzipDecoder:
    """A decoder of one gzip member."""

    def __init__(self, _window: int = 0) -> None:
        self._inner = new_deflate()
        self._header: bytes | None = b""  # the header so far; None once it is complete
        self._trailer = b""
        self._checksum = self._size = 0
        self.eof = False

    @property
    def needs_input(self) -> bool:
        if self._header is not None:
            return True
        return len(self._trailer) < 8 if self._inner.eof else self._inner.needs_input

    @property
    def unused_data(self) -> bytes:
        return self._trailer[8:]

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        if self._header is not None:
            self._header += data
            length = _measure_header(self._header)
            if length is None:
                return b""
            data, self._header = self._header[length:], None
        if self._inner.eof:
            self._trailer += data
            self._verify_trailer()
            return b""
        out = self._inner.decompress(data, max_length)
        self._checksum = crc32(out, self._checksum)
        self._size += len(out)
        if self._inner.eof:
            self._trailer = self._inner.unused_data or b""
        return out

    def _verify_trailer(self) -> None:
        if len(self._trailer) < 8:
            return
        stated = int.from_bytes(self._trailer[:4], "little"), int.from_bytes(self._trailer[4:8], "little")
        if stated != (self._checksum, self._size & 0xFFFFFFFF):
            raise zlib.error("its checksum is wrong")
        self.eof = True


def _measure_header(data: bytes) -> int | None:
    """Return the length of a member's header; None if it is not complete yet. Raises zlib.error if it is damaged."""
    if len(data) > _MAX_HEADER_BYTES or (len(data) > 3 and data[3] & _RESERVED):
        raise zlib.error("its header is damaged")
    if len(data) < 12:
        return None
    flags, at = data[3], 10
    if flags & _EXTRA:
        at += 2 + int.from_bytes(data[10:12], "little")
    for flag in (_NAME, _COMMENT):
        if flags & flag:
            at = data.find(b"\0", at) + 1
            if not at:
                return None
    at += 2 if flags & _HEADER_CRC else 0
    return at if at <= len(data) else None
