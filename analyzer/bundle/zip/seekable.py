"""A zip's directory is at its end, so a zip inside another archive must first be copied to where one can seek."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from analyzer.bundle.disk import read_disk
from analyzer.bundle.folder import open_regular_file
from analyzer.bundle.meter import Meter
from analyzer.bundle.stream import ForwardStream
from analyzer.bundle.types import DamageError, LimitReachedError, StoppedError

if TYPE_CHECKING:
    from typing_extensions import Buffer

_CHUNK_BYTES = 512 * 1024


@contextmanager
def open_seekable(
    stream: ForwardStream, local: Path | None, follow_link: bool, meter: Meter, scratch: Path | None
) -> Iterator[BinaryIO]:
    """Return the bytes of `stream` as a seekable file: the file itself, memory, or a nameless file in `scratch`.

    `follow_link`: `local` may be a link. Raises DamageError if a file cannot be opened or written, and
    LimitReachedError if it is too big. If the stream breaks, the file has what came before.
    """
    if local is not None:
        try:
            descriptor, _ = open_regular_file(local, follow_link)
        except OSError as error:  # it existed when the stream was opened
            raise DamageError(f"it was replaced while it was read: {error.strerror}") from error
        with io.BufferedReader(_MeteredFile(descriptor, meter)) as file:
            yield file
        return
    limits = meter.limits
    head = stream.read(limits.nested_memory)
    if len(head) < limits.nested_memory:
        yield io.BytesIO(head)
        return
    if scratch is None:
        most = limits.nested_memory
        raise LimitReachedError(f"a zip inside an archive is over {most:,} bytes (limit: nested_memory)")
    with ExitStack() as stack:
        try:
            spooled = cast(BinaryIO, stack.enter_context(tempfile.TemporaryFile(dir=scratch)))
            _copy_to_scratch(head, stream, spooled, limits.nested_spool)
        except OSError as error:
            raise DamageError(f"it could not be kept on the scratch disk: {error.strerror or error}") from error
        yield spooled


def _copy_to_scratch(head: bytes, stream: ForwardStream, spooled: IO[bytes], most: int) -> None:
    spooled.write(head)
    for block in _read_blocks(stream):
        if spooled.tell() + len(block) > most:
            raise LimitReachedError(f"a zip inside an archive is over {most:,} bytes (limit: nested_spool)")
        spooled.write(block)
    spooled.flush()  # so that an error of the disk is raised here


def _read_blocks(stream: ForwardStream) -> Iterator[bytes]:
    """Yield blocks up to the end or a break: the members before it can be read without a directory."""
    try:
        while block := stream.read(_CHUNK_BYTES):
            yield block
    except (LimitReachedError, StoppedError):
        raise
    except DamageError:
        return


class _MeteredFile(io.RawIOBase):
    """A file whose reads are counted, and whose read errors are DamageError.

    It does not inherit from FileIO, because a buffer would call its `readall`, which bypasses `readinto`.
    """

    def __init__(self, descriptor: int, meter: Meter) -> None:
        self._file = io.FileIO(descriptor)
        self._meter = meter

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer).cast("B")
        data = read_disk(self._file, len(view))
        view[: len(data)] = data
        self._meter.count_read(len(data))
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
