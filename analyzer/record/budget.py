"""Limit the cost of measurements: an expensive one runs less often, so that the program never notices."""

from __future__ import annotations

import time
from typing import Callable, TypeVar

Result = TypeVar("Result")


class CpuBudget:
    """Run a measurement at most so often that it takes `core_share` of one core."""

    def __init__(self, core_share: float) -> None:
        self.core_share = core_share
        self.last_cost_s = 0.0  # seconds of this thread's CPU time that the last run took
        self._next_due = 0.0

    def is_due(self, now: float) -> bool:
        return now >= self._next_due

    def run(self, measure: Callable[[], Result], now: float) -> Result:
        """Return what `measure` returns, and note its CPU time to find when it may run again."""
        start_s = time.thread_time()
        try:
            return measure()
        finally:
            self.last_cost_s = time.thread_time() - start_s
            self._next_due = now + self.last_cost_s / self.core_share
