"""What a bundle has cost so far, checked against its limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.bundle.types import BundleLimits, LimitReachedError


class ReadObserver:
    """Notified about the progress of reading a bundle; this base class ignores it."""

    def count_read(self, size: int) -> None:
        """`size` more bytes of the inputs were read. May raise StoppedError to end the reading."""

    def add_note(self, sentence: str) -> None:
        """The report should contain this sentence about how something was read."""


@dataclass(slots=True)
class Meter:
    """Counters that all streams of one bundle share. Each count may raise LimitReachedError, which names the limit."""

    limits: BundleLimits
    observer: ReadObserver = field(default_factory=ReadObserver)
    members: int = 0
    expanded: int = 0
    holes: int = 0
    input_bytes: int = 0
    read_bytes: int = 0

    def count_member(self) -> None:
        """Count one more member."""
        self.members += 1
        if self.members > self.limits.members:
            raise LimitReachedError(f"the bundle holds more than {self.limits.members:,} members (limit: members)")

    def count_input(self, size: int) -> None:
        """Add `size` bytes to the size of the inputs."""
        self.input_bytes += size

    def count_read(self, size: int) -> None:
        """Count `size` bytes that were read from the inputs or skipped. Raises StoppedError if reading should end."""
        self.read_bytes += size
        self.observer.count_read(size)

    def count_skipped_rest(self) -> None:
        """Count the unread rest of the files so far as read, because it will not be read."""
        self.count_read(max(0, self.input_bytes - self.read_bytes))

    def count_expanded(self, produced: int, stream_in: int, stream_out: int) -> None:
        """Count `produced` bytes of a stream that has turned `stream_in` bytes into `stream_out` so far."""
        self.observer.count_read(0)
        self.expanded += produced
        limits = self.limits
        if self.expanded > limits.expanded:
            raise LimitReachedError(f"the bundle expands to more than {limits.expanded:,} bytes (limit: expanded)")
        if self.expanded <= limits.ratio_from:
            return
        if stream_out > limits.ratio_from and stream_out > limits.ratio * stream_in:
            raise LimitReachedError(f"it expands more than {limits.ratio:,} times (limit: ratio)")
        # Each of many small bombs, and of zip entries that share their data, looks harmless.
        if self.expanded > limits.ratio * self.input_bytes:
            raise LimitReachedError(f"the bundle expands more than {limits.ratio:,} times (limit: ratio)")

    def count_hole(self, size: int) -> None:
        """Count `size` bytes of holes in sparse members."""
        self.holes += size
        if self.holes > self.limits.holes:
            raise LimitReachedError(f"sparse files hold more than {self.limits.holes:,} bytes of holes (limit: holes)")
