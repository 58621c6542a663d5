"""Show the progress of the reading on standard error, and let the user stop it. No command of its own."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from analyzer.cli._signals import raise_ended
from analyzer.cli._streams import console_stderr
from analyzer.engine.monitor import ProgressMonitor
from analyzer.interrupts import signals_held
from analyzer.redact.log_output import writes_to_stderr

if TYPE_CHECKING:
    from rich.progress import Progress

MAX_PATH_CHARS = 40  # characters of a path that are shown
LINE_INTERVAL_S = 5.0  # seconds between two lines where there is no terminal
REDRAW_INTERVAL_S = 0.25  # seconds from one drawing of the bar to the next
MIN_RATE_S = 2.0  # seconds of reading before a rate says something
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def show_progress(
    stop_switch: StopSwitch, quiet: bool, lines_wanted: bool, hide_names: bool = False
) -> Iterator[ProgressMonitor]:
    """Yield a monitor that draws a bar on a terminal, or prints lines elsewhere if `lines_wanted`.

    Lines end up in a scheduler's log, so with `hide_names` they name no file.
    """
    if lines_wanted and not console_stderr().isatty():
        yield _LineMonitor(stop_switch, hide_names)
    elif quiet or not console_stderr().isatty() or writes_to_stderr():  # log lines would tear the bar
        yield _SilentMonitor(stop_switch)
    else:
        with _progress_bar() as progress:
            yield _BarMonitor(stop_switch, progress)


class StopSwitch:
    """Whether the user stopped the reading, and whether everything was read by then."""

    is_stopped = False
    is_diagnosing = False

    def stop(self, *_: object) -> None:
        """Handle a signal: the first one ends the reading, the next one the program, as without --partial."""
        self.is_stopped = True
        for number in STOP_SIGNALS:
            signal.signal(number, raise_ended)
        state = (
            "all files are read: the report" if self.is_diagnosing else "stopped: the report of what was read so far"
        )
        sys.stderr.write(f"{state} is being written; press Ctrl-C again to stop without it\n")


@contextmanager
def stop_on_signal(partial: bool) -> Iterator[StopSwitch]:
    """Yield a switch. With `partial`, a signal ends the reading and not the program until the report is written."""
    switch = StopSwitch()
    previous_handlers = {number: signal.signal(number, switch.stop) for number in STOP_SIGNALS} if partial else {}
    try:
        yield switch
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)


class _SilentMonitor(ProgressMonitor):
    def __init__(self, switch: StopSwitch) -> None:
        self._switch = switch

    def should_stop(self) -> bool:
        return self._switch.is_stopped

    def begin_diagnosis(self, files: int) -> None:
        self._switch.is_diagnosing = True
        if self._switch.is_stopped:  # the user waits, for seconds if there are many files
            sys.stderr.write(_format_diagnosing(files) + "\n")


class _BarMonitor(_SilentMonitor):
    """A progress bar that is drawn only when a piece is reported.

    A thread that draws would forbid forking the reader processes.
    """

    def __init__(self, switch: StopSwitch, progress: Progress) -> None:
        super().__init__(switch)
        self._progress = progress
        self._task = progress.add_task("reading", total=None, file="", visible=False)
        self._last_draw = time.monotonic()

    def begin(self, total: int) -> None:
        self._progress.update(self._task, total=total, visible=True)

    def advance(self, path: str, size: int) -> None:
        self._progress.update(self._task, advance=size, file=_shorten_path(path))
        if time.monotonic() - self._last_draw >= REDRAW_INTERVAL_S:
            self._draw()

    def begin_diagnosis(self, files: int) -> None:
        self._switch.is_diagnosing = True
        self._progress.update(self._task, description=_format_diagnosing(files), file="")
        self._draw()

    def _draw(self) -> None:
        with signals_held():  # half a line would stay on the terminal
            self._progress.refresh()
        self._last_draw = time.monotonic()


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(20),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[file]}", markup=False),
    )
    progress = Progress(*columns, transient=True, console=Console(file=console_stderr()), auto_refresh=False)
    with ExitStack() as cleanup:
        with signals_held():
            cleanup.enter_context(progress)
        yield progress


class _LineMonitor(_SilentMonitor):
    """Progress for a scheduler's log: one line every LINE_INTERVAL_S seconds."""

    def __init__(self, switch: StopSwitch, hide_names: bool) -> None:
        super().__init__(switch)
        self._hide_names = hide_names
        self._total_bytes = self._read_bytes = 0
        self._start = self._last_line = time.monotonic()

    def begin(self, total: int) -> None:
        self._total_bytes = total

    def advance(self, path: str, size: int) -> None:
        self._read_bytes = min(self._read_bytes + size, self._total_bytes)
        now = time.monotonic()
        if now - self._last_line >= LINE_INTERVAL_S or (size and self._read_bytes == self._total_bytes):
            self._last_line = now
            shown = "" if self._hide_names else path
            sys.stderr.write(format_progress(self._read_bytes, self._total_bytes, now - self._start, shown) + "\n")

    def begin_diagnosis(self, files: int) -> None:
        self._switch.is_diagnosing = True
        sys.stderr.write(_format_diagnosing(files) + "\n")


def format_progress(read: int, total: int, seconds: float, path: str) -> str:
    """Return one line of progress. `read` and `total` are bytes, `seconds` is the time since the start."""
    rate = read / seconds if seconds > 0 else 0.0
    left = f", {(total - read) / rate:,.0f} s left" if seconds >= MIN_RATE_S and rate else ""
    return f"read {_format_bytes(read)} of {_format_bytes(total)}, {_format_bytes(rate)}/s{left}" + (
        f": {_shorten_path(path)}" if path else ""
    )


def _format_diagnosing(files: int) -> str:
    return f"analyzing {files:,} file{'s' if files != 1 else ''}"


def _format_bytes(count: float) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"


def _shorten_path(path: str) -> str:
    """Return the path without its middle: its beginning names the node and its end the file."""
    half = MAX_PATH_CHARS // 2 - 1
    return path if len(path) <= MAX_PATH_CHARS else f"{path[:half]}…{path[-half:]}"
