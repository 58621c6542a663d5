"""A decompressor in a thread of its own, a few blocks ahead of whoever reads what it gives.

isal, zlib, zstandard, lzma and bz2 let go of Python's lock while they work, and so does the scan: on two cores an
archive takes about as long as the slower of the two.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from analyzer.bundle.stream import Pull, Stream
from analyzer.bundle.types import DamageError

BLOCK = 512 * 1024  # bytes
DEPTH = 2  # blocks: one that is there, one in the making


class Ahead:
    """`pull` is called in the thread, up to DEPTH blocks before its bytes are asked for; what it raises comes in their
    place. `position` and `left` are of `source`, by what was handed out and not by what is read already.
    """

    def __init__(self, pull: Pull, source: Stream) -> None:
        self._inner = Stream(pull, source=source)
        self._source = source
        self._thread = ThreadPoolExecutor(1, "decompress")
        self._block = bytearray(BLOCK)  # which is handed out …
        self._rest = memoryview(b"")  # … and what of it is still to be
        self._coming: deque[Future[tuple[bytearray, int, int]]] = deque()
        self.position = source.position
        left = source.left()
        self._end = None if left is None else source.position + left
        for _ in range(DEPTH):
            self._order(bytearray(BLOCK))

    @property
    def damage(self) -> DamageError | None:
        return self._source.damage

    def left(self) -> int | None:
        return None if self._end is None else max(0, self._end - self.position)

    def pull(self, view: memoryview) -> int:
        """As the pull that it was given, which it is called instead of."""
        if not self._rest:
            self._order(self._block)
            self._block, got, self.position = self._coming.popleft().result()
            self._rest = memoryview(self._block)[:got]
        count = min(len(view), len(self._rest))
        view[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        """Returns when the thread has ended, a block from now at most."""
        self._thread.shutdown(cancel_futures=True)

    def _order(self, block: bytearray) -> None:
        self._coming.append(self._thread.submit(self._read, block))

    def _read(self, block: bytearray) -> tuple[bytearray, int, int]:
        got = self._inner.readinto(block)
        return block, got, self._source.position
