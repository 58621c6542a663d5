"""Forward-only byte streams with look-ahead: what all containers and decompressors are made of."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, Protocol

from analyzer.bundle.types import DamageError

if TYPE_CHECKING:
    from typing_extensions import Buffer

BLOCK = 64 * 1024  # small reads (tar headers, a line reader) are served from a block of this size
_SKIP = 256 * 1024

Pull = Callable[[memoryview], int]
Jump = Callable[[int], bool]


class Origin(Protocol):
    """What a stream is a part of or decompressed from: how far it is read and what is left of it."""

    position: int

    @property
    def damage(self) -> DamageError | None: ...
    def left(self) -> int | None: ...


class Stream(io.RawIOBase):
    """Bytes from `pull`, which fills the front of a buffer and returns how much: 0 at the end, DamageError on a break.

    Big reads go straight from `pull` into the caller's buffer. Reads are full until the end; bytes before a break are
    handed out first and the DamageError is raised by the read after them, again and again. `jump` may step over bytes
    without reading them and says whether it did. `size` is what it should give if it is stored as it is; `source` is
    the stream that it is a part of or decompressed from.
    """

    def __init__(
        self, pull: Pull, jump: Jump | None = None, size: int | None = None, source: Origin | None = None
    ) -> None:
        super().__init__()
        self._pull = pull
        self._jump = jump
        self._size = size
        self._source = source
        self._ended = False
        self._ahead = memoryview(b"")
        self._damage: DamageError | None = None
        self.position = 0

    @property
    def damage(self) -> DamageError | None:
        """The break that the look-ahead or the last read met."""
        return self._damage

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        if self.closed:
            raise ValueError("a member can be read only until the next one is asked for")
        return self._fill(memoryview(buffer).cast("B"))

    def _fill(self, view: memoryview) -> int:
        got = 0
        while got < len(view):
            count = self._some(view[got:])
            if not count:
                break
            got += count
        if not got and self._damage and len(view):
            raise self._damage
        self._ended = got < len(view) and not self._damage
        self.position += got
        return got

    def left(self) -> int | None:
        """Bytes behind what was read, as they are stored; None where nobody can tell how many.

        Of a part of a broken stream nothing is left: what lies behind the break is left of that stream.
        """
        if self._size is not None:
            broken = self._source and (self._damage or self._source.damage)
            return 0 if broken else max(0, self._size - self.position)
        return self._source.left() if self._source else 0 if self._ended else None

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return self.readall()
        room = size if self._size is None else min(size, max(0, self._size - self.position) + 1)
        data = bytearray(room)  # as much as is there: a reader asks for a megabyte of a file of a hundred bytes
        got = self.readinto(data)
        more = self.read(size - got) if got == room < size else b""  # it grew
        return bytes(memoryview(data)[:got]) + more

    def peek(self, size: int) -> bytes:
        """Up to `size` bytes without consuming them; fewer at the end or before a break. Never raises DamageError."""
        while len(self._ahead) < size:
            more = self._refill(max(BLOCK, size - len(self._ahead)))
            if not more:
                break
            self._ahead = memoryview(bytes(self._ahead) + bytes(more)) if self._ahead else more
        return bytes(self._ahead[:size])

    def push_back(self, data: bytes) -> None:
        """Undo the reading of `data`, the last bytes that were read."""
        self._ahead = memoryview(data + bytes(self._ahead))
        self.position -= len(data)

    def skip(self, size: int) -> None:
        """Go `size` bytes on; raises DamageError where they are not there."""
        ahead = min(size, len(self._ahead))
        self._ahead = self._ahead[ahead:]
        self.position += ahead
        size -= ahead
        if size and not self._damage and self._jump and self._jump(size):
            self.position += size
            return
        waste = memoryview(bytearray(min(size, _SKIP)))
        while size:
            got = self._fill(waste[: min(size, _SKIP)])  # its reader may have closed it: that only ends the reading
            if not got:
                raise self._damage or DamageError(f"{size:,} bytes are missing at the end")
            size -= got

    def drain(self) -> int:
        """Go to the end and say how many bytes that was; raises DamageError where it is a break."""
        before = self.position
        if self._size is not None:
            self.skip(max(0, self._size - before))
        waste = memoryview(bytearray(_SKIP))
        while self._fill(waste):
            pass
        return self.position - before

    def hole(self) -> int:
        """How many of the next bytes are known to be zero and stored nowhere: they can be skipped at no cost."""
        return 0

    def _some(self, view: memoryview) -> int:
        if not self._ahead and len(view) < BLOCK:
            self._ahead = self._refill(BLOCK)
        if self._ahead:
            count = min(len(view), len(self._ahead))
            view[:count] = self._ahead[:count]
            self._ahead = self._ahead[count:]
            return count
        return 0 if len(view) < BLOCK else self._draw(view)

    def _refill(self, size: int) -> memoryview:
        block = memoryview(bytearray(size))
        return block[: self._draw(block)]

    def _draw(self, view: memoryview) -> int:
        if self._damage:
            return 0
        try:
            return self._pull(view)
        except DamageError as damage:
            self._damage = damage
            return 0


def open_part(source: Stream, size: int, what: str) -> Stream:
    """The next `size` bytes of `source` as a stream of their own; fewer are DamageError."""
    left = size

    def pull(view: memoryview) -> int:
        nonlocal left
        if not left:
            return 0
        got = source.readinto(view[:left])
        if not got:
            raise DamageError(f"the {what} ends {left:,} bytes before the end of this member")
        left -= got
        return got

    def jump(count: int) -> bool:
        nonlocal left
        if count > left:
            return False
        source.skip(count)
        left -= count
        return True

    return Stream(pull, jump, size, source)


def open_file(file: BinaryIO, size: int, watch: Callable[[int], None]) -> Stream:
    """A regular file opened without buffering, of `size` bytes or more: a log may grow while it is read.

    A read error of the disk is DamageError like any other break, and so is a file that became shorter. `watch` is
    called with the number of bytes of each read.
    """

    def pull(view: memoryview) -> int:
        try:
            got: int = file.readinto(view) or 0  # type: ignore[attr-defined]
        except OSError as error:
            raise DamageError(f"reading stopped: {error.strerror or error}") from error
        if not got and (lost := size - file.tell()) > 0:
            raise DamageError(f"the file became {lost:,} bytes shorter while it was read")
        watch(got)
        return got

    def jump(count: int) -> bool:
        if file.tell() + count > size:
            return False  # reading finds the true end
        file.seek(count, io.SEEK_CUR)
        watch(count)
        return True

    return Stream(pull, jump, size)
