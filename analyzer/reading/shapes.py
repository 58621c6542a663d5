"""How many error lines of each likeness a source has, although only a few of millions are kept.

A shape is a message with every word that holds a digit, and everything in quotes, left out: cheap, and coarser than the
templates that are made of the kept lines later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MOST = 2000  # shapes of a source that are told apart
RARE = 300  # lines of later shapes that are kept beside the first and last ones
OTHER = ""  # the shape of all that came when MOST were known
# A word is looked at from its beginning alone, or from behind a quotation that ended in it.
_VARYING = re.compile(r"(?:(?<!\S)|(?<=['\"]))[^\s\d]*+\d\S*|'[^'\n]*'|\"[^\"\n]*\"")


def shape_of(message: str) -> str:
    return _VARYING.sub("#", message[:200])


@dataclass(slots=True)
class Shapes:
    """Exact counts for each (stream, shape)."""

    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    rare: int = 0
    known: dict[str, tuple[str, str]] = field(default_factory=dict)  # shape of a whole line → (stream, shape)

    def note(self, stream: str, message: str, text: str) -> bool:
        """Counts the line `text` with this message; whether it is the first of its shape."""
        key = (stream, shape_of(message))
        new = key not in self.counts and len(self.counts) < MOST
        if not new and key not in self.counts:
            key = (stream, OTHER)
        self.counts[key] = self.counts.get(key, 0) + 1
        if len(self.known) < MOST:
            self.known[shape_of(text)] = key
        return new

    def note_again(self, text: str) -> bool:
        """Counts a line that looks like one that was noted, prefix and all; False where none did."""
        key = self.known.get(shape_of(text))
        if key is None:
            return False
        self.counts[key] += 1
        return True

    def keep(self) -> bool:
        """Whether one more line may be kept for its shape alone."""
        self.rare += 1
        return self.rare <= RARE
