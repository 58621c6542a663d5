"""Which bytes of a zip archive belong to something that was looked at, and how many do not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import BinaryIO

_MAX_DESCRIPTOR_BYTES = 24  # bytes that may stand behind a member's data


@dataclass(slots=True)
class ByteCoverage:
    """`take` what was looked at, in any order; `left` is what nobody listed, or nobody came to."""

    file: BinaryIO
    _ranges: list[tuple[int, int]] = field(default_factory=list)

    def add(self, start: int, end: int) -> None:
        self._ranges.append((start, end))

    def uncovered(self) -> int:
        at = lost = 0
        size = self.file.seek(0, 2)
        for start, end in (*sorted(self._ranges), (size, size)):
            gap = min(start, size) - at
            lost += gap if gap > _MAX_DESCRIPTOR_BYTES else 0
            at = max(at, end)
        return lost
