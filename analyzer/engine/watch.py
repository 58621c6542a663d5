"""What can be seen of the reading from outside, and the word that ends it early."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.bundle import StoppedError, Watcher


class Watch:
    """Sees nothing and never stops; whoever wants more overrides it. Called in the process that began the analysis."""

    def begin(self, total: int) -> None:
        """`total`: bytes that all inputs have on disk."""

    def advance(self, path: str, size: int) -> None:
        """`size` more of these bytes were read; `path` is the member that is being read."""

    def judge(self, files: int) -> None:
        """Nothing more is read: what so many files say is put together."""

    def stopped(self) -> bool:
        """Whether what is not read yet shall be left unread."""
        return False


@dataclass(frozen=True, slots=True)
class Silent(Watch):
    """Of one that reads what another reads too, and tells of."""

    inner: Watch

    def stopped(self) -> bool:
        return self.inner.stopped()


@dataclass(slots=True)
class Pulse(Watcher):
    """What the streams of one reader tell of each piece that they take."""

    watch: Watch
    path: str = ""
    notes: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def take(self, size: int) -> None:
        """Raises StoppedError where reading shall end here."""
        if size:
            self.watch.advance(self.path, size)
        if self.watch.stopped():
            raise StoppedError("the reading was stopped here")
