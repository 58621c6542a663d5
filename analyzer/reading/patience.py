"""Patterns may take for ever on a line that nearly matches: `(a+)+$`. Here each is given up after a few such lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import regex

TIME = 0.5  # seconds that one search may take
STRIKES = 3  # searches of a signal that may take too long before it is given up
PURSE = 20.0  # seconds that may be lost in this way in all; then STRIKES and TIME shrink
HURRY = 0.02


@dataclass(slots=True)
class Patience:
    """Shared by all signals and sources of a run."""

    lost: float = 0.0
    strikes: Counter[str] = field(default_factory=Counter)
    given_up: list[str] = field(default_factory=list)  # in order; a reader tells of what is new

    def search(self, signal: str, pattern: regex.Pattern[str], text: str) -> regex.Match[str] | None:
        """As `pattern.search`; None where that took too long, and for ever after a few such searches of the signal."""
        if self.strikes and self.strikes[signal] >= STRIKES:
            return None
        limit = TIME if self.lost < PURSE else HURRY
        try:
            return pattern.search(text, timeout=limit)
        except TimeoutError:
            self.lost += limit
            self.strikes[signal] += 1 if limit == TIME else STRIKES
            if self.strikes[signal] >= STRIKES:
                self.given_up.append(signal)
            return None
