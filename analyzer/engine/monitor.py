"""What can be seen of the reading from outside, and the word that ends it early."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.bundle import ReadObserver, StoppedError


class ProgressMonitor:
    """Sees nothing and never stops; whoever wants more overrides it. Called in the process that began the analysis."""

    def begin(self, total: int) -> None:
        """`total`: bytes that all inputs have on disk."""

    def advance(self, path: str, size: int) -> None:
        """`size` more of these bytes were read; `path` is the member that is being read."""

    def begin_diagnosis(self, files: int) -> None:
        """Nothing more is read: what so many files say is put together."""

    def should_stop(self) -> bool:
        """Whether what is not read yet shall be left unread."""
        return False


@dataclass(frozen=True, slots=True)
class SilentMonitor(ProgressMonitor):
    """Of one that reads what another reads too, and tells of."""

    inner: ProgressMonitor

    def should_stop(self) -> bool:
        return self.inner.should_stop()


@dataclass(slots=True)
class StreamObserver(ReadObserver):
    """What the streams of one reader tell of each piece that they take."""

    monitor: ProgressMonitor
    path: str = ""
    notes: list[str] = field(default_factory=list)

    def add_note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def count_read(self, size: int) -> None:
        """Raises StoppedError where reading shall end here."""
        if size:
            self.monitor.advance(self.path, size)
        if self.monitor.should_stop():
            raise StoppedError("the reading was stopped here")
