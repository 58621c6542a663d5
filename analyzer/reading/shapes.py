"""Counts error lines by shape, because only a few of millions are kept.

The shape of a message is the message without words that hold a digit and without quoted parts. That is cheap, and
coarser than the templates that are built later from the lines that were kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_SHAPES = 2000  # of a source
MAX_NOVEL_LINES = 300  # kept of a source because their shape is new, beside the first and last of each signal
OTHER_SHAPE = ""  # of all messages after MAX_SHAPES others
# A word is matched from its beginning only, or from the end of a quotation inside it: that keeps the time linear.
_VARYING = re.compile(r"(?:(?<!\S)|(?<=['\"]))[^\s\d]*+\d\S*|'[^'\n]*'|\"[^\"\n]*\"")

_may_vary = re.compile(r"[\d'\"]").search  # a search for one character takes a fifth of the time


def shape_of(message: str) -> str:
    """Return the shape of a message, of which the first 200 characters count."""
    beginning = message[:200]
    return _VARYING.sub("#", beginning) if _may_vary(beginning) else beginning


@dataclass(slots=True)
class ShapeCounter:
    """Exact counts for each (stream, shape)."""

    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    novel_lines: int = 0
    known_lines: dict[str, tuple[str, str]] = field(default_factory=dict)  # shape of a whole line → (stream, shape)

    def count_line(self, stream: str, message: str, text: str) -> bool:
        """Count the line `text` with this message; return whether it is the first of its shape in the stream."""
        key = (stream, shape_of(message))
        new = key not in self.counts and len(self.counts) < MAX_SHAPES
        if not new and key not in self.counts:
            key = (stream, OTHER_SHAPE)
        self.counts[key] = self.counts.get(key, 0) + 1
        if len(self.known_lines) < MAX_SHAPES:
            self.known_lines[shape_of(text)] = key
        return new

    @property
    def is_full(self) -> bool:
        """Whether no further shape is told apart."""
        return len(self.counts) >= MAX_SHAPES and len(self.known_lines) >= MAX_SHAPES

    def count_known_shape(self, shape: str, lines: int) -> bool:
        """Count lines with this shape of their whole texts; return False if no counted line has it."""
        key = self.known_lines.get(shape)
        if key is None:
            return False
        self.counts[key] += lines
        return True

    def may_keep_novel(self) -> bool:
        """Whether one more line may be kept because its shape is new; counts it."""
        self.novel_lines += 1
        return self.novel_lines <= MAX_NOVEL_LINES
