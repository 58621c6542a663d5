"""The time in which the job was alive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analyzer.samples.series_events import format_duration

MAX_ZONE_OFFSET_S = 14 * 3600.0  # the largest error of a local time without its zone

TimeRange = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class JobWindow:
    """When the job was alive, with all tolerances. An event outside certainly belongs to another time or job.

    Times are corrected UTC seconds, None where they are unknown.
    """

    begin: float | None = None
    end: float | None = None
    stated_begin: float = 0.0  # the time of `begin` without tolerances
    zoneless_files: frozenset[str] = frozenset()  # files whose local times state no zone
    # The window as the wall clock showed it, as if that were UTC. Zoneless files were stamped by the same clock.
    wall_clock_range: TimeRange = (None, None)

    def may_hold(
        self, time: float | None, error: float = 0.0, duration: float = 0.0, is_zoneless: bool = False
    ) -> bool:
        """Return whether something at `time` may belong to the job; True if it has no time.

        Args:
            time: corrected UTC seconds.
            error: half width of the time's error, in seconds.
            duration: the seconds that it lasted after `time`.
            is_zoneless: whether the time is local and without a zone.
        """
        if time is None:
            return True
        begin, end = (
            self.wall_clock_range if is_zoneless and self.wall_clock_range != (None, None) else (self.begin, self.end)
        )
        is_early = begin is not None and time + duration < begin - error
        return not is_early and not (end is not None and time > end + error)

    def explain_outside(self, times: Iterable[float]) -> str:
        """Return a sentence that says how far the last of `times` (UTC seconds) is outside the window."""
        last = max(times)
        if last < self.stated_begin:
            return f"it happened {format_duration(self.stated_begin - last)} before the job began"
        return "it happened after the end of the job"
