"""A zip's directory stands at its end: what lies inside another archive must first be brought where one can seek."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from analyzer.bundle.meter import Meter
from analyzer.bundle.stream import Stream
from analyzer.bundle.types import LimitReachedError

if TYPE_CHECKING:
    from typing_extensions import Buffer

_CHUNK = 512 * 1024


@contextmanager
def open_seekable(stream: Stream, local: Path | None, meter: Meter, scratch: Path | None) -> Iterator[BinaryIO]:
    """The bytes of `stream` as a file that can seek: the file itself, memory, or a nameless file in `scratch`.

    Raises DamageError for a stream that breaks, LimitReachedError for one too big.
    """
    if local is not None:
        with io.BufferedReader(_Metered(local, meter)) as file:
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
    with tempfile.TemporaryFile(dir=scratch) as spooled:
        spooled.write(head)
        while block := stream.read(_CHUNK):
            if spooled.tell() + len(block) > limits.nested_spool:
                most = limits.nested_spool
                raise LimitReachedError(f"a zip inside an archive is over {most:,} bytes (limit: nested_spool)")
            spooled.write(block)
        yield spooled


class _Metered(io.FileIO):
    """A file whose reads are told."""

    def __init__(self, path: Path, meter: Meter) -> None:
        super().__init__(path)
        self._meter = meter

    def readinto(self, buffer: Buffer, /) -> int | None:
        got = super().readinto(buffer)
        self._meter.take(got or 0)
        return got
