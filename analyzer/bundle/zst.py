"""Zstandard streams: many frames, skippable frames, frames without content size.

Format: RFC 8878, section 3.1. zstandard's `stream_reader` is bounded in memory, which its `decompressobj` is not, but
it takes a stream that stops inside a frame for a complete one. So the frames are tracked here, beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from analyzer.bundle.stream import ForwardStream, ReadPiece
from analyzer.bundle.types import DamageError

MAGIC = b"\x28\xb5\x2f\xfd"
MIN_WINDOW_BYTES, MAX_WINDOW_BYTES = 1 << 10, 1 << 31  # what the library accepts


def is_skippable(head: bytes) -> bool:
    """Return whether `head` has the magic 0x184D2A50 to 0x184D2A5F of zstd and lz4; pzstd and seekable zstd write such
    frames.
    """
    return head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F


def open_zst(source: ForwardStream, window: int) -> ReadPiece:
    """Return a function that decompresses all frames of `source`, with at most `window` bytes of history."""
    import zstandard  # takes half as long as importing all other modules that open archives

    frames = _FrameTracker(source)
    decoder = zstandard.ZstdDecompressor(max_window_size=min(max(window, MIN_WINDOW_BYTES), MAX_WINDOW_BYTES))
    reader = decoder.stream_reader(frames, read_across_frames=True)  # type: ignore[arg-type]  # needs only read

    def give(size: int) -> bytes:
        try:
            data = reader.read(size)
        except zstandard.ZstdError as error:
            raise DamageError(_describe_error(str(error), frames.window, window)) from error
        if not data and frames.has_foreign_bytes:
            raise DamageError("the bytes after the zstd data are not zstd")
        if not data and not frames.is_complete:
            raise DamageError("the zstd data ends in the middle")
        return data

    return give


def _describe_error(error: str, needed: int, window: int) -> str:
    if needed > MAX_WINDOW_BYTES:
        return f"the zstd data takes {needed:,} bytes of memory, more than zstd allows"
    if needed > window:
        return f"the zstd data takes {needed:,} bytes of memory (limit: window)"
    return f"the zstd data is damaged: {error}"


class _FrameTracker:
    """Passes compressed bytes on and tracks where frames end; `is_complete` is true between two frames.

    Bytes that begin no frame are not passed on, because the library returns nothing from the call in which it meets
    them. `window` is the memory in bytes that the last frame asks for.
    """

    def __init__(self, source: ForwardStream) -> None:
        self._source = source
        self._field = b""
        self._skip_bytes = 0
        self._checksum = 0
        self.has_foreign_bytes = False
        self.window = 0
        self._expect(4, self._on_magic)

    @property
    def is_complete(self) -> bool:
        return self._next == self._on_magic and not self._field and not self._skip_bytes

    def read(self, size: int) -> bytes:
        """Return up to `size` compressed bytes that belong to frames."""
        data = b"" if self.has_foreign_bytes else self._source.read(size)
        at = 0
        while at < len(data):
            if self._skip_bytes:
                step = min(self._skip_bytes, len(data) - at)
                self._skip_bytes -= step
                at += step
                continue
            piece = data[at : at + self._need - len(self._field)]
            self._field += piece
            at += len(piece)
            if len(self._field) == self._need:
                field, self._field = self._field, b""
                self._next(field)
            if self.has_foreign_bytes:
                self._source.push_back(data[at - len(piece) :])
                return data[: at - len(piece)]
        return data

    def _expect(self, size: int, then: Callable[[bytes], None]) -> None:
        self._need, self._next = size, then

    def _on_magic(self, field: bytes) -> None:
        self.has_foreign_bytes = field != MAGIC and not is_skippable(field)
        self._expect(*((4, self._on_skippable) if is_skippable(field) else (1, self._on_descriptor)))

    def _on_skippable(self, field: bytes) -> None:
        self._skip_bytes = int.from_bytes(field, "little")
        self._expect(4, self._on_magic)

    def _on_descriptor(self, field: bytes) -> None:
        bits = field[0]
        single = bits >> 5 & 1
        content_size = (single, 2, 4, 8)[bits >> 6]
        dictionary = (0, 1, 2, 4)[bits & 3]
        self._checksum = 4 if bits & 4 else 0
        self._expect((1 - single) + dictionary + content_size, partial(self._on_sizes, single, content_size))

    def _on_sizes(self, single: int, content_size: int, field: bytes) -> None:
        """Section 3.1.1.1: a single segment is its own window; else the first byte has an exponent and a mantissa."""
        if single:
            self.window = int.from_bytes(field[-content_size:], "little")
        else:
            self.window = (1 << 10 + (field[0] >> 3)) // 8 * (8 + (field[0] & 7))
        self._expect(3, self._on_block)

    def _on_block(self, field: bytes) -> None:
        header = int.from_bytes(field, "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        self._skip_bytes = 1 if kind == 1 else size  # kind 1: one byte, repeated `size` times
        if last:
            self._skip_bytes += self._checksum
            self._expect(4, self._on_magic)
