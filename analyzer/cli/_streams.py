"""Standard output and standard error that cannot control a terminal. No command of its own."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from analyzer.report.controls import show_controls

_stdout_as_is: TextIO | None = None
_stderr_as_is: TextIO | None = None


class _EscapingStream(io.TextIOWrapper):
    """A stream that escapes control characters, so that log text controls no terminal, not even through a pipe.

    It says that it is not a terminal, so that libraries print no colours.
    """

    def write(self, text: str, /) -> int:
        return super().write(show_controls(text))

    def isatty(self) -> bool:
        return False


def console_stdout() -> TextIO:
    """Return standard output without escaping, for code that draws and has escaped the text of logs itself.

    If standard output is closed, return standard error: the user did not request the summary, so this is no reason to
    fail.
    """
    return _stdout_as_is or sys.stdout


def console_stderr() -> TextIO:
    """Return standard error without escaping, for code that draws and has escaped the text of logs itself."""
    return _stderr_as_is or sys.stderr


def configure_streams() -> None:
    """Replace the standard streams. Logs hold characters that the locale may lack.

    Pipes and files get UTF-8; a terminal gets what it can show, and escapes for the rest.
    """
    global _stdout_as_is, _stderr_as_is  # there is one of each, as there is one standard output
    closed = sys.stdout is None
    # Closed (`>&-`): another file would get its number. Writing to what is open for reading alone is an error.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
    if {"-h", "--help"} & {*sys.argv}:
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = escaping = _escape_stream(sys.stdout)
        _stdout_as_is = None if closed else _without_escaping(escaping)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = escaping = _escape_stream(sys.stderr)
        _stderr_as_is = _without_escaping(escaping)
        _stdout_as_is = _stdout_as_is or _stderr_as_is


def _without_escaping(escaping: _EscapingStream) -> TextIO:
    return io.TextIOWrapper(escaping.buffer, escaping.encoding, "backslashreplace", write_through=True)


def _escape_stream(stream: io.TextIOWrapper) -> _EscapingStream:
    # Container images set PYTHONUNBUFFERED: without line buffering here, everything would be printed at the end.
    encoding, line_buffering, raw = stream.encoding, stream.line_buffering or stream.write_through, stream.detach()
    # PYTHONUNBUFFERED: if the disk is full, the rest of an unbuffered write would be lost without an error.
    buffer = io.BufferedWriter(raw) if isinstance(raw, io.RawIOBase) else raw
    return _EscapingStream(buffer, encoding, "backslashreplace", line_buffering=line_buffering)
