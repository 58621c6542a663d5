"""Forward-only byte streams with look-ahead, the building block of all containers and decompressors."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from analyzer.bundle.types import DamageError

if TYPE_CHECKING:
    from typing_extensions import Buffer

BLOCK_BYTES = 64 * 1024  # small reads (tar headers, lines) are served from a block of this size
_SKIP_CHUNK_BYTES = 256 * 1024
_MAX_READ_BYTES = 1 << 20  # of one call of `read_piece`

Piece = bytes | memoryview  # a memoryview of bytes that never change
ReadPiece = Callable[[int], Piece]
TrySkip = Callable[[int], bool]


class StreamOrigin(Protocol):
    """What a stream is a part of or decompressed from: how far it is read and what is left of it."""

    position: int

    @property
    def damage(self) -> DamageError | None: ...
    def bytes_left(self) -> int | None: ...


class ForwardStream(io.RawIOBase):
    """A stream of the bytes that `read_piece` returns.

    `read_piece(size)` returns up to `size` of the next bytes, none at the end, and raises DamageError on a break. Its
    pieces are passed on without a copy and joined once, by the read that asks for them. Reads are full until the end.
    Bytes before a break are returned first; every later read raises the DamageError.

    `try_skip` may step over bytes without reading them and returns whether it did. `size`: how many bytes there should
    be, if they are stored as they are. `source`: the stream that this one is a part of or decompressed from.
    `hole_size` returns how many of the next bytes are zeros that are stored nowhere.
    """

    def __init__(
        self,
        read_piece: ReadPiece,
        try_skip: TrySkip | None = None,
        size: int | None = None,
        source: StreamOrigin | None = None,
        hole_size: Callable[[], int] | None = None,
    ) -> None:
        super().__init__()
        self._read_piece = read_piece
        self._try_skip = try_skip
        self._size = size
        self._source = source
        self._hole_size = hole_size
        self._ended = False
        self._lookahead: Piece = b""
        self._damage: DamageError | None = None
        self.position = 0

    @property
    def damage(self) -> DamageError | None:
        """The damage that the look-ahead or the last read found."""
        return self._damage

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view, got = memoryview(buffer).cast("B"), 0
        while got < len(view) and (piece := self._next_piece(len(view) - got)):
            view[got : got + len(piece)] = piece
            got += len(piece)
        self._count_read(got, len(view))
        return got

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self.readall()
        pieces: list[Piece] = []
        got = 0
        while got < size and (piece := self._next_piece(size - got)):
            pieces.append(piece)
            got += len(piece)
        self._count_read(got, size)
        return b"".join(pieces)

    def read_some(self, size: int) -> Piece:
        """Return some of the next bytes, at most `size`, without a copy; none only at the end. Raises DamageError."""
        piece = self._next_piece(size)
        self._count_read(len(piece), min(size, 1))
        return piece

    def _count_read(self, got: int, wanted: int) -> None:
        if not got and self._damage and wanted:
            raise self._damage
        self._ended = got < wanted and not self._damage
        self.position += got

    def bytes_left(self) -> int | None:
        """Return how many bytes, as stored, follow what was read; None if unknown.

        Bytes that are decompressed but not read count in their decompressed size. A part of a broken stream has nothing
        left: what follows the break belongs to the outer stream.
        """
        if self._size is not None:
            broken = self._source and (self._damage or self._source.damage)
            return 0 if broken else max(0, self._size - self.position)
        left = self._source.bytes_left() if self._source else 0 if self._ended else None
        return None if left is None else left + len(self._lookahead)

    def peek(self, size: int) -> bytes:
        """Return up to `size` bytes without consuming them; fewer at the end or before a break. Never raises
        DamageError.
        """
        while len(self._lookahead) < size and (
            more := self._read_source(max(BLOCK_BYTES, size - len(self._lookahead)))
        ):
            self._lookahead = memoryview(b"".join((self._lookahead, more))) if self._lookahead else more
        return bytes(self._lookahead[:size])

    def push_back(self, data: bytes) -> None:
        """Undo the reading of `data`, the last bytes that were read."""
        self._lookahead = memoryview(data + bytes(self._lookahead))
        self.position -= len(data)

    def skip(self, size: int) -> None:
        """Skip `size` bytes. Raises DamageError if the stream ends before."""
        ahead = min(size, len(self._lookahead))
        self._lookahead = self._lookahead[ahead:]
        self.position += ahead
        size -= ahead
        if size and not self._damage and self._try_skip and self._try_skip(size):
            self.position += size
            return
        while size:
            waste = self._discard(min(size, _SKIP_CHUNK_BYTES))
            if not waste:
                # A part of this stream reads this message, too.
                self._damage = self._damage or DamageError(f"{size:,} bytes are missing at the end")
                raise self._damage
            size -= waste

    def try_skip(self, size: int) -> bool:
        """Skip `size` bytes without reading them if that is possible, and return whether it was."""
        remaining = size - len(self._lookahead)
        if remaining > 0 and (self._damage or not self._try_skip or not self._try_skip(remaining)):
            return False
        self._lookahead = self._lookahead[size:]
        self.position += size
        return True

    def drain(self) -> int:
        """Skip to the end and return how many bytes that were. Raises DamageError on a break."""
        before = self.position
        if self._size is not None:
            self.skip(max(0, self._size - before))
        while self._discard(_SKIP_CHUNK_BYTES):
            pass
        return self.position - before

    def _discard(self, size: int) -> int:
        """Like `read_some`, but also for a closed stream, which only readers may not use any more."""
        piece = self._read_buffered(size)
        self._count_read(len(piece), 1)
        return len(piece)

    def hole_size(self) -> int:
        """Return how many of the next bytes are zeros that are stored nowhere, so that skipping them is free."""
        return self._hole_size() if self._hole_size and not self._lookahead and not self._damage else 0

    def _next_piece(self, size: int) -> Piece:
        if self.closed:
            raise ValueError("a member can be read only until the next one is requested")
        return self._read_buffered(size)

    def _read_buffered(self, size: int) -> Piece:
        if not self._lookahead:
            if size >= BLOCK_BYTES:
                return self._read_source(min(size, _MAX_READ_BYTES))
            self._lookahead = memoryview(self._read_source(BLOCK_BYTES)) if size else b""
        piece, self._lookahead = self._lookahead[:size], self._lookahead[size:]
        return piece

    def _read_source(self, size: int) -> Piece:
        if self._damage:
            return b""
        try:
            return self._read_piece(size)
        except DamageError as damage:
            # Its traceback holds the decoder, and that holds this stream: zstandard's reader would never be freed.
            damage.__traceback__ = damage.__cause__ = damage.__context__ = None
            self._damage = damage
            return b""


def open_part(source: ForwardStream, size: int, what: str) -> ForwardStream:
    """Return the next `size` bytes of `source` as a stream. If there are fewer, its end is DamageError; `what` names
    `source`.
    """
    left = size

    def give(count: int) -> Piece:
        nonlocal left
        if not left:
            return b""
        piece = source.read_some(min(count, left))
        if not piece:
            raise DamageError(f"the {what} ends {left:,} bytes before the end of this member")
        left -= len(piece)
        return piece

    def jump(count: int) -> bool:
        nonlocal left
        if count > left or not source.try_skip(count):
            return False  # reading will find where it breaks, and report that in the same words
        left -= count
        return True

    return ForwardStream(give, jump, size, source)
