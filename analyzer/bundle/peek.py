"""A stream whose first bytes can be looked at before they are read."""

from __future__ import annotations

from typing import Protocol

from analyzer.bundle import DamageError
from analyzer.bundle.stream import ForwardStream

MIN_HOLE_BYTES = 1 << 20  # a smaller hole is read as zeros
HOLE_MARGIN_BYTES = 4096  # zeros at the end of a hole that are read, to separate the text before and after it


class SupportsRead(Protocol):
    """Anything with a `read` for bytes."""

    def read(self, size: int = ..., /) -> bytes: ...


class Peekable:
    """A stream with `peek`, which never raises. `read` returns the bytes before a break, then raises OSError."""

    def __init__(self, stream: SupportsRead) -> None:
        self._stream = stream
        self._head = b""
        self._failure: OSError | None = None

    def peek(self, size: int) -> bytes:
        """Return the next `size` bytes; fewer only at the end or before a break."""
        while len(self._head) < size and (part := self._read_part(size - len(self._head))):
            self._head += part
        return self._head[:size]

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes, less only at the end or before a break; all that is left if `size` is negative."""
        wanted = size if size >= 0 else 1 << 62
        parts, self._head = [self._head[:wanted]], self._head[wanted:]
        got = len(parts[0])
        while got < wanted and (part := self._read_part(min(wanted - got, 1 << 20))):
            parts.append(part)
            got += len(part)
        if not got and wanted and self._failure is not None:
            raise self._failure
        return parts[1] if len(parts) == 2 and not parts[0] else b"".join(parts)

    def skip_hole(self) -> int:
        """Skip zeros that are stored nowhere, if many of them come next, and return how many bytes were skipped.

        For readers of text: a log has a hole if it was emptied while its writer kept its position.
        """
        inner = self._stream
        if self._head or self._failure is not None:
            return 0
        if isinstance(inner, Peekable):
            return inner.skip_hole()
        if not isinstance(inner, ForwardStream) or (size := inner.hole_size() - HOLE_MARGIN_BYTES) < MIN_HOLE_BYTES:
            return 0
        try:
            inner.skip(size)
        except DamageError as error:
            self._failure = OSError(str(error))
            return 0
        return size

    def _read_part(self, size: int) -> bytes:
        if self._failure is not None:
            return b""
        try:
            return self._stream.read(size)
        except (DamageError, OSError) as error:
            self._failure = OSError(str(error))
            return b""
