"""Ray's own C++ log: local time, level letter, process and thread.

    [2026-11-21 05:10:08,441 E 77 78] node_manager.cc:3040: 1 Workers (tasks / actors) killed due to memory pressure

Source: ray `util/logging.cc`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import SEVERITY_BY_LETTER
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) ([DIWEFC]) (\d{1,10}) (\d{1,10})\] (?:\(([\w-]+)\) )?(.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    clock, letter, pid, tid, name, message = match.groups()
    return Line(
        message,
        as_stamps(read_iso(clock)),
        SEVERITY_BY_LETTER[letter],
        Kind.SCHEDULER,
        pid=int(pid),
        tid=int(tid),
        logger=name,
    )


FORMAT = Format("ray_cpp", Kind.SCHEDULER, parse, tier=Tier.FRAMEWORK, date_marks="[", first_chars="[")
