"""The time in which the job was alive, and what lies outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analyzer.samples.series_events import format_duration

TimeRange = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class JobWindow:
    """Seconds since the epoch, corrected; None where it is not known. What lies outside is certainly of another job.

    Files of `local` times without a zone read the clock on the wall that `walls` were read from, where that is known.
    """

    begin: float | None = None
    end: float | None = None
    stated_begin: float = 0.0  # what `begin` was taken from
    zoneless_files: frozenset[str] = frozenset()
    wall_clock_range: TimeRange = (None, None)

    def may_hold(
        self, time: float | None, error: float = 0.0, duration: float = 0.0, is_zoneless: bool = False
    ) -> bool:
        """Whether what happened at a moment, known within `error` seconds, may be of the job. `lasting`: for how many
        seconds it went on."""
        if time is None:
            return True
        begin, end = (
            self.wall_clock_range if is_zoneless and self.wall_clock_range != (None, None) else (self.begin, self.end)
        )
        is_early = begin is not None and time + duration < begin - error
        return not is_early and not (end is not None and time > end + error)

    def explain_outside(self, times: Iterable[float]) -> str:
        """How far outside moments lie that it does not hold, in words."""
        last = max(times)
        if last < self.stated_begin:
            return f"it happened {format_duration(self.stated_begin - last)} before the job began"
        return "it happened after the job had ended"
