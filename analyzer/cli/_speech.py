"""The standard streams, so that nothing which is printed steers a terminal. No command of its own."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from analyzer.report.wording import visible

_page: TextIO | None = None
_screen: TextIO | None = None


class _Neutral(io.TextIOWrapper):
    """A stream through which log text steers no terminal, be it through a pipe; it looks like a file."""

    def write(self, text: str, /) -> int:
        return super().write(visible(text))

    def isatty(self) -> bool:
        return False


def page() -> TextIO:
    """Standard output as it is, for what draws: whoever writes there has made the text of logs visible before.

    Standard error, where it is closed: a summary was not asked for, and is no reason to fail.
    """
    return _page or sys.stdout


def screen() -> TextIO:
    """The same of standard error."""
    return _screen or sys.stderr


def speak_plainly() -> None:
    """Logs hold what a locale cannot say: pipes and files get UTF-8, a terminal what it can show."""
    global _page, _screen  # there is one of each, as there is one standard output
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
        sys.stdout = neutral = _neutral(sys.stdout)
        _page = None if closed else _as_it_is(neutral)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = neutral = _neutral(sys.stderr)
        _screen = _as_it_is(neutral)
        _page = _page or _screen


def _as_it_is(neutral: _Neutral) -> TextIO:
    return io.TextIOWrapper(neutral.buffer, neutral.encoding, "backslashreplace", write_through=True)


def _neutral(stream: io.TextIOWrapper) -> _Neutral:
    # PYTHONUNBUFFERED, which images of containers set, leaves a stream without lines: all would be told at the end.
    encoding, lines, raw = stream.encoding, stream.line_buffering or stream.write_through, stream.detach()
    # PYTHONUNBUFFERED: what a full disk does not take of an unbuffered write would be lost without a word.
    buffer = io.BufferedWriter(raw) if isinstance(raw, io.RawIOBase) else raw
    return _Neutral(buffer, encoding, "backslashreplace", line_buffering=lines)
