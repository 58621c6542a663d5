"""HTCondor: the job event log, one event after another, each begun by a line with its code, job and time.

    005 (4235598.001.000) 2026-11-21 05:10:09 Job terminated.
    001 (4235598.000.000) 11/21 05:10:09 Job executing on host: <10.0.1.11:9618?addrs=10.0.1.11-9618>

Local time; older versions leave out the year. The job is the logger. Source: the event log codes of HTCondor's manual,
and `src/condor_utils/condor_event.cpp`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.stamps import as_stamps, read_iso, read_yearless
from analyzer.model import Kind, Line

_EVENT = re.compile(
    r"\d{3} \((\d{1,10}\.\d{3,10}\.\d{3,10})\) "
    r"(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)|(\d\d)/(\d\d) (\d\d:\d\d:\d\d)) (.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (match := _EVENT(text)):
        return None
    job, full_time, month, day, clock, message = match.groups()
    stamp = read_iso(full_time) if full_time else read_yearless(int(month), int(day), clock)
    return Line(message, as_stamps(stamp), kind=Kind.SCHEDULER, logger=job) if stamp else None


FORMAT = Format("htcondor", Kind.SCHEDULER, parse, tier=Tier.CLUSTER, first_chars=DIGITS, date_marks="")
