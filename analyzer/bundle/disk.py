"""Files of this disk as streams. The disk may fail meanwhile, and files may grow, shrink and have holes."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from functools import partial
from typing import BinaryIO

from analyzer.bundle.stream import ForwardStream
from analyzer.bundle.types import DamageError

MAX_GROWTH_BYTES = 64 << 20  # a file may double its size and grow by this much more while it is read


def read_disk(file: BinaryIO | io.RawIOBase, count: int) -> bytes:
    """Like `read`, but raise DamageError for a read error and if no data is available now."""
    try:
        data: bytes | None = file.read(count)
        if data is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    except OSError as error:
        raise DamageError(f"reading stopped: {error.strerror or error}") from error
    return data


def open_disk_file(file: BinaryIO, size: int, on_read: Callable[[int], None], sparse: bool = False) -> ForwardStream:
    """Return the stream of a regular file that was opened without buffering.

    `size`: its size in bytes when it was opened; a log may grow while it is read. `on_read` is called with the number
    of bytes of each read. `sparse`: the file may have holes. A read error of the disk is DamageError, and so is a file
    that became shorter or grows without end.
    """

    def give(count: int) -> bytes:
        data = read_disk(file, count)
        if not data and (lost := size - file.tell()) > 0:
            raise DamageError(f"the file shrank by {lost:,} bytes while it was read")
        if data and (now := file.tell()) > 2 * size + MAX_GROWTH_BYTES:
            raise DamageError(f"the file grows faster than it is read: {size:,} bytes when it was opened, {now:,} now")
        on_read(len(data))
        return data

    def jump(count: int) -> bool:
        if file.tell() + count > size:
            return False  # reading finds the true end
        file.seek(count, io.SEEK_CUR)
        on_read(count)
        return True

    return ForwardStream(give, jump, size, hole_size=partial(hole_size, file, size) if sparse else None)


def hole_size(file: BinaryIO, size: int) -> int:
    """Return how many of the next bytes are in a hole; 0 if the file system does not know."""
    at = file.tell()
    try:
        data = os.lseek(file.fileno(), at, os.SEEK_DATA)
    except OSError as error:
        data = size if error.errno == errno.ENXIO else at  # ENXIO: no data follows
    file.seek(at)
    return max(0, min(data, size) - at)
