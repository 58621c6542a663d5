"""One count of what a bundle has cost so far, held against its limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.bundle.types import BundleLimits, LimitReachedError


class ReadObserver:
    """Told what goes on while a bundle is read; this one looks away."""

    def count_read(self, size: int) -> None:
        """`size` more bytes of the inputs were taken. Raises StoppedError to end the reading."""

    def add_note(self, sentence: str) -> None:
        """What the report should say of how something was read."""


@dataclass(slots=True)
class Meter:
    """Shared by all streams of one bundle; each count raises LimitReachedError, which names the setting."""

    limits: BundleLimits
    observer: ReadObserver = field(default_factory=ReadObserver)
    members: int = 0
    expanded: int = 0
    holes: int = 0
    input_bytes: int = 0
    read_bytes: int = 0

    def count_member(self) -> None:
        self.members += 1
        if self.members > self.limits.members:
            raise LimitReachedError(f"the bundle holds more than {self.limits.members:,} members (limit: members)")

    def count_input(self, size: int) -> None:
        self.input_bytes += size

    def count_read(self, size: int) -> None:
        """`size` bytes were read from the disk, or stepped over. Raises StoppedError where reading shall end."""
        self.read_bytes += size
        self.observer.count_read(size)

    def count_skipped_rest(self) -> None:
        """What was left of the files so far is done with too."""
        self.count_read(max(0, self.input_bytes - self.read_bytes))

    def count_expanded(self, produced: int, stream_in: int, stream_out: int) -> None:
        """`produced` more bytes came out of a stream that has turned `stream_in` bytes into `stream_out`."""
        self.observer.count_read(0)
        self.expanded += produced
        limits = self.limits
        if self.expanded > limits.expanded:
            raise LimitReachedError(f"the bundle expands to more than {limits.expanded:,} bytes (limit: expanded)")
        if self.expanded <= limits.ratio_from:
            return
        if stream_out > limits.ratio_from and stream_out > limits.ratio * stream_in:
            raise LimitReachedError(f"it expands more than {limits.ratio:,} times (limit: ratio)")
        # Many small bombs, and zip entries that share their data, look harmless one by one.
        if self.expanded > limits.ratio * self.input_bytes:
            raise LimitReachedError(f"the bundle expands more than {limits.ratio:,} times (limit: ratio)")

    def count_hole(self, size: int) -> None:
        self.holes += size
        if self.holes > self.limits.holes:
            raise LimitReachedError(f"sparse files hold more than {self.limits.holes:,} bytes of holes (limit: holes)")
