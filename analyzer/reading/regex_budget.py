"""Limits the time of regular expressions: a pattern such as `(a+)+$` may take for ever on a line that nearly matches.

A signal whose searches exceed the limit a few times is not searched for any more. Most patterns take few steps on a
text of usual length, whatever it is. They are searched for without a limit: the clock takes longer than the search.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field

import regex

from analyzer.signals.compiled_patterns import clockless_chars

SEARCH_TIMEOUT_S = 0.5  # of one search
MAX_TIMEOUTS = 3  # of one signal before it is abandoned
TOTAL_TIMEOUT_S = 20.0  # lost by all timeouts; from then on the first timeout of SHORT_TIMEOUT_S abandons a signal
SHORT_TIMEOUT_S = 0.02
_log = logging.getLogger("analyzer.reading")


@dataclass(slots=True)
class RegexTimeoutBudget:
    """The time that all signals and sources of a run share for searches that time out."""

    spent_s: float = 0.0  # lost by timeouts
    timeouts: Counter[str] = field(default_factory=Counter)  # of each signal
    abandoned_signals: list[str] = field(default_factory=list)  # in order, until a reader has reported them

    def search(self, signal: str, pattern: regex.Pattern[str], text: str) -> regex.Match[str] | None:
        """Search for a pattern of `signal`; None as well if the search times out or the signal was abandoned."""
        if self.timeouts and self.timeouts[signal] >= MAX_TIMEOUTS:
            return None
        if len(text) <= clockless_chars(pattern):
            return pattern.search(text)
        limit_s = SEARCH_TIMEOUT_S if self.spent_s < TOTAL_TIMEOUT_S else SHORT_TIMEOUT_S
        try:
            return pattern.search(text, timeout=limit_s)
        except TimeoutError:
            self.note_timeout(signal, len(text), limit_s)
            return None

    def note_timeout(self, signal: str, characters: int, limit_s: float = SEARCH_TIMEOUT_S) -> None:
        """Count a search of `signal` that took longer than `limit_s` seconds on a text of so many characters."""
        self.spent_s += limit_s
        self.timeouts[signal] += 1 if limit_s == SEARCH_TIMEOUT_S else MAX_TIMEOUTS
        is_abandoned = self.timeouts[signal] >= MAX_TIMEOUTS
        if is_abandoned:
            self.abandoned_signals.append(signal)
        _log.info(
            "Signal %s: a search of %d characters took more than %.2f s%s",
            signal,
            characters,
            limit_s,
            "; the signal is no longer searched for" if is_abandoned else "",
        )
