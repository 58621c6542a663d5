"""Daemons of NVIDIA, such as the fabric manager and NVLSM: local time with the month in letters.

    [Nov 21 2026 05:10:07] [ERROR] [tid 1234] detected NVSwitch fatal error 12028 on fid 0

The level may be missing. Source: nv-fabricmanager since driver 450.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import LEVEL_WORDS_ANY_CASE, SEVERITY_BY_WORD
from analyzer.formats.stamps import MONTH, MONTHS, as_stamps, read_parts
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    rf"\[({MONTH}) +(\d{{1,2}}) (\d{{4}}) (\d\d:\d\d:\d\d(?:\.\d{{1,9}})?)\] (?:\[({LEVEL_WORDS_ANY_CASE})\] )?"
    r"(?:\[tid (\d{1,10})\] )?(.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    month, day, year, clock, level, tid, message = match.groups()
    stamp = read_parts(int(year), MONTHS[month], int(day), clock)
    severity = SEVERITY_BY_WORD[level.lower()] if level else None
    return Line(message, as_stamps(stamp), severity, Kind.SYSTEM, tid=int(tid) if tid else None)


FORMAT = Format("nvidia_daemon", Kind.SYSTEM, parse, tier=Tier.CLUSTER, first_chars="[", date_marks="")
