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
_VARYING = re.compile(r"\S*\d\S*|'[^'\n]*'|\"[^\"\n]*\"")


def shape_of(message: str) -> str:
    return _VARYING.sub("#", message[:200])


@dataclass(slots=True)
class Shapes:
    """Exact counts for each (stream, shape)."""

    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    rare: int = 0

    def note(self, stream: str, message: str) -> bool:
        """Counts the line; whether it is the first of its shape."""
        key = (stream, shape_of(message))
        if key in self.counts:
            self.counts[key] += 1
            return False
        if len(self.counts) >= MOST:
            self.counts[stream, OTHER] = self.counts.get((stream, OTHER), 0) + 1
            return False
        self.counts[key] = 1
        return True

    def keep(self) -> bool:
        """Whether one more line may be kept for its shape alone."""
        self.rare += 1
        return self.rare <= RARE
