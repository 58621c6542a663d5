"""Patterns may take for ever on a line that nearly matches: `(a+)+$`. Here each is given up after a few such lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import regex

SEARCH_TIMEOUT_S = 0.5  # seconds that one search may take
MAX_TIMEOUTS = 3  # searches of a signal that may take too long before it is given up
TOTAL_TIMEOUT_S = 20.0  # seconds that may be lost in this way in all; then STRIKES and TIME shrink
SHORT_TIMEOUT_S = 0.02


@dataclass(slots=True)
class RegexTimeoutBudget:
    """Shared by all signals and sources of a run."""

    spent_s: float = 0.0
    timeouts: Counter[str] = field(default_factory=Counter)
    abandoned_signals: list[str] = field(default_factory=list)  # in order; a reader tells of what is new

    def search(self, signal: str, pattern: regex.Pattern[str], text: str) -> regex.Match[str] | None:
        """As `pattern.search`; None where that took too long, and for ever after a few such searches of the signal."""
        if self.timeouts and self.timeouts[signal] >= MAX_TIMEOUTS:
            return None
        limit = SEARCH_TIMEOUT_S if self.spent_s < TOTAL_TIMEOUT_S else SHORT_TIMEOUT_S
        try:
            return pattern.search(text, timeout=limit)
        except TimeoutError:
            self.spent_s += limit
            self.timeouts[signal] += 1 if limit == SEARCH_TIMEOUT_S else MAX_TIMEOUTS
            if self.timeouts[signal] >= MAX_TIMEOUTS:
                self.abandoned_signals.append(signal)
            return None
