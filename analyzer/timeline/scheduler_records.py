"""Start and end of the job as a scheduler's record states them.

StartTime=2026-11-22T04:11:38 EndTime=2026-11-22T04:12:51       scontrol, sacct: wall clock, without a zone
Started:      Sun, 22 Nov 2026 03:24:43 +0000                   kubectl describe
startedAt: "2026-11-22T03:24:43Z"                               kubectl get -o yaml
stime = Sun Nov 22 03:24:43 2026                                qstat -f: wall clock, without a zone
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from analyzer.formats.stamps import read_iso
from analyzer.model import Basis, Event, Stamp

CTIME_FORMAT = "%a %b %d %H:%M:%S %Y"
HOUR_S = 3600.0
CLOCK_TOLERANCE_S = 60.0  # a task may precede the record of its start by this many seconds, because clocks differ


@dataclass(frozen=True, slots=True)
class SchedulerRecord:
    """Start and end of a job, in seconds since the epoch."""

    begin: float
    end: float | None  # None if an end is missing
    is_local: bool  # the times are the wall clock's, as if it showed UTC

    def zone_offset(self, first_seen: float, max_delay: float) -> float | None:
        """Return the seconds to add to the record's times so that it fits the logs; None if it fits in no zone.

        It fits if the first line of a task (`first_seen`, UTC seconds) comes at most `max_delay` seconds after the
        start. Only whole hours are tried, because with quarters of hours nearly every time would fit.
        """
        gap = first_seen - self.begin + CLOCK_TOLERANCE_S
        hours = gap // HOUR_S if self.is_local else 0.0
        return hours * HOUR_S if 0.0 <= gap - hours * HOUR_S <= max_delay + CLOCK_TOLERANCE_S else None


def read_scheduler_record(events: Iterable[Event]) -> SchedulerRecord | None:
    """Return the widest span that the captures `begin` and `end` of the events state.

    None if no start is stated, or some times are local and others are not. The end is None if an event lacks it.
    """
    begins, ends = list[Stamp](), list[Stamp]()
    is_open_ended = False
    for event in events:
        begin, end = (_read_stamp(event.captures.get(name, "")) for name in ("begin", "end"))
        begins += [begin] if begin else []
        ends += [end] if end else []
        is_open_ended |= begin is not None and end is None
    if not begins or len({stamp.basis for stamp in (*begins, *ends)}) > 1:
        return None
    last = None if is_open_ended or not ends else max(stamp.value for stamp in ends)
    return SchedulerRecord(min(stamp.value for stamp in begins), last, begins[0].basis is Basis.LOCAL)


def _read_stamp(text: str) -> Stamp | None:
    """Return the stamp of an ISO, ctime or mail date; None for anything else."""
    if text[:1].isdigit():
        return read_iso(text)
    from email.utils import parsedate_to_datetime  # imported here: few bundles have such a record

    try:
        if "," not in text:
            return Stamp(datetime.strptime(text, CTIME_FORMAT).replace(tzinfo=UTC).timestamp(), Basis.LOCAL)
        return Stamp(parsedate_to_datetime(text).timestamp(), Basis.UTC)
    except (ValueError, OverflowError):
        return None
