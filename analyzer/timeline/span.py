"""The time in which the job was alive, and what lies outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analyzer.samples.show import say_span


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds since the epoch, corrected; None where it is not known. What lies outside is certainly of another job."""

    begin: float | None = None
    end: float | None = None
    stated: float = 0.0  # what `begin` was taken from

    def holds(self, time: float | None, error: float = 0.0, lasting: float = 0.0) -> bool:
        """Whether what happened at a moment, known within `error` seconds, may be of the job. `lasting`: for how many
        seconds it went on."""
        if time is None:
            return True
        early = self.begin is not None and time + lasting < self.begin - error
        return not early and not (self.end is not None and time > self.end + error)

    def say_outside(self, times: Iterable[float]) -> str:
        """How far outside moments lie that it does not hold, in words."""
        last = max(times)
        if self.begin is not None and last < self.begin:
            return f"it happened {say_span(self.stated - last)} before the job began"
        return "it happened after the job had ended"
