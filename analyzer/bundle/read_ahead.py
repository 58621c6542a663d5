"""A decompressor in a thread of its own, a few blocks ahead of the reader.

isal, zlib, zstandard, lzma and bz2 release Python's global lock while they work, and so does the scan: on two cores an
archive takes about as long as the slower of the two.
"""

from __future__ import annotations

import threading
from queue import SimpleQueue

from analyzer.bundle.stream import ForwardStream, Piece, ReadPiece
from analyzer.bundle.types import DamageError
from analyzer.interrupts import signals_held

BLOCK_BYTES = 512 * 1024  # bytes
MAX_BLOCKS_AHEAD = 2  # one that is ready, one that is being decompressed


class ReadAheadDecompressor:
    """Calls `read_piece` in a thread, up to MAX_BLOCKS_AHEAD blocks before the bytes are requested; an error takes
    their place.

    `position` and `bytes_left` are those of `source`, counted by what was handed out and not by what is decompressed
    already.
    """

    def __init__(self, read_piece: ReadPiece, source: ForwardStream) -> None:
        self._inner = ForwardStream(read_piece, source=source)
        self._source = source
        self._piece_rest = memoryview(b"")  # of the block that is handed out
        self._closed = False
        self._requests: SimpleQueue[bool] = SimpleQueue()  # one for each block that is
        self._blocks: SimpleQueue[tuple[bytes, int] | DamageError] = SimpleQueue()
        self.position = source.position
        left = source.bytes_left()
        self._end = None if left is None else source.position + left
        for _ in range(MAX_BLOCKS_AHEAD):
            self._requests.put(True)
        self._thread = threading.Thread(target=self._decompress_blocks, name="decompress", daemon=True)
        with signals_held():
            self._thread.start()

    @property
    def damage(self) -> DamageError | None:
        """The damage at which `source` ended."""
        return self._source.damage

    def bytes_left(self) -> int | None:
        """Return how many bytes of `source` follow what was handed out; None if unknown."""
        return None if self._end is None else max(0, self._end - self.position)

    def read_piece(self, size: int) -> Piece:
        """Return up to `size` of the next bytes, like the function that runs in the thread."""
        if not self._piece_rest:
            self._requests.put(True)
            made = self._blocks.get()
            if isinstance(made, DamageError):
                raise made
            self._piece_rest, self.position = memoryview(made[0]), made[1]
        piece, self._piece_rest = self._piece_rest[:size], self._piece_rest[size:]
        return piece

    def close(self) -> None:
        """End the thread and return when it has ended, after at most one more block."""
        self._closed = True
        self._requests.put(True)
        self._thread.join()

    def _decompress_blocks(self) -> None:
        while self._requests.get():
            if self._closed:
                return
            made: tuple[bytes, int] | DamageError = DamageError(
                "the decompression failed"
            )  # unless overwritten: an error of this program
            try:
                made = self._inner.read(BLOCK_BYTES), self._source.position
            except DamageError as damage:
                made = damage
            finally:
                self._blocks.put(made)
