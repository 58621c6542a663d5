"""What a scheduler's record states of the job's begin and end.

StartTime=2026-11-22T04:11:38 EndTime=2026-11-22T04:12:51       scontrol, sacct: the wall's clock, without a zone
Started:      Sun, 22 Nov 2026 03:24:43 +0000                   kubectl describe
startedAt: "2026-11-22T03:24:43Z"                               kubectl get -o yaml
stime = Sun Nov 22 03:24:43 2026                                qstat -f: the wall's clock, without a zone
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from analyzer.formats.stamps import read_iso
from analyzer.model import Basis, Event, Stamp

CTIME_FORMAT = "%a %b %d %H:%M:%S %Y"
HOUR_S = 3600.0
CLOCK_TOLERANCE_S = 60.0  # seconds that a task may be before the record of its start: their clocks differ


@dataclass(frozen=True, slots=True)
class SchedulerRecord:
    """Seconds since the epoch; `local`: as if the wall's clock showed UTC. `end` is None where one is lacking."""

    begin: float
    end: float | None
    is_local: bool

    def zone_offset(self, first_seen: float, max_delay: float) -> float | None:
        """Seconds to add to its times, if a task's first word at `first` came at most `most` seconds behind its begin.

        Zones are whole hours here: with quarters nearly every moment would fit.
        """
        gap = first_seen - self.begin + CLOCK_TOLERANCE_S
        hours = gap // HOUR_S if self.is_local else 0.0
        return hours * HOUR_S if 0.0 <= gap - hours * HOUR_S <= max_delay + CLOCK_TOLERANCE_S else None


def read_scheduler_record(events: Iterable[Event]) -> SchedulerRecord | None:
    """The widest span that the events' captures `begin` and `end` state."""
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
    if text[:1].isdigit():
        return read_iso(text)
    from email.utils import parsedate_to_datetime  # for a record that came out of a scheduler, which few bundles hold

    try:
        if "," not in text:
            return Stamp(datetime.strptime(text, CTIME_FORMAT).replace(tzinfo=UTC).timestamp(), Basis.LOCAL)
        return Stamp(parsedate_to_datetime(text).timestamp(), Basis.UTC)
    except (ValueError, OverflowError):
        return None
