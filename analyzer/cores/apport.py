"""Ubuntu's crash reports (`/var/crash/*.crash`): RFC 822-like fields; CoreDump holds a gzip stream in base64.

    ProblemType: Crash
    ExecutablePath: /usr/bin/python3.10
    CoreDump: base64
     H4sICAAAAAAC/0NvcmVEdW1wAA==
     7L0JfFTV...

Format: apport's problem_report.py: each line after the field is a separate base64 text, indented by a blank.
"""

from __future__ import annotations

import binascii
import zlib
from typing import Protocol

REPORT_START = b"ProblemType:"
CORE_FIELD = b"CoreDump: base64"
BLOCK_BYTES = 1 << 16
MAX_LINE_BYTES = 16 << 20
MAX_BYTES_BEFORE_CORE = 256 << 20  # bytes of the fields before the core


class PeekableStream(Protocol):
    def peek(self, size: int, /) -> bytes: ...
    def read(self, size: int = -1, /) -> bytes: ...


def is_apport(head: bytes) -> bool:
    """Return whether a file that begins with these bytes is a crash report."""
    return head.startswith(REPORT_START) and b"Crash" in head[:64]


def open_apport(stream: PeekableStream) -> ApportCoreStream | None:
    """Return a stream of the core in a crash report; None if the stream is no crash report."""
    return ApportCoreStream(stream) if is_apport(stream.peek(64)) else None


class ApportCoreStream:
    """A stream of the core's bytes. `read` raises ValueError if the report is damaged or has no core."""

    def __init__(self, stream: PeekableStream) -> None:
        self._stream = stream
        self._buffer = b""
        self._decompressor = zlib.decompressobj(31)
        self._decompressed = b""
        self._started = self._ended = False

    def read(self, size: int, /) -> bytes:
        while not self._decompressed and not self._ended:
            try:
                self._fill(size)
            except (zlib.error, binascii.Error) as error:
                raise ValueError(f"the crash report is damaged: {error}") from error
        block, self._decompressed = self._decompressed[:size], self._decompressed[size:]
        return block

    def _fill(self, size: int) -> None:
        if self._decompressor.unconsumed_tail:
            self._decompressed = self._decompressor.decompress(
                self._decompressor.unconsumed_tail, max(size, BLOCK_BYTES)
            )
            return
        line = self._read_line()
        if not self._started:
            self._skip_to_core(line)
        elif not line.startswith(b" ") or self._decompressor.eof:
            self._ended = True
        else:
            self._decompressed = self._decompressor.decompress(binascii.a2b_base64(line), max(size, BLOCK_BYTES))

    def _skip_to_core(self, line: bytes) -> None:
        skipped = 0
        while line and not line.startswith(CORE_FIELD):
            skipped += len(line)
            if skipped > MAX_BYTES_BEFORE_CORE:
                break
            line = self._read_line()
        if not line.startswith(CORE_FIELD):
            raise ValueError("the crash report holds no core")
        self._started = True

    def _read_line(self) -> bytes:
        while b"\n" not in self._buffer and len(self._buffer) < MAX_LINE_BYTES:
            block = self._stream.read(BLOCK_BYTES)
            if not block:
                break
            self._buffer += block
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line + b"\n" if line or self._buffer else b""
