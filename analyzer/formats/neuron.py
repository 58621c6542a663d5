"""AWS Neuron's runtime: a month in letters, process and thread; local time.

    2026-Nov-21 05:10:09.0231 4100:4207 ERROR NRT:nrt_allocate_neuron_cores NeuronCore(s) not available

Source: lines of libnrt. A library that aborts prints the time alone.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.severity import LEVEL_WORDS, SEVERITY_BY_WORD
from analyzer.formats.stamps import MONTH, MONTHS, as_stamps, read_parts
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    rf"(\d{{4}})-({MONTH})-(\d\d) (\d\d:\d\d:\d\d\.\d{{1,9}})\s*(?:(\d{{1,10}}):(\d{{1,10}}) +({LEVEL_WORDS}) +)?"
    r"(?:([A-Z]{2,12}:\w+) +)?(.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    year, month, day, clock, pid, tid, level, name, message = match.groups()
    stamp = read_parts(int(year), MONTHS[month], int(day), clock)
    return Line(
        message,
        as_stamps(stamp),
        SEVERITY_BY_WORD[level.lower()] if level else None,
        Kind.WORKER,
        pid=int(pid) if pid else None,
        tid=int(tid) if tid else None,
        logger=name,
    )


FORMAT = Format("neuron", Kind.WORKER, parse, tier=Tier.SERVICE, first_chars=DIGITS, date_marks="")
