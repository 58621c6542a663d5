"""How many error lines of each likeness a source has, although only a few of millions are kept.

A shape is a message with every word that holds a digit, and everything in quotes, left out: cheap, and coarser than the
templates that are made of the kept lines later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_SHAPES = 2000  # shapes of a source that are told apart
MAX_NOVEL_LINES = 300  # lines of later shapes that are kept beside the first and last ones
OTHER_SHAPE = ""  # the shape of all that came when MOST were known
# A word is looked at from its beginning alone, or from behind a quotation that ended in it.
_VARYING = re.compile(r"(?:(?<!\S)|(?<=['\"]))[^\s\d]*+\d\S*|'[^'\n]*'|\"[^\"\n]*\"")


def shape_of(message: str) -> str:
    return _VARYING.sub("#", message[:200])


@dataclass(slots=True)
class ShapeCounter:
    """Exact counts for each (stream, shape)."""

    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    novel_lines: int = 0
    known_lines: dict[str, tuple[str, str]] = field(default_factory=dict)  # shape of a whole line → (stream, shape)

    def count_line(self, stream: str, message: str, text: str) -> bool:
        """Counts the line `text` with this message; whether it is the first of its shape."""
        key = (stream, shape_of(message))
        new = key not in self.counts and len(self.counts) < MAX_SHAPES
        if not new and key not in self.counts:
            key = (stream, OTHER_SHAPE)
        self.counts[key] = self.counts.get(key, 0) + 1
        if len(self.known_lines) < MAX_SHAPES:
            self.known_lines[shape_of(text)] = key
        return new

    def count_known_line(self, text: str) -> bool:
        """Counts a line that looks like one that was noted, prefix and all; False where none did."""
        key = self.known_lines.get(shape_of(text))
        if key is None:
            return False
        self.counts[key] += 1
        return True

    def may_keep_novel(self) -> bool:
        """Whether one more line may be kept for its shape alone."""
        self.novel_lines += 1
        return self.novel_lines <= MAX_NOVEL_LINES
