"""Where the program's log goes: `-v` and `-vv` to standard error, `--log-file` to a file.

The packages log through `logging.getLogger("analyzer.<package>")`. Nothing is written until `start_log` is called. Then
each record becomes one line that is safe to show: secrets are masked, control characters are written as escapes, and a
long line is cut. One system call appends one line, so forked processes share the log without a lock: no line is lost
when a process is killed, and no two lines are mixed.

With `--redact` the names to hide are known only when the analysis is done. Until then the lines are held in a private
file. `release_log` writes them with the names replaced, and `end_log` drops them if no names were ever chosen.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from analyzer.redact.secrets import mask_text
from analyzer.redact.truncation import truncate

ROOT_LOGGER = "analyzer"
MAX_LINE_CHARS = 1500  # of a message
MAX_LINE_BYTES = 4000  # of a line; a pipe takes up to 4,096 bytes at once: PIPE_BUF of pipe(7)
LEVELS = (0, logging.INFO, logging.DEBUG)  # by the number of times that -v is given
DROPPED = (
    "the log is not shown: the run ended before the names that --redact must hide were known; "
    "run it again without --redact"
)
_FIELD_COUNT = 5


class LogSettings(NamedTuple):
    """What another process needs to write to the same log. `level` is that of standard error; 0 is silent."""

    level: int
    file: Optional[str] = None  # noqa: UP045  (Python 3.9)
    held: Optional[str] = None  # noqa: UP045  the private file that holds the lines until the names are known


class _Line(NamedTuple):
    level: int
    time: float  # seconds since the epoch, UTC
    process: int
    package: str
    message: str


class LineHandler(logging.Handler):
    """Writes records to standard error from `settings.level` on, and all of them to `descriptor`.

    `descriptor` and `held` are open for appending, or None.
    """

    def __init__(self, settings: LogSettings, descriptor: int | None, held: int | None) -> None:
        super().__init__()
        self.settings, self._descriptor, self._held = settings, descriptor, held
        self._stderr = _stderr_descriptor() if settings.level else None
        self._hide_names: Callable[[str], str] | None = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
        except Exception as error:  # noqa: BLE001  (a log call with the wrong arguments ends no analysis)
            text = f"{record.msg!r} cannot be formatted: {error}"
        message = truncate(escape(mask_text(text)), MAX_LINE_CHARS)
        package = record.name.partition(".")[2] or record.name
        line = _Line(level=record.levelno, time=record.created, process=os.getpid(), package=package, message=message)
        if self._held is None:
            self._write(line)
        else:
            _append(self._held, "\t".join(map(str, line)))

    def held_lines(self) -> list[_Line]:
        """Return the lines that wait for the names to hide."""
        if self._held is None:
            return []
        size = os.fstat(self._held).st_size
        rows = os.pread(self._held, size, 0).decode("utf-8", "replace").splitlines()
        fields = [row.split("\t", _FIELD_COUNT - 1) for row in rows]
        return [
            _Line(level=int(level), time=float(created), process=int(process), package=package, message=message)
            for level, created, process, package, message in (row for row in fields if len(row) == _FIELD_COUNT)
        ]

    def write_held(self, hide_names: Callable[[str], str]) -> None:
        """Write the held lines, and from now on each new line, with the names replaced."""
        lines = self.held_lines()
        if self._held is not None:
            os.close(self._held)
            self._held = None
        self._hide_names = hide_names
        for line in lines:
            self._write(line)

    def end(self) -> None:
        """Write no more. Held lines are dropped, with one line that says so."""
        if self._held is not None:
            os.close(self._held)
            self._held = None
            self._write(
                _Line(
                    level=self.settings.level or logging.INFO,
                    time=time.time(),
                    process=os.getpid(),
                    package="cli",
                    message=DROPPED,
                )
            )
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _write(self, line: _Line) -> None:
        message = line.message if self._hide_names is None else self._hide_names(line.message)
        text = f"{logging.getLevelName(line.level)} {line.package}: {message}"
        if self.settings.level and line.level >= self.settings.level:
            self._write_stderr(text)
        if self._descriptor is not None:
            _append(self._descriptor, f"{_format_time(line.time)} {line.process} {text}")

    def _write_stderr(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a closed terminal ends no analysis
            sys.stderr.flush()
            if self._stderr is None:
                sys.stderr.write(text + "\n")
        if self._stderr is not None:
            _append(self._stderr, text)


def start_log(
    verbosity: int = 0, file: Path | None = None, held: Path | None = None, descriptor: int | None = None
) -> None:
    """Begin to write the log of this process and of those that it forks.

    `verbosity`: how often -v was given. `file` takes every line, whatever the verbosity; a file that exists is
    overwritten. `held`: a private file that holds the lines until `release_log`. `descriptor`: a file that is open for
    writing, instead of `file`; `end_log` closes it. Raises OSError where a file cannot be opened.
    """
    level = LEVELS[min(verbosity, len(LEVELS) - 1)]
    if not level and file is None and descriptor is None:
        return
    settings = LogSettings(level, None if file is None else str(file.absolute()), None if held is None else str(held))
    _install(settings, os.O_TRUNC, descriptor)


def continue_log(settings: LogSettings | None) -> None:
    """In a process that was not forked: write to the log of the process that has these settings."""
    if settings is not None:
        _install(settings, 0, None)


def log_settings() -> LogSettings | None:
    """Return what another process needs to write to this log; None if there is none."""
    handler = _handler()
    return None if handler is None else handler.settings


def writes_to_stderr() -> bool:
    """Return whether the log goes to standard error, where a progress bar would be torn by it."""
    settings = log_settings()
    return settings is not None and settings.level > 0


def held_messages() -> list[str]:
    """Return the messages that wait for the names to hide; empty if none do."""
    handler = _handler()
    return [] if handler is None else [line.message for line in handler.held_lines()]


def release_log(hide_names: Callable[[str], str]) -> None:
    """Write what was held, and from now on each new line, as `hide_names` returns it."""
    handler = _handler()
    if handler is not None:
        handler.write_held(hide_names)


def end_log() -> None:
    """Write no more; the program is silent again."""
    handler = _handler()
    if handler is not None:
        _close(handler)


def escape(text: str) -> str:
    """Return the text with everything that cannot be shown, line feeds included, written out as `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _install(settings: LogSettings, truncate_flag: int, descriptor: int | None) -> None:
    end_log()
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    held = None if settings.held is None else os.open(settings.held, flags & ~os.O_WRONLY | os.O_RDWR, 0o600)
    try:
        if settings.file is not None:
            descriptor = os.open(settings.file, flags | truncate_flag, 0o600)
    except OSError:
        if held is not None:
            os.close(held)
        raise
    handler = LineHandler(settings, descriptor, held)
    logger = logging.getLogger(ROOT_LOGGER)
    logger.addHandler(handler)
    logger.setLevel(settings.level if descriptor is None else logging.DEBUG)
    logger.propagate = False


def _close(handler: LineHandler) -> None:
    logger = logging.getLogger(ROOT_LOGGER)
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)
    logger.propagate = True
    handler.end()


def _handler() -> LineHandler | None:
    handlers = logging.getLogger(ROOT_LOGGER).handlers
    return next((handler for handler in handlers if isinstance(handler, LineHandler)), None)


def _append(descriptor: int, text: str) -> None:
    """One line in one call. A full disk or a reader that went away ends no analysis."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) > MAX_LINE_BYTES:
        data = data[:MAX_LINE_BYTES].decode("utf-8", "ignore").encode()
    with suppress(OSError):
        os.write(descriptor, data + b"\n")


def _stderr_descriptor() -> int | None:
    """None where standard error is no file, as in a notebook."""
    try:
        return sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):
        return None


def _format_time(seconds: float) -> str:
    """RFC 3339 in UTC with milliseconds."""
    whole_seconds, part = divmod(round(seconds * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole_seconds)) + f".{part:03d}Z"
