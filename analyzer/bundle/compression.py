"""Compressed streams, recognized by their first bytes and decompressed in bounded memory."""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass

import lz4.frame

from analyzer.bundle import gz
from analyzer.bundle.meter import Meter
from analyzer.bundle.stream import ForwardStream, Piece, ReadPiece, StreamOrigin
from analyzer.bundle.types import DamageError
from analyzer.bundle.zst import MAGIC as ZST_MAGIC
from analyzer.bundle.zst import is_skippable, open_zst

LZMA_MEMORY_ERROR = "Memory usage limit exceeded"  # Python's text for LZMA_MEMLIMIT_ERROR of liblzma
_CHUNK_BYTES = 64 * 1024
_FIRST_STEP_BYTES, _MAX_STEP_BYTES = 4096, 128 * 1024


@dataclass(frozen=True, slots=True)
class Codec:
    """How to make a decoder of one stream, given the memory in bytes that it may use, and which errors it raises."""

    new_decoder: Callable[[int], gz.Decoder]
    errors: tuple[type[Exception], ...]
    magic: bytes = b""  # empty: nothing follows the first stream


DEFLATE = Codec(gz.new_deflate, gz.ERRORS)
BZIP2 = Codec(lambda _window: bz2.BZ2Decompressor(), (OSError, ValueError), b"BZh")
XZ = Codec(lambda window: lzma.LZMADecompressor(lzma.FORMAT_XZ, window), (lzma.LZMAError,), b"\xfd7zXZ\x00")
_CODECS: Mapping[str, Codec] = {
    "gzip": Codec(gz.GzipDecoder, gz.ERRORS, gz.MAGIC),
    "bzip2": BZIP2,
    "xz": XZ,
    "lz4": Codec(lambda _window: lz4.frame.LZ4FrameDecompressor(), (RuntimeError,), b"\x04\x22\x4d\x18"),
}
# What follows the level: the magic of a block, or of the end if there is none. A text may begin with "BZh", too.
_BZ2_BLOCKS = (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")


def detect_compression(head: bytes) -> str | None:
    """Return the name of the compression of a stream whose first 16 bytes or more are `head`, or None."""
    if head.startswith(ZST_MAGIC) or (is_skippable(head) and len(head) > 8):
        return "zstd"
    for name, codec in _CODECS.items():
        if head.startswith(codec.magic):
            return name if name != "bzip2" or _is_bzip2(head) else None
    return None


def _is_bzip2(head: bytes) -> bool:
    return b"1" <= head[3:4] <= b"9" and any(block.startswith(head[4:10]) for block in _BZ2_BLOCKS)


def decompress(kind: str, source: ForwardStream, meter: Meter, read_ahead: ExitStack | None = None) -> ForwardStream:
    """Return all streams or frames of `source`, one after the other, as one stream that `meter` counts.

    `read_ahead`: decompress in a thread, which ends when this stack is closed; None: no thread.
    """
    window = meter.limits.window
    give = open_zst(source, window) if kind == "zstd" else feed_decoder(kind, _CODECS[kind], source, window)
    origin: StreamOrigin = source
    if read_ahead is not None:
        from analyzer.bundle.read_ahead import ReadAheadDecompressor  # a small bundle does not need it

        origin = ahead = read_ahead.enter_context(closing(ReadAheadDecompressor(give, source)))
        give = ahead.read_piece
    came_out = 0

    def counted(size: int) -> Piece:
        nonlocal came_out
        piece = give(size)
        came_out += len(piece)
        meter.count_expanded(len(piece), origin.position, came_out)
        return piece

    return ForwardStream(counted, source=origin)


def feed_decoder(kind: str, codec: Codec, source: ForwardStream, window: int) -> ReadPiece:
    """Return a function that decompresses `source`, with one decoder after the other.

    `cat a.gz b.gz` is a gzip file; the same holds for bzip2, xz and lz4. `window`: memory in bytes that a decoder may
    use.
    """
    decoder: gz.Decoder | None = codec.new_decoder(window)
    chunk = b""
    came_out = 0

    def give(size: int) -> bytes:
        nonlocal decoder, chunk, came_out
        while True:
            if decoder is None:
                return b""
            if decoder.eof:
                chunk = _find_next_stream(kind, codec, decoder.unused_data or b"", source)
                decoder = codec.new_decoder(window) if chunk else None
                continue
            if not chunk and decoder.needs_input:
                chunk = source.read(_CHUNK_BYTES)
                if not chunk:
                    raise DamageError(f"the {kind} data ends in the middle")
            # A decoder that meets damage returns nothing from that call, so the first steps are small.
            most = min(size, max(_FIRST_STEP_BYTES, came_out), _MAX_STEP_BYTES)
            try:
                data = decoder.decompress(chunk, most)
            except codec.errors as error:
                if str(error) == LZMA_MEMORY_ERROR:
                    raise DamageError(
                        f"the {kind} data takes more than {window:,} bytes of memory (limit: window)"
                    ) from error
                raise DamageError(f"the {kind} data is damaged: {error}") from error
            chunk = b""
            came_out += len(data)
            if data:
                return data

    return give


def _find_next_stream(kind: str, codec: Codec, lookahead: bytes, source: ForwardStream) -> bytes:
    """Return the bytes from the next stream on, empty at the end. Zeros in between are padding of tapes or devices."""
    if not codec.magic:
        source.push_back(lookahead)
        return b""
    lookahead = lookahead.lstrip(b"\0")
    while len(lookahead) < len(codec.magic):
        more = source.read(_CHUNK_BYTES)
        if not more:
            break
        lookahead = (lookahead + more).lstrip(b"\0")
    if lookahead and not lookahead.startswith(codec.magic):
        source.push_back(lookahead)  # it counts as unread
        raise DamageError(f"the bytes after the {kind} data are not {kind}")
    return lookahead
