"""What a measurement may cost: one that turns out dear is made more seldom, so that the program never feels it."""

from __future__ import annotations

import time
from typing import Callable, TypeVar

Found = TypeVar("Found")


class Budget:
    """Runs a measurement at most so often that it takes `share` of one core; between runs its last result stands."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.cost = 0.0  # seconds of this thread's CPU time that the last run took
        self._next = 0.0

    def is_due(self, now: float) -> bool:
        return now >= self._next

    def run(self, measure: Callable[[], Found], now: float) -> Found:
        began = time.thread_time()
        try:
            return measure()
        finally:
            self.cost = time.thread_time() - began
            self._next = now + self.cost / self.share
