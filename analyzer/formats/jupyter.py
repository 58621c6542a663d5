"""Tornado's log lines, as Jupyter and its kernels print them: letter, date (or none), time of day.

    [I 10:00:00.123 NotebookApp] Kernel started: 1234
    [W 2026-11-21 10:00:00.123 ServerApp] Notebook is not trusted
    [E 261121 10:00:00 web:2250] 500 GET /api

Source: tornado `log.py`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import SEVERITY_BY_LETTER
from analyzer.formats.stamps import as_stamps, read_daytime, read_parts
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    r"\[([DIWEC]) (?:(\d{4})-(\d\d)-(\d\d) |(\d\d)(\d\d)(\d\d) )?(\d\d:\d\d:\d\d(?:\.\d{1,6})?) ([^\]]{1,80})\] ?(.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    letter, *date_parts, clock, name, message = match.groups()
    year, month, day = date_parts[:3] if date_parts[0] else date_parts[3:]
    stamp = read_parts(int(year), int(month), int(day), clock) if year else read_daytime(clock)
    return Line(message, as_stamps(stamp), SEVERITY_BY_LETTER[letter], Kind.WORKER, logger=name)


FORMAT = Format("jupyter", Kind.WORKER, parse, tier=Tier.STAMPED, first_chars="[", date_marks="")
