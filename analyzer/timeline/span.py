"""The time in which the job was alive, and what lies outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analyzer.samples.show import say_span

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Span:
    """Seconds since the epoch, corrected; None where it is not known. What lies outside is certainly of another job.

    Files of `local` times without a zone read the clock on the wall that `walls` were read from, where that is known.
    """

    begin: float | None = None
    end: float | None = None
    stated: float = 0.0  # what `begin` was taken from
    local: frozenset[str] = frozenset()
    walls: Bounds = (None, None)

    def holds(self, time: float | None, error: float = 0.0, lasting: float = 0.0, local: bool = False) -> bool:
        """Whether what happened at a moment, known within `error` seconds, may be of the job. `lasting`: for how many
        seconds it went on."""
        if time is None:
            return True
        begin, end = self.walls if local and self.walls != (None, None) else (self.begin, self.end)
        early = begin is not None and time + lasting < begin - error
        return not early and not (end is not None and time > end + error)

    def say_outside(self, times: Iterable[float]) -> str:
        """How far outside moments lie that it does not hold, in words."""
        last = max(times)
        if last < self.stated:
            return f"it happened {say_span(self.stated - last)} before the job began"
        return "it happened after the job had ended"
