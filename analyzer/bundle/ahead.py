"""A decompressor in a thread of its own, a few blocks ahead of whoever reads what it gives.

isal, zlib, zstandard, lzma and bz2 let go of Python's lock while they work, and so does the scan: on two cores an
archive takes about as long as the slower of the two.
"""

from __future__ import annotations

import threading
from queue import SimpleQueue

from analyzer.bundle.stream import Give, Piece, Stream
from analyzer.bundle.types import DamageError
from analyzer.interrupts import held

BLOCK = 512 * 1024  # bytes
DEPTH = 2  # blocks: one that is there, one in the making


class Ahead:
    """`give` is called in the thread, up to DEPTH blocks before its bytes are asked for; what it raises comes in their
    place. `position` and `left` are of `source`, by what was handed out and not by what is read already.
    """

    def __init__(self, give: Give, source: Stream) -> None:
        self._inner = Stream(give, source=source)
        self._source = source
        self._rest = memoryview(b"")  # of the block that is handed out
        self._closed = False
        self._wanted: SimpleQueue[bool] = SimpleQueue()  # one for each block that is
        self._made: SimpleQueue[tuple[bytes, int] | DamageError] = SimpleQueue()
        self.position = source.position
        left = source.left()
        self._end = None if left is None else source.position + left
        for _ in range(DEPTH):
            self._wanted.put(True)
        self._thread = threading.Thread(target=self._work, name="decompress", daemon=True)
        with held():
            self._thread.start()

    @property
    def damage(self) -> DamageError | None:
        return self._source.damage

    def left(self) -> int | None:
        return None if self._end is None else max(0, self._end - self.position)

    def give(self, size: int) -> Piece:
        """As the one that it was given, which it is called instead of."""
        if not self._rest:
            self._wanted.put(True)
            made = self._made.get()
            if isinstance(made, DamageError):
                raise made
            self._rest, self.position = memoryview(made[0]), made[1]
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece

    def close(self) -> None:
        """Returns when the thread has ended, a block from now at most."""
        self._closed = True
        self._wanted.put(True)
        self._thread.join()

    def _work(self) -> None:
        while self._wanted.get():
            if self._closed:
                return
            made: tuple[bytes, int] | DamageError = DamageError("the decompression failed")  # by a fault of ours
            try:
                made = self._inner.read(BLOCK), self._source.position
            except DamageError as damage:
                made = damage
            finally:
                self._made.put(made)
