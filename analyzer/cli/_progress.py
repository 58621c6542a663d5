"""How far the reading is, on standard error, and the end that a person may put to it. No command of its own."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from analyzer.cli._signals import end
from analyzer.cli._speech import screen
from analyzer.engine.watch import Watch
from analyzer.interrupts import held

if TYPE_CHECKING:
    from rich.progress import Progress

WIDEST = 40  # characters of a path that are shown
EVERY = 5.0  # seconds between two lines where there is no terminal
REDRAWN = 0.25  # seconds from one drawing of the bar to the next
SETTLED = 2.0  # seconds of reading before a rate says something
STOPS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def watching(switch: Switch, quiet: bool, wanted: bool, nameless: bool = False) -> Iterator[Watch]:
    """A bar on a terminal, lines where `wanted` elsewhere: these are kept, so a `nameless` one tells of no file."""
    if wanted and not screen().isatty():
        yield _Lines(switch, nameless)
    elif quiet or not screen().isatty():
        yield _Silent(switch)
    else:
        with _bar() as progress:
            yield _Bar(switch, progress)


class Switch:
    """Whether somebody stopped the reading, and whether it was at its end by then."""

    off = False
    judging = False

    def stop(self, *_: object) -> None:
        """The first signal ends the reading; the next one everything, as without --partial."""
        self.off = True
        for number in STOPS:
            signal.signal(number, end)
        said = "all is read: the report" if self.judging else "stopped: a report of what was read so far"
        sys.stderr.write(f"{said} is being made; once more to give up\n")


@contextmanager
def stopping(partial: bool) -> Iterator[Switch]:
    """`partial`: until the report is written a signal ends the reading, not the program."""
    switch = Switch()
    before = {number: signal.signal(number, switch.stop) for number in STOPS} if partial else {}
    try:
        yield switch
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Silent(Watch):
    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    def stopped(self) -> bool:
        return self._switch.off

    def judge(self, files: int) -> None:
        self._switch.judging = True
        if self._switch.off:  # whoever stopped it waits, and of many files for seconds
            sys.stderr.write(_judging(files) + "\n")


class _Bar(_Silent):
    """Drawn as it is told of something: of a program with a thread that draws no reader could be forked."""

    def __init__(self, switch: Switch, progress: Progress) -> None:
        super().__init__(switch)
        self._progress = progress
        self._task = progress.add_task("reading", total=None, file="")
        self._drawn = time.monotonic()

    def begin(self, total: int) -> None:
        self._progress.update(self._task, total=total)

    def advance(self, path: str, size: int) -> None:
        self._progress.update(self._task, advance=size, file=_shorten(path))
        if time.monotonic() - self._drawn >= REDRAWN:
            self._draw()

    def judge(self, files: int) -> None:
        self._switch.judging = True
        self._progress.update(self._task, description=_judging(files), file="")
        self._draw()

    def _draw(self) -> None:
        with held():  # half a line would stay on the terminal
            self._progress.refresh()
        self._drawn = time.monotonic()


@contextmanager
def _bar() -> Iterator[Progress]:
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
    progress = Progress(*columns, transient=True, console=Console(file=screen()), auto_refresh=False)
    with ExitStack() as until_cleared:
        with held():
            until_cleared.enter_context(progress)
        yield progress


class _Lines(_Silent):
    """For a scheduler's log: now and then a line."""

    def __init__(self, switch: Switch, nameless: bool) -> None:
        super().__init__(switch)
        self._nameless = nameless
        self._total = self._read = 0
        self._start = self._said = time.monotonic()

    def begin(self, total: int) -> None:
        self._total = total

    def advance(self, path: str, size: int) -> None:
        self._read = min(self._read + size, self._total)
        now = time.monotonic()
        if now - self._said >= EVERY or (size and self._read == self._total):
            self._said = now
            shown = "" if self._nameless else path
            sys.stderr.write(describe(self._read, self._total, now - self._start, shown) + "\n")

    def judge(self, files: int) -> None:
        self._switch.judging = True
        sys.stderr.write(_judging(files) + "\n")


def describe(read: int, total: int, seconds: float, path: str) -> str:
    """`read` and `total` in bytes, `seconds` since the start."""
    rate = read / seconds if seconds > 0 else 0.0
    left = f", {(total - read) / rate:,.0f} s left" if seconds >= SETTLED and rate else ""
    return f"read {_size(read)} of {_size(total)}, {_size(rate)}/s{left}" + (f": {_shorten(path)}" if path else "")


def _judging(files: int) -> str:
    return f"judging what {files:,} file{'s say' if files != 1 else ' says'}"


def _size(count: float) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"


def _shorten(path: str) -> str:
    """The beginning tells the node and the end the file."""
    half = WIDEST // 2 - 1
    return path if len(path) <= WIDEST else f"{path[:half]}…{path[-half:]}"
