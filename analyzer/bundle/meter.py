"""One count of what a bundle has cost so far, held against its limits."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.bundle.types import LimitReachedError, Limits


@dataclass(slots=True)
class Meter:
    """Shared by all streams of one bundle; each count raises LimitReachedError, which names the setting."""

    limits: Limits
    members: int = 0
    expanded: int = 0
    holes: int = 0
    on_disk: int = 0

    def count_member(self) -> None:
        self.members += 1
        if self.members > self.limits.members:
            raise LimitReachedError(f"the bundle holds more than {self.limits.members:,} members (limit: members)")

    def count_input(self, size: int) -> None:
        self.on_disk += size

    def count_expanded(self, produced: int, stream_in: int, stream_out: int) -> None:
        """`produced` more bytes came out of a stream that has turned `stream_in` bytes into `stream_out`."""
        self.expanded += produced
        limits = self.limits
        if self.expanded > limits.expanded:
            raise LimitReachedError(f"the bundle expands to more than {limits.expanded:,} bytes (limit: expanded)")
        if self.expanded <= limits.ratio_from:
            return
        if stream_out > limits.ratio_from and stream_out > limits.ratio * stream_in:
            raise LimitReachedError(f"it expands more than {limits.ratio:,} times (limit: ratio)")
        # Many small bombs, and zip entries that share their data, look harmless one by one.
        if self.expanded > limits.ratio * self.on_disk:
            raise LimitReachedError(f"the bundle expands more than {limits.ratio:,} times (limit: ratio)")

    def count_hole(self, size: int) -> None:
        self.holes += size
        if self.holes > self.limits.holes:
            raise LimitReachedError(f"sparse files hold more than {self.limits.holes:,} bytes of holes (limit: holes)")
