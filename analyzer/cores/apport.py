"""Ubuntu's crash reports (`/var/crash/*.crash`): RFC 822-like fields, of which CoreDump holds a gzip stream in base64.

    ProblemType: Crash
    ExecutablePath: /usr/bin/python3.10
    CoreDump: base64
     H4sICAAAAAAC/0NvcmVEdW1wAA==
     7L0JfFTV...

Format: apport's problem_report.py: each line behind the field is base64 by itself, indented by a blank.
"""

from __future__ import annotations

import binascii
import zlib
from typing import Protocol

HEAD = b"ProblemType:"
FIELD = b"CoreDump: base64"
BLOCK = 1 << 16
MAX_LINE = 16 << 20
MAX_OTHERS = 256 << 20  # bytes of the fields before the core


class Peeked(Protocol):
    def peek(self, size: int, /) -> bytes: ...
    def read(self, size: int = -1, /) -> bytes: ...


def is_apport(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a crash report."""
    return head.startswith(HEAD) and b"Crash" in head[:64]


def open_apport(stream: Peeked) -> ApportCore | None:
    """The core in a crash report; None where the stream is no crash report."""
    return ApportCore(stream) if is_apport(stream.peek(64)) else None


class ApportCore:
    """A stream of the core's bytes. `read` raises ValueError where the report is damaged or holds no core."""

    def __init__(self, stream: Peeked) -> None:
        self._stream = stream
        self._text = b""
        self._unpack = zlib.decompressobj(31)
        self._ready = b""
        self._started = self._ended = False

    def read(self, size: int, /) -> bytes:
        while not self._ready and not self._ended:
            try:
                self._fill(size)
            except (zlib.error, binascii.Error) as error:
                raise ValueError(f"the crash report is damaged: {error}") from error
        given, self._ready = self._ready[:size], self._ready[size:]
        return given

    def _fill(self, size: int) -> None:
        if self._unpack.unconsumed_tail:
            self._ready = self._unpack.decompress(self._unpack.unconsumed_tail, max(size, BLOCK))
            return
        line = self._line()
        if not self._started:
            self._skip_to_core(line)
        elif not line.startswith(b" ") or self._unpack.eof:
            self._ended = True
        else:
            self._ready = self._unpack.decompress(binascii.a2b_base64(line), max(size, BLOCK))

    def _skip_to_core(self, line: bytes) -> None:
        skipped = 0
        while line and not line.startswith(FIELD):
            skipped += len(line)
            if skipped > MAX_OTHERS:
                break
            line = self._line()
        if not line.startswith(FIELD):
            raise ValueError("the crash report holds no core")
        self._started = True

    def _line(self) -> bytes:
        while b"\n" not in self._text and len(self._text) < MAX_LINE:
            block = self._stream.read(BLOCK)
            if not block:
                break
            self._text += block
        line, _, self._text = self._text.partition(b"\n")
        return line + b"\n" if line or self._text else b""
