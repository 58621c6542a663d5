"""Progress of the reading as an outside observer sees it, and the request to stop it early."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from analyzer.bundle import ReadObserver, StoppedError


class ProgressMonitor:
    """Told how far the reading is; this one ignores it and never stops. Override what is needed.

    It is called in the process that began the analysis.
    """

    def begin(self, total: int) -> None:
        """The reading begins; `total` is the size of all inputs on disk in bytes."""

    def advance(self, path: str, size: int) -> None:
        """`size` more of these bytes were read; `path` is the member that is being read."""

    def begin_diagnosis(self, files: int) -> None:
        """Reading is over and `files` files were read; the diagnosis begins."""

    def should_stop(self) -> bool:
        """Return whether the rest should stay unread."""
        return False


@dataclass(slots=True)
class CallbackMonitor(ProgressMonitor):
    """Calls a function with the member that is read, the bytes read so far and the bytes in all."""

    report: Callable[[str, int, int], None]
    total_bytes: int = 0
    read_bytes: int = 0

    def begin(self, total: int) -> None:
        self.total_bytes = total

    def advance(self, path: str, size: int) -> None:
        self.read_bytes = min(self.read_bytes + size, self.total_bytes)
        self.report(path, self.read_bytes, self.total_bytes)


@dataclass(frozen=True, slots=True)
class SilentMonitor(ProgressMonitor):
    """The monitor of a process that reads bytes which another process reads and reports, too."""

    inner: ProgressMonitor

    def should_stop(self) -> bool:
        return self.inner.should_stop()


@dataclass(slots=True)
class StreamObserver(ReadObserver):
    """Forwards what the streams of one reader take to a monitor, and collects notes for the report."""

    monitor: ProgressMonitor
    path: str = ""
    notes: list[str] = field(default_factory=list)

    def add_note(self, sentence: str) -> None:
        """Keep a sentence for the report."""
        self.notes.append(sentence)

    def count_read(self, size: int) -> None:
        """Report `size` more bytes. Raises StoppedError if the reading should end here."""
        if size:
            self.monitor.advance(self.path, size)
        if self.monitor.should_stop():
            raise StoppedError("reading was stopped here")
